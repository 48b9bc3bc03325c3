/* search: the best strategies and placements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/search.h"
#include "sim/cli/outputs.h"
#include "sim/crew/crew.h"
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

/* Whether anything is asked about money. */
static bool is_priced(const ss_options *options)
{
  return options->budget > 0.0 || options->objective == SS_OBJECTIVE_COST;
}

static ss_status open_session(ss_session *session, ss_outputs *outputs, const ss_options *options, ss_error *error)
{
  ss_status status = ss_session_read(session, options, error);
  if (status == SS_OK) status = ss_workload_check_machine(&session->workload, &session->machine, error);
  if (status == SS_OK && session->workload.placement.ranks[0] != '\0')
    return ss_workload_refuse(&session->workload, SS_AT_placement_ranks, error,
                              "places the ranks, which a search does itself; allowed: none");
  if (status == SS_OK) status = check_gpus(options, &session->machine, error);
  if (status == SS_OK && is_priced(options)) status = ss_session_check_priced(session, error);
  return status == SS_OK ? ss_outputs_open(outputs, options, session, error) : status;
}

/* What the replays of the best strategies of a search have in common. */
typedef struct contest {
  const ss_session *session;
  const ss_options *options;
  ss_search *search;
} contest;

/* One of the best, replayed: a breakdown. Its job refers to the workload, so both stay here. */
static ss_status replay(void *context, int64_t item, void *outcome, ss_error *error)
{
  const contest *c = context;
  ss_breakdown *simulation = outcome;
  ss_workload workload = c->session->workload;
  ss_job *job = calloc(1, sizeof *job);
  if (job == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a replay");
  ss_candidate_apply(&c->search->top[item].candidate, &workload);
  ss_replay_result result;
  ss_status status =
      ss_job_init(job, &workload, &c->session->machine, (ss_job_options){.cost = c->options->cost}, error);
  if (status == SS_OK) status = ss_replay(job, &(ss_replay_options){.flows = c->options->flows}, &result, error);
  if (status == SS_OK) *simulation = result.breakdown;
  ss_job_free(job);
  free(job);
  return status;
}

static ss_status keep_replay(void *context, int64_t item, const void *outcome, bool was_known, ss_error *error)
{
  const contest *c = context;
  ss_strategy *strategy = &c->search->top[item];
  (void)was_known, (void)error;
  strategy->simulation = *(const ss_breakdown *)outcome;
  strategy->simulated = true;
  return SS_OK;
}

static double shortest_replay_s(const ss_search *search, int64_t count)
{
  double least_s = search->top[0].simulation.iteration_s;
  for (int64_t i = 1; i < count; ++i)
    if (search->top[i].simulation.iteration_s < least_s) least_s = search->top[i].simulation.iteration_s;
  return least_s;
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
  contest c = {.session = session, .options = options, .search = search};
  const int64_t count = search->count < options->replay ? search->count : options->replay;
  const ss_crew_work work = {.count = count,
                             .outcome_size = sizeof(ss_breakdown),
                             .work = replay,
                             .done = keep_replay,
                             .context = &c,
                             .progress = shows_progress(options) ? show_progress : NULL};
  if (count == 0) return SS_OK;
  const ss_status status = ss_crew_run(&work, error);
  clear_progress(options);
  if (status != SS_OK) return status;
  findings->replayed = count;
  findings->regret = search->top[0].simulation.iteration_s / shortest_replay_s(search, count) - 1.0;
  if (!options->pareto) qsort(search->top, (size_t)count, sizeof *search->top, compare_replays);
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
                                            .gpu_dollars_per_s = ss_machine_gpu_dollars_per_s(&session->machine),
                                            .top = options->top,
                                            .pareto = options->pareto,
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
                                .pareto = options->pareto,
                                .priced = is_priced(options),
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
    int64_t gpus = options->gpus_count > 0 ? options->gpus[i] : session.machine.gpus;
    findings[i].search = &search[i];
    if (options->budget > 0.0) status = ss_session_afford(&session, options->budget, &gpus, &error);
    if (status == SS_OK) status = search_size(&session, options, gpus, &search[i], &error);
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
