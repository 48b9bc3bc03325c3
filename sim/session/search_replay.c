#include "sim/session/search_replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/plan/job_setup.h"
#include "sim/crew/crew.h"
#include "sim/session/progress.h"

/* The outcome of an item. */
typedef struct replayed {
  ss_breakdown simulation;
  ss_shortcuts shortcuts;
} replayed;

/* An item of the crew: those before it have been replayed. */
static ss_strategy *strategy_of(const ss_contest *c, int64_t item)
{
  return &c->search->top[c->replayed + item];
}

/* One of the best, as a workload that its replay runs. */
static ss_workload workload_of(const ss_contest *c, int64_t item)
{
  ss_workload workload = c->session->workload;
  ss_candidate_apply(&strategy_of(c, item)->candidate, &workload);
  return workload;
}

static ss_question question_of(const ss_contest *c, const ss_workload *workload)
{
  return (ss_question){.kind = "replay",
                       .workload = workload,
                       .machine = &c->session->machine,
                       .number = {c->options->common.cost, c->options->replay.flows, c->options->replay.fold}};
}

static ss_status recall(void *context, int64_t item, void *outcome, bool *is_known, ss_error *error)
{
  const ss_contest *c = context;
  const ss_workload workload = workload_of(c, item);
  const ss_question question = question_of(c, &workload);
  void *bytes = NULL;
  size_t size = 0;
  const ss_status status = ss_result_cache_find(c->cache, &question, &bytes, &size, error);
  *is_known = bytes != NULL && size == sizeof(replayed);
  if (*is_known) memcpy(outcome, bytes, size);
  free(bytes);
  return status;
}

/* Sizes and placement of a strategy; its knobs are among the parts. */
static void label_of(const ss_candidate *c, char *label, size_t size)
{
  const char *layout = ss_word(SS_AT_parallelism_tensor, (int)c->tensor);
  (void)snprintf(label, size,
                 "%s tp=%" PRId64 " tp2=%" PRId64 " cp=%" PRId64 " pp=%" PRId64 " dp=%" PRId64 " micro-batch=%" PRId64
                 ", in a domain tp=%" PRId64 " cp=%" PRId64 " dp=%" PRId64 " pp=%" PRId64,
                 layout, c->tp, c->tp2, c->cp, c->pp, c->dp, c->micro_batch, c->inside.tp, c->inside.cp, c->inside.dp,
                 c->inside.pp);
}

static ss_status remember(const ss_contest *c, int64_t item, ss_error *error)
{
  const ss_strategy *strategy = strategy_of(c, item);
  const ss_workload workload = workload_of(c, item);
  const ss_question question = question_of(c, &workload);
  ss_record record = ss_record_empty();
  char label[SS_TEXT_SIZE];
  label_of(&strategy->candidate, label, sizeof label);
  record.label = label;
  record.gpus = c->search->gpus;
  const ss_tariff tariff = ss_tariff_of(&c->session->machine);
  const ss_kept_strategies kept = {.strategy = strategy,
                                   .count = 1,
                                   .named = true,
                                   .knobs =
                                       ss_knob_unique(ss_choice_knobs(&c->options->choice, &c->session->workload,
                                                                      &c->session->machine, c->options->common.cost)),
                                   .tariff = &tariff};
  ss_status status = ss_result_cache_describe(&record, &kept, error);
  const replayed outcome = {strategy->simulation, strategy->shortcuts};
  if (status == SS_OK) status = ss_result_cache_keep(c->cache, &question, record, &outcome, sizeof outcome, error);
  free((char *)record.parts);
  return status;
}

