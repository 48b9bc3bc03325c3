/* All-to-all by messages between all pairs of ranks. */
#ifndef STEPSIM_MODEL_COLLECTIVE_DIRECT_H
#define STEPSIM_MODEL_COLLECTIVE_DIRECT_H

#include "model/collective/algorithm.h"

/* Every rank has 1/n of its volume for each, one message; the ranks of a domain share all NICs they own for what leaves
 * it. */
ss_phase_load ss_direct_load(const ss_network *network, ss_span span);

/* Adds its flows: all of them, or a part of each of those between domains. */
void ss_direct_add(ss_flow_list *flows);
void ss_direct_add_across(ss_flow_list *flows, double part);

#endif
