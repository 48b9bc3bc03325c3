/* Trees of domains with chains of GPUs inside them: what `tree` and `double-tree` have in common. */
#ifndef STEPSIM_MODEL_COLLECTIVE_TREES_H
#define STEPSIM_MODEL_COLLECTIVE_TREES_H

#include "model/collective/algorithm.h"

/* To the root and back, piece after piece, so that both ways are busy at once: along a chain of the ranks of each
 * domain, where one in the middle has two neighbours, and over so many trees of domains, the busiest of which has
 * `neighbours` in the mean. NCCL, src/graph/tuning.cc: 2 (n / N - 1) steps inside, 2 log2 N across. In each tree one
 * GPU of a domain receives and sends, half of it on the way to the root. */
ss_phase_load ss_trees_load(const ss_network *network, ss_span span, double neighbours, double trees);

/* Adds flows both ways along the chain of each domain's GPUs. */
void ss_trees_add_chains(ss_flow_list *flows);

/* Adds flows both ways along a binary tree of domains: the one over nodes 0 ... count - 1 in which 0 is the root and
 * every odd number a leaf. `at` says which domain a node is; with NULL, each is the one of its number. */
void ss_trees_add_tree(ss_flow_list *flows, double share, int64_t (*at)(int64_t node, int64_t count));

#endif
