#include "model/run/spares.h"

#include <math.h>

/* Probabilities below this share of the largest do not matter. */
#define NEGLIGIBLE 1e-18

/* A part of a node that is rounding. */
#define ROUNDING 1e-9

double ss_spares_waiting(int64_t most, double away)
{
  double blocked = 1.0; /* with no server */
  for (int64_t servers = 1; servers <= most + 1; ++servers)
    blocked = away * blocked / ((double)servers + away * blocked);
  return blocked;
}

int64_t ss_spares_for(double away, double share)
{
  double blocked = away / (1.0 + away);
  int64_t spares = 0;
  while (blocked > share && spares < SS_SPARES_MOST) {
    ++spares;
    blocked = away * blocked / ((double)(spares + 1) + away * blocked);
  }
  return spares;
}

double ss_spares_replicas(double nodes, double replica_nodes)
{
  return ceil(fmax(0.0, nodes) / replica_nodes - ROUNDING);
}

int64_t ss_spares_all_but_one(double replicas, double replica_nodes)
{
  return (int64_t)floor((replicas - 1.0) * replica_nodes + ROUNDING);
}

/* Sums over numbers of nodes in repair, weighed by how probable they are. */
typedef struct sums {
  int64_t spares, most;
  double replica_nodes, weights;
  ss_shrunken shrunken;
} sums;

static void add(sums *s, int64_t nodes, double weight)
{
  s->weights += weight;
  s->shrunken.replicas += weight * ss_spares_replicas((double)(nodes - s->spares), s->replica_nodes);
  if (nodes >= s->spares && nodes < s->most) s->shrunken.losses += weight;
}

ss_shrunken ss_spares_shrunken(int64_t spares, int64_t most, double away, double replica_nodes)
{
  const int64_t likely = (int64_t)fmin(away, (double)most); /* the most probable number, from which sums go both ways */
  sums s = {.spares = spares, .most = most, .replica_nodes = replica_nodes};
  double weight = 1.0;
  for (int64_t nodes = likely; nodes <= most && weight > NEGLIGIBLE; ++nodes) {
    add(&s, nodes, weight);
    weight *= away / (double)(nodes + 1);
  }
  weight = 1.0;
  for (int64_t nodes = likely; nodes > 0 && weight > NEGLIGIBLE; --nodes) {
    weight *= (double)nodes / away;
    add(&s, nodes - 1, weight);
  }
  return (ss_shrunken){s.shrunken.replicas / s.weights, s.shrunken.losses / s.weights};
}
