#include "model/search/search.h"

#include <stdlib.h>

#include "model/base/number.h"
#include "model/estimate/estimate.h"
#include "model/estimate/model_size.h"
#include "model/estimate/peaks.h"
#include "model/estimate/walk_cache.h"
#include "model/input/workload.h"
#include "model/plan/block_cache.h"
#include "model/plan/job_setup.h"
#include "model/search/varied.h"

/* Often enough for people who look on, seldom enough to take no time. */
enum { CANDIDATES_BETWEEN_REPORTS = 256 };

/* The state and the findings of one thread. */
typedef struct worker {
  const ss_space *space;
  const ss_search_options *options;
  const ss_machine *machine;
  ss_workload workload;
  ss_job job; /* of all candidates, one after the other */
  bool has_job;
  ss_block_cache *blocks;
  ss_walk_cache *walks;
  ss_peak_cache *peaks;
  ss_model_size model_size; /* once a strategy has been kept */
  ss_coordinates *inside;   /* [placements_max] */
  ss_candidate placed;      /* the sizes that these are of */
  int64_t placements;
  ss_search_progress *progress; /* of all threads */
  int64_t told;                 /* candidates that are part of it */
  bool is_over;                 /* nothing more is tried */
  ss_search found;              /* its counts; what is kept is in the next one */
  ss_shortlist best;
} worker;

/* Makes the job that of the workload as it is now. */
static ss_status set_job(worker *w, const ss_coordinates *inside)
{
  if (w->has_job) return ss_job_update(&w->job, inside, NULL);
  const ss_job_options options = {.cost = w->options->cost,
                                  .free_gpus = w->options->free_gpus,
                                  .estimate_only = true,
                                  .inside = inside,
                                  .blocks = w->blocks,
                                  .walks = w->walks,
                                  .peaks = w->peaks};
  const ss_status status = ss_job_init(&w->job, &w->workload, w->machine, options, NULL);
  w->has_job = status == SS_OK;
  return status;
}

/* Whether the job, or the same with another placement, may be kept. */
static bool may_be_kept(const worker *w, const ss_strategy *strategy, bool anywhere)
{
  return w->options->exhaustive ||
         ss_shortlist_takes(&w->best, ss_estimate_least_s(&w->job, anywhere), strategy->memory.total_bytes);
}

/* All candidates have the same model, and counting it takes longer than a candidate does. */
static void count_flop(worker *w, ss_strategy *strategy)
{
  if (w->job.options.model_size == NULL) {
    (void)ss_model_size_of(&w->workload, w->machine, &w->model_size, NULL); /* none without memory */
    w->job.options.model_size = &w->model_size;
  }
  ss_strategy_count_flop(strategy, &w->job);
}

static ss_status try_placement(worker *w, ss_strategy *strategy)
{
  if (!may_be_kept(w, strategy, false)) return SS_OK;
  ss_strategy_time(strategy, &w->job);
  if (!ss_shortlist_takes(&w->best, strategy->estimate.iteration_s, strategy->memory.total_bytes)) return SS_OK;
  count_flop(w, strategy);
  return ss_shortlist_offer(&w->best, strategy);
}

/* Tries all placements of a job that has been planned for the first one. */
static ss_status try_placements(worker *w, ss_strategy *strategy, int64_t placements)
{
  const int64_t variant = strategy->variant;
  ss_status status = SS_OK;
  for (int64_t i = 0; i < placements && status == SS_OK; ++i) {
    ss_candidate_put(&strategy->candidate, &w->inside[i]);
    strategy->variant = variant + i;
    if (i > 0) status = ss_job_move(&w->job, &w->inside[i], NULL);
    if (status == SS_OK) status = try_placement(w, strategy);
  }
  strategy->variant = variant;
  return status;
}

/* The first row of the table that refuses, those about the machine last. */
static ss_refusal_index refused_by(const worker *w)
{
  const ss_refusal_index refusal = ss_workload_refused_by(&w->workload, NULL, NULL);
  return refusal < SS_REFUSAL_TOTAL ? refusal : ss_workload_refused_by(&w->workload, w->machine, NULL);
}

