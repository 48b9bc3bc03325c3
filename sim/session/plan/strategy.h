/* The best strategy of a phase of a run. */
#ifndef STEPSIM_SIM_SESSION_PLAN_STRATEGY_H
#define STEPSIM_SIM_SESSION_PLAN_STRATEGY_H

#include "sim/options/options.h"
#include "sim/session/session.h"

/* A workload with the best strategy that a search finds for it on a machine with so many GPUs, as the options of the
 * choice say, and its sizes in words. SS_ERROR_INPUT where none of those that it tries fits, else errors as from
 * ss_api_search_create and ss_api_search_run. */
ss_status ss_plan_strategy(const ss_options *options, const ss_machine *machine, int64_t gpus, ss_workload *workload,
                           char words[SS_TEXT_SIZE], ss_error *error);

#endif
