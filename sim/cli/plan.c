/* plan: from an iteration to a run. */
#include <math.h>
#include <stdlib.h>

#include "model/run/plan.h"
#include "sim/campaign/campaign.h"
#include "sim/cli/commands.h"
#include "sim/cli/exit_status.h"
#include "sim/cli/outputs.h"
#include "sim/cli/plan_phases.h"
#include "sim/report/report.h"

/* Where less of the time than this is work, a run does not end, for all that people care. */
#define LEAST_GOODPUT 1e-3

/* A phase with its workload and machine, which measures may have changed in what breaks and how it goes on. */
static void plan_phase(const ss_run_phase *phase, const ss_workload *workload, const ss_machine *machine,
                       ss_plan_phase *plan)
{
  const ss_breakdown *iteration = &phase->prediction.estimate;
  const ss_whole_run_question question = {
      .job = &phase->session.job,
      .workload = workload,
      .machine = machine,
      .iteration_s = iteration->iteration_s,
      .iterations = phase->tokens / (double)(workload->training.global_batch * workload->model.sequence),
      .replica_speed = phase->replica_speed};
  (void)snprintf(plan->settings, sizeof plan->settings, "%s", phase->settings);
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
    plan_phase(phases->phase[i], &session->workload, &session->machine, &plan->phase[i]);
    plan->mean = ss_whole_run_time_sum(plan->mean, plan->phase[i].mean);
    plan->bill = ss_bill_sum(plan->bill, plan->phase[i].bill);
  }
}

static ss_status check_ends(const ss_plan *plan, ss_error *error)
{
  for (int64_t i = 0; i < plan->phases; ++i) {
    const ss_plan_phase *phase = &plan->phase[i];
    const ss_whole_run *run = &phase->parts.run;
    if (ss_whole_run_goodput(&phase->mean) >= LEAST_GOODPUT) continue;
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0,
                        "the run does not end: it is interrupted every %.3g s, with checkpoints every %.3g s and "
                        "recoveries of %.3g s; allowed: what leaves %g of the time for work",
                        1.0 / run->breakage.rate_per_s, run->rhythm.interval_s, run->breakage.recovery_s,
                        LEAST_GOODPUT);
  }
  return SS_OK;
}

/* What the run would be with a measure; whether it is another one. */
static bool weigh(const ss_run_phases *phases, ss_measure measure, ss_worth *worth)
{
  bool differs = false;
  *worth = (ss_worth){.measure = measure};
  for (int64_t i = 0; i < phases->count; ++i) {
    ss_workload workload = phases->phase[i]->session.workload;
    ss_machine machine = phases->phase[i]->session.machine;
    ss_plan_phase phase = {0};
    if (ss_measure_take(measure, &workload, &machine)) differs = true;
    plan_phase(phases->phase[i], &workload, &machine, &phase);
    worth->mean = ss_whole_run_time_sum(worth->mean, phase.mean);
    worth->bill = ss_bill_sum(worth->bill, phase.bill);
  }
  return differs && isfinite(worth->mean.total_s);
}

static void weigh_all(const ss_run_phases *phases, ss_plan *plan)
{
  for (int measure = 0; measure < SS_MEASURES; ++measure)
    if (weigh(phases, (ss_measure)measure, &plan->worth[plan->worths])) ++plan->worths;
}

/* What kernels take of the longest phase, by which stalls come. */
static const ss_plan_phase *longest_phase(const ss_plan *plan)
{
  const ss_plan_phase *longest = &plan->phase[0];
  for (int64_t i = 1; i < plan->phases; ++i)
    if (plan->phase[i].mean.total_s > longest->mean.total_s) longest = &plan->phase[i];
  return longest;
}

static ss_status play(const ss_options *options, ss_plan *plan, ss_error *error)
{
  ss_whole_run run[SS_PHASES_MAX];
  const ss_plan_phase *longest = longest_phase(plan);
  const ss_breakdown *step = &longest->iteration;
  for (int64_t i = 0; i < plan->phases; ++i) run[i] = plan->phase[i].parts.run;
  const ss_status status = ss_campaign_play(run, plan->phases, ss_plan_trials(&options->plan),
                                            ss_plan_seed(&options->plan), &plan->campaign, error);
  if (status != SS_OK) return status;
  return ss_campaign_draw_steps(plan->machine, longest->gpus, step->compute_s + step->memory_s, step->iteration_s,
                                &plan->campaign, error);
}

static ss_status make(const ss_options *options, const ss_run_phases *phases, ss_plan *plan, ss_error *error)
{
  const ss_prediction *first = &phases->phase[0]->prediction;
  *plan = (ss_plan){.workload = first->workload,
                    .platform = first->platform,
                    .machine = &phases->phase[0]->session.machine,
                    .calibration = first->calibration,
                    .interval = first->interval,
                    .phase = calloc((size_t)phases->count, sizeof *plan->phase),
                    .phases = phases->count};
  if (plan->phase == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for phases");
  plan_all(phases, plan);
  ss_status status = check_ends(plan, error);
  if (status == SS_OK) status = play(options, plan, error);
  if (status == SS_OK) weigh_all(phases, plan);
  return status;
}

static ss_status report(const ss_options *options, const ss_plan *plan, ss_error *error)
{
  const char *json = options->output.json;
  const ss_status status = json != NULL ? ss_report_plan_json(json, plan, error) : SS_OK;
  if (!ss_option_is_standard_output(json)) ss_report_plan_text(stdout, plan);
  return status;
}

int ss_command_plan(const ss_options *options)
{
  ss_run_phases phases;
  ss_outputs outputs = {.count = 0};
  ss_plan plan = {.phase = NULL};
  ss_error error = {0};
  ss_status status = ss_run_phases_open(&phases, options, &error);
  if (status == SS_OK)
    status = ss_outputs_open(&outputs, &options->output, &options->common, &phases.phase[0]->session, &error);
  if (status == SS_OK) status = make(options, &phases, &plan, &error);
  ss_outputs_close(&outputs);
  if (status == SS_OK) status = report(options, &plan, &error);
  free(plan.phase);
  ss_run_phases_close(&phases);
  return status == SS_OK ? SS_EXIT_DONE : ss_fail(&error);
}
