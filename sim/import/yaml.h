/* Configurations in YAML. */
#ifndef STEPSIM_SIM_IMPORT_YAML_H
#define STEPSIM_SIM_IMPORT_YAML_H

#include "sim/import/settings.h"

/* Adds what a file in YAML says. Members of lists that are no scalars have their number for a name, from 0. One
 * document without anchors is read. SS_ERROR_INPUT with file and line; SS_ERROR_MEMORY. */
ss_status ss_yaml_read(ss_settings *settings, ss_error *error);

#endif
