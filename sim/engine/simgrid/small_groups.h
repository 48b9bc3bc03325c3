/* Small groups: flows that share links with one another. Max-min fair sharing sets their rates (fair_rates.h), as
 * SimGrid would, without an actor for each end of a flow. Where a group is not small, its flows and all that share
 * links with them, directly or not, become SimGrid's, and so does whoever meets flows that are there. */
#ifndef STEPSIM_SIM_ENGINE_SIMGRID_SMALL_GROUPS_H
#define STEPSIM_SIM_ENGINE_SIMGRID_SMALL_GROUPS_H

#include "sim/engine/network/fair_rates.h"
#include "sim/engine/network/flow_ends.h"

typedef struct ss_group_flow {
  ss_fair_flow fair;
  ss_flow_end end;            /* with its rate; in the order in which flows began */
  double left_bytes, since_s; /* what was left when its rate changed last */
  double bytes, start_s;      /* all of it, and when it began here */
  const ss_flow *flow;
  ss_flow_set *set;
  struct ss_group_flow *next_free;
} ss_group_flow;

/* Zeroed: no links. */
typedef struct ss_small_groups {
  ss_fair_rates rates;
  int32_t *elsewhere;    /* [links] flows on each that are SimGrid's; owned */
  int64_t all_elsewhere; /* all of these */
  int64_t count, begun;  /* flows in progress, and so far */
  ss_flow_ends ends;
  ss_group_flow *free_flows;
  struct ss_group_slab *slabs; /* memory of flows; owned */
} ss_small_groups;

/* Takes over a flow of a group that is not small, when it has `left_bytes`. */
typedef void ss_hand_over(void *context, const ss_group_flow *flow);

/* Links that nobody is on; a small group has so many flows at most. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_small_groups_init(ss_small_groups *groups, const ss_link_paths *paths, int64_t most);
void ss_small_groups_free(ss_small_groups *groups);

/* A flow begins to share links. Its rate is found with all that begin and end at the same time. */
void ss_small_groups_add(ss_small_groups *groups, ss_flow_set *set, const ss_flow *flow, double bytes, double now_s);

/* A flow that is SimGrid's comes to its links (1) or leaves them (-1). */
void ss_small_groups_note_elsewhere(ss_small_groups *groups, const ss_flow *flow, int change);

/* Shares out the links on which flows have begun or ended; `hand_over` is called for all flows of groups that are not
 * small. */
void ss_small_groups_share(ss_small_groups *groups, double now_s, ss_hand_over *hand_over, void *context);

/* When the next flow ends, if none begins before; infinite where there is none. */
double ss_small_groups_next_s(const ss_small_groups *groups);

/* Takes the next flow off its links, if it ends before a time; it stays as it is until the next one begins. NULL: none
 * does. */
const ss_group_flow *ss_small_groups_take(ss_small_groups *groups, double before_s);

#endif
