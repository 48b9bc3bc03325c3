#include "sim/engine/agenda.h"

#include <stdbool.h>
#include <stdlib.h>

static bool before(const ss_event *a, const ss_event *b)
{
  return a->time_s < b->time_s || (a->time_s == b->time_s && a->order < b->order);
}

void ss_agenda_free(ss_agenda *agenda)
{
  free(agenda->heap);
  *agenda = (ss_agenda){0};
}

static void grow(ss_agenda *agenda)
{
  const int64_t capacity = agenda->capacity > 0 ? 2 * agenda->capacity : 256;
  ss_event *heap = realloc(agenda->heap, (size_t)capacity * sizeof *heap);
  SS_ASSERT(heap != NULL);
  agenda->heap = heap;
  agenda->capacity = capacity;
}

void ss_agenda_add(ss_agenda *agenda, ss_event event)
{
  if (agenda->count == agenda->capacity) grow(agenda);
  event.order = agenda->next_order++;
  int64_t hole = agenda->count++;
  while (hole > 0 && before(&event, &agenda->heap[(hole - 1) / 2])) {
    agenda->heap[hole] = agenda->heap[(hole - 1) / 2];
    hole = (hole - 1) / 2;
  }
  agenda->heap[hole] = event;
}

const ss_event *ss_agenda_next(const ss_agenda *agenda)
{
  return agenda->count > 0 ? &agenda->heap[0] : NULL;
}

ss_event ss_agenda_take(ss_agenda *agenda)
{
  SS_ASSERT(agenda->count > 0);
  const ss_event first = agenda->heap[0];
  const ss_event last = agenda->heap[--agenda->count];
  int64_t hole = 0;
  for (;;) {
    int64_t child = 2 * hole + 1;
    if (child >= agenda->count) break;
    if (child + 1 < agenda->count && before(&agenda->heap[child + 1], &agenda->heap[child])) ++child;
    if (!before(&agenda->heap[child], &last)) break;
    agenda->heap[hole] = agenda->heap[child];
    hole = child;
  }
  if (agenda->count > 0) agenda->heap[hole] = last;
  return first;
}
