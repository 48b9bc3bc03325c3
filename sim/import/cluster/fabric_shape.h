/* Nodes and cables of a fabric as a fat tree, with or without rails. */
#ifndef STEPSIM_SIM_IMPORT_CLUSTER_FABRIC_SHAPE_H
#define STEPSIM_SIM_IMPORT_CLUSTER_FABRIC_SHAPE_H

#include "sim/import/cluster/ib_fabric.h"
#include "sim/import/cluster/own_draft.h"

/* Finds the leaves of each node, the order of leaves and nodes, and the cables above leaves. Nodes are those of the job
 * where a list of hosts came before, else all that have as many NICs as most of them; others are noted. Leaves with
 * fewer nodes have places that stay empty, cables that are missing or slower than others become the speed of links.
 * Refused are nodes whose NICs are not spread as those of others, links between switches of a level, and two levels
 * whose cables are no fat tree's; of more levels a note says so, and the draft has no tree. SS_ERROR_INPUT,
 * SS_ERROR_MEMORY. */
ss_status ss_own_take_fabric(ss_own_draft *draft, ss_ib_fabric *fabric, const ss_source *source, ss_error *error);

#endif
