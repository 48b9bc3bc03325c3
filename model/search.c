#include "model/search.h"

#include <stdlib.h>
#include <string.h>

#include "model/estimate.h"

#define SECONDS_PER_HOUR 3600.0

static const char *const objectives[] = {
#define SS_OBJECTIVE_WORD(id, word, help) word,
    SS_OBJECTIVE_LIST(SS_OBJECTIVE_WORD)
#undef SS_OBJECTIVE_WORD
};

const char *ss_objective_word(ss_objective objective)
{
  return objectives[objective];
}

bool ss_objective_find(const char *word, ss_objective *objective)
{
  for (int i = 0; i < SS_OBJECTIVE_COUNT; ++i)
    if (strcmp(word, objectives[i]) == 0) {
      *objective = (ss_objective)i;
      return true;
    }
  return false;
}

double ss_strategy_value(const ss_strategy *strategy, ss_objective objective, int64_t gpus)
{
  switch (objective) {
  case SS_OBJECTIVE_MEMORY: return strategy->memory.total_bytes;
  case SS_OBJECTIVE_GPU_HOURS: return strategy->estimate.iteration_s * (double)gpus / SECONDS_PER_HOUR;
  case SS_OBJECTIVE_TIME:
  case SS_OBJECTIVE_COUNT: break;
  }
  return strategy->estimate.iteration_s;
}

/* What one thread works with, and has found. */
typedef struct worker {
  const ss_space *space;
  const ss_search_options *options;
  const ss_machine *machine;
  ss_workload workload;
  ss_job job;
  ss_coordinates *inside; /* [placements_max] */
  ss_search found;        /* top has room for one more than asked for */
} worker;

static int compare(double a, double b)
{
  return (a > b) - (a < b);
}

/* A total order, so that the best do not depend on which thread found them. */
static bool is_better(const worker *w, const ss_strategy *a, const ss_strategy *b)
{
  const ss_objective objective = w->options->objective;
  const int64_t gpus = w->options->gpus;
  int order = compare(ss_strategy_value(a, objective, gpus), ss_strategy_value(b, objective, gpus));
  if (order == 0) order = compare(a->estimate.iteration_s, b->estimate.iteration_s);
  if (order != 0) return order < 0;
  return a->trunk != b->trunk ? a->trunk < b->trunk : a->branch < b->branch;
}

/* The same but for the knobs, which make no difference. */
static bool repeats(const ss_strategy *a, const ss_strategy *b)
{
  const ss_coordinates *x = &a->candidate.inside, *y = &b->candidate.inside;
  return a->trunk == b->trunk && x->tp == y->tp && x->cp == y->cp && x->dp == y->dp && x->pp == y->pp;
}

static bool is_equal(const ss_strategy *a, const ss_strategy *b)
{
  return compare(a->estimate.iteration_s, b->estimate.iteration_s) == 0 &&
         compare(a->memory.total_bytes, b->memory.total_bytes) == 0;
}

/* Puts a strategy among the best, if it is one of them. One that only repeats another comes after it, from the same
 * trunk and so the same thread: while the first one is listed, it is found; when it no longer is, nor is the other. */
static void keep(worker *w, const ss_strategy *strategy)
{
  ss_search *found = &w->found;
  int64_t place = found->count;
  while (place > 0 && is_better(w, strategy, &found->top[place - 1])) --place;
  if (place == w->options->top) return;
  for (int64_t i = place; i > 0 && is_equal(&found->top[i - 1], strategy); --i)
    if (repeats(&found->top[i - 1], strategy)) return;
  memmove(&found->top[place + 1], &found->top[place], (size_t)(found->count - place) * sizeof *found->top);
  found->top[place] = *strategy;
  if (found->count < w->options->top) ++found->count;
}

/* In both memories; the stage that fills the second tier most need not be the one that fills the first. */
static bool fits(const ss_job *job, const ss_memory *fullest)
{
  bool all_fit = fullest->fits;
  for (int64_t stage = 0; all_fit && fullest->offload_capacity_bytes > 0.0 && stage < job->stages; ++stage)
    all_fit = ss_estimate_stage_memory(job, stage).fits;
  return all_fit;
}

/* A job that is worked out for the first placement goes through all of them. */
static ss_status try_placements(worker *w, ss_strategy *strategy, int64_t placements)
{
  for (int64_t i = 0; i < placements; ++i) {
    strategy->candidate.inside = w->inside[i];
    if (i > 0) {
      ss_candidate_place(&strategy->candidate, &w->workload);
      const ss_status status = ss_job_move(&w->job, NULL);
      if (status != SS_OK) return status;
    }
    strategy->estimate = ss_estimate_time(&w->job);
    keep(w, strategy);
    ++strategy->branch;
  }
  w->found.feasible += placements;
  return SS_OK;
}

/* The first row of the table that refuses, those about the machine last. */
static ss_refusal_index refused_by(const worker *w)
{
  const ss_refusal_index refusal = ss_workload_refused_by(&w->workload, NULL);
  return refusal < SS_REFUSAL_TOTAL ? refusal : ss_workload_refused_by(&w->workload, w->machine);
}

