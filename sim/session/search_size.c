#include "sim/session/search_size.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/workload.h"
#include "model/search/search.h"
#include "sim/crew/crew.h"
#include "sim/session/progress.h"

/* Slices of a space that is shared out: enough for even shares of many processes, since a slice takes its time. */
enum { SLICES = 64 };

/* Strategies on the front of a slice, which is small beside this: no two of them have the same time. */
enum { FRONT_ROOM = 4096 };

/* A search as plain bytes: without the pointer, with what it points to. */
typedef struct package {
  ss_search search;
  ss_strategy top[]; /* [search.count] */
} package;

static size_t package_size(int64_t count)
{
  return sizeof(package) + (size_t)count * sizeof(ss_strategy);
}

static void pack(const ss_search *search, package *bytes)
{
  bytes->search = *search;
  bytes->search.top = NULL;
  if (search->count > 0) memcpy(bytes->top, search->top, (size_t)search->count * sizeof *search->top);
}

/* The search in a package, with a copy of the strategies. */
static ss_status unpack(const package *bytes, ss_search *search, ss_error *error)
{
  const size_t count = (size_t)bytes->search.count;
  ss_strategy *top = malloc((count > 0 ? count : 1) * sizeof *top);
  if (top == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a search");
  if (count > 0) memcpy(top, bytes->top, count * sizeof *top);
  *search = bytes->search;
  search->top = top;
  return SS_OK;
}

/* The question, for this process and for the slices. */
typedef struct hunt {
  ss_result_cache *cache;
  const ss_session *session;
  const ss_options *options;
  ss_search_options search_options;
  ss_search *search;
} hunt;

static int64_t room(const hunt *h)
{
  return h->options->search.pareto ? FRONT_ROOM : ss_search_kept(&h->options->search);
}

static ss_status work_slice(void *context, int64_t item, void *outcome, ss_error *error)
{
  const hunt *h = context;
  ss_search_options options = h->search_options;
  ss_search one;
  options.slice = item;
  options.slices = SLICES;
  options.progress = NULL;
  ss_status status = ss_search_run(&one, &h->session->workload, &h->session->machine, &options, error);
  if (status == SS_OK && one.count > room(h))
    status = ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "a front of %" PRId64 " strategies: at most %" PRId64,
                          one.count, room(h));
  if (status == SS_OK) pack(&one, outcome);
  ss_search_free(&one);
  return status;
}

static ss_status merge_slice(void *context, int64_t item, const void *outcome, bool was_known, ss_error *error)
{
  const hunt *h = context;
  ss_search one;
  (void)item, (void)was_known;
  ss_status status = unpack(outcome, &one, error);
  if (status != SS_OK) return status;
  status = ss_search_merge(h->search, &one, &h->search_options);
  ss_search_free(&one);
  return status == SS_OK ? SS_OK : ss_error_set(error, status, NULL, 0, "out of memory for a search");
}

static ss_status share_out(hunt *h, ss_error *error)
{
  const ss_crew_work work = {.count = SLICES,
                             .outcome_size = package_size(room(h)),
                             .work = work_slice,
                             .done = merge_slice,
                             .context = h,
                             .progress = ss_progress_of(&h->options->common)};
  *h->search = (ss_search){.gpus = h->search_options.gpus};
  return ss_crew_run(&work, error);
}

static ss_question question_of(const hunt *h)
{
  const ss_search_options *o = &h->search_options;
  return (ss_question){.kind = "search",
                       .workload = &h->session->workload,
                       .machine = &h->session->machine,
                       .number = {(double)o->gpus, o->tensors, (double)ss_knob_unique(o->knobs), o->pins, o->cost,
                                  o->objective, (double)o->top, o->pareto}};
}

static ss_status recall(const hunt *h, ss_error *error)
{
  const ss_question question = question_of(h);
  void *bytes = NULL;
  size_t size = 0;
  ss_status status = ss_result_cache_find(h->cache, &question, &bytes, &size, error);
  const package *found = bytes;
  const bool whole = bytes != NULL && size >= sizeof *found && size == package_size(found->search.count);
  if (status == SS_OK && whole) status = unpack(found, h->search, error);
  free(bytes);
  return status;
}

