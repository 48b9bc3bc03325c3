/* Flows that share links with one another. Max-min fair sharing sets their rates (fair_rates.h), as SimGrid would,
 * without an actor for each end of a flow. */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_SHARED_FLOWS_H
#define STEPSIM_SIM_ENGINE_NETWORK_SHARED_FLOWS_H

#include "sim/engine/network/fair_rates.h"
#include "sim/engine/network/flow_ends.h"

typedef struct ss_shared_flow {
  ss_fair_flow fair;
  ss_flow_end end;            /* with its rate; in the order in which flows began */
  double left_bytes, since_s; /* what was left when its rate changed last */
  double bytes, start_s;      /* all of it, and when it began here */
  const ss_flow *flow;
  ss_flow_set *set;
} ss_shared_flow;

/* Zeroed: no links. */
typedef struct ss_shared_flows {
  ss_fair_rates rates;
  int64_t count, begun; /* flows in progress, and so far */
  ss_flow_ends ends;
  ss_pool flows;
} ss_shared_flows;

/* Links that nobody is on. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_shared_flows_init(ss_shared_flows *shared, const ss_link_paths *paths);
void ss_shared_flows_free(ss_shared_flows *shared);

/* A flow begins to share links. Its rate is found with all that begin and end at the same time. */
void ss_shared_flows_add(ss_shared_flows *shared, ss_flow_set *set, const ss_flow *flow, double bytes, double now_s);

/* Shares out the links on which flows have begun or ended. */
void ss_shared_flows_share(ss_shared_flows *shared, double now_s);

/* When the next flow ends, if none begins before; infinite where there is none. */
double ss_shared_flows_next_s(const ss_shared_flows *shared);

/* Takes the next flow off its links, if it ends before a time, and tells what it was; false where none does. */
bool ss_shared_flows_take(ss_shared_flows *shared, double before_s, ss_shared_flow *taken);

#endif
