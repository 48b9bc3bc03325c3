/* One level after the other: a phase inside domains, a phase across. What algorithms that go about it so have in
 * common. */
#ifndef STEPSIM_MODEL_COLLECTIVE_LEVELS_H
#define STEPSIM_MODEL_COLLECTIVE_LEVELS_H

#include "model/collective/algorithm.h"

/* Phases of a collective that has something to do inside, across, or both: an all-reduce comes back to the level that
 * it starts with. */
int ss_levels_phases(ss_collective kind, bool inside, bool across);

/* The same for a group of ranks. */
int ss_levels_span_phases(ss_collective kind, ss_span span);

/* Whether one of several phases crosses domains: the second; of a gather the first. */
bool ss_levels_cross(ss_collective kind, int phase);

/* What crosses: one ring, over the domains, for each place that a rank can have in a domain. */
ss_phase_load ss_levels_ring_load(const ss_network *network, ss_collective kind, ss_span span);
void ss_levels_add_rings_across(ss_flow_list *flows);

/* What stays inside, of a gather or a reduce-scatter among the ranks of a domain. */
ss_phase_load ss_levels_inside_load(ss_span span);
void ss_levels_add_inside(ss_flow_list *flows);

/* Adds `phases` phases, more than one, each by one of the two. */
void ss_levels_add(ss_flow_list *flows, int phases, void (*inside)(ss_flow_list *flows),
                   void (*across)(ss_flow_list *flows));

#endif
