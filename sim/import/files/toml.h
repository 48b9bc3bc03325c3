/* Configurations in TOML, as TorchTitan has them. */
#ifndef STEPSIM_SIM_IMPORT_FILES_TOML_H
#define STEPSIM_SIM_IMPORT_FILES_TOML_H

#include "sim/import/files/settings.h"

/* Adds what a file in TOML 1.0 says. Strings of several lines, dates, infinities and arrays of tables, which no
 * configuration of TorchTitan has, are refused. SS_ERROR_INPUT with file and line; SS_ERROR_MEMORY. */
ss_status ss_toml_read(ss_settings *settings, ss_error *error);

#endif
