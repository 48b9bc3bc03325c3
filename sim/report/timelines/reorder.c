#include "sim/report/timelines/reorder.h"

#include <stdlib.h>

#define FIRST_CAPACITY 256

static bool leaves_before(const ss_event_key *a, const ss_event_key *b)
{
  if (a->time_s != b->time_s) return a->time_s < b->time_s;
  if (a->turn != b->turn) return a->turn < b->turn;
  return a->sequence < b->sequence;
}

static bool grow(ss_reorder *reorder)
{
  const int64_t capacity = reorder->capacity == 0 ? FIRST_CAPACITY : 2 * reorder->capacity;
  if (capacity > INT32_MAX) return false;
  ss_trace_event *events = realloc(reorder->events, (size_t)capacity * sizeof *events);
  if (events != NULL) reorder->events = events;
  ss_event_key *keys = realloc(reorder->keys, (size_t)capacity * sizeof *keys);
  if (keys != NULL) reorder->keys = keys;
  if (events == NULL || keys == NULL) return false;
  for (int64_t slot = reorder->capacity; slot < capacity; ++slot) keys[slot].slot = (int32_t)slot;
  reorder->capacity = capacity;
  return true;
}

bool ss_reorder_push(ss_reorder *reorder, const ss_trace_event *event)
{
  if (reorder->count == reorder->capacity && !grow(reorder)) return false;
  ss_event_key *keys = reorder->keys;
  int64_t hole = reorder->count++;
  const ss_event_key added = {event->time_s, reorder->pushed++, event->turn, keys[hole].slot};
  reorder->events[added.slot] = *event;
  if (reorder->count > reorder->peak) reorder->peak = reorder->count;
  while (hole > 0 && leaves_before(&added, &keys[(hole - 1) / 2])) {
    keys[hole] = keys[(hole - 1) / 2];
    hole = (hole - 1) / 2;
  }
  keys[hole] = added;
  return true;
}

bool ss_reorder_pop(ss_reorder *reorder, double time_s, ss_trace_event *event)
{
  ss_event_key *keys = reorder->keys;
  if (reorder->count == 0 || keys[0].time_s >= time_s) return false;
  const int32_t slot = keys[0].slot;
  *event = reorder->events[slot];
  const ss_event_key last = keys[--reorder->count];
  int64_t hole = 0;
  for (int64_t child = 1; child < reorder->count; child = 2 * hole + 1) {
    if (child + 1 < reorder->count && leaves_before(&keys[child + 1], &keys[child])) child++;
    if (!leaves_before(&keys[child], &last)) break;
    keys[hole] = keys[child];
    hole = child;
  }
  keys[hole] = last;
  keys[reorder->count].slot = slot;
  return true;
}

void ss_reorder_free(ss_reorder *reorder)
{
  free(reorder->keys);
  free(reorder->events);
  *reorder = (ss_reorder){0};
}
