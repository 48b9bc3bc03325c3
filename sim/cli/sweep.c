/* sweep: one strategy at every value of one or two attributes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/estimate.h"
#include "sim/cli/outputs.h"
#include "sim/io/io.h"
#include "sim/report/report.h"

/* What the points have in common, and the session of each that is to be replayed. */
typedef struct study {
  const ss_options *options;
  ss_session base; /* inputs and overrides of --set */
  ss_sweep sweep;
  ss_session **session; /* [sweep.count] NULL where there is nothing to replay; owned */
} study;

/* Sets an axis to one of its values. */
static ss_status set_value(const ss_sweep_axis *axis, const char *value, ss_session *session, ss_error *error)
{
  char text[2 * SS_SWEEP_TEXT_SIZE];
  (void)snprintf(text, sizeof text, "%s=%s", axis->name, value);
  return ss_override(text, &session->workload, &session->machine, error);
}

/* A name that does not exist, or a value that it never takes, is a mistake and no point of a sweep. */
static ss_status check_values(const study *s, ss_error *error)
{
  ss_session *trial = malloc(sizeof *trial);
  ss_status status = SS_OK;
  if (trial == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory");
  *trial = s->base;
  for (int64_t i = 0; i < s->sweep.axes; ++i) {
    const ss_sweep_axis *axis = &s->sweep.axis[i];
    for (int64_t j = 0; status == SS_OK && j < axis->count; ++j) status = set_value(axis, axis->value[j], trial, error);
  }
  if (status != SS_OK && strcmp(error->file, SS_OVERRIDE_FILE) == 0)
    (void)snprintf(error->file, sizeof error->file, "%s", SS_SWEEP_OPTION);
  free(trial);
  return status;
}

static ss_status open_study(study *s, ss_outputs *outputs, ss_error *error)
{
  const ss_options *options = s->options;
  ss_status status = ss_session_begin(&s->base, options, error);
  if (status == SS_OK) status = ss_outputs_open(outputs, options, &s->base, error);
  if (status == SS_OK) status = ss_sweep_init(&s->sweep, options->vary, options->vary_count, error);
  if (status == SS_OK) status = check_values(s, error);
  if (status != SS_OK) return status;
  s->session = calloc((size_t)s->sweep.count, sizeof *s->session);
  return s->session != NULL ? SS_OK : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory");
}

static void close_session(ss_session **session)
{
  if (*session != NULL) ss_session_close(*session);
  free(*session);
  *session = NULL;
}

static void close_study(study *s)
{
  for (int64_t i = 0; s->session != NULL && i < s->sweep.count; ++i) close_session(&s->session[i]);
  free(s->session);
  ss_sweep_free(&s->sweep);
  ss_session_close(&s->base);
}

/* The text of a refusal, with the file and line that it blames where that is no override. */
static ss_status keep_refusal(ss_sweep_point *point, ss_error *error)
{
  if (error->code != SS_ERROR_INPUT) return error->code;
  char text[SS_ERROR_TEXT_SIZE];
  ss_error_text(error, text);
  point->refusal = strdup(strcmp(error->file, SS_OVERRIDE_FILE) == 0 ? error->message : text);
  return point->refusal != NULL ? SS_OK : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory");
}

/* The closed form of one point; the session stays open for a replay. */
static ss_status estimate(study *s, int64_t index, ss_error *error)
{
  ss_sweep_point *point = &s->sweep.point[index];
  ss_session *session = s->session[index] = malloc(sizeof *session);
  if (session == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory");
  *session = s->base;
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < s->sweep.axes; ++i)
    status = set_value(&s->sweep.axis[i], ss_sweep_value(&s->sweep, index, i), session, error);
  if (status == SS_OK) status = ss_session_complete(session, s->options, error);
  if (status == SS_OK) {
    point->gpus = ss_workload_gpus(&session->workload);
    point->estimate = ss_estimate_time(&session->job);
    point->memory = ss_estimate_memory(&session->job);
  }
  if (status != SS_OK || !s->options->replay_all) close_session(&s->session[index]);
  return status == SS_OK ? SS_OK : keep_refusal(point, error);
}

static ss_status replay(study *s, int64_t index, ss_error *error)
{
  if (s->session[index] == NULL) return SS_OK;
  ss_sweep_point *point = &s->sweep.point[index];
  const ss_replay_options options = {.flows = s->options->flows};
  ss_replay_result result;
  const ss_status status = ss_replay(&s->session[index]->job, &options, &result, error);
  point->simulated = status == SS_OK;
  if (point->simulated) point->simulation = result.breakdown;
  return status;
}

/* Replays all points, as many at a time as there are threads: each is a process of its own. */
static ss_status replay_all(study *s, ss_error *error)
{
  const bool shows_progress = !s->options->quiet && isatty(STDERR_FILENO);
  ss_status status = SS_OK;
  int64_t done = 0;
#pragma omp parallel for schedule(dynamic)
  for (int64_t i = 0; i < s->sweep.count; ++i) {
    ss_error own_error = {0};
    const ss_status own = replay(s, i, &own_error);
#pragma omp critical
    {
      if (own != SS_OK && status == SS_OK) {
        status = own;
        *error = own_error;
      }
      if (shows_progress) (void)fprintf(stderr, "\rstepsim: %3.0f %%", 100.0 * (double)++done / (double)s->sweep.count);
    }
  }
  if (shows_progress) (void)fprintf(stderr, "\r\033[K");
  return status;
}

static bool is_standard_output(const char *path)
{
  return path != NULL && strcmp(path, "-") == 0;
}

static ss_status report(const study *s, ss_error *error)
{
  const ss_options *options = s->options;
  const ss_sweep_report all = {.workload = s->base.workload.model.name,
                               .platform = s->base.machine.name,
                               .cost = options->cost,
                               .sweep = &s->sweep,
                               .replayed = options->replay_all};
  ss_status status = options->json != NULL ? ss_report_sweep_json(options->json, &all, error) : SS_OK;
  if (status == SS_OK && options->csv != NULL) status = ss_report_sweep_csv(options->csv, &all, error);
  if (!is_standard_output(options->json) && !is_standard_output(options->csv)) ss_report_sweep_text(stdout, &all);
  return status;
}

/* Done where any point fits, too large where none does, bad input where all are refused. */
static int exit_status(const ss_sweep *sweep)
{
  int status = SS_EXIT_USAGE;
  for (int64_t i = 0; i < sweep->count; ++i) {
    if (sweep->point[i].refusal != NULL) continue;
    if (sweep->point[i].memory.fits) return SS_EXIT_DONE;
    status = SS_EXIT_TOO_LARGE;
  }
  return status;
}

int ss_command_sweep(const ss_options *options)
{
  study s = {.options = options};
  ss_outputs outputs = {.count = 0};
  ss_error error = {0};
  ss_status status = open_study(&s, &outputs, &error);
  for (int64_t i = 0; status == SS_OK && i < s.sweep.count; ++i) status = estimate(&s, i, &error);
  if (status == SS_OK && options->replay_all) status = replay_all(&s, &error);
  if (status == SS_OK) status = ss_sweep_turn(&s.sweep, &error);
  if (status == SS_OK) status = report(&s, &error);
  const int done = status == SS_OK ? exit_status(&s.sweep) : SS_EXIT_FAILED;
  ss_outputs_close(&outputs);
  close_study(&s);
  return status == SS_OK ? done : ss_fail(&error);
}
