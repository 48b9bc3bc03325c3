#include "model/profile/profile.h"

#include <stdlib.h>

#include "model/base/number.h"

static ss_status grow(ss_work_log *log, ss_error *error)
{
  const int64_t room = log->room > 0 ? 2 * log->room : 1024;
  ss_work_edge *edge = realloc(log->edge, (size_t)room * sizeof *edge);
  if (edge == NULL)
    return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for %lld kernels", (long long)room / 2);
  log->edge = edge;
  log->room = room;
  return SS_OK;
}

ss_status ss_work_log_add(ss_work_log *log, const ss_work_interval *interval, ss_error *error)
{
  const ss_status status = log->count + 2 > log->room ? grow(log, error) : SS_OK;
  if (status != SS_OK) return status;
  const bool has_layer = interval->layer >= 0 && interval->layer < SS_PROFILE_LAYERS;
  ss_work_edge edge = {.time_s = interval->start_s,
                       .layer = has_layer ? (int32_t)interval->layer : SS_NO_INDEX,
                       .kind = (int8_t)interval->kind,
                       .begins = true,
                       .is_kernel = interval->is_kernel};
  log->edge[log->count++] = edge;
  edge.time_s = interval->end_s;
  edge.begins = false;
  log->edge[log->count++] = edge;
  return SS_OK;
}

static int by_time(const void *a, const void *b)
{
  const ss_work_edge *x = a, *y = b;
  if (x->time_s != y->time_s) return x->time_s < y->time_s ? -1 : 1;
  if (x->begins != y->begins) return x->begins ? 1 : -1;
  if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  return (x->layer > y->layer) - (x->layer < y->layer);
}

void ss_work_log_sort(ss_work_log *log)
{
  if (log->count > 0) qsort(log->edge, (size_t)log->count, sizeof *log->edge, by_time);
}

void ss_work_log_free(ss_work_log *log)
{
  free(log->edge);
  *log = (ss_work_log){.count = 0};
}

ss_window ss_work_log_window(const ss_work_log *log)
{
  if (log->count == 0) return (ss_window){.start_s = 0.0};
  return (ss_window){log->edge[0].time_s, log->edge[log->count - 1].time_s};
}

/* Timelines have nanoseconds: less is how they round. */
#define LEAST_GAP_S 1e-9

/* How many intervals of each class are open. */
typedef struct sweep {
  int64_t open[SS_CLASS_COUNT];
  double last_s;
  bool was_idle;
} sweep;

/* How many classes that compute, or that run beside it, are open. */
static int open_classes(const sweep *at, bool beside)
{
  int count = 0;
  for (int kind = 0; kind < SS_CLASS_COUNT; ++kind)
    count += at->open[kind] > 0 && ss_class_is_beside((ss_kernel_class)kind) == beside;
  return count;
}

/* Gives the time up to the next edge to those that are open. */
static void pass_time(sweep *at, double time_s, ss_profile *profile)
{
  const double passed_s = time_s - at->last_s;
  if (passed_s <= 0.0) return;
  at->last_s = time_s;
  const int computing = open_classes(at, false), beside = open_classes(at, true);
  const bool owner = computing == 0;
  for (int kind = 0; kind < SS_CLASS_COUNT; ++kind) {
    if (at->open[kind] <= 0) continue;
    profile->of[kind].active_s += passed_s;
    if (ss_class_is_beside((ss_kernel_class)kind) == owner)
      profile->of[kind].alone_s += passed_s / (owner ? beside : computing);
  }
  const bool idle = computing + beside == 0, gap = idle && (at->was_idle || passed_s >= LEAST_GAP_S);
  profile->idle_s += idle ? passed_s : 0.0;
  profile->gaps += gap && !at->was_idle;
  profile->compute_s += computing > 0 ? passed_s : 0.0;
  profile->beside_s += beside > 0 ? passed_s : 0.0;
  profile->hidden_s += computing > 0 && beside > 0 ? passed_s : 0.0;
  at->was_idle = gap;
}

static void count_edge(const ss_work_edge *edge, ss_window window, ss_profile *profile)
{
  const double within_s = ss_min(ss_max(edge->time_s, window.start_s), window.end_s) - window.start_s;
  const double signed_s = edge->begins ? -within_s : within_s;
  const bool starts = edge->begins && edge->is_kernel && edge->time_s >= window.start_s && edge->time_s < window.end_s;
  profile->of[edge->kind].sum_s += signed_s;
  profile->of[edge->kind].kernels += starts;
  if (edge->layer == SS_NO_INDEX || ss_class_is_beside((ss_kernel_class)edge->kind)) return;
  ss_layer_time *layer = &profile->layer[edge->layer];
  layer->sum_s += signed_s;
  layer->kernels += starts;
  if (layer->kernels > 0.0 && edge->layer >= profile->layers) profile->layers = edge->layer + 1;
}

void ss_profile_of(const ss_work_log *log, ss_window window, ss_profile *profile)
{
  sweep at = {.last_s = window.start_s};
  *profile = (ss_profile){.iteration_s = window.end_s - window.start_s};
  for (int64_t i = 0; i < log->count; ++i) {
    const ss_work_edge *edge = &log->edge[i];
    pass_time(&at, ss_min(edge->time_s, window.end_s), profile);
    at.open[edge->kind] += edge->begins ? 1 : -1;
    count_edge(edge, window, profile);
  }
  pass_time(&at, window.end_s, profile);
}

void ss_profile_add(ss_profile *sum, const ss_profile *profile, double weight)
{
  for (int kind = 0; kind < SS_CLASS_COUNT; ++kind) {
    ss_class_time *to = &sum->of[kind];
    const ss_class_time *from = &profile->of[kind];
    to->kernels += weight * from->kernels;
    to->sum_s += weight * from->sum_s;
    to->active_s += weight * from->active_s;
    to->alone_s += weight * from->alone_s;
  }
  sum->iteration_s += weight * profile->iteration_s;
  sum->idle_s += weight * profile->idle_s;
  sum->gaps += weight * profile->gaps;
  sum->compute_s += weight * profile->compute_s;
  sum->beside_s += weight * profile->beside_s;
  sum->hidden_s += weight * profile->hidden_s;
  if (profile->layers > sum->layers) sum->layers = profile->layers;
  for (int64_t i = 0; i < profile->layers; ++i) {
    sum->layer[i].kernels += weight * profile->layer[i].kernels;
    sum->layer[i].sum_s += weight * profile->layer[i].sum_s;
  }
}
