#include "sim/report/plan/differences.h"

#include <math.h>

/* Shares of a run that matter: of a part, and where the bill is wrong. */
#define MATTERS 1e-3
#define IS_OFF  1e-2

/* Standard errors beyond which a difference is no chance. */
#define NO_CHANCE 3.0

/* A repair that takes this share of a run is not short beside it. */
#define LONG_REPAIR 0.05

/* What two simulations of the same differ by, at most. */
#define ROUNDING 1e-9

#define CHANCE           "so few trials may differ by chance"
#define SHORT_OF_REPAIRS "the closed form is that of a run far longer than a repair; trials begin with all nodes there"

static bool by_chance(const ss_plan *plan, double seconds, double error_s)
{
  return plan->campaign.trials == 1 || fabs(seconds) <= NO_CHANCE * error_s;
}

/* Whether the run loses nodes, and is too short for what the closed form says of them. */
static bool is_short_of_repairs(const ss_plan *plan)
{
  const ss_whole_run *run = &ss_plan_longest(plan)->parts.run;
  return ss_whole_run_lost_per_s(run) > 0.0 && run->repair_s > LONG_REPAIR * plan->campaign.mean.total_s;
}

/* Why a part differs: what the closed form leaves out, or chance. */
static const char *reason(const ss_plan *plan, const ss_plan_difference *difference, bool of_nodes, bool of_speed)
{
  const ss_whole_run *run = &ss_plan_longest(plan)->parts.run;
  if ((of_nodes || (of_speed && run->shrinks)) && is_short_of_repairs(plan)) return SHORT_OF_REPAIRS;
  if (by_chance(plan, difference->seconds, difference->error_s)) return CHANCE;
  if (of_speed && ss_whole_run_slow_per_s(run) > 0.0)
    return "slow parts, repairs and checkpoints overlap in trials; the closed form takes them for independent";
  return "it follows from how long the run is and how fast, in which both differ";
}

int ss_plan_differences(const ss_plan *plan, ss_plan_difference difference[SS_PLAN_PARTS])
{
  const ss_whole_run_time *mean = &plan->mean, *played = &plan->campaign.mean, *error = &plan->campaign.error;
  const double least_s = MATTERS * fmin(mean->total_s, played->total_s);
  int count = 0;
#define ADD_PART(field, name, help)                                                                                    \
  if (fabs(played->field - mean->field) > fmax(least_s, error->field)) {                                               \
    difference[count] = (ss_plan_difference){                                                                          \
        .key = #field, .label = name, .seconds = played->field - mean->field, .error_s = error->field};                \
    difference[count].why =                                                                                            \
        reason(plan, &difference[count], &mean->field == &mean->waiting_s, &mean->field == &mean->slowed_s);           \
    ++count;                                                                                                           \
  }
  SS_WHOLE_RUN_PART_LIST(ADD_PART)
  const int parts = count;
  ADD_PART(total_s, "all", "")
#undef ADD_PART
  if (parts > 0 && count > parts) difference[parts].why = "all of these together";
  return count;
}

/* Why the totals of all trials differ from the closed form: nodes, where most of it is waiting for them. */
static const char *total_reason(const ss_plan *plan, double seconds)
{
  const ss_plan_difference total = {.seconds = seconds, .error_s = plan->campaign.error.total_s};
  const double waiting_s = plan->campaign.mean.waiting_s - plan->mean.waiting_s;
  if (fabs(seconds) <= ROUNDING * plan->mean.total_s) return "rounding";
  return reason(plan, &total, fabs(waiting_s) > 0.5 * fabs(seconds), false);
}

void ss_plan_simgrid_differences(const ss_plan *plan, ss_plan_difference step[SS_PLAN_SIMGRID_STEPS])
{
  const ss_simgrid_campaign *simgrid = &plan->simgrid;
  const double all_s = plan->campaign.mean.total_s, more_s = all_s - plan->mean.total_s;
  const bool same = simgrid->apart_s <= ROUNDING * simgrid->mean_s;
  step[0] = (ss_plan_difference){.key = "own_loop",
                                 .label = "own loop",
                                 .seconds = simgrid->mean_s - simgrid->own_mean_s,
                                 .why = same ? "rounding: each trial takes as long in both"
                                             : "one of the two simulations is wrong"};
  step[1] = (ss_plan_difference){.key = "trials",
                                 .label = "all trials",
                                 .seconds = simgrid->own_mean_s - all_s,
                                 .error_s = simgrid->error_s,
                                 .why = "other or fewer trials differ by chance"};
  step[2] = (ss_plan_difference){.key = "closed_form",
                                 .label = "closed form",
                                 .seconds = more_s,
                                 .error_s = plan->campaign.error.total_s,
                                 .why = total_reason(plan, more_s)};
}

bool ss_plan_closed_form_is_off(const ss_plan *plan)
{
  const double closed_s = plan->mean.total_s, played_s = plan->campaign.mean.total_s;
  const bool may_be_chance = by_chance(plan, played_s - closed_s, plan->campaign.error.total_s);
  return fabs(played_s - closed_s) > IS_OFF * fmin(closed_s, played_s) && (is_short_of_repairs(plan) || !may_be_chance);
}
