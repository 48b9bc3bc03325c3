/* Fair rates: flows in progress, and what max-min fair sharing of their links gives each. Where flows begin or end,
 * only those rates are found anew that change: a group is the flows that have these, and all others keep theirs. */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_FAIR_RATES_H
#define STEPSIM_SIM_ENGINE_NETWORK_FAIR_RATES_H

#include "sim/engine/network/max_min.h"

/* A flow on one of its links, among all flows on that link. */
typedef struct ss_fair_place {
  struct ss_fair_flow *flow;
  struct ss_fair_place *next, **from;
} ss_fair_place;

/* Zeroed: has not begun. */
typedef struct ss_fair_flow {
  const ss_hop *hop; /* [hops] of its path; borrowed */
  int64_t hops;
  double bytes_per_s;       /* its rate */
  double found_bytes_per_s; /* what that becomes, for its owner to set */
  int32_t full_link;        /* that bounds its rate: on which none is faster */
  int64_t group, settled;   /* the last one that it was in, and of `fair` in which its rate was found */
  int64_t places;           /* room for that many */
  ss_fair_place *place;     /* of each link of its path; owned */
} ss_fair_flow;

typedef struct ss_fair_link {
  ss_fair_place *first;
  bool changed;             /* flows on it have begun or ended */
  int64_t group;            /* the last one that it was in */
  double share_bytes_per_s; /* of each member that it bounds; infinite: it bounds none */
} ss_fair_link;

/* Zeroed: no links. */
typedef struct ss_fair_rates {
  const ss_link_paths *paths; /* borrowed */
  int64_t most;               /* flows of a group that it is worth while to find rates of */
  ss_max_min fair;
  ss_fair_link *link; /* [links], owned */
  int64_t changes, seen;
  int32_t *changed;       /* [changes] links, of which the first `seen` have been looked at; owned */
  int64_t flows, members; /* in progress, and of the group at hand: those whose rates may change */
  int64_t capacity;
  ss_fair_flow **group; /* [members] of [capacity], owned */
  int64_t groups, links;
  int32_t *group_link; /* [links] that members cross; owned */
} ss_fair_rates;

/* Links that nobody is on. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_fair_rates_init(ss_fair_rates *rates, const ss_link_paths *paths, int64_t most);
void ss_fair_rates_free(ss_fair_rates *rates);
void ss_fair_flow_free(ss_fair_flow *flow);

/* A flow begins, and ends. Rates are found with all that begin and end at the same time. */
void ss_fair_rates_enter(ss_fair_rates *rates, ss_fair_flow *flow, int32_t path);
void ss_fair_rates_leave(ss_fair_rates *rates, ss_fair_flow *flow);

/* The same where nobody else is on its links: its rate is known at once, and no other changes. False, and nothing done,
 * where somebody is. */
bool ss_fair_rates_enter_alone(ss_fair_rates *rates, ss_fair_flow *flow, int32_t path);
bool ss_fair_rates_leave_alone(ss_fair_rates *rates, ss_fair_flow *flow);

/* Finds rates that may change since flows have begun or ended: those of one group, unless it has more than `most`
 * members. False: there is no further one. */
bool ss_fair_rates_find_next(ss_fair_rates *rates);

/* Lets all flows join the group that share links with its members, directly or not; and takes a member off its links,
 * where all of them leave. */
void ss_fair_rates_join_all(ss_fair_rates *rates);
void ss_fair_rates_remove(ss_fair_rates *rates, ss_fair_flow *flow);

#endif
