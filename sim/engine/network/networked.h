/* A replay that is to run on a network. */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_NETWORKED_H
#define STEPSIM_SIM_ENGINE_NETWORK_NETWORKED_H

#include "sim/engine/core/observer.h"
#include "sim/engine/network/bursts.h"
#include "sim/engine/network/links.h"

typedef struct ss_networked {
  void *self;
  ss_status (*run)(void *self, const ss_flow_network *network, ss_error *error); /* returns when it is over */
  const ss_links *links;                                                         /* that its flows cross */
  const ss_observers *observers;                                                 /* told what they carry */
  const ss_phase_flows *phase; /* [phases] whose flows begin together: may be bursts (sim/engine/network/bursts.h) */
  int64_t phases;
  double largest_flow_bytes; /* of any of its flows, or more */
  double tie_s;              /* what ends less than this apart ends at the same time */
} ss_networked;

/* Sets that have arrived, in order. */
typedef struct ss_arrivals {
  ss_flow_set *first, *last; /* NULL: none */
} ss_arrivals;

static inline void ss_arrivals_add(ss_arrivals *arrivals, ss_flow_set *set)
{
  set->next = NULL;
  *(arrivals->first != NULL ? &arrivals->last->next : &arrivals->first) = set;
  arrivals->last = set;
}

/* The next one; NULL when there is no other. */
static inline ss_flow_set *ss_arrivals_take(ss_arrivals *arrivals)
{
  ss_flow_set *first = arrivals->first;
  if (first != NULL) arrivals->first = first->next;
  return first;
}

#endif
