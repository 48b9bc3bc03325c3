/* Configurations in YAML. */
#ifndef STEPSIM_SIM_IMPORT_FILES_YAML_H
#define STEPSIM_SIM_IMPORT_FILES_YAML_H

#include "sim/import/files/settings.h"

/* Adds what a file in YAML says. Members of lists that are no scalars have their number for a name, from 0. One
 * document is read; an alias is what its anchor is of, and what is merged ("<<", one mapping or a list of them, which
 * may merge others) goes under what is there, of a list a later one under an earlier one.
 * SS_ERROR_INPUT with file and line, also where aliases repeat too much; SS_ERROR_MEMORY. */
ss_status ss_yaml_read(ss_settings *settings, ss_error *error);

/* What a file is of. */
typedef enum ss_yaml_root { SS_YAML_MAPPING, SS_YAML_LIST } ss_yaml_root;

/* The same for a file that is a list: its members have their number for a name. */
ss_status ss_yaml_read_root(ss_settings *settings, ss_yaml_root root, ss_error *error);

#endif
