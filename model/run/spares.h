/* Nodes that are lost, and those that stand by for them. */
#ifndef STEPSIM_MODEL_RUN_SPARES_H
#define STEPSIM_MODEL_RUN_SPARES_H

#include <stdint.h>

/* As many as run.spares takes. */
#define SS_SPARES_MOST 1000000

/* The share of its time that a job waits for a node: it goes on with at most `most` nodes in repair, such as its
 * spares, and `away` would be in repair in the mean (the rate of losses times the time of a repair) if it never waited.
 * It waits while one more is in repair, and loses none meanwhile: the loss formula of Erlang (1917) of most + 1
 * servers, whatever the distribution of repairs. */
double ss_spares_waiting(int64_t most, double away);

/* The fewest spares with which that share is at most `share`, above 0. */
int64_t ss_spares_for(double away, double share);

/* Replicas, of `replica_nodes` nodes each, that a job lacks without so many nodes: others take the rest of theirs. */
double ss_spares_replicas(double nodes, double replica_nodes);

/* Nodes that a job of so many replicas can lack and still has one. */
int64_t ss_spares_all_but_one(double replicas, double replica_nodes);

/* A job that goes on without nodes, up to `most` in repair, of which `away` would be in the mean if it never waited: a
 * Poisson number of them, as far as `most`, while it runs (Erlang). The mean of the replicas that it lacks then, and
 * the share of losses after which it lacks some and goes on, which is as often as it takes a node back. */
typedef struct ss_shrunken {
  double replicas, losses;
} ss_shrunken;

ss_shrunken ss_spares_shrunken(int64_t spares, int64_t most, double away, double replica_nodes);

#endif
