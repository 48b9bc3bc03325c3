/* What an algorithm of collectives is: a table of what it can do, what it puts on the links phase by phase, and the
 * flows that the replay makes of that. Each algorithm has a file of its own that defines its table; SS_ALGORITHM_ROWS
 * lists the tables. */
#ifndef STEPSIM_MODEL_COLLECTIVE_ALGORITHM_H
#define STEPSIM_MODEL_COLLECTIVE_ALGORITHM_H

#include "model/collective/flow.h"
#include "model/collective/network.h"
#include "model/collective/span.h"

/* X(word of SS_ALGORITHM_LIST, table). */
#define SS_ALGORITHM_ROWS(X)                                                                                           \
  X(SS_ALGORITHM_RING, ss_ring_algorithm)                                                                              \
  X(SS_ALGORITHM_TREE, ss_tree_algorithm)                                                                              \
  X(SS_ALGORITHM_DOUBLE_TREE, ss_double_tree_algorithm)                                                                \
  X(SS_ALGORITHM_HALVING, ss_halving_algorithm)                                                                        \
  X(SS_ALGORITHM_HIERARCHICAL, ss_hierarchical_algorithm)                                                              \
  X(SS_ALGORITHM_IN_NETWORK, ss_in_network_algorithm)                                                                  \
  X(SS_ALGORITHM_DIRECT, ss_direct_algorithm)                                                                          \
  X(SS_ALGORITHM_PAIRWISE, ss_pairwise_algorithm)                                                                      \
  X(SS_ALGORITHM_BUCKET, ss_bucket_algorithm)

/* What a phase puts on the links: steps that follow one another, and of the volume, what leaves the busiest NVLink port
 * and, evenly through `nics`, a domain. */
typedef struct ss_phase_load {
  double nvlink_steps, fabric_steps, nvlink_share, fabric_share, nics;
  double sharers; /* times that of all like groups behind the fullest of these NICs; 0: as 1 */
  double flows;   /* that a GPU has side by side on a NIC; 0: as 1 */
  ss_stepping stepping;
  double passed_share;        /* through a GPU on its way across domains, as in ss_demand */
  double copies, peers, gpus; /* of ss_demand */
} ss_phase_load;

/* Collectives as a set. */
#define SS_KIND_BIT(kind) (1u << (kind))
#define SS_SHARDED_KINDS  (SS_KIND_BIT(SS_ALL_REDUCE) | SS_KIND_BIT(SS_REDUCE_SCATTER) | SS_KIND_BIT(SS_ALL_GATHER))
#define SS_ROOTED_KINDS   (SS_KIND_BIT(SS_BROADCAST) | SS_KIND_BIT(SS_REDUCE))

/* Alone on the network, the flows of a phase take as long as its load: tests/engine/collective/test_routes.cpp holds
 * every algorithm to it. */
typedef struct ss_algorithm_row {
  /* What it can do, and what it is considered for where the workload leaves the choice: what NCCL considers it for
   * (ncclTopoTuneModel in src/graph/tuning.cc), but for PAT, and for trees inside one domain; on a torus, where no NCCL
   * runs, what Blue Gene and TPU do. The first algorithm that is considered for a collective is the one that needs
   * nothing and suits any group. */
  unsigned kinds, considered;

  /* Machines on which it is considered; NULL: all that it runs on. */
  bool (*considered_on)(const ss_machine *machine);

  /* What it needs: groups of 2, 4, 8, ... ranks; a machine (NULL: any). */
  bool power_of_two;
  bool (*runs_on)(const ss_machine *machine, ss_collective kind);

  /* Whether it is considered over such a group; NULL: over any. */
  bool (*suits)(const ss_network *network, ss_collective kind, ss_span span);

  /* Its phases over a group of at least two ranks (NULL: one), and the load of each. */
  int (*phases)(ss_collective kind, ss_span span);
  ss_phase_load (*load)(const ss_network *network, ss_collective kind, ss_span span, int phase);

  /* What counts when it is compared with others, in one phase; NULL: its load. */
  ss_phase_load (*compared)(const ss_network *network, ss_span span);

  /* Adds its flows, phase by phase: `flows->phase` is that of what is added, and starts at 0. */
  void (*flows)(ss_flow_list *flows);
} ss_algorithm_row;

#define SS_ALGORITHM_TABLE(algorithm, table) extern const ss_algorithm_row table;
SS_ALGORITHM_ROWS(SS_ALGORITHM_TABLE)
#undef SS_ALGORITHM_TABLE

#endif
