#include "model/run/spares.h"

#include <math.h>

/* As many as run.spares takes. */
#define SPARES_MOST 1000000

/* From so many nodes on that are away in the mean, their number is taken for that. */
#define MANY_AWAY 500.0

double ss_spares_waiting(int64_t spares, double away)
{
  double blocked = 1.0; /* with no server */
  for (int64_t servers = 1; servers <= spares + 1; ++servers)
    blocked = away * blocked / ((double)servers + away * blocked);
  return blocked;
}

int64_t ss_spares_for(double away, double share)
{
  double blocked = away / (1.0 + away);
  int64_t spares = 0;
  while (blocked > share && spares < SPARES_MOST) {
    ++spares;
    blocked = away * blocked / ((double)(spares + 1) + away * blocked);
  }
  return spares;
}

double ss_spares_replicas(double nodes, double replica_nodes)
{
  return ceil(fmax(0.0, nodes) / replica_nodes);
}

ss_shrunken ss_spares_shrunken(int64_t spares, double away, double replica_nodes)
{
  const int64_t most = (int64_t)(away + 12.0 * sqrt(away) + 40.0);
  double probability = exp(-away);
  ss_shrunken mean = {0.0, 0.0};
  if (away > MANY_AWAY) {
    const double lacking = away - (double)spares;
    return (ss_shrunken){ss_spares_replicas(lacking, replica_nodes), lacking >= 0.0 ? 1.0 : 0.0};
  }
  for (int64_t n = 0; n <= most; ++n) {
    mean.replicas += probability * ss_spares_replicas((double)(n - spares), replica_nodes);
    if (n >= spares) mean.losses += probability;
    probability *= away / (double)(n + 1);
  }
  return mean;
}
