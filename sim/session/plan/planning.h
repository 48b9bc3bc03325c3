/* From an iteration to a run. */
#ifndef STEPSIM_SIM_SESSION_PLAN_PLANNING_H
#define STEPSIM_SIM_SESSION_PLAN_PLANNING_H

#include "model/run/plan.h"
#include "model/search/plan_sizes.h"
#include "sim/session/plan/phases.h"

typedef struct ss_planning {
  const ss_options *options;
  ss_session base; /* inputs, with what --set changes; begun by the caller */
  ss_run_phases phases;
  ss_plan_sizes sizes; /* that were tried; none without --gpus */
  ss_plan plan;
} ss_planning;

/* Opens the phases of a run whose inputs have begun: on the best of --gpus, or as the workload has them. It must stay
 * where it is, like the options; close it in any case. Errors as from ss_run_phases_open and ss_plan_best_size. */
ss_status ss_planning_open(ss_planning *planning, const ss_options *options, ss_error *error);
void ss_planning_close(ss_planning *planning);

/* Works the run out: in closed form, event by event, and what measures would be worth. Errors as from ss_plan_make,
 * ss_plan_check_events, ss_campaign_play and ss_plan_simgrid_play. */
ss_status ss_planning_make(ss_planning *planning, ss_error *error);

#endif
