#include "sim/engine/simgrid/small_groups.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* Memory that is taken a piece at a time and given back as a whole. */
enum { SLAB = 256 };

typedef struct ss_group_slab {
  struct ss_group_slab *next;
  ss_group_flow flow[SLAB];
} ss_group_slab;

ss_status ss_small_groups_init(ss_small_groups *groups, const ss_link_paths *paths, int64_t most)
{
  *groups = (ss_small_groups){.elsewhere = calloc((size_t)paths->links + 1, sizeof *groups->elsewhere)};
  return groups->elsewhere != NULL ? ss_fair_rates_init(&groups->rates, paths, most) : SS_ERROR_MEMORY;
}

void ss_small_groups_free(ss_small_groups *groups)
{
  while (groups->slabs != NULL) {
    ss_group_slab *slab = groups->slabs;
    groups->slabs = slab->next;
    free(slab);
  }
  ss_flow_ends_free(&groups->ends);
  ss_fair_rates_free(&groups->rates);
  free(groups->elsewhere);
  *groups = (ss_small_groups){0};
}

static void add_slab(ss_small_groups *groups)
{
  ss_group_slab *slab = malloc(sizeof *slab);
  SS_ASSERT(slab != NULL);
  slab->next = groups->slabs;
  groups->slabs = slab;
  for (int i = 0; i < SLAB; ++i) {
    slab->flow[i].next_free = groups->free_flows;
    groups->free_flows = &slab->flow[i];
  }
}

void ss_small_groups_add(ss_small_groups *groups, ss_flow_set *set, const ss_flow *flow, double bytes, double now_s)
{
  if (groups->free_flows == NULL) add_slab(groups);
  ss_group_flow *added = groups->free_flows;
  groups->free_flows = added->next_free;
  *added = (ss_group_flow){.end = {.order = groups->begun++},
                           .left_bytes = bytes,
                           .since_s = now_s,
                           .bytes = bytes,
                           .start_s = now_s,
                           .flow = flow,
                           .set = set};
  ss_fair_rates_enter(&groups->rates, &added->fair, flow->path);
  groups->count++;
}

void ss_small_groups_note_elsewhere(ss_small_groups *groups, const ss_flow *flow, int change)
{
  int64_t hops;
  const ss_hop *hop = ss_link_paths_hops(groups->rates.paths, flow->path, &hops);
  for (int64_t h = 0; h < hops; ++h) groups->elsewhere[hop[h].link] += change;
  groups->all_elsewhere += change;
}

static void release(ss_small_groups *groups, ss_group_flow *flow)
{
  ss_flow_ends_forget(&groups->ends, &flow->end);
  groups->count--;
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
  ss_flow_ends_set(&groups->ends, &flow->end, now_s + flow->left_bytes / flow->fair.bytes_per_s);
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
  for (int64_t l = 0; groups->all_elsewhere > 0 && !meets && l < rates->links; ++l)
    meets = groups->elsewhere[rates->group_link[l].link] > 0;
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
  return ss_flow_ends_next_s(&groups->ends);
}

const ss_group_flow *ss_small_groups_take(ss_small_groups *groups, double before_s)
{
  if (ss_small_groups_next_s(groups) >= before_s) return NULL;
  ss_flow_end *end = ss_flow_ends_next(&groups->ends);
  ss_group_flow *first = (ss_group_flow *)(void *)((char *)end - offsetof(ss_group_flow, end));
  ss_fair_rates_leave(&groups->rates, &first->fair);
  release(groups, first);
  return first;
}