/* Memory and refusals do not depend on the placement. */
static ss_status try_values(worker *w, ss_strategy *strategy, int64_t placements)
{
  w->found.candidates += placements;
  ss_candidate_choose(&strategy->candidate, &w->workload);
  const ss_refusal_index refusal = refused_by(w);
  if (refusal < SS_REFUSAL_TOTAL) {
    w->found.refused[refusal] += placements;
    return SS_OK;
  }
  const ss_status status = set_job(w, &w->inside[0]);
  if (status != SS_OK) return status;
  ss_strategy_weigh(strategy, &w->job);
  if (!strategy->memory.fits) {
    w->found.too_large += placements;
    return SS_OK;
  }
  w->found.feasible += placements;
  return may_be_kept(w, strategy, true) ? try_placements(w, strategy, placements) : SS_OK;
}

/* Adds what a thread has tried since it last did, reports it, and hears whether that is all. */
static void tell_progress(worker *w, int64_t done)
{
#pragma omp critical(ss_search_progress)
  {
    w->progress->candidates += w->found.candidates - w->told;
    w->progress->done += done;
    if (w->options->progress != NULL) w->options->progress(w->progress);
    if (w->options->is_over != NULL && w->options->is_over(w->options->context)) w->progress->is_over = true;
    w->is_over = w->progress->is_over;
  }
  w->told = w->found.candidates;
}

/* Lists the placements of sizes; those that differ in the micro-batch have the same. */
static int64_t list_placements(worker *w, const ss_candidate *c)
{
  const ss_candidate *placed = &w->placed;
  const bool same = c->tensor == placed->tensor && c->tp == placed->tp && c->tp2 == placed->tp2 &&
                    c->cp == placed->cp && c->dp == placed->dp && c->pp == placed->pp;
  if (!same) w->placements = ss_space_placements(w->space, c, w->inside);
  w->placed = *c;
  return w->placements;
}

static ss_status try_sizes(worker *w, int64_t index)
{
  ss_strategy strategy = {.candidate = w->space->sizes[index], .sizes = index};
  ss_candidate *c = &strategy.candidate;
  const int64_t placements = list_placements(w, c);
  ss_status status = SS_OK;
  bool more = placements > 0 && ss_space_next_values(w->space, c, &w->workload, true);
  while (status == SS_OK && more && !w->is_over) {
    status = try_values(w, &strategy, placements);
    strategy.variant += placements;
    if (w->found.candidates - w->told >= CANDIDATES_BETWEEN_REPORTS) tell_progress(w, 0);
    more = ss_space_next_values(w->space, c, &w->workload, false);
  }
  return status;
}

static ss_shortlist_rule rule_of(const ss_search_options *options)
{
  return (ss_shortlist_rule){.objective = options->objective,
                             .gpus = options->gpus,
                             .tariff = options->tariff,
                             .top = options->top,
                             .pareto = options->pareto};
}

/* The block cache for jobs that differ in what the space varies. */
static ss_block_cache *create_cache(const ss_space *space)
{
  ss_attribute_index varied[SS_ATTRIBUTE_TOTAL];
  return ss_block_cache_create(varied, ss_space_block_attributes(space, varied));
}

static worker *worker_create(const ss_space *space, const ss_machine *machine, const ss_search_options *options)
{
  worker *w = calloc(1, sizeof *w);
  if (w == NULL) return NULL;
  w->space = space;
  w->machine = machine;
  w->options = options;
  w->workload = *space->workload;
  w->blocks = create_cache(space);
  w->walks = ss_walk_cache_create();
  w->peaks = ss_peak_cache_create();
  w->inside = malloc((size_t)space->placements_max * sizeof *w->inside);
  const ss_shortlist_rule rule = rule_of(options);
  (void)ss_shortlist_init(&w->best, &rule); /* is_complete looks */
  return w;
}

static bool is_complete(const worker *w)
{
  return w != NULL && w->blocks != NULL && w->walks != NULL && w->peaks != NULL && w->inside != NULL &&
         w->best.top != NULL;
}

static void worker_destroy(worker *w)
{
  if (w == NULL) return;
  if (w->has_job) ss_job_free(&w->job);
  ss_block_cache_destroy(w->blocks);
  ss_walk_cache_destroy(w->walks);
  ss_peak_cache_destroy(w->peaks);
  free(w->inside);
  ss_shortlist_free(&w->best);
  free(w);
}