static ss_status remember(const hunt *h, ss_error *error)
{
  const ss_search *search = h->search;
  const ss_question question = question_of(h);
  ss_record record = ss_record_empty();
  char label[SS_TEXT_SIZE];
  package *bytes = calloc(1, package_size(search->count));
  if (bytes == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a search");
  pack(search, bytes);
  if (h->options->search.pareto)
    (void)snprintf(label, sizeof label, "front of time and memory");
  else
    (void)snprintf(label, sizeof label, "least %s", ss_objective_word(h->options->choice.objective));
  record.label = label;
  record.gpus = search->gpus;
  if (search->count == 0) record.refusal = "nothing that it tried can be used";
  const ss_kept_strategies kept = {.strategy = search->top,
                                   .count = search->count,
                                   .named = true,
                                   .knobs = ss_knob_unique(h->search_options.knobs & ~SS_KNOBS_FOLLOWING),
                                   .tariff = &h->search_options.tariff};
  ss_status status = ss_result_cache_describe(&record, &kept, error);
  if (status == SS_OK)
    status = ss_result_cache_keep(h->cache, &question, record, bytes, package_size(search->count), error);
  free((char *)record.parts);
  free(bytes);
  return status;
}

/* Sends the result of the first process to the others. */
static ss_status share_found(const hunt *h, ss_error *error)
{
  ss_search found = *h->search;
  ss_status status = ss_crew_share(&found, sizeof found, error);
  if (status != SS_OK) return status;
  const size_t size = (size_t)found.count * sizeof *found.top;
  found.top = ss_crew_is_first() ? h->search->top : malloc(size > 0 ? size : 1);
  if (found.top == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a search");
  status = ss_crew_share(found.top, size, error);
  if (!ss_crew_is_first()) {
    ss_search_free(h->search);
    *h->search = found;
  }
  return status;
}

/* Takes the result from the cache, or searches and keeps it. */
static ss_status find(hunt *h, ss_error *error)
{
  ss_status status = recall(h, error);
  bool is_known = h->search->top != NULL;
  if (status == SS_OK) status = ss_crew_share(&is_known, sizeof is_known, error);
  if (status != SS_OK || is_known) return status;
  if (ss_crew_is_alone())
    status = ss_search_run(h->search, &h->session->workload, &h->session->machine, &h->search_options, error);
  else
    status = share_out(h, error);
  const bool is_whole = status == SS_OK && !h->search->stopped;
  return is_whole && ss_result_cache_keeps(h->cache) ? remember(h, error) : status;
}

/* The time that --max-seconds gives is over, or somebody has interrupted the program. */
static bool is_over(const void *context)
{
  const ss_options *options = context;
  const volatile int *stop = options->common.stop;
  return (stop != NULL && *stop != 0) || ss_budget_is_late(&options->replay.budget);
}

ss_status ss_search_size(ss_result_cache *cache, const ss_session *session, const ss_options *options, int64_t gpus,
                         ss_search *search, ss_error *error)
{
  const unsigned own_layout = SS_TENSOR_BIT(session->workload.parallelism.tensor);
  const ss_choice_options *choice = &options->choice;
  hunt h = {.cache = cache, .session = session, .options = options, .search = search};
  h.search_options = (ss_search_options){
      .gpus = gpus,
      .tensors = choice->tensors != 0 ? choice->tensors : own_layout,
      .knobs =
          ss_choice_knobs(choice, &session->workload, &session->machine, options->common.cost) | SS_KNOBS_FOLLOWING,
      .pins = ss_sizes_overridden(&session->workload),
      .cost = options->common.cost,
      .objective = choice->objective,
      .tariff = ss_tariff_of(&session->machine),
      .top = ss_search_kept(&options->search),
      .free_gpus = ss_places_free_gpus(&session->places),
      .pareto = options->search.pareto,
      .progress = ss_progress_of_search(&options->common),
      .is_over = is_over,
      .context = options};
  *search = (ss_search){.gpus = gpus};
  ss_status status = find(&h, error);
  ss_progress_clear(&options->common);
  return status == SS_OK ? share_found(&h, error) : status;
}
