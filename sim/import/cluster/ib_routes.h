/* Routes of forwarding tables, as routes of the fat tree that the cables are. */
#ifndef STEPSIM_SIM_IMPORT_CLUSTER_IB_ROUTES_H
#define STEPSIM_SIM_IMPORT_CLUSTER_IB_ROUTES_H

#include "sim/import/cluster/ib_tables.h"
#include "sim/import/cluster/own_draft.h"

/* Follows the tables from every leaf to every NIC of the cluster's nodes. Adds notes to the draft, whose cables are
 * known: how many routes leave a leaf by another cable than the number of the destination modulo the cables of the leaf
 * says (D-mod-k; Rodriguez et al., "Oblivious routing schemes in extended generalized fat tree networks", CLUSTER
 * 2009), in the order of the cables in which most agree; and how many messages the busiest cable between switches has
 * when all NICs send to the one that is as many places further on, over all distances or about 1,024 of them, beside an
 * even share. Such shift permutations are what routing tables are judged by for congestion (Dmodc, whose abstract has
 * them). Where the cables are a tree, adds the routes that are not by destination, and where a switch has several
 * cables to one below, which of them it takes (ss_tree_routes_take). SS_ERROR_INPUT with the line for tables without
 * cables, for switches without a table and tables without a switch, for LIDs that no port has, and for routes that do
 * not end at their NIC; SS_ERROR_MEMORY. */
ss_status ss_own_take_routes(ss_own_draft *draft, const ss_ib_tables *tables, const ss_source *source, ss_error *error);

#endif
