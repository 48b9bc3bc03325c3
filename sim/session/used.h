/* Overrides that nothing would come of. */
#ifndef STEPSIM_SIM_SESSION_USED_H
#define STEPSIM_SIM_SESSION_USED_H

#include "model/input/machine.h"
#include "model/kernel/cost.h"

typedef struct ss_workload ss_workload;

/* Refuses what the command line sets and a cost model does not count, such as an efficiency of kernels with costs as
 * they were published. Files may have it: they are for all cost models. SS_ERROR_INPUT. */
ss_status ss_used_with_cost(const ss_workload *workload, const ss_machine *machine, ss_cost cost, ss_error *error);

/* Refuses what the command line sets of the machine and only a replay has, where there is none; `replays` is what
 * replays instead. SS_ERROR_INPUT. */
ss_status ss_used_without_replay(const ss_machine *machine, const char *replays, ss_error *error);

/* The same of what only differs from trial to trial. SS_ERROR_INPUT. */
ss_status ss_used_without_trials(const ss_machine *machine, ss_error *error);

#endif
