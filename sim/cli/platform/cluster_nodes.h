/* The file that says which domains nodes are. */
#ifndef STEPSIM_SIM_CLI_PLATFORM_CLUSTER_NODES_H
#define STEPSIM_SIM_CLI_PLATFORM_CLUSTER_NODES_H

#include "sim/import/cluster/own_cluster.h"
#include "sim/options/options.h"

typedef struct ss_cluster_nodes {
  const ss_own_draft *draft;    /* borrowed */
  int64_t node_gpus, of_domain; /* GPUs of a node, nodes of a domain */
  const ss_options *options;    /* borrowed */
} ss_cluster_nodes;

/* Writes, as a file of free GPUs, the nodes of the job, or all where there is no list of hosts: a line for each domain,
 * with the names of its nodes behind it. SS_ERROR_OUTPUT, SS_ERROR_MEMORY; SS_ERROR_INPUT without nodes. */
ss_status ss_cluster_nodes_write(const ss_cluster_nodes *nodes, ss_error *error);

#endif
