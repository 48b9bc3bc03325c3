/* Trials of a run on hosts of SimGrid that fail. */
#ifndef STEPSIM_SIM_SESSION_PLAN_SIMGRID_H
#define STEPSIM_SIM_SESSION_PLAN_SIMGRID_H

#include "model/run/plan.h"
#include "sim/options/options.h"

/* SS_ERROR_INPUT where hosts that fail cannot play the run, or so many trials would take too long; `trials` of 0 is
 * none. */
ss_status ss_plan_simgrid_check(const ss_plan *plan, int64_t trials, ss_error *error);

/* Plays the trials of --simgrid-trials, if there are any. Errors as of ss_play_failures, SS_ERROR_MEMORY. */
ss_status ss_plan_simgrid_play(ss_plan *plan, const ss_plan_options *options, ss_error *error);

#endif
