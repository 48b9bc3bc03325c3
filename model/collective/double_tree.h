/* Two trees of domains, each with half of the volume. Switches that reduce take over parts of it. */
#ifndef STEPSIM_MODEL_COLLECTIVE_DOUBLE_TREE_H
#define STEPSIM_MODEL_COLLECTIVE_DOUBLE_TREE_H

#include "model/collective/algorithm.h"

/* NCCL, src/graph/trees.cc (ncclGetDtree), after Sanders, Speck and Traff, "Two-tree algorithms for full bandwidth
 * broadcast, reduction and scan", 2009: two binary trees with half of the volume each. What is inside of one is a leaf
 * of the other: 3 + 1 neighbours. */
ss_phase_load ss_double_tree_load(const ss_network *network, ss_span span);

/* Adds the flows of the two trees between domains. */
void ss_double_tree_add_across(ss_flow_list *flows);

#endif
