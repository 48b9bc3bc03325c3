/* Settings among the words of a shell script, or of a line: --NAME VALUE, and TABLE.NAME=VALUE. */
#ifndef STEPSIM_SIM_IMPORT_FILES_ARGUMENTS_H
#define STEPSIM_SIM_IMPORT_FILES_ARGUMENTS_H

#include "sim/import/files/settings.h"

/* Adds them; a name without a value is true. SS_ERROR_INPUT where they are too many or too long; SS_ERROR_MEMORY. */
ss_status ss_arguments_read(ss_settings *settings, ss_error *error);

#endif
