#include "sim/engine/simgrid/shared_flows.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* Memory that is taken a piece at a time and given back as a whole. */
enum { SLAB = 256 };

typedef struct ss_shared_slab {
  struct ss_shared_slab *next;
  ss_shared_flow flow[SLAB];
} ss_shared_slab;

ss_status ss_shared_flows_init(ss_shared_flows *shared, const ss_link_paths *paths)
{
  *shared = (ss_shared_flows){0};
  return ss_fair_rates_init(&shared->rates, paths);
}

void ss_shared_flows_free(ss_shared_flows *shared)
{
  while (shared->slabs != NULL) {
    ss_shared_slab *slab = shared->slabs;
    shared->slabs = slab->next;
    free(slab);
  }
  ss_flow_ends_free(&shared->ends);
  ss_fair_rates_free(&shared->rates);
  *shared = (ss_shared_flows){0};
}

static void add_slab(ss_shared_flows *shared)
{
  ss_shared_slab *slab = malloc(sizeof *slab);
  SS_ASSERT(slab != NULL);
  slab->next = shared->slabs;
  shared->slabs = slab;
  for (int i = 0; i < SLAB; ++i) {
    slab->flow[i].next_free = shared->free_flows;
    shared->free_flows = &slab->flow[i];
  }
}

void ss_shared_flows_add(ss_shared_flows *shared, ss_flow_set *set, const ss_flow *flow, double bytes, double now_s)
{
  if (shared->free_flows == NULL) add_slab(shared);
  ss_shared_flow *added = shared->free_flows;
  shared->free_flows = added->next_free;
  *added = (ss_shared_flow){.end = {.order = shared->begun++},
                            .left_bytes = bytes,
                            .since_s = now_s,
                            .bytes = bytes,
                            .start_s = now_s,
                            .flow = flow,
                            .set = set};
  ss_fair_rates_enter(&shared->rates, &added->fair, flow->path);
  shared->count++;
}

static void release(ss_shared_flows *shared, ss_shared_flow *flow)
{
  ss_flow_ends_forget(&shared->ends, &flow->end);
  shared->count--;
  flow->next_free = shared->free_flows;
  shared->free_flows = flow;
}

/* What is left of a flow, from now on. */
static void catch_up(ss_shared_flow *flow, double now_s)
{
  flow->left_bytes = fmax(0.0, flow->left_bytes - flow->fair.bytes_per_s * (now_s - flow->since_s));
  flow->since_s = now_s;
}

static void set_rate(ss_shared_flows *shared, ss_shared_flow *flow, double now_s)
{
  if (flow->fair.found_bytes_per_s == flow->fair.bytes_per_s) return;
  catch_up(flow, now_s);
  flow->fair.bytes_per_s = flow->fair.found_bytes_per_s;
  ss_flow_ends_set(&shared->ends, &flow->end, now_s + flow->left_bytes / flow->fair.bytes_per_s);
}

static ss_shared_flow *member(const ss_shared_flows *shared, int64_t index)
{
  ss_fair_flow *fair = shared->rates.group[index];
  return (ss_shared_flow *)(void *)((char *)fair - offsetof(ss_shared_flow, fair));
}

void ss_shared_flows_share(ss_shared_flows *shared, double now_s)
{
  while (ss_fair_rates_find_next(&shared->rates))
    for (int64_t m = 0; m < shared->rates.members; ++m) set_rate(shared, member(shared, m), now_s);
}

double ss_shared_flows_next_s(const ss_shared_flows *shared)
{
  return ss_flow_ends_next_s(&shared->ends);
}

const ss_shared_flow *ss_shared_flows_take(ss_shared_flows *shared, double before_s)
{
  if (ss_shared_flows_next_s(shared) >= before_s) return NULL;
  ss_flow_end *end = ss_flow_ends_next(&shared->ends);
  ss_shared_flow *first = (ss_shared_flow *)(void *)((char *)end - offsetof(ss_shared_flow, end));
  ss_fair_rates_leave(&shared->rates, &first->fair);
  release(shared, first);
  return first;
}
