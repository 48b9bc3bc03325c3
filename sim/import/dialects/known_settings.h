/* What a framework knows of the settings of a file. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_KNOWN_SETTINGS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_KNOWN_SETTINGS_H

#include "sim/import/dialects/dialect.h"

/* Whether a value is that word in quotes, in whatever case. */
bool ss_setting_is_word(const json_t *value, const char *word);

/* False as a flag: environments have numbers. */
bool ss_setting_is_false(const json_t *value);

/* null, false, 0, and nothing. */
bool ss_setting_is_off(const json_t *value);

/* Refuses all settings at once that have no row and may matter, each with the names that it is near to:
 * SS_ERROR_INPUT. */
ss_status ss_known_check(const ss_dialect *dialect, const ss_settings *settings, ss_error *error);

#endif
