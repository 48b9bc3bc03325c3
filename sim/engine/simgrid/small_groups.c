#include "sim/engine/simgrid/small_groups.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

ss_status ss_small_groups_init(ss_small_groups *groups, const ss_link_paths *paths, int64_t most)
{
  *groups = (ss_small_groups){.elsewhere = calloc((size_t)paths->links + 1, sizeof *groups->elsewhere)};
  return groups->elsewhere != NULL ? ss_fair_rates_init(&groups->rates, paths, most) : SS_ERROR_MEMORY;
}

void ss_small_groups_free(ss_small_groups *groups)
{
  for (int64_t i = 0; i < groups->count; ++i) free(groups->heap[i]);
  while (groups->free_flows != NULL) {
    ss_group_flow *flow = groups->free_flows;
    groups->free_flows = flow->next_free;
    free(flow);
  }
  ss_fair_rates_free(&groups->rates);
  free(groups->elsewhere);
  free(groups->heap);
  *groups = (ss_small_groups){0};
}

static bool ends_before(const ss_group_flow *a, const ss_group_flow *b)
{
  return a->end_s < b->end_s || (a->end_s == b->end_s && a->order < b->order);
}

static void put(ss_small_groups *groups, ss_group_flow *flow, int64_t slot)
{
  groups->heap[slot] = flow;
  flow->slot = slot;
}

/* Moves a flow to where it belongs in the heap, from a slot. */
static void sift(ss_small_groups *groups, ss_group_flow *flow, int64_t slot)
{
  ss_group_flow **heap = groups->heap;
  for (; slot > 0 && ends_before(flow, heap[(slot - 1) / 2]); slot = (slot - 1) / 2)
    put(groups, heap[(slot - 1) / 2], slot);
  for (int64_t child = 2 * slot + 1; child < groups->count; child = 2 * slot + 1) {
    if (child + 1 < groups->count && ends_before(heap[child + 1], heap[child])) ++child;
    if (!ends_before(heap[child], flow)) break;
    put(groups, heap[child], slot);
    slot = child;
  }
  put(groups, flow, slot);
}

static void make_room(ss_small_groups *groups)
{
  if (groups->count < groups->capacity) return;
  groups->capacity = groups->capacity > 0 ? 2 * groups->capacity : 64;
  groups->heap = realloc(groups->heap, (size_t)groups->capacity * sizeof(ss_group_flow *));
  SS_ASSERT(groups->heap != NULL);
}

static ss_group_flow *new_flow(ss_small_groups *groups)
{
  ss_group_flow *flow = groups->free_flows;
  if (flow != NULL)
    groups->free_flows = flow->next_free;
  else
    flow = malloc(sizeof *flow);
  SS_ASSERT(flow != NULL);
  return flow;
}

void ss_small_groups_add(ss_small_groups *groups, ss_flow_set *set, const ss_flow *flow, double bytes, double now_s)
{
  ss_group_flow *added = new_flow(groups);
  *added = (ss_group_flow){.flow = flow,
                           .set = set,
                           .bytes = bytes,
                           .start_s = now_s,
                           .left_bytes = bytes,
                           .since_s = now_s,
                           .end_s = INFINITY,
                           .order = groups->begun++};
  ss_fair_rates_enter(&groups->rates, &added->fair, flow->path);
  make_room(groups);
  sift(groups, added, groups->count++);
}

void ss_small_groups_note_elsewhere(ss_small_groups *groups, const ss_flow *flow, int change)
{
  int64_t hops;
  const ss_hop *hop = ss_link_paths_hops(groups->rates.paths, flow->path, &hops);
  for (int64_t h = 0; h < hops; ++h) groups->elsewhere[hop[h].link] += change;
}

static void release(ss_small_groups *groups, ss_group_flow *flow)
{
  ss_group_flow *last = groups->heap[--groups->count];
  if (last != flow) sift(groups, last, flow->slot);
  flow->next_free = groups->free_flows;
  groups->free_flows = flow;
}

/* What is left of a flow, from now on. */
static void catch_up(ss_group_flow *flow, double now_s)
{
  flow->left_bytes = fmax(0.0, flow->left_bytes - flow->fair.bytes_per_s * (now_s - flow->since_s));
  flow->since_s = now_s;
}

static void set_rate(ss_small_groups *groups, ss_group_flow *flow, double now_s)
{
  if (flow->fair.found_bytes_per_s == flow->fair.bytes_per_s) return;
  catch_up(flow, now_s);
  flow->fair.bytes_per_s = flow->fair.found_bytes_per_s;
  flow->end_s = now_s + flow->left_bytes / flow->fair.bytes_per_s;
  sift(groups, flow, flow->slot);
}

static ss_group_flow *member(const ss_small_groups *groups, int64_t index)
{
  ss_fair_flow *fair = groups->rates.group[index];
  return (ss_group_flow *)(void *)((char *)fair - offsetof(ss_group_flow, fair));
}

/* Flows of SimGrid's are on a link of the group. */
static bool meets_others(const ss_small_groups *groups)
{
  const ss_fair_rates *rates = &groups->rates;
  bool meets = false;
  for (int64_t l = 0; !meets && l < rates->links; ++l) meets = groups->elsewhere[rates->group_link[l].link] > 0;
  return meets && rates->members > 0;
}

/* With members go all that share links with them, directly or not. */
static void hand_over_all(ss_small_groups *groups, double now_s, ss_hand_over *hand_over, void *context)
{
  ss_fair_rates_join_all(&groups->rates);
  for (int64_t i = 0; i < groups->rates.members; ++i) {
    ss_group_flow *flow = member(groups, i);
    catch_up(flow, now_s);
    ss_fair_rates_remove(&groups->rates, &flow->fair);
    release(groups, flow);
    hand_over(context, flow);
  }
}

void ss_small_groups_share(ss_small_groups *groups, double now_s, ss_hand_over *hand_over, void *context)
{
  const ss_fair_rates *rates = &groups->rates;
  while (ss_fair_rates_find_next(&groups->rates)) {
    if (rates->members > rates->most || meets_others(groups))
      hand_over_all(groups, now_s, hand_over, context);
    else
      for (int64_t m = 0; m < rates->members; ++m) set_rate(groups, member(groups, m), now_s);
  }
}

double ss_small_groups_next_s(const ss_small_groups *groups)
{
  return groups->count > 0 ? groups->heap[0]->end_s : INFINITY;
}

const ss_group_flow *ss_small_groups_take(ss_small_groups *groups, double before_s)
{
  if (ss_small_groups_next_s(groups) >= before_s) return NULL;
  ss_group_flow *first = groups->heap[0];
  ss_fair_rates_leave(&groups->rates, &first->fair);
  release(groups, first);
  return first;
}
