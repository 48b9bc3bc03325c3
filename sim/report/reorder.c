#include "sim/report/reorder.h"

#include <stdlib.h>

#define FIRST_CAPACITY 256

static bool leaves_before(const ss_trace_event *a, const ss_trace_event *b)
{
  if (a->time_s != b->time_s) return a->time_s < b->time_s;
  if (a->turn != b->turn) return a->turn < b->turn;
  return a->sequence < b->sequence;
}

static bool grow(ss_reorder *reorder)
{
  const int64_t capacity = reorder->capacity == 0 ? FIRST_CAPACITY : 2 * reorder->capacity;
  ss_trace_event *events = realloc(reorder->events, (size_t)capacity * sizeof *events);
  if (events == NULL) return false;
  reorder->events = events;
  reorder->capacity = capacity;
  return true;
}

bool ss_reorder_push(ss_reorder *reorder, const ss_trace_event *event)
{
  if (reorder->count == reorder->capacity && !grow(reorder)) return false;
  ss_trace_event added = *event;
  added.sequence = reorder->pushed++;
  int64_t hole = reorder->count++;
  if (reorder->count > reorder->peak) reorder->peak = reorder->count;
  while (hole > 0 && leaves_before(&added, &reorder->events[(hole - 1) / 2])) {
    reorder->events[hole] = reorder->events[(hole - 1) / 2];
    hole = (hole - 1) / 2;
  }
  reorder->events[hole] = added;
  return true;
}

bool ss_reorder_pop(ss_reorder *reorder, double time_s, ss_trace_event *event)
{
  if (reorder->count == 0 || reorder->events[0].time_s >= time_s) return false;
  *event = reorder->events[0];
  const ss_trace_event last = reorder->events[--reorder->count];
  int64_t hole = 0;
  for (int64_t child = 1; child < reorder->count; child = 2 * hole + 1) {
    if (child + 1 < reorder->count && leaves_before(&reorder->events[child + 1], &reorder->events[child])) child++;
    if (!leaves_before(&reorder->events[child], &last)) break;
    reorder->events[hole] = reorder->events[child];
    hole = child;
  }
  reorder->events[hole] = last;
  return true;
}

void ss_reorder_free(ss_reorder *reorder)
{
  free(reorder->events);
  *reorder = (ss_reorder){0};
}
