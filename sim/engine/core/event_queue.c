#include "sim/engine/core/event_queue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/core/prefetch.h"

/* Memory that is taken a piece at a time and given back as a whole. */
enum { SLAB = 256 };

typedef struct ss_event_slab {
  struct ss_event_slab *next;
  ss_pending event[SLAB];
  ss_instant instant[SLAB];
} ss_event_slab;

void ss_event_queue_free(ss_event_queue *queue)
{
  while (queue->slabs != NULL) {
    ss_event_slab *slab = queue->slabs;
    queue->slabs = slab->next;
    free(slab);
  }
  free(queue->heap);
  *queue = (ss_event_queue){0};
}

static void add_slab(ss_event_queue *queue)
{
  ss_event_slab *slab = malloc(sizeof *slab);
  SS_ASSERT(slab != NULL);
  slab->next = queue->slabs;
  queue->slabs = slab;
  for (int i = 0; i < SLAB; ++i) {
    slab->event[i].next = queue->free_events;
    queue->free_events = &slab->event[i];
    slab->instant[i].next = queue->free_instants;
    queue->free_instants = &slab->instant[i];
  }
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
  instant->next = queue->free_instants;
  queue->free_instants = instant;
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
  if (queue->free_events == NULL || queue->free_instants == NULL) add_slab(queue);
  ss_pending *added = queue->free_events;
  ss_instant **recent = recent_at(queue, event.time_s);
  queue->free_events = added->next;
  event.order = queue->next_order++;
  *added = (ss_pending){.event = event};
  if (*recent != NULL && (*recent)->time_s == event.time_s) {
    (*recent)->last->next = added;
    (*recent)->last = added;
    return;
  }
  ss_instant *instant = *recent = queue->free_instants;
  queue->free_instants = instant->next;
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
  taken->next = queue->free_events;
  queue->free_events = taken;
  if (instant->first == NULL) free_instant(queue, pop(queue));
  return event;
}
