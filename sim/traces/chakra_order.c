#include "sim/traces/chakra_order.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "model/base/grow.h"

static ss_status out_of_memory(ss_error *error)
{
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a trace");
}

ss_status ss_chakra_order_add(ss_chakra_order *order, uint64_t id, uint64_t lane, uint64_t duration_us, ss_error *error)
{
  ss_chakra_step *step = ss_grown(order->step, order->count, &order->room, sizeof *step);
  if (step == NULL) return out_of_memory(error);
  order->step = step;
  step[order->count++] = (ss_chakra_step){.id = id, .lane = lane, .duration_us = duration_us, .first = order->befores};
  return SS_OK;
}

ss_status ss_chakra_order_wait(ss_chakra_order *order, uint64_t id, ss_error *error)
{
  uint64_t *before = ss_grown(order->before, order->befores, &order->before_room, sizeof *before);
  if (before == NULL) return out_of_memory(error);
  order->before = before;
  before[order->befores++] = id;
  return SS_OK;
}

/* A number and the node that has it. */
typedef struct entry {
  uint64_t key;
  int64_t node;
} entry;

typedef struct solving {
  ss_chakra_order *order;
  entry *by_id;              /* [count] sorted; owned */
  int64_t *lane;             /* [count] numbered from 0; -1: none; owned */
  double *free_us;           /* [count] when each lane is free; owned */
  double *ready_us;          /* [count] when what a node waits for has ended; owned */
  int64_t *waits;            /* [count] nodes that it still waits for; owned */
  int64_t *first_after;      /* [count + 1] of those that wait for a node, in `after`; owned */
  int64_t *after;            /* [befores] owned */
  int64_t *heap, heap_count; /* [count] ranks by id of nodes that could start, the lowest on top; owned */
} solving;

static int compare_entries(const void *left, const void *right)
{
  const entry *a = left, *b = right;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return (a->node > b->node) - (a->node < b->node);
}

/* The node of an id; -1 where there is none. */
static int64_t node_of(const solving *s, uint64_t id)
{
  int64_t low = 0, high = s->order->count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (s->by_id[middle].key < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < s->order->count && s->by_id[low].key == id ? s->by_id[low].node : -1;
}

static bool allocate(solving *s)
{
  const size_t count = (size_t)s->order->count + 1;
  s->by_id = calloc(count, sizeof *s->by_id);
  s->lane = calloc(count, sizeof *s->lane);
  s->free_us = calloc(count, sizeof *s->free_us);
  s->ready_us = calloc(count, sizeof *s->ready_us);
  s->waits = calloc(count, sizeof *s->waits);
  s->first_after = calloc(count + 1, sizeof *s->first_after);
  s->after = calloc((size_t)s->order->befores + 1, sizeof *s->after);
  s->heap = calloc(count, sizeof *s->heap);
  s->order->start_us = calloc(count, sizeof *s->order->start_us);
  return s->by_id != NULL && s->lane != NULL && s->free_us != NULL && s->ready_us != NULL && s->waits != NULL &&
         s->first_after != NULL && s->after != NULL && s->heap != NULL && s->order->start_us != NULL;
}

/* Numbers lanes, with the list of ids for room, and sorts ids. */
static ss_status sort_nodes(solving *s, ss_error *error)
{
  const int64_t count = s->order->count;
  int64_t lanes = 0;
  for (int64_t i = 0; i < count; ++i) s->by_id[i] = (entry){s->order->step[i].lane, i};
  qsort(s->by_id, (size_t)count, sizeof *s->by_id, compare_entries);
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0 && s->by_id[i].key != s->by_id[i - 1].key) ++lanes;
    s->lane[s->by_id[i].node] = s->by_id[i].key == SS_NO_LANE ? -1 : lanes;
  }
  for (int64_t i = 0; i < count; ++i) s->by_id[i] = (entry){s->order->step[i].id, i};
  qsort(s->by_id, (size_t)count, sizeof *s->by_id, compare_entries);
  for (int64_t i = 1; i < count; ++i)
    if (s->by_id[i].key == s->by_id[i - 1].key)
      return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "has two nodes %" PRIu64 "; allowed: each id once",
                          s->by_id[i].key);
  return SS_OK;
}

