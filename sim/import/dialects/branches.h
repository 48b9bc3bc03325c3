/* Settings in branches of a script of which only a run takes one. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_BRANCHES_H
#define STEPSIM_SIM_IMPORT_DIALECTS_BRANCHES_H

#include "sim/import/dialects/dialect.h"
#include "sim/import/models/draft.h"

/* Refuses settings that matter to a dialect and are not the same in two branches that may both be taken; notes those
 * that may be left out, with the line of their condition, names that conditions ask for and the file does not set, and
 * loops of which only the first round is read. SS_ERROR_INPUT; SS_ERROR_MEMORY. */
ss_status ss_branches_check(ss_import *import, const ss_dialect *dialect, const ss_settings *settings, ss_error *error);

#endif
