/* Nodes that are lost, and those that stand by for them. */
#ifndef STEPSIM_MODEL_RUN_SPARES_H
#define STEPSIM_MODEL_RUN_SPARES_H

#include <stdint.h>

/* The share of its time that a job waits for a node: with `spares` of them, and `away` nodes in repair in the mean (the
 * rate of losses times the time of a repair) if it never waited. It waits while spares + 1 are in repair, and loses
 * none meanwhile: the loss formula of Erlang (1917) of spares + 1 servers, whatever the distribution of repairs. */
double ss_spares_waiting(int64_t spares, double away);

/* The fewest spares with which that share is at most `share`, above 0. */
int64_t ss_spares_for(double away, double share);

/* Replicas, of `replica_nodes` nodes each, that a job lacks without so many nodes: others take the rest of theirs. */
double ss_spares_replicas(double nodes, double replica_nodes);

/* A job that goes on without nodes, while `away` are in repair in the mean, a Poisson number of them: the mean of the
 * replicas that it lacks, and the share of losses after which it lacks some, which is as often as it takes a node
 * back. */
typedef struct ss_shrunken {
  double replicas, losses;
} ss_shrunken;

ss_shrunken ss_spares_shrunken(int64_t spares, double away, double replica_nodes);

#endif
