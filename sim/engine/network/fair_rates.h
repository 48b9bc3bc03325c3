/* Fair rates: flows in progress, and what max-min fair sharing of their links gives each. Where flows begin or end,
 * only those rates are found anew that change: a group is the flows that have these, and all others keep theirs. */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_FAIR_RATES_H
#define STEPSIM_SIM_ENGINE_NETWORK_FAIR_RATES_H

#include "sim/engine/network/max_min.h"
#include "sim/engine/network/paths.h"

/* A flow in progress, among those that are on a link. */
typedef struct ss_fair_place {
  struct ss_fair_flow *flow;
  int64_t alike; /* so many times */
} ss_fair_place;

/* Zeroed: has not begun. */
typedef struct ss_fair_flow {
  const ss_hop *hop; /* [hops] of its path; borrowed */
  int32_t hops;
  int32_t full_link;        /* that bounds its rate: on which none is faster */
  double bytes_per_s;       /* its rate */
  double found_bytes_per_s; /* what that becomes, for its owner to set */
  int64_t group, settled;   /* the last one that it was in, and when in it its rate was found last */
} ss_fair_flow;

/* Thousands of links are looked at for one rate that changes, most of which one flow is on: that one lies with what is
 * known of the link. */
typedef struct ss_fair_link {
  ss_fair_place first;  /* of the flows on it, in the order in which they began; */
  ss_fair_place *other; /* and those behind it; owned */
  int64_t group;        /* the last one that it was in, and where in it */
  int32_t position;
  int32_t flows;
  int32_t bounds; /* flows whose rates it bounds, or that have none yet */
  uint8_t room;   /* for 2^room others, or 0: for none */
  bool changed;   /* flows on it have begun or ended */
} ss_fair_link;

/* The flow at a place among those on a link. */
static inline const ss_fair_place *ss_fair_link_place(const ss_fair_link *link, int32_t at)
{
  return at == 0 ? &link->first : &link->other[at - 1];
}

/* A link of the group at hand. What is left of it to members is found anew only where others have joined. */
typedef struct ss_group_link {
  int32_t link;
  bool has_joined;           /* a flow on it, since then */
  ss_filled_link to_members; /* what others leave, and for how many */
  double share_bytes_per_s;  /* of each member that it bounds; infinite: it bounds none */
  double most_bytes_per_s;   /* that one who was no member has; and the least of those whose rates it bounds */
  double bounded_bytes_per_s;
} ss_group_link;

/* Zeroed: no links. */
typedef struct ss_fair_rates {
  const ss_link_paths *paths; /* borrowed */
  ss_max_min fair;
  ss_fair_link *link; /* [links of the paths], owned */
  int64_t changes, seen;
  int32_t *changed;       /* [changes] links, of which the first `seen` have been looked at; owned */
  int64_t flows, members; /* in progress, and of the group at hand: those whose rates may change */
  int64_t capacity;
  ss_fair_flow **group; /* [members] of [capacity], owned */
  int64_t groups, shares, links;
  ss_group_link *group_link; /* [links] that members cross, behind the one that the group began with; owned */
  int64_t crossed;
  int32_t *order; /* [crossed] of `group_link`, in the order in which members cross them; owned */
} ss_fair_rates;

/* Links that nobody is on. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_fair_rates_init(ss_fair_rates *rates, const ss_link_paths *paths);
void ss_fair_rates_free(ss_fair_rates *rates);

/* A flow begins, and ends. Rates are found with all that begin and end at the same time. */
void ss_fair_rates_enter(ss_fair_rates *rates, ss_fair_flow *flow, int32_t path);
void ss_fair_rates_leave(ss_fair_rates *rates, ss_fair_flow *flow);

/* The same where nobody else is on its links: its rate is known at once, and no other changes. False, and nothing done,
 * where somebody is. */
bool ss_fair_rates_enter_alone(ss_fair_rates *rates, ss_fair_flow *flow, int32_t path);
bool ss_fair_rates_leave_alone(ss_fair_rates *rates, ss_fair_flow *flow);

/* Finds rates that may change since flows have begun or ended: those of one group. False: there is no further one. */
bool ss_fair_rates_find_next(ss_fair_rates *rates);

#endif