static void add_counts(ss_search *all, const ss_search *one)
{
  all->candidates += one->candidates;
  all->feasible += one->feasible;
  all->too_large += one->too_large;
  all->stopped = all->stopped || one->stopped;
  all->sizes_done += one->sizes_done;
  all->sizes += one->sizes;
  for (int i = 0; i < SS_REFUSAL_TOTAL; ++i) all->refused[i] += one->refused[i];
}

/* Adds what one thread has found to what all have found. */
static ss_status merge(worker *all, const worker *one)
{
  add_counts(&all->found, &one->found);
  return ss_shortlist_merge(&all->best, &one->best);
}

/* The sizes of the slice: i = slice, slice + slices, ... */
static int64_t sizes_count(const worker *all)
{
  const ss_search_options *options = all->options;
  if (options->slices == 0) return all->space->count;
  return ss_divide_up(all->space->count - options->slice, options->slices);
}

static int64_t sizes_of(const worker *all, int64_t index)
{
  return all->options->slices == 0 ? index : all->options->slice + index * all->options->slices;
}

static ss_status run_threads(worker *all)
{
  ss_status status = SS_OK;
  ss_search_progress progress = {.count = sizes_count(all)};
#pragma omp parallel
  {
    worker *one = worker_create(all->space, all->machine, all->options);
    ss_status own = is_complete(one) ? SS_OK : SS_ERROR_MEMORY;
    if (own == SS_OK) one->progress = &progress;
#pragma omp for schedule(dynamic)
    for (int64_t i = 0; i < sizes_count(all); ++i) {
      if (own == SS_OK && !one->is_over) own = try_sizes(one, sizes_of(all, i));
      if (own == SS_OK) tell_progress(one, !one->is_over);
    }
#pragma omp critical
    {
      if (own == SS_OK) own = merge(all, one);
      if (own != SS_OK) status = own;
    }
    worker_destroy(one);
  }
  all->found.stopped = progress.is_over;
  all->found.sizes_done = progress.done;
  all->found.sizes = progress.count;
  return status;
}

ss_status ss_search_run(ss_search *search, const ss_workload *workload, const ss_machine *machine,
                        const ss_search_options *options, ss_error *error)
{
  SS_ASSERT(options->top > 0 && options->gpus > 0 && workload->placement.ranks[0] == '\0');
  ss_space space;
  *search = (ss_search){.gpus = options->gpus};
  const ss_space_rule rule = {.gpus = options->gpus,
                              .tensors = options->tensors,
                              .knobs = options->knobs,
                              .pins = options->pins,
                              .free_gpus = options->free_gpus};
  ss_status status = ss_space_init(&space, workload, machine, &rule);
  worker *all = status == SS_OK ? worker_create(&space, machine, options) : NULL;
  if (status == SS_OK) status = is_complete(all) ? run_threads(all) : SS_ERROR_MEMORY;
  if (status == SS_OK) {
    *search = all->found;
    search->gpus = options->gpus;
    search->top = all->best.top;
    search->count = all->best.count;
    all->best.top = NULL;
  }
  worker_destroy(all);
  ss_space_free(&space);
  if (status == SS_OK) return SS_OK;
  return ss_error_set(error, status, NULL, 0, "out of memory for the search of %lld GPUs", (long long)options->gpus);
}

ss_status ss_search_merge(ss_search *all, const ss_search *one, const ss_search_options *options)
{
  const ss_shortlist_rule rule = rule_of(options);
  const ss_shortlist first = {.rule = rule, .top = all->top, .count = all->count};
  const ss_shortlist second = {.rule = rule, .top = one->top, .count = one->count};
  ss_shortlist both;
  ss_status status = ss_shortlist_init(&both, &rule);
  if (status == SS_OK) status = ss_shortlist_merge(&both, &first);
  if (status == SS_OK) status = ss_shortlist_merge(&both, &second);
  if (status != SS_OK) {
    ss_shortlist_free(&both);
    return status;
  }
  add_counts(all, one);
  free(all->top);
  all->top = both.top;
  all->count = both.count;
  return SS_OK;
}

void ss_search_free(ss_search *search)
{
  free(search->top);
  search->top = NULL;
  search->count = 0;
}