/* Memory and refusals do not depend on the placement. */
static ss_status try_values(worker *w, ss_strategy *strategy, int64_t placements)
{
  const int64_t branch = strategy->branch;
  strategy->candidate.inside = w->inside[0];
  w->found.candidates += placements;
  ss_candidate_apply(&strategy->candidate, &w->workload);
  const ss_refusal_index refusal = refused_by(w);
  ss_status status = SS_OK;
  if (refusal < SS_REFUSAL_TOTAL) {
    w->found.refused[refusal] += placements;
  } else {
    const ss_job_options options = {.cost = w->options->cost, .estimate_only = true};
    status = ss_job_init(&w->job, &w->workload, w->machine, options, NULL);
    if (status != SS_OK) return status;
    strategy->memory = ss_estimate_memory(&w->job);
    if (fits(&w->job, &strategy->memory))
      status = try_placements(w, strategy, placements);
    else
      w->found.too_large += placements;
    ss_job_free(&w->job);
  }
  strategy->branch = branch + placements;
  return status;
}

static ss_status try_trunk(worker *w, int64_t index)
{
  ss_strategy strategy = {.candidate = w->space->trunk[index], .trunk = index};
  ss_candidate *c = &strategy.candidate;
  const int64_t placements = ss_space_placements(w->space, c, w->inside);
  ss_status status = SS_OK;
  bool more = placements > 0 && ss_space_next_values(w->space, c, &w->workload, true);
  while (status == SS_OK && more) {
    status = try_values(w, &strategy, placements);
    more = ss_space_next_values(w->space, c, &w->workload, false);
  }
  return status;
}

static worker *worker_create(const ss_space *space, const ss_machine *machine, const ss_search_options *options)
{
  worker *w = calloc(1, sizeof *w);
  if (w == NULL) return NULL;
  w->space = space;
  w->machine = machine;
  w->options = options;
  w->workload = *space->workload;
  w->inside = malloc((size_t)space->placements_max * sizeof *w->inside);
  w->found.top = malloc((size_t)(options->top + 1) * sizeof *w->found.top);
  return w;
}

static bool is_complete(const worker *w)
{
  return w != NULL && w->inside != NULL && w->found.top != NULL;
}

static void worker_destroy(worker *w)
{
  if (w == NULL) return;
  free(w->inside);
  ss_search_free(&w->found);
  free(w);
}

/* Adds what one thread has found to what all have found. */
static void merge(worker *all, const worker *one)
{
  all->found.candidates += one->found.candidates;
  all->found.feasible += one->found.feasible;
  all->found.too_large += one->found.too_large;
  for (int i = 0; i < SS_REFUSAL_TOTAL; ++i) all->found.refused[i] += one->found.refused[i];
  for (int64_t i = 0; i < one->found.count; ++i) keep(all, &one->found.top[i]);
}

/* Tells about progress in steps that are worth it. */
static void tell_progress(const worker *all, int64_t *done)
{
  const int64_t count = all->space->count, steps = 100;
  const bool due = (*done + 1) * steps / count != *done * steps / count;
  if (++*done, due && all->options->progress != NULL) all->options->progress((double)*done / (double)count);
}

static ss_status run_threads(worker *all)
{
  ss_status status = SS_OK;
  int64_t done = 0;
#pragma omp parallel
  {
    worker *one = worker_create(all->space, all->machine, all->options);
    ss_status own = is_complete(one) ? SS_OK : SS_ERROR_MEMORY;
#pragma omp for schedule(dynamic)
    for (int64_t i = 0; i < all->space->count; ++i) {
      if (own == SS_OK) own = try_trunk(one, i);
#pragma omp critical
      tell_progress(all, &done);
    }
#pragma omp critical
    {
      if (own == SS_OK)
        merge(all, one);
      else
        status = own;
    }
    worker_destroy(one);
  }
  return status;
}

ss_status ss_search_run(ss_search *search, const ss_workload *workload, const ss_machine *machine,
                        const ss_search_options *options, ss_error *error)
{
  SS_ASSERT(options->top > 0 && options->gpus > 0 && workload->placement.ranks[0] == '\0');
  ss_space space;
  *search = (ss_search){.gpus = options->gpus};
  ss_status status = ss_space_init(&space, workload, machine, options->gpus, options->tensors, options->knobs);
  worker *all = status == SS_OK ? worker_create(&space, machine, options) : NULL;
  if (status == SS_OK) status = is_complete(all) ? run_threads(all) : SS_ERROR_MEMORY;
  if (status == SS_OK) {
    *search = all->found;
    search->gpus = options->gpus;
    all->found.top = NULL;
  }
  worker_destroy(all);
  ss_space_free(&space);
  if (status == SS_OK) return SS_OK;
  return ss_error_set(error, status, NULL, 0, "out of memory for the search of %lld GPUs", (long long)options->gpus);
}

void ss_search_free(ss_search *search)
{
  free(search->top);
  search->top = NULL;
  search->count = 0;
}
