/* A run in closed form, from its phases. */
#ifndef STEPSIM_SIM_SESSION_PLAN_MAKE_H
#define STEPSIM_SIM_SESSION_PLAN_MAKE_H

#include "sim/session/plan/phases.h"

/* A phase with its workload and machine, which measures may have changed in what breaks and how it goes on. */
void ss_plan_make_phase(const ss_run_phase *phase, const ss_workload *workload, const ss_machine *machine,
                        ss_plan_phase *plan);

/* All phases, and what they come to; `phase` is on the heap, for the caller to free in any case. The phases are
 * borrowed. SS_ERROR_INPUT where hardly any of the time is work, SS_ERROR_MEMORY. */
ss_status ss_plan_make(const ss_run_phases *phases, ss_plan *plan, ss_error *error);

/* Whether enough of the time is work. */
bool ss_plan_ends(const ss_whole_run_time *mean);

/* SS_ERROR_INPUT where so many trials would take too long. */
ss_status ss_plan_check_events(const ss_plan *plan, int64_t trials, ss_error *error);

#endif
