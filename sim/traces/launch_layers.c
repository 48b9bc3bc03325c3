#include "sim/traces/launch_layers.h"

#include <math.h>
#include <stdlib.h>

#include "model/base/grow.h"

static ss_host_events *events_of(ss_launch_layers *launches, ss_item_kind kind)
{
  if (kind == SS_ITEM_LAUNCH) return &launches->launch;
  return kind == SS_ITEM_FORWARD ? &launches->forward : &launches->backward;
}

ss_status ss_launch_layers_add(ss_launch_layers *launches, const ss_trace_item *item, ss_error *error)
{
  ss_host_events *events = events_of(launches, item->kind);
  ss_host_event *grown = ss_grown(events->event, events->count, &events->room, sizeof *grown);
  if (grown == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for the launches of kernels");
  events->event = grown;
  events->event[events->count++] = (ss_host_event){item->link, item->stream, item->start_s, SS_NO_INDEX};
  return SS_OK;
}

static void release(ss_host_events *events)
{
  free(events->event);
  *events = (ss_host_events){.count = 0};
}

void ss_launch_layers_free(ss_launch_layers *launches)
{
  ss_layer_ranges_free(&launches->layers);
  release(&launches->launch);
  release(&launches->forward);
  release(&launches->backward);
}

static int compare_times(const ss_host_event *x, const ss_host_event *y)
{
  return (x->time_s > y->time_s) - (x->time_s < y->time_s);
}

static int by_link(const void *a, const void *b)
{
  const ss_host_event *x = a, *y = b;
  if (x->link != y->link) return x->link < y->link ? -1 : 1;
  return compare_times(x, y);
}

static int by_thread(const void *a, const void *b)
{
  const ss_host_event *x = a, *y = b;
  if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
  return compare_times(x, y);
}

static void sort(ss_host_events *events, int (*order)(const void *, const void *))
{
  if (events->count > 0) qsort(events->event, (size_t)events->count, sizeof *events->event, order);
}

/* The last one that is not behind the key in an order; NULL where there is none. */
static const ss_host_event *last_until(const ss_host_events *events, const ss_host_event *key,
                                       int (*order)(const void *, const void *))
{
  int64_t low = 0, high = events->count; /* the first one behind it */
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (order(&events->event[middle], key) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 ? &events->event[low - 1] : NULL;
}

/* What a thread was at. Autograd adds up the gradients of weights, and runs the hooks on them, right after the backward
 * that they come from, so that this one counts until the next. */
static int64_t layer_at(const ss_launch_layers *launches, const ss_host_event *at)
{
  const int64_t annotated = ss_layer_ranges_find(&launches->layers, at->thread, at->time_s);
  if (annotated != SS_NO_INDEX) return annotated;
  const ss_host_event *backward = last_until(&launches->backward, at, by_thread);
  return backward != NULL && backward->thread == at->thread ? backward->layer : SS_NO_INDEX;
}

/* The operator that a backward is of; NULL where the trace does not have it. */
static const ss_host_event *forward_of(const ss_launch_layers *launches, const ss_host_event *backward)
{
  const ss_host_event *forward = last_until(&launches->forward, backward, by_link);
  return forward != NULL && forward->link == backward->link ? forward : NULL;
}

/* Leaves the backwards of threads of autograd: those that run one of an operator of another thread. A thread that runs
 * those of its own operators only goes on with the optimizer and the next forward pass, which would count, too. */
static void leave_autograd(ss_launch_layers *launches)
{
  ss_host_events *backward = &launches->backward;
  int64_t kept = 0;
  for (int64_t i = 0, end; i < backward->count; i = end) {
    const int64_t thread = backward->event[i].thread;
    bool is_autograd = false;
    for (end = i; end < backward->count && backward->event[end].thread == thread; ++end) {
      const ss_host_event *forward = forward_of(launches, &backward->event[end]);
      is_autograd = is_autograd || (forward != NULL && forward->thread != thread);
    }
    for (int64_t k = i; is_autograd && k < end; ++k) backward->event[kept++] = backward->event[k];
  }
  backward->count = kept;
}

/* In the order of time, since operators that are computed again in a backward pass belong to the one that they are
 * computed for. */
bool ss_launch_layers_join(ss_launch_layers *launches)
{
  ss_host_events *launch = &launches->launch, *backward = &launches->backward;
  bool has_layer = false;
  ss_layer_ranges_sort(&launches->layers);
  sort(&launches->forward, by_link);
  sort(backward, by_thread);
  leave_autograd(launches);
  for (int64_t i = 0; i < backward->count; ++i) {
    const ss_host_event *forward = forward_of(launches, &backward->event[i]);
    if (forward != NULL) backward->event[i].layer = layer_at(launches, forward);
    has_layer = has_layer || backward->event[i].layer != SS_NO_INDEX;
  }
  for (int64_t i = 0; i < launch->count; ++i) launch->event[i].layer = layer_at(launches, &launch->event[i]);
  sort(launch, by_link);
  return has_layer && launch->count > 0;
}

int64_t ss_launch_layers_find(const ss_launch_layers *launches, int64_t link)
{
  const ss_host_event key = {.link = link, .time_s = HUGE_VAL};
  const ss_host_event *launch = last_until(&launches->launch, &key, by_link);
  return launch != NULL && launch->link == link ? launch->layer : SS_NO_INDEX;
}
