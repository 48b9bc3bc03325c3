/* Cables between switches as those of a fat tree. */
#ifndef STEPSIM_SIM_IMPORT_CLUSTER_FABRIC_TREE_H
#define STEPSIM_SIM_IMPORT_CLUSTER_FABRIC_TREE_H

#include "sim/import/cluster/ib_fabric.h"
#include "sim/import/cluster/own_draft.h"

/* Numbers the switches of a fabric of two levels and more so that its cables are those of a fat tree of
 * model/fabric/fat_tree.c: each switch gets its place among those of its level, each cable up its port. The leaves of
 * nodes have numbers in their order, and the draft has its rails and the rate of NICs. Adds the tree, and cables that
 * are missing or slower than others as link-speed. Where the cables are no fat tree, or too many are missing or slow,
 * the draft gets no tree, leaves keep their numbers, and `why` says so; it is empty otherwise. SS_ERROR_MEMORY. */
ss_status ss_own_take_tree(ss_own_draft *draft, ss_ib_fabric *fabric, char why[SS_MESSAGE_SIZE], ss_error *error);

#endif
