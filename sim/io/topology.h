/* Topologies of a SimGrid cluster, and what their parameters must be for SimGrid to build and route them: it stops the
 * program, or crashes in the first route, where they are not. */
#ifndef STEPSIM_SIM_IO_TOPOLOGY_H
#define STEPSIM_SIM_IO_TOPOLOGY_H

#include "sim/io/value.h"

/* X(enumerator, "word of SimGrid", what its topo_parameters say) */
#define SS_TOPOLOGY_LIST(X)                                                                                            \
  X(SS_TOPOLOGY_FLAT, "FLAT", "none")                                                                                  \
  X(SS_TOPOLOGY_FAT_TREE, "FAT_TREE",                                                                                  \
    "LEVELS;DOWN,...;UP,...;LINKS,... with one number per level in each list, such as 2;4,4;1,2;1,1 for 16 hosts")     \
  X(SS_TOPOLOGY_DRAGONFLY, "DRAGONFLY",                                                                                \
    "GROUPS,LINKS;CHASSIS,LINKS;ROUTERS,LINKS;NODES, such as 2,1;2,1;2,1;2 for 16 hosts")                              \
  X(SS_TOPOLOGY_TORUS, "TORUS", "the size of each dimension, such as 4,4 for 16 hosts")

typedef enum ss_topology {
#define SS_TOPOLOGY_ID(id, word, form) id,
  SS_TOPOLOGY_LIST(SS_TOPOLOGY_ID)
#undef SS_TOPOLOGY_ID
      SS_TOPOLOGY_COUNT
} ss_topology;

/* The words, NULL-terminated. */
extern const char *const ss_topology_words[SS_TOPOLOGY_COUNT + 1];

/* Hosts of a cluster and links of its topology: far above any machine, and still within a computer's memory. */
#define SS_CLUSTER_HOSTS 1048576
#define SS_CLUSTER_LINKS 4194304

/* Checks that `parameters`, whose text is NULL when they are not given, describe `hosts` hosts. SS_ERROR_INPUT. */
ss_status ss_topology_check(ss_topology topology, const ss_value *parameters, int64_t hosts, ss_error *error);

#endif
