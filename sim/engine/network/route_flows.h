/* Parts that the flows of a collective are put together from: rings, trees and messages between pairs of one group. */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_ROUTE_FLOWS_H
#define STEPSIM_SIM_ENGINE_NETWORK_ROUTE_FLOWS_H

#include "sim/engine/network/route.h"

/* The flows of one group under construction. Gone through twice: to count them, then to list them. */
typedef struct ss_flow_list {
  const ss_machine *machine;
  ss_method method;
  const int32_t *gpu;   /* [span.size] sorted */
  const int64_t *first; /* [span.domains + 1] where the GPUs of each domain start */
  ss_span span;
  int64_t rings;   /* and trees, of what crosses domains */
  int8_t phase;    /* of what is added */
  int64_t count;   /* so far */
  ss_flow *listed; /* NULL: they are only counted */
} ss_flow_list;

/* Adds a flow. */
void ss_flow_list_add(ss_flow_list *flows, ss_flow flow);

/* GPUs of the group in one of its domains: how many, and the `place`-th. */
int64_t ss_flow_list_locals(const ss_flow_list *flows, int64_t domain);
int32_t ss_flow_list_gpu(const ss_flow_list *flows, int64_t domain, int64_t place);

/* The flow between two GPUs, wherever they are: through each of their own NICs its part, where it crosses domains. */
void ss_flow_list_pair(ss_flow_list *flows, int32_t from, int32_t to, double share);

/* Between two domains, spread over the NICs of the rings. */
void ss_flow_list_hop(ss_flow_list *flows, int64_t from_domain, int64_t to_domain, double share);

/* A flow from each GPU to the next around each domain that has several, and spread over the rings, from each domain to
 * the next. */
void ss_flow_list_ring_inside(ss_flow_list *flows, int64_t domain, double share);
void ss_flow_list_rings_across(ss_flow_list *flows, double share);

/* Both paths along the chain of each domain's GPUs; and along the flows of one binary tree of domains, or of two with
 * half of it each. */
void ss_flow_list_chains(ss_flow_list *flows, double share);
void ss_flow_list_tree(ss_flow_list *flows, double share);
void ss_flow_list_double_tree(ss_flow_list *flows, double share);

/* Recursive halving, phase by phase; and what an all-to-all sends to other domains. */
void ss_flow_list_halving(ss_flow_list *flows);
void ss_flow_list_all_pairs_across(ss_flow_list *flows);

#endif