/* Replays one of the best. The job refers to the workload, so that both live here. */
static ss_status replay(void *context, int64_t item, void *outcome, ss_error *error)
{
  const ss_contest *c = context;
  const ss_workload workload = workload_of(c, item);
  ss_job *job = calloc(1, sizeof *job);
  if (job == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a replay");
  const ss_replay_options replay_options = ss_replay_options_of(&c->options->replay);
  ss_replay_result result;
  ss_status status = ss_job_init(job, &workload, &c->session->machine,
                                 ss_places_options(&c->session->places, c->options->common.cost), error);
  if (status == SS_OK) status = ss_replay(job, &replay_options, &result, error);
  if (status == SS_OK) *(replayed *)outcome = (replayed){result.breakdown, result.shortcuts};
  ss_job_free(job);
  free(job);
  return status;
}

static ss_status keep_replay(void *context, int64_t item, const void *outcome, bool was_known, ss_error *error)
{
  const ss_contest *c = context;
  ss_strategy *strategy = strategy_of(c, item);
  const replayed *replay = outcome;
  strategy->simulation = replay->simulation;
  strategy->shortcuts = replay->shortcuts;
  strategy->simulated = true;
  return was_known || !ss_result_cache_keeps(c->cache) ? SS_OK : remember(c, item, error);
}

static double shortest_replay_s(const ss_contest *c)
{
  double least_s = INFINITY;
  for (int64_t i = 0; i < c->replayed; ++i) least_s = fmin(least_s, c->search->top[i].simulation.iteration_s);
  return least_s;
}

/* Strategies of the list that nobody has replayed, and that the closed form takes for faster than that. */
static int64_t count_open(const ss_contest *c, double shortest_s)
{
  int64_t open = 0;
  for (int64_t i = c->replayed; i < c->search->count; ++i) open += c->search->top[i].estimate.iteration_s < shortest_s;
  return open;
}

/* Orders by the replay; of equals, the one that the closed form prefers comes first. */
static int compare_replays(const void *a, const void *b)
{
  const ss_strategy *x = a, *y = b;
  const double x_s = x->simulation.iteration_s, y_s = y->simulation.iteration_s;
  if (x_s != y_s) return x_s < y_s ? -1 : 1;
  if (x->estimate.iteration_s != y->estimate.iteration_s)
    return x->estimate.iteration_s < y->estimate.iteration_s ? -1 : 1;
  const bool earlier = x->sizes != y->sizes ? x->sizes < y->sizes : x->variant < y->variant;
  return earlier ? -1 : 1;
}

/* Replays the next ones, as many at a time as there are threads: each is a process of its own. */
static ss_status replay_next(ss_contest *c, int64_t count, ss_error *error)
{
  const ss_crew_work work = {.count = count,
                             .outcome_size = sizeof(replayed),
                             .known = recall,
                             .work = replay,
                             .done = keep_replay,
                             .context = c,
                             .stop = c->options->common.stop,
                             .progress = ss_progress_of(&c->options->common)};
  const ss_status status = ss_crew_run(&work, error);
  ss_progress_clear(&c->options->common);
  if (status == SS_OK) c->replayed += count;
  return status;
}

/* Moves those that were replayed before somebody stopped it ahead of the others; each keep their order. */
static void keep_done(ss_contest *c)
{
  ss_strategy *top = c->search->top;
  for (int64_t i = c->replayed; i < c->search->count; ++i) {
    const ss_strategy strategy = top[i];
    if (!strategy.simulated) continue;
    memmove(&top[c->replayed + 1], &top[c->replayed], (size_t)(i - c->replayed) * sizeof *top);
    top[c->replayed++] = strategy;
  }
}

/* How many are replayed next. All processes of a job hear it from the first, which alone has the outcomes. */
static ss_status choose_next(const ss_contest *c, int64_t *count, ss_error *error)
{
  const ss_search_list_options *options = &c->options->search;
  int64_t open = c->replayed == 0 ? c->search->count : count_open(c, shortest_replay_s(c));
  const int64_t room = ss_search_replays(options) - c->replayed;
  if (open > options->replay) open = options->replay;
  *count = open < room ? open : room;
  return ss_crew_share(count, sizeof *count, error);
}

ss_status ss_search_replay(ss_contest *c, ss_findings *findings, ss_error *error)
{
  ss_search *search = c->search;
  findings->search = search;
  int64_t next = 0;
  ss_status status = search->stopped ? SS_OK : choose_next(c, &next, error);
  while (status == SS_OK && next > 0) {
    status = replay_next(c, next, error);
    if (status == SS_OK) status = choose_next(c, &next, error);
  }
  findings->cut = status == SS_ERROR_STOPPED;
  if (findings->cut)
    keep_done(c);
  else if (status != SS_OK)
    return status;
  if (c->replayed > 0) {
    const double shortest_s = shortest_replay_s(c);
    findings->replayed = c->replayed;
    findings->open = count_open(c, shortest_s);
    findings->regret = search->top[0].simulation.iteration_s / shortest_s - 1.0;
    if (!c->options->search.pareto) qsort(search->top, (size_t)c->replayed, sizeof *search->top, compare_replays);
  }
  if (!c->options->search.pareto && search->count > ss_search_top(&c->options->search))
    search->count = ss_search_top(&c->options->search);
  return SS_OK;
}
