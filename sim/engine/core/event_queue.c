#include "sim/engine/core/event_queue.h"

#include <stdbool.h>
#include <stdlib.h>

static bool before(const ss_event *a, const ss_event *b)
{
  return a->time_s < b->time_s || (a->time_s == b->time_s && a->order < b->order);
}

void ss_event_queue_free(ss_event_queue *queue)
{
  free(queue->heap);
  *queue = (ss_event_queue){0};
}

static void grow(ss_event_queue *queue)
{
  const int64_t capacity = queue->capacity > 0 ? 2 * queue->capacity : 256;
  ss_event *heap = realloc(queue->heap, (size_t)capacity * sizeof *heap);
  SS_ASSERT(heap != NULL);
  queue->heap = heap;
  queue->capacity = capacity;
}

void ss_event_queue_add(ss_event_queue *queue, ss_event event)
{
  if (queue->count == queue->capacity) grow(queue);
  event.order = queue->next_order++;
  int64_t hole = queue->count++;
  while (hole > 0 && before(&event, &queue->heap[(hole - 1) / 2])) {
    queue->heap[hole] = queue->heap[(hole - 1) / 2];
    hole = (hole - 1) / 2;
  }
  queue->heap[hole] = event;
}

const ss_event *ss_event_queue_next(const ss_event_queue *queue)
{
  return queue->count > 0 ? &queue->heap[0] : NULL;
}

/* Puts an event at a place above which all is in order, or below. */
static void sink(ss_event_queue *queue, int64_t hole, ss_event event)
{
  for (;;) {
    int64_t child = 2 * hole + 1;
    if (child >= queue->count) break;
    if (child + 1 < queue->count && before(&queue->heap[child + 1], &queue->heap[child])) ++child;
    if (!before(&queue->heap[child], &event)) break;
    queue->heap[hole] = queue->heap[child];
    hole = child;
  }
  queue->heap[hole] = event;
}

/* The time of the last event at a place of the heap or below that is before `end_s`; `last_s` if none is later. */
static double last_before(const ss_event_queue *queue, int64_t place, double end_s, double last_s)
{
  if (place >= queue->count || queue->heap[place].time_s >= end_s) return last_s;
  if (queue->heap[place].time_s > last_s) last_s = queue->heap[place].time_s;
  last_s = last_before(queue, 2 * place + 1, end_s, last_s);
  return last_before(queue, 2 * place + 2, end_s, last_s);
}

/* Puts off all events there that are before a time until then. */
static void put_off(ss_event_queue *queue, int64_t place, double until_s)
{
  if (place >= queue->count || queue->heap[place].time_s > until_s) return;
  put_off(queue, 2 * place + 1, until_s);
  put_off(queue, 2 * place + 2, until_s);
  ss_event event = queue->heap[place];
  event.time_s = until_s;
  sink(queue, place, event);
}

double ss_event_queue_tie(ss_event_queue *queue, double within_s)
{
  const double first_s = queue->heap[0].time_s;
  const double last_s = last_before(queue, 0, first_s + within_s, first_s);
  if (last_s > first_s) put_off(queue, 0, last_s);
  return last_s;
}

ss_event ss_event_queue_take(ss_event_queue *queue)
{
  SS_ASSERT(queue->count > 0);
  const ss_event first = queue->heap[0];
  const ss_event last = queue->heap[--queue->count];
  if (queue->count > 0) sink(queue, 0, last);
  return first;
}
