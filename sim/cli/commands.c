/* run and estimate. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/estimate.h"
#include "sim/cli/session.h"
#include "sim/report/report.h"

/* Trace writers of one run. */
typedef struct traces {
  ss_timeline timeline[SS_MAX_TRACES];
  int64_t count;
} traces;

static void close_traces(traces *t)
{
  for (int64_t i = 0; i < t->count; ++i) ss_timeline_destroy(&t->timeline[i]);
  t->count = 0;
}

static ss_status open_traces(const ss_options *options, traces *t, ss_error *error)
{
  for (t->count = 0; t->count < options->trace_count; ++t->count) {
    ss_timeline *timeline = &t->timeline[t->count];
    const ss_status status = ss_timeline_create(options->trace[t->count], timeline, error);
    if (status != SS_OK) return status;
    timeline->ranks = options->trace_ranks;
    timeline->micro_batches = options->trace_micro_batches;
  }
  return SS_OK;
}

/* A whole timeline of a large job is more than a viewer can take. */
enum { READABLE_RANKS = 64 };

static void advise_on_traces(const ss_options *options, int64_t gpus)
{
  if (options->quiet || options->trace_count == 0 || options->trace_ranks.count > 0 || gpus <= READABLE_RANKS) return;
  (void)fprintf(stderr,
                "stepsim: the timeline shows all %lld ranks; --trace-ranks and --trace-micro-batches make it smaller\n",
                (long long)gpus);
}

static void show_progress(double share)
{
  (void)fprintf(stderr, "\rstepsim: %3.0f %%", 100.0 * share);
}

static ss_status simulate(const ss_session *session, const ss_options *options, traces *t, ss_prediction *prediction,
                          ss_error *error)
{
  const bool shows_progress = !options->quiet && isatty(STDERR_FILENO);
  char title[2 * SS_TEXT_SIZE];
  (void)snprintf(title, sizeof title, "%s on %s", prediction->workload, prediction->platform);
  const ss_replay_options replay = {.flows = options->flows,
                                    .verbose = options->verbose,
                                    .timelines = t->timeline,
                                    .timeline_count = t->count,
                                    .title = title,
                                    .progress = shows_progress ? show_progress : NULL};
  advise_on_traces(options, prediction->gpus);
  ss_replay_result result;
  ss_status status = ss_replay(&session->job, &replay, &result, error);
  if (shows_progress) (void)fprintf(stderr, "\r\033[K");
  if (status != SS_OK) return status;
  prediction->simulated = true;
  prediction->simulation = result.breakdown;
  prediction->critical_stage = result.critical_stage;
  prediction->critical_replica = result.critical_replica;
  prediction->metrics = ss_estimate_metrics(&session->job, result.breakdown.iteration_s);
  return ss_explain(&session->job, result.breakdown.iteration_s, &prediction->explanation, error);
}

/* Finds out before a long run that its result could not be written. */
static ss_status check_json(const char *path, ss_error *error)
{
  if (path == NULL || strcmp(path, "-") == 0) return SS_OK;
  char folder[SS_PATH_SIZE];
  (void)snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (slash != NULL) slash[slash == folder] = '\0';
  if (access(slash != NULL ? folder : ".", W_OK) == 0) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "cannot write \"%s\": %s", path, strerror(errno));
}

static ss_status report(const ss_options *options, const ss_prediction *prediction, ss_error *error)
{
  const ss_status status = options->json != NULL ? ss_report_json(options->json, prediction, error) : SS_OK;
  if (options->json == NULL || strcmp(options->json, "-") != 0) ss_report_text(stdout, prediction);
  return status;
}

static int predict(const ss_options *options, bool simulates)
{
  static ss_session session; /* large; one per process */
  ss_prediction prediction;
  traces t = {.count = 0};
  ss_error error = {0};
  ss_status status = ss_session_open(&session, options, &error);
  if (status == SS_OK) status = check_json(options->json, &error);
  if (status == SS_OK) status = open_traces(options, &t, &error);
  if (status == SS_ERROR_OUTPUT) error.code = SS_ERROR_INPUT; /* found out before anything ran */
  if (status == SS_OK) prediction = ss_session_estimate(&session);
  if (status == SS_OK && simulates) status = simulate(&session, options, &t, &prediction, &error);
  close_traces(&t);
  if (status == SS_OK) status = report(options, &prediction, &error);
  ss_session_close(&session);
  if (status != SS_OK) return ss_fail(&error);
  return prediction.memory.fits ? SS_EXIT_DONE : SS_EXIT_TOO_LARGE;
}

int ss_command_run(const ss_options *options)
{
  return predict(options, true);
}

int ss_command_estimate(const ss_options *options)
{
  return predict(options, false);
}
