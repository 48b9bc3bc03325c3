#include "sim/engine/network/flow_ends.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/error.h"

void ss_flow_ends_free(ss_flow_ends *ends)
{
  ss_pool_free(&ends->instants);
  free(ends->heap);
  free(ends->sort);
  *ends = (ss_flow_ends){0};
}

static void put(const ss_flow_ends *ends, ss_flow_end_key key, int64_t slot)
{
  ends->heap[slot] = key;
  key.instant->slot = slot;
}

/* Puts an instant where it belongs in the heap, from a slot on that is free. */
static void sift(const ss_flow_ends *ends, ss_flow_end_key key, int64_t slot)
{
  const ss_flow_end_key *heap = ends->heap;
  for (; slot > 0 && key.time_s < heap[(slot - 1) / 2].time_s; slot = (slot - 1) / 2)
    put(ends, heap[(slot - 1) / 2], slot);
  for (int64_t child = 2 * slot + 1; child < ends->count; child = 2 * slot + 1) {
    if (child + 1 < ends->count && heap[child + 1].time_s < heap[child].time_s) ++child;
    if (!(heap[child].time_s < key.time_s)) break;
    put(ends, heap[child], slot);
    slot = child;
  }
  put(ends, key, slot);
}

static void make_room(ss_flow_ends *ends)
{
  if (ends->count < ends->capacity) return;
  ends->capacity = ends->capacity > 0 ? 2 * ends->capacity : 64;
  ends->heap = realloc(ends->heap, (size_t)ends->capacity * sizeof *ends->heap);
  SS_ASSERT(ends->heap != NULL);
}

/* Where the instant of a time is, if it is among the recent ones. */
static ss_flow_end_instant **recent_at(ss_flow_ends *ends, double time_s)
{
  uint64_t bits;
  memcpy(&bits, &time_s, sizeof bits);
  return &ends->recent[(bits * 0x9e3779b97f4a7c15u) >> 58];
}

/* The instant of a time. There may be another one of the same time that is not recent. */
static ss_flow_end_instant *instant_at(ss_flow_ends *ends, double time_s)
{
  ss_flow_end_instant **recent = recent_at(ends, time_s);
  if (*recent != NULL && (*recent)->time_s == time_s) return *recent;
  ss_flow_end_instant *instant = *recent = ss_pool_take(&ends->instants, sizeof *instant);
  *instant = (ss_flow_end_instant){.time_s = time_s};
  make_room(ends);
  const int64_t last = ends->count++;
  sift(ends, (ss_flow_end_key){time_s, instant}, last);
  return instant;
}

/* Nobody ends at an instant any more. */
static void drop(ss_flow_ends *ends, ss_flow_end_instant *instant)
{
  const ss_flow_end_key last = ends->heap[--ends->count];
  if (last.instant != instant) sift(ends, last, instant->slot);
  instant->time_s = NAN;
  ss_pool_give(&ends->instants, instant);
}

static void link_behind(ss_flow_end_instant *instant, ss_flow_end *previous, ss_flow_end *end)
{
  end->instant = instant;
  end->previous = previous;
  end->next = previous != NULL ? previous->next : instant->first;
  *(previous != NULL ? &previous->next : &instant->first) = end;
  *(end->next != NULL ? &end->next->previous : &instant->last) = end;
}

/* Flows mostly come in their order, or from the last one to the first. */
static void add(ss_flow_end_instant *instant, ss_flow_end *end)
{
  const bool is_first = instant->first != NULL && end->order < instant->first->order;
  instant->mixed = instant->mixed || (!is_first && instant->last != NULL && end->order < instant->last->order);
  link_behind(instant, is_first ? NULL : instant->last, end);
}

void ss_flow_ends_forget(ss_flow_ends *ends, ss_flow_end *end)
{
  ss_flow_end_instant *instant = end->instant;
  if (instant == NULL) return;
  *(end->previous != NULL ? &end->previous->next : &instant->first) = end->next;
  *(end->next != NULL ? &end->next->previous : &instant->last) = end->previous;
  end->instant = NULL;
  if (instant->first == NULL) drop(ends, instant);
}

void ss_flow_ends_set(ss_flow_ends *ends, ss_flow_end *end, double time_s)
{
  if (end->instant != NULL && end->instant->time_s == time_s) return;
  ss_flow_ends_forget(ends, end);
  add(instant_at(ends, time_s), end);
}

double ss_flow_ends_next_s(const ss_flow_ends *ends)
{
  return ends->count > 0 ? ends->heap[0].time_s : INFINITY;
}

/* Whether an instant in the heap comes right after the first one, and at the same time. */
static ss_flow_end_instant *find_twin(const ss_flow_ends *ends)
{
  for (int64_t i = 1; i < ends->count && i < 3; ++i)
    if (ends->heap[i].time_s == ends->heap[0].time_s) return ends->heap[i].instant;
  return NULL;
}

static int compare(const void *left, const void *right)
{
  const ss_flow_end *const *a = left, *const *b = right;
  return (*a)->order < (*b)->order ? -1 : (*a)->order > (*b)->order;
}

static void sort(ss_flow_ends *ends, ss_flow_end_instant *instant)
{
  int64_t count = 0;
  for (const ss_flow_end *end = instant->first; end != NULL; end = end->next) ++count;
  if (count > ends->sorted) {
    ends->sorted = 2 * count + 1;
    ends->sort = realloc(ends->sort, (size_t)ends->sorted * sizeof(ss_flow_end *));
    SS_ASSERT(ends->sort != NULL);
  }
  count = 0;
  for (ss_flow_end *end = instant->first; end != NULL; end = end->next) ends->sort[count++] = end;
  qsort(ends->sort, (size_t)count, sizeof(ss_flow_end *), compare);
  instant->mixed = false;
  instant->first = instant->last = NULL;
  for (int64_t i = 0; i < count; ++i) link_behind(instant, instant->last, ends->sort[i]);
}

ss_flow_end *ss_flow_ends_next(ss_flow_ends *ends)
{
  ss_flow_end_instant *next = ends->heap[0].instant;
  for (ss_flow_end_instant *twin; (twin = find_twin(ends)) != NULL; next = ends->heap[0].instant)
    for (ss_flow_end *end = twin->first, *after; end != NULL; end = after) {
      after = end->next;
      ss_flow_ends_forget(ends, end);
      add(next, end);
    }
  if (next->mixed) sort(ends, next);
  return next->first;
}
