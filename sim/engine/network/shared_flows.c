#include "sim/engine/network/shared_flows.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

ss_status ss_shared_flows_init(ss_shared_flows *shared, const ss_link_paths *paths)
{
  *shared = (ss_shared_flows){0};
  return ss_fair_rates_init(&shared->rates, paths);
}

void ss_shared_flows_free(ss_shared_flows *shared)
{
  ss_pool_free(&shared->flows);
  ss_flow_ends_free(&shared->ends);
  ss_fair_rates_free(&shared->rates);
  *shared = (ss_shared_flows){0};
}

void ss_shared_flows_add(ss_shared_flows *shared, ss_flow_set *set, const ss_flow *flow, double bytes, double now_s)
{
  ss_shared_flow *added = ss_pool_take(&shared->flows, sizeof *added);
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

bool ss_shared_flows_take(ss_shared_flows *shared, double before_s, ss_shared_flow *taken)
{
  if (ss_shared_flows_next_s(shared) >= before_s) return false;
  ss_flow_end *end = ss_flow_ends_next(&shared->ends);
  ss_shared_flow *first = (ss_shared_flow *)(void *)((char *)end - offsetof(ss_shared_flow, end));
  ss_fair_rates_leave(&shared->rates, &first->fair);
  ss_flow_ends_forget(&shared->ends, &first->end);
  shared->count--;
  *taken = *first;
  ss_pool_give(&shared->flows, first);
  return true;
}
