/* run and estimate: one iteration. */
#include <stdio.h>

#include "model/estimate/estimate.h"
#include "model/input/workload.h"
#include "sim/cli/co_scheduled_job.h"
#include "sim/cli/commands.h"
#include "sim/cli/exit_status.h"
#include "sim/cli/outputs.h"
#include "sim/cli/progress.h"
#include "sim/cli/saved_workload.h"
#include "sim/cli/trials.h"
#include "sim/crew/crew.h"
#include "sim/report/report.h"

/* Viewers cannot show the whole timeline of a large job. */
enum { READABLE_RANKS = 64 };

static void advise_on_traces(const ss_options *options, int64_t gpus)
{
  const ss_output_options *output = &options->output;
  if (options->common.quiet || output->trace_count == 0) return;
  if (output->trace_ranks.count > 0 || gpus <= READABLE_RANKS) return;
  (void)fprintf(stderr,
                "stepsim: the timeline shows all %lld ranks; --trace-ranks and --trace-micro-batches make it smaller\n",
                (long long)gpus);
}

/* What `run` and `estimate` have. */
typedef struct prediction_run {
  ss_session session;
  ss_outputs outputs;
  ss_co_scheduled_job co_scheduled;
  const ss_job *co_scheduled_job; /* or NULL */
  ss_variants variants;
  ss_prediction prediction;
} prediction_run;

/* What a replay said, for the reports. */
static void take(const ss_replay_result *result, ss_prediction *prediction)
{
  prediction->simulated = true;
  prediction->simulation = result->breakdown;
  prediction->critical_stage = result->critical_stage;
  prediction->critical_replica = result->critical_replica;
  prediction->exposed = result->exposed;
  prediction->links = result->links;
  prediction->path = result->path;
  prediction->flows = result->flows;
  prediction->stage_replicas = result->stage_replicas;
  prediction->simulated_stage_replicas = result->simulated_stage_replicas;
  prediction->crowded_links = result->crowded_links;
  prediction->co_scheduled_iterations = result->co_scheduled_iterations;
  prediction->co_scheduled_iteration_s = result->co_scheduled_iteration_s;
}

/* One replay, and why it differs from the closed form. */
static ss_status replay(prediction_run *run, const ss_options *options, ss_replay_result *result, ss_error *error)
{
  const ss_job *job = &run->session.job;
  ss_prediction *prediction = &run->prediction;
  char title[2 * SS_TEXT_SIZE];
  (void)snprintf(title, sizeof title, "%s on %s", prediction->workload, prediction->platform);
  ss_replay_options replay_options = ss_replay_options_of(&options->replay);
  replay_options.co_scheduled = run->co_scheduled_job;
  replay_options.verbose = options->run.verbose;
  replay_options.timelines = run->outputs.timeline;
  replay_options.timeline_count = run->outputs.count;
  replay_options.links = options->output.links != NULL ? &run->outputs.links : NULL;
  replay_options.title = title;
  replay_options.progress = ss_progress_of(&options->common);
  advise_on_traces(options, prediction->gpus);
  ss_status status = ss_replay(job, &replay_options, result, error);
  ss_progress_clear(&options->common);
  if (status != SS_OK) return status;
  take(result, prediction);
  status = ss_replay_stability(job, &replay_options, result, &prediction->stability, error);
  if (status != SS_OK) return status;
  prediction->metrics = ss_estimate_metrics(job, result->breakdown.iteration_s);
  return ss_explain(job, &replay_options, result->breakdown.iteration_s, &prediction->explanation, error);
}

static ss_status open_co_scheduled_job(prediction_run *run, const ss_options *options, ss_error *error)
{
  if (options->run.beside == NULL) return SS_OK;
  const ss_status status = ss_co_scheduled_job_open(&run->co_scheduled, options->run.beside, &run->session, error);
  run->co_scheduled_job = &run->co_scheduled.job;
  (void)snprintf(run->prediction.beside, sizeof run->prediction.beside, "%s", run->co_scheduled.workload.model.name);
  return status;
}

/* The first process has the first replay to itself; all share the others. */
static ss_status simulate(prediction_run *run, const ss_options *options, ss_error *error)
{
  ss_replay_result first = {.flows = 0};
  ss_status status = open_co_scheduled_job(run, options, error);
  if (status == SS_OK && ss_crew_is_first()) status = replay(run, options, &first, error);
  if (status != SS_OK) return status;
  const ss_variant_plan plan = {
      .session = &run->session, .options = options, .co_scheduled = run->co_scheduled_job, .first = &first};
  return ss_variants_run(&run->variants, &plan, &run->prediction, error);
}

static ss_status report(const ss_options *options, const ss_prediction *prediction, ss_error *error)
{
  const ss_status status =
      options->output.json != NULL ? ss_report_json(options->output.json, prediction, error) : SS_OK;
  const bool instead =
      ss_option_is_standard_output(options->output.json) || ss_option_is_standard_output(options->output.links);
  if (!instead) ss_report_text(stdout, prediction);
  return status;
}

static bool every_stage_fits(const ss_prediction *prediction)
{
  for (int64_t stage = 0; stage < prediction->stages; ++stage)
    if (!prediction->stage_memory[stage].fits) return false;
  return true;
}

static int predict(const ss_options *options, bool simulates)
{
  prediction_run run = {.outputs = {.count = 0}};
  ss_error error = {0};
  ss_status status = ss_session_open(&run.session, &options->common, &error);
  if (status == SS_OK) run.session.job.options.trial = options->run.trials > 1;
  if (status == SS_OK) status = ss_variants_check(&run.session, options, &error);
  if (status == SS_OK) status = ss_outputs_open(&run.outputs, &options->output, &options->common, &run.session, &error);
  if (status == SS_OK) run.prediction = ss_session_estimate(&run.session);
  if (status == SS_OK && simulates) status = simulate(&run, options, &error);
  if (status == SS_OK) status = ss_workload_save(&run.session.workload, options->output.save, options, &error);
  ss_outputs_close(&run.outputs);
  if (status == SS_OK) status = report(options, &run.prediction, &error);
  const bool fits = status == SS_OK && every_stage_fits(&run.prediction);
  ss_variants_free(&run.variants);
  ss_co_scheduled_job_close(&run.co_scheduled);
  ss_session_close(&run.session);
  if (status != SS_OK) return ss_fail(&error);
  return fits ? SS_EXIT_DONE : SS_EXIT_TOO_LARGE;
}

int ss_command_run(const ss_options *options)
{
  return predict(options, true);
}

int ss_command_estimate(const ss_options *options)
{
  return predict(options, false);
}