static int64_t end_of(const ss_chakra_order *order, int64_t node)
{
  return node + 1 < order->count ? order->step[node + 1].first : order->befores;
}

/* Lists for each node those that wait for it. */
static void find_followers(solving *s)
{
  const ss_chakra_order *order = s->order;
  for (int pass = 0; pass < 2; ++pass) { /* how many, then which */
    for (int64_t i = 0; i < order->count; ++i)
      for (int64_t k = order->step[i].first; k < end_of(order, i); ++k) {
        const int64_t before = node_of(s, order->before[k]);
        if (before < 0) continue;
        if (pass == 0)
          s->first_after[before + 1]++;
        else
          s->after[s->first_after[before] + s->waits[before]++] = i;
      }
    for (int64_t i = 0; pass == 0 && i < order->count; ++i) s->first_after[i + 1] += s->first_after[i];
  }
  for (int64_t i = 0; i < order->count; ++i) s->waits[i] = 0;
  for (int64_t k = 0; k < s->first_after[order->count]; ++k) s->waits[s->after[k]]++;
}

static void push(solving *s, int64_t rank)
{
  int64_t at = s->heap_count++;
  for (; at > 0 && s->heap[(at - 1) / 2] > rank; at = (at - 1) / 2) s->heap[at] = s->heap[(at - 1) / 2];
  s->heap[at] = rank;
}

static int64_t pop(solving *s)
{
  const int64_t top = s->heap[0], last = s->heap[--s->heap_count];
  int64_t at = 0;
  for (int64_t child; (child = 2 * at + 1) < s->heap_count; at = child) {
    if (child + 1 < s->heap_count && s->heap[child + 1] < s->heap[child]) ++child;
    if (s->heap[child] >= last) break;
    s->heap[at] = s->heap[child];
  }
  s->heap[at] = last;
  return top;
}

static void start(solving *s, int64_t node, const int64_t *rank)
{
  double *free_us = s->lane[node] >= 0 ? &s->free_us[s->lane[node]] : NULL;
  const double ready_us = s->ready_us[node];
  const double start_us = free_us != NULL && *free_us > ready_us ? *free_us : ready_us;
  const double end_us = start_us + (double)s->order->step[node].duration_us;
  s->order->start_us[node] = start_us;
  if (free_us != NULL) *free_us = end_us;
  for (int64_t k = s->first_after[node]; k < s->first_after[node + 1]; ++k) {
    const int64_t next = s->after[k];
    if (end_us > s->ready_us[next]) s->ready_us[next] = end_us;
    if (--s->waits[next] == 0) push(s, rank[next]);
  }
}

static ss_status start_all(solving *s, ss_error *error)
{
  const int64_t count = s->order->count;
  int64_t started = 0;
  int64_t *rank = calloc((size_t)count + 1, sizeof *rank);
  if (rank == NULL) return out_of_memory(error);
  for (int64_t i = 0; i < count; ++i) rank[s->by_id[i].node] = i;
  for (int64_t i = 0; i < count; ++i)
    if (s->waits[s->by_id[i].node] == 0) push(s, i);
  for (; s->heap_count > 0; ++started) start(s, s->by_id[pop(s)].node, rank);
  free(rank);
  if (started == count) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, NULL, 0,
                      "has %" PRId64 " nodes that wait for one another in a circle; allowed: nodes that can start",
                      count - started);
}

ss_status ss_chakra_order_solve(ss_chakra_order *order, ss_error *error)
{
  solving s = {.order = order};
  ss_status status = allocate(&s) ? sort_nodes(&s, error) : out_of_memory(error);
  if (status == SS_OK) {
    find_followers(&s);
    status = start_all(&s, error);
  }
  free(s.by_id);
  free(s.lane);
  free(s.free_us);
  free(s.ready_us);
  free(s.waits);
  free(s.first_after);
  free(s.after);
  free(s.heap);
  return status;
}

void ss_chakra_order_free(ss_chakra_order *order)
{
  free(order->step);
  free(order->before);
  free(order->start_us);
  *order = (ss_chakra_order){.count = 0};
}
