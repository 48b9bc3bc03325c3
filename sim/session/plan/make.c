#include "sim/session/plan/make.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Where less of the time than this is work, a run does not end, for all that people care. */
#define LEAST_GOODPUT 1e-3

/* Interruptions and slow parts that trials play, some ten million in a second on a core. */
#define MOST_EVENTS 1e8

void ss_plan_make_phase(const ss_run_phase *phase, const ss_workload *workload, const ss_machine *machine,
                        ss_plan_phase *plan)
{
  const ss_breakdown *iteration = &phase->iteration;
  const ss_whole_run_question question = {
      .job = &phase->session.job,
      .workload = workload,
      .machine = machine,
      .iteration = iteration,
      .iterations = phase->tokens / (double)(workload->training.global_batch * workload->model.sequence),
      .replica_speed = phase->replica_speed,
      .nic_speed = phase->nic_speed,
      .fabric = &phase->slow_fabric};
  (void)snprintf(plan->settings, sizeof plan->settings, "%s", phase->settings);
  (void)snprintf(plan->strategy, sizeof plan->strategy, "%s", phase->strategy);
  plan->gpus = phase->prediction.gpus;
  plan->tokens = phase->tokens;
  plan->iterations = question.iterations;
  plan->iteration = *iteration;
  plan->parts = ss_whole_run_of(&question);
  plan->mean = ss_whole_run_mean(&plan->parts.run);
  plan->spare_gpus = (double)(plan->parts.run.spares * ss_machine_node_gpus(machine));
  const ss_bill_question bill = {.machine = machine,
                                 .gpus = (double)plan->gpus,
                                 .spare_gpus = plan->spare_gpus,
                                 .iteration = iteration,
                                 .time = &plan->mean};
  plan->bill = ss_bill_of(&bill);
}

static void plan_all(const ss_run_phases *phases, ss_plan *plan)
{
  for (int64_t i = 0; i < phases->count; ++i) {
    const ss_session *session = &phases->phase[i]->session;
    ss_plan_make_phase(phases->phase[i], &session->workload, &session->machine, &plan->phase[i]);
    plan->mean = ss_whole_run_time_sum(plan->mean, plan->phase[i].mean);
    plan->bill = ss_bill_sum(plan->bill, plan->phase[i].bill);
  }
}

bool ss_plan_ends(const ss_whole_run_time *mean)
{
  return isfinite(mean->total_s) && mean->work_s + mean->stalled_s >= LEAST_GOODPUT * mean->total_s;
}

/* Why a run does not end: something breaks, or parts become slow, or both. */
static ss_status refuse_endless(const ss_whole_run *run, ss_error *error)
{
  char broken[160] = "", slow[64] = "";
  const double slow_per_s = ss_whole_run_slow_per_s(run);
  const bool breaks = run->breakage.rate_per_s > 0.0, slows = slow_per_s > 0.0;
  if (breaks)
    (void)snprintf(broken, sizeof broken,
                   "it is interrupted every %.3g s, with checkpoints every %.3g s and recoveries of %.3g s",
                   1.0 / run->breakage.rate_per_s, run->rhythm.interval_s, ss_breakage_recovery_s(run->breakage));
  if (slows) (void)snprintf(slow, sizeof slow, "a part becomes slow every %.3g s", 1.0 / slow_per_s);
  return ss_error_set(error, SS_ERROR_INPUT, NULL, 0,
                      "the run does not end: %s%s%s; allowed: what leaves %g of the time for work", broken,
                      breaks && slows ? ", and " : "", slow, LEAST_GOODPUT);
}

static ss_status check_ends(const ss_plan *plan, ss_error *error)
{
  for (int64_t i = 0; i < plan->phases; ++i) {
    const ss_plan_phase *phase = &plan->phase[i];
    if (!ss_plan_ends(&phase->mean)) return refuse_endless(&phase->parts.run, error);
  }
  return SS_OK;
}

ss_status ss_plan_check_events(const ss_plan *plan, int64_t trials, ss_error *error)
{
  double events = 0.0;
  for (int64_t i = 0; i < plan->phases; ++i) {
    const ss_plan_phase *phase = &plan->phase[i];
    events += phase->mean.interruptions + ss_whole_run_slow_per_s(&phase->parts.run) * phase->mean.total_s;
  }
  if (events * (double)trials <= MOST_EVENTS) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, "--trials", 0,
                      "\"%" PRId64 "\": of a run with %.3g interruptions and slow parts are too many to play; allowed: "
                      "%g events in all, by fewer trials, or by lower rates of failures and slow parts",
                      trials, events, MOST_EVENTS);
}

ss_status ss_plan_make(const ss_run_phases *phases, ss_plan *plan, ss_error *error)
{
  const ss_prediction *first = &phases->phase[0]->prediction;
  *plan = (ss_plan){.workload = first->workload,
                    .platform = first->platform,
                    .machine = &phases->phase[0]->session.machine,
                    .calibration = first->calibration,
                    .only_replayed = first->only_replayed,
                    .interval = first->interval,
                    .phase = calloc((size_t)phases->count, sizeof *plan->phase),
                    .phases = phases->count};
  if (plan->phase == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for phases");
  plan_all(phases, plan);
  return check_ends(plan, error);
}
