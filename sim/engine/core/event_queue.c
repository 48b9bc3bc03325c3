#include "sim/engine/core/event_queue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/core/prefetch.h"

void ss_event_queue_free(ss_event_queue *queue)
{
  ss_pool_free(&queue->events);
  ss_pool_free(&queue->instants);
  free(queue->heap);
  *queue = (ss_event_queue){0};
}

static bool before(const ss_instant_key *a, const ss_instant_key *b)
{
  return a->time_s < b->time_s || (a->time_s == b->time_s && a->order < b->order);
}

static void grow(ss_event_queue *queue)
{
  const int64_t capacity = queue->capacity > 0 ? 2 * queue->capacity : 256;
  ss_instant_key *heap = realloc(queue->heap, (size_t)capacity * sizeof *heap);
  SS_ASSERT(heap != NULL);
  queue->heap = heap;
  queue->capacity = capacity;
}

static void push(ss_event_queue *queue, ss_instant *instant)
{
  const ss_event *first = &instant->first->event;
  const ss_instant_key key = {instant->time_s, first->order, instant, first->subject};
  if (queue->count == queue->capacity) grow(queue);
  int64_t hole = queue->count++;
  while (hole > 0 && before(&key, &queue->heap[(hole - 1) / 2])) {
    queue->heap[hole] = queue->heap[(hole - 1) / 2];
    hole = (hole - 1) / 2;
  }
  queue->heap[hole] = key;
}

/* Takes the first instant out of the heap. */
static ss_instant *pop(ss_event_queue *queue)
{
  ss_instant *first = queue->heap[0].instant;
  const ss_instant_key last = queue->heap[--queue->count];
  int64_t hole = 0;
  for (int64_t child = 1; child < queue->count; child = 2 * hole + 1) {
    if (child + 1 < queue->count && before(&queue->heap[child + 1], &queue->heap[child])) ++child;
    if (!before(&queue->heap[child], &last)) break;
    queue->heap[hole] = queue->heap[child];
    hole = child;
  }
  queue->heap[hole] = last;
  return first;
}

static void free_instant(ss_event_queue *queue, ss_instant *instant)
{
  instant->time_s = NAN;
  ss_pool_give(&queue->instants, instant);
}

/* Where the instant of a time is, if it is among the recent ones. */
static ss_instant **recent_at(ss_event_queue *queue, double time_s)
{
  uint64_t bits;
  memcpy(&bits, &time_s, sizeof bits);
  return &queue->recent[(bits * 0x9e3779b97f4a7c15u) >> 58];
}

/* An instant of which another has taken the place among the recent ones gets no more events: those of a later one of
 * the same time all come after its own. */
void ss_event_queue_add(ss_event_queue *queue, ss_event event)
{
  ss_pending *added = ss_pool_take(&queue->events, sizeof *added);
  ss_instant **recent = recent_at(queue, event.time_s);
  event.order = queue->next_order++;
  *added = (ss_pending){.event = event};
  if (*recent != NULL && (*recent)->time_s == event.time_s) {
    (*recent)->last->next = added;
    (*recent)->last = added;
    return;
  }
  ss_instant *instant = *recent = ss_pool_take(&queue->instants, sizeof *instant);
  *instant = (ss_instant){.time_s = event.time_s, .first = added, .last = added};
  push(queue, instant);
}

double ss_event_queue_next_s(const ss_event_queue *queue)
{
  return queue->heap[0].time_s;
}

bool ss_event_queue_has(const ss_event_queue *queue, const void *owner)
{
  bool found = false;
  for (int64_t i = 0; i < queue->count; ++i)
    for (const ss_pending *p = queue->heap[i].instant->first; p != NULL; p = p->next)
      found = found || p->event.owner == owner;
  return found;
}

/* The time of the instant after the first one; infinite when there is none. */
static double second_s(const ss_event_queue *queue)
{
  double least_s = INFINITY;
  for (int64_t i = 1; i < queue->count && i < 3; ++i) least_s = fmin(least_s, queue->heap[i].time_s);
  return least_s;
}

/* Adds the events of `from` to an instant, each at its place in the order. */
static void merge(ss_instant *instant, const ss_instant *from)
{
  ss_pending *a = instant->first, *b = from->first;
  ss_pending **end = &instant->first;
  while (a != NULL && b != NULL) {
    ss_pending **earlier = a->event.order < b->event.order ? &a : &b;
    *end = *earlier;
    end = &(*earlier)->next;
    *earlier = (*earlier)->next;
  }
  *end = a != NULL ? a : b;
  if (a == NULL) instant->last = from->last;
}

double ss_event_queue_tie(ss_event_queue *queue, double within_s)
{
  const double first_s = queue->heap[0].time_s;
  if (second_s(queue) >= first_s + within_s) return first_s;
  ss_instant *tied = pop(queue);
  while (queue->count > 0 && queue->heap[0].time_s < first_s + within_s) {
    ss_instant *other = pop(queue);
    tied->time_s = other->time_s;
    merge(tied, other);
    free_instant(queue, other);
  }
  push(queue, tied);
  return tied->time_s;
}

void ss_event_queue_expect(const ss_event_queue *queue, size_t bytes)
{
  if (queue->count == 0) return;
  for (int64_t i = 1; i < queue->count && i < 3; ++i) ss_prefetch(queue->heap[i].instant, sizeof(ss_instant));
  ss_prefetch(queue->heap[0].instant->first, sizeof(ss_pending));
  ss_prefetch(queue->heap[0].subject, bytes);
}

ss_event ss_event_queue_take(ss_event_queue *queue)
{
  SS_ASSERT(queue->count > 0);
  ss_instant *instant = queue->heap[0].instant;
  ss_pending *taken = instant->first;
  ss_event event = taken->event;
  event.time_s = instant->time_s;
  instant->first = taken->next;
  ss_pool_give(&queue->events, taken);
  if (instant->first == NULL) free_instant(queue, pop(queue));
  return event;
}
