/* run and estimate. */
#include <stdio.h>

#include "model/estimate.h"
#include "sim/cli/neighbour.h"
#include "sim/cli/outputs.h"
#include "sim/cli/progress.h"
#include "sim/report/report.h"

/* A whole timeline of a large job is more than a viewer can take. */
enum { READABLE_RANKS = 64 };

static void advise_on_traces(const ss_options *options, int64_t gpus)
{
  if (options->quiet || options->trace_count == 0 || options->trace_ranks.count > 0 || gpus <= READABLE_RANKS) return;
  (void)fprintf(stderr,
                "stepsim: the timeline shows all %lld ranks; --trace-ranks and --trace-micro-batches make it smaller\n",
                (long long)gpus);
}

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
  prediction->cells = result->cells;
  prediction->simulated_cells = result->simulated_cells;
  prediction->beside_iterations = result->beside_iterations;
  prediction->beside_iteration_s = result->beside_iteration_s;
}

typedef struct replay_context {
  const ss_session *session;
  const ss_options *options;
  ss_outputs *outputs;
  const ss_job *beside; /* or NULL */
} replay_context;

static ss_status replay(const replay_context *c, ss_prediction *prediction, ss_error *error)
{
  const ss_options *options = c->options;
  char title[2 * SS_TEXT_SIZE];
  (void)snprintf(title, sizeof title, "%s on %s", prediction->workload, prediction->platform);
  const ss_replay_options replay = {.flows = options->flows,
                                    .fold = options->fold,
                                    .beside = c->beside,
                                    .verbose = options->verbose,
                                    .timelines = c->outputs->timeline,
                                    .timeline_count = c->outputs->count,
                                    .links = options->links != NULL ? &c->outputs->links : NULL,
                                    .title = title,
                                    .progress = ss_progress_of(options)};
  advise_on_traces(options, prediction->gpus);
  ss_replay_result result;
  ss_status status = ss_replay(&c->session->job, &replay, &result, error);
  ss_progress_clear(options);
  if (status != SS_OK) return status;
  take(&result, prediction);
  prediction->metrics = ss_estimate_metrics(&c->session->job, result.breakdown.iteration_s);
  return ss_explain(&c->session->job, result.breakdown.iteration_s, &prediction->explanation, error);
}

static ss_status simulate(const ss_session *session, const ss_options *options, ss_outputs *outputs,
                          ss_prediction *prediction, ss_error *error)
{
  ss_neighbour neighbour = {.ranks = NULL};
  replay_context context = {session, options, outputs, NULL};
  ss_status status = SS_OK;
  if (options->beside != NULL) {
    status = ss_neighbour_open(&neighbour, options->beside, session, error);
    context.beside = &neighbour.job;
    (void)snprintf(prediction->beside, sizeof prediction->beside, "%s", neighbour.workload.model.name);
  }
  if (status == SS_OK) status = replay(&context, prediction, error);
  ss_neighbour_close(&neighbour);
  return status;
}

static ss_status report(const ss_options *options, const ss_prediction *prediction, ss_error *error)
{
  const ss_status status = options->json != NULL ? ss_report_json(options->json, prediction, error) : SS_OK;
  const bool instead = ss_option_is_standard_output(options->json) || ss_option_is_standard_output(options->links);
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
  ss_session session;
  ss_outputs outputs = {.count = 0};
  ss_prediction prediction;
  ss_error error = {0};
  ss_status status = ss_session_open(&session, options, &error);
  if (status == SS_OK) status = ss_outputs_open(&outputs, options, &session, &error);
  if (status == SS_OK) prediction = ss_session_estimate(&session);
  if (status == SS_OK && simulates) status = simulate(&session, options, &outputs, &prediction, &error);
  ss_outputs_close(&outputs);
  if (status == SS_OK) status = report(options, &prediction, &error);
  const bool fits = status == SS_OK && every_stage_fits(&prediction);
  ss_session_close(&session);
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
