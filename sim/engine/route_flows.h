/* Parts that the flows of a collective are put together from: rings, trees and messages between pairs of one group. */
#ifndef STEPSIM_SIM_ENGINE_ROUTE_FLOWS_H
#define STEPSIM_SIM_ENGINE_ROUTE_FLOWS_H

#include "sim/engine/route.h"

/* The flows of one group under construction. Gone through twice: to count them, then to list them. */
typedef struct ss_flows {
  const ss_machine *machine;
  ss_method method;
  const int32_t *gpu;   /* [span.size] sorted */
  const int64_t *first; /* [span.domains + 1] where the GPUs of each domain start */
  ss_span span;
  int64_t rings;   /* and trees, of what crosses domains */
  int8_t phase;    /* of what is added */
  int64_t count;   /* so far */
  ss_edge *listed; /* NULL: they are only counted */
} ss_flows;

/* Adds a flow. */
void ss_flows_add(ss_flows *flows, ss_edge edge);

/* GPUs of the group in one of its domains: how many, and the `place`-th. */
int64_t ss_flows_locals(const ss_flows *flows, int64_t domain);
int32_t ss_flows_gpu(const ss_flows *flows, int64_t domain, int64_t place);

/* The flow between two GPUs, wherever they are: through each of their own NICs its part, where it crosses domains. */
void ss_flows_pair(ss_flows *flows, int32_t from, int32_t to, double share);

/* Between two domains, spread over the NICs of the rings. */
void ss_flows_hop(ss_flows *flows, int64_t from_domain, int64_t to_domain, double share);

/* A flow from each GPU to the next around each domain that has several, and spread over the rings, from each domain to
 * the next. */
void ss_flows_ring_inside(ss_flows *flows, int64_t domain, double share);
void ss_flows_rings_across(ss_flows *flows, double share);

/* Both ways along the chain of each domain's GPUs; and along the edges of one binary tree of domains, or of two with
 * half of it each. */
void ss_flows_chains(ss_flows *flows, double share);
void ss_flows_tree(ss_flows *flows, double share);
void ss_flows_double_tree(ss_flows *flows, double share);

/* Recursive halving, phase by phase; and what an all-to-all sends to other domains. */
void ss_flows_halving(ss_flows *flows);
void ss_flows_all_pairs_across(ss_flows *flows);

#endif
