/* Frameworks whose settings are not read, by keys that only their files have, and programs. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_OTHERS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_OTHERS_H

#include "sim/import/files/settings.h"

/* Refuses the settings of a framework that is known not to be read, and says what of it is: SS_ERROR_INPUT. */
ss_status ss_others_check(const ss_settings *settings, ss_error *error);

/* Whether `first`, the beginning of a file behind comments, is that of a program in Python. */
bool ss_others_is_program(const char *first);

/* Refuses a program in Python, of which `first` is the beginning behind comments, and says what of it is read:
 * SS_ERROR_INPUT. */
ss_status ss_others_check_program(const ss_source *source, const char *first, ss_error *error);

#endif
