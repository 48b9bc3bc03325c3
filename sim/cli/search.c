/* search: the best strategies and placements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/search.h"
#include "sim/cli/outputs.h"
#include "sim/report/report.h"

static bool shows_progress(const ss_options *options)
{
  return !options->quiet && isatty(STDERR_FILENO);
}

static void show_progress(double share)
{
  (void)fprintf(stderr, "\rstepsim: %3.0f %%", 100.0 * share);
}

static void clear_progress(const ss_options *options)
{
  if (shows_progress(options)) (void)fprintf(stderr, "\r\033[K");
}

static ss_status check_gpus(const ss_options *options, const ss_machine *machine, ss_error *error)
{
  for (int64_t i = 0; i < options->gpus_count; ++i)
    if (options->gpus[i] > machine->gpus)
      return ss_error_set(error, SS_ERROR_INPUT, "--gpus", 0,
                          "\"%lld\": is more than the GPUs of %s; allowed: up to %lld", (long long)options->gpus[i],
                          machine->name, (long long)machine->gpus);
  return SS_OK;
}

static ss_status open_session(ss_session *session, ss_outputs *outputs, const ss_options *options, ss_error *error)
{
  ss_status status = ss_session_read(session, options, error);
  if (status == SS_OK) status = ss_workload_check_machine(&session->workload, &session->machine, error);
  if (status == SS_OK && session->workload.placement.ranks[0] != '\0')
    return ss_workload_refuse(&session->workload, SS_AT_placement_ranks, error,
                              "places the ranks, which a search does itself; allowed: none");
  if (status == SS_OK) status = check_gpus(options, &session->machine, error);
  return status == SS_OK ? ss_outputs_open(outputs, options, session, error) : status;
}

/* One of the best, replayed. Its job refers to the workload, so both stay here. */
static ss_status replay(const ss_session *session, const ss_options *options, ss_strategy *strategy, ss_error *error)
{
  ss_workload workload = session->workload;
  ss_job *job = calloc(1, sizeof *job);
  if (job == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a replay");
  ss_candidate_apply(&strategy->candidate, &workload);
  ss_replay_result result;
  ss_status status = ss_job_init(job, &workload, &session->machine, (ss_job_options){.cost = options->cost}, error);
  if (status == SS_OK) status = ss_replay(job, &(ss_replay_options){.flows = options->flows}, &result, error);
  if (status == SS_OK) strategy->simulation = result.breakdown;
  strategy->simulated = status == SS_OK;
  ss_job_free(job);
  free(job);
  return status;
}

/* By the replay; of equals the closed form's favourite first. */
static int compare_replays(const void *a, const void *b)
{
  const ss_strategy *x = a, *y = b;
  const double x_s = x->simulation.iteration_s, y_s = y->simulation.iteration_s;
  if (x_s != y_s) return x_s < y_s ? -1 : 1;
  if (x->estimate.iteration_s != y->estimate.iteration_s)
    return x->estimate.iteration_s < y->estimate.iteration_s ? -1 : 1;
  const bool earlier = x->trunk != y->trunk ? x->trunk < y->trunk : x->branch < y->branch;
  return earlier ? -1 : 1;
}

/* Replays the best ones, as many at a time as there are threads: each is a process of its own. */
static ss_status replay_best(const ss_session *session, const ss_options *options, ss_search *search,
                             ss_findings *findings, ss_error *error)
{
  const int64_t count = search->count < options->replay ? search->count : options->replay;
  ss_status status = SS_OK;
  int64_t done = 0;
  if (count == 0) return SS_OK;
#pragma omp parallel for schedule(dynamic)
  for (int64_t i = 0; i < count; ++i) {
    ss_error own_error = {0};
    const ss_status own = replay(session, options, &search->top[i], &own_error);
#pragma omp critical
    {
      if (own != SS_OK && status == SS_OK) {
        status = own;
        *error = own_error;
      }
      if (shows_progress(options)) show_progress((double)++done / (double)count);
    }
  }
  clear_progress(options);
  if (status != SS_OK) return status;
  const double favourite_s = search->top[0].simulation.iteration_s;
  qsort(search->top, (size_t)count, sizeof *search->top, compare_replays);
  findings->replayed = count;
  findings->regret = favourite_s / search->top[0].simulation.iteration_s - 1.0;
  return SS_OK;
}

/* One number of GPUs. */
static ss_status search_size(const ss_session *session, const ss_options *options, int64_t gpus, ss_search *search,
                             ss_error *error)
{
  const unsigned own_layout = SS_TENSOR_BIT(session->workload.parallelism.tensor);
  const ss_search_options search_options = {.gpus = gpus,
                                            .tensors = options->tensors != 0 ? options->tensors : own_layout,
                                            .knobs = options->knobs,
                                            .cost = options->cost,
                                            .objective = options->objective,
                                            .top = options->top,
                                            .progress = shows_progress(options) ? show_progress : NULL};
  const ss_status status = ss_search_run(search, &session->workload, &session->machine, &search_options, error);
  clear_progress(options);
  return status;
}

static ss_status report(const ss_session *session, const ss_options *options, const ss_findings *findings,
                        int64_t count, ss_error *error)
{
  const ss_search_report all = {.workload = &session->workload,
                                .machine = &session->machine,
                                .cost = options->cost,
                                .objective = options->objective,
                                .knobs = ss_knob_unique(options->knobs),
                                .findings = findings,
                                .count = count};
  const ss_status status = options->json != NULL ? ss_report_search_json(options->json, &all, error) : SS_OK;
  if (options->json == NULL || strcmp(options->json, "-") != 0) ss_report_search_text(stdout, &all);
  return status;
}

int ss_command_search(const ss_options *options)
{
  ss_session session;
  ss_outputs outputs = {.count = 0};
  ss_search search[SS_MAX_SIZES] = {{0}};
  ss_findings findings[SS_MAX_SIZES] = {{0}};
  ss_error error = {0};
  const int64_t count = options->gpus_count > 0 ? options->gpus_count : 1;
  bool any_fits = false;
  ss_status status = open_session(&session, &outputs, options, &error);
  for (int64_t i = 0; status == SS_OK && i < count; ++i) {
    const int64_t gpus = options->gpus_count > 0 ? options->gpus[i] : session.machine.gpus;
    findings[i].search = &search[i];
    status = search_size(&session, options, gpus, &search[i], &error);
    if (status == SS_OK) status = replay_best(&session, options, &search[i], &findings[i], &error);
    any_fits = any_fits || search[i].count > 0;
  }
  if (status == SS_OK) status = report(&session, options, findings, count, &error);
  for (int64_t i = 0; i < count; ++i) ss_search_free(&search[i]);
  ss_outputs_close(&outputs);
  ss_session_close(&session);
  if (status != SS_OK) return ss_fail(&error);
  return any_fits ? SS_EXIT_DONE : SS_EXIT_TOO_LARGE;
}
