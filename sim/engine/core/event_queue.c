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

ss_event ss_event_queue_take(ss_event_queue *queue)
{
  SS_ASSERT(queue->count > 0);
  const ss_event first = queue->heap[0];
  const ss_event last = queue->heap[--queue->count];
  int64_t hole = 0;
  for (;;) {
    int64_t child = 2 * hole + 1;
    if (child >= queue->count) break;
    if (child + 1 < queue->count && before(&queue->heap[child + 1], &queue->heap[child])) ++child;
    if (!before(&queue->heap[child], &last)) break;
    queue->heap[hole] = queue->heap[child];
    hole = child;
  }
  if (queue->count > 0) queue->heap[hole] = last;
  return first;
}
