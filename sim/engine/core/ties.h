/* Tied embeddings: the first and the last stage of a data-parallel replica share a table, whose gradient they add up.
 */
#ifndef STEPSIM_SIM_ENGINE_CORE_TIES_H
#define STEPSIM_SIM_ENGINE_CORE_TIES_H

#include "sim/engine/core/stage_replica.h"

/* The two stages add up the gradient when each has reduced its own. */
struct ss_tie {
  ss_tie *twin;
  ss_stage_replica *member[2]; /* that are simulated */
  int64_t arrivals;
  bool done;
  ss_transfer transfer;
  ss_route route;
};

/* The transfer of a tie. */
ss_transfer ss_tie_transfer(ss_world *world, ss_tie *tie);

/* What ties a replica to the other end of the model; NULL where nothing does. */
ss_tie *ss_world_tie(const ss_world *world, const ss_stage_replica *replica);

/* A replica has reduced its own gradient. The exchange starts when both have; they are woken from SS_WAITS_TIE. */
void ss_tie_join(ss_world *world, const ss_stage_replica *replica, ss_tie *tie);

#endif
