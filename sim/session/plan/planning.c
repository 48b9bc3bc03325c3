#include "sim/session/plan/planning.h"

#include <stdlib.h>

#include "sim/campaign/campaign.h"
#include "sim/session/plan/make.h"
#include "sim/session/plan/simgrid.h"
#include "sim/session/plan/size.h"

/* What the run would be with a measure, and the spares that it has without; whether it is another one that ends. */
static bool weigh(const ss_run_phases *phases, const ss_plan *plan, ss_measure measure, ss_worth *worth)
{
  bool differs = false;
  *worth = (ss_worth){.measure = measure};
  for (int64_t i = 0; i < phases->count; ++i) {
    ss_workload workload = phases->phase[i]->session.workload;
    ss_machine machine = phases->phase[i]->session.machine;
    ss_plan_phase phase = {0};
    workload.run.spares = (double)plan->phase[i].parts.run.spares;
    if (ss_measure_take(measure, &workload, &machine)) differs = true;
    ss_plan_make_phase(phases->phase[i], &workload, &machine, &phase);
    worth->mean = ss_whole_run_time_sum(worth->mean, phase.mean);
    worth->bill = ss_bill_sum(worth->bill, phase.bill);
  }
  return differs && ss_plan_ends(&worth->mean);
}

static void weigh_all(const ss_run_phases *phases, ss_plan *plan)
{
  for (int measure = 0; measure < SS_MEASURES; ++measure)
    if (weigh(phases, plan, (ss_measure)measure, &plan->worth[plan->worths])) ++plan->worths;
}

static ss_status play(const ss_options *options, ss_plan *plan, ss_error *error)
{
  ss_whole_run run[SS_PHASES_MAX];
  const ss_plan_phase *longest = ss_plan_longest(plan);
  for (int64_t i = 0; i < plan->phases; ++i) run[i] = plan->phase[i].parts.run;
  const ss_status status = ss_campaign_play(run, plan->phases, ss_plan_trials(&options->plan),
                                            ss_plan_seed(&options->plan), &plan->campaign, error);
  if (status != SS_OK) return status;
  return ss_campaign_draw_steps(plan->machine, longest->gpus, &longest->iteration, &plan->campaign, error);
}

/* What is drawn over a step of the longest phase, where it has been replayed and power is known. */
static ss_status draw_step(const ss_run_phases *phases, ss_plan *plan, ss_error *error)
{
  const ss_plan_phase *longest = ss_plan_longest(plan);
  const ss_run_phase *phase = phases->phase[longest - plan->phase];
  if (phase->history.end_s == 0.0 || plan->machine->gpu_power_w == 0.0) return SS_OK;
  const ss_power power = ss_power_of(plan->machine);
  const ss_power_curve_question question = {.history = &phase->history,
                                            .stages = phase->session.job.stages,
                                            .iteration = &phase->iteration,
                                            .gpus = (double)longest->gpus,
                                            .spare_gpus = longest->spare_gpus,
                                            .power = &power};
  return ss_power_curve_of(&question, &plan->step, error);
}

ss_status ss_planning_make(ss_planning *planning, ss_error *error)
{
  const ss_options *options = planning->options;
  const ss_run_phases *phases = &planning->phases;
  ss_plan *plan = &planning->plan;
  ss_status status = ss_plan_make(phases, plan, error);
  if (status == SS_OK) status = ss_plan_check_events(plan, ss_plan_trials(&options->plan), error);
  if (status == SS_OK) status = ss_plan_simgrid_check(plan, options->plan.simgrid_trials, error);
  if (status == SS_OK) status = play(options, plan, error);
  if (status == SS_OK) status = ss_plan_simgrid_play(plan, &options->plan, error);
  if (status == SS_OK) status = draw_step(phases, plan, error);
  if (status == SS_OK) weigh_all(phases, plan);
  return status;
}

ss_status ss_planning_open(ss_planning *planning, const ss_options *options, ss_error *error)
{
  const ss_session *base = &planning->base;
  planning->options = options;
  if (options->choice.gpus_count == 0) return ss_run_phases_open(&planning->phases, base, options, 0, error);
  return ss_plan_best_size(base, options, &planning->sizes, &planning->phases, error);
}

void ss_planning_close(ss_planning *planning)
{
  free(planning->plan.phase);
  ss_power_curve_free(&planning->plan.step);
  free(planning->sizes.size);
  ss_run_phases_close(&planning->phases);
  ss_session_close(&planning->base);
}
