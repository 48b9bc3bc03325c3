/* The best number of GPUs for a run. */
#ifndef STEPSIM_SIM_SESSION_PLAN_SIZE_H
#define STEPSIM_SIM_SESSION_PLAN_SIZE_H

#include "model/search/plan_sizes.h"
#include "sim/session/plan/phases.h"

/* Plans the run of inputs that have begun on each number of --gpus, each phase with its best strategy there, and opens
 * the phases of the best that --budget allows. `sizes->size` is on the heap, for the caller to free in any case.
 * SS_ERROR_INPUT where it runs on none of them, or none is within the budget; otherwise errors as of
 * ss_run_phases_open. */
ss_status ss_plan_best_size(const ss_session *base, const ss_options *options, ss_plan_sizes *sizes,
                            ss_run_phases *phases, ss_error *error);

#endif
