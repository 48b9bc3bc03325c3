/* Routes of forwarding tables as routes of the fat tree that cables are. */
#ifndef STEPSIM_SIM_IMPORT_CLUSTER_TREE_ROUTES_H
#define STEPSIM_SIM_IMPORT_CLUSTER_TREE_ROUTES_H

#include "sim/import/cluster/own_draft.h"

/* A NIC of a node. */
typedef struct ss_ib_nic {
  int64_t leaf, place; /* switch, and place of its node among all */
  int64_t link, lid;
  int64_t number; /* of its host in the tree, by which the rule of replays chooses cables */
  int64_t nic;    /* of the machine */
} ss_ib_nic;

/* Where switches send what is for each NIC. Each way from a leaf ends at its NIC. */
typedef struct ss_ib_ways {
  const ss_ib_nic *nics; /* [count] borrowed */
  int64_t count;
  const int32_t *next; /* [switches][count] the link; negative: none; borrowed */
  const char *path;    /* of the tables */
} ss_ib_ways;

/* Adds to a draft that has a tree of two levels or more what its switches send otherwise than by destination (D-mod-k),
 * and where several cables lead to a switch below, which of them is taken, of all ways from a leaf of nodes. A cable
 * that is several in the tree takes its NICs in turn on these. Ways other than up to the first switch that is above
 * the NIC and down from it stay by destination, which a note says. SS_ERROR_INPUT for a cable that only one of its ends
 * has, SS_ERROR_MEMORY. */
ss_status ss_tree_routes_take(ss_own_draft *draft, const ss_ib_ways *ways, ss_error *error);

#endif
