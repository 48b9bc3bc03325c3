/* Ties: the stages of a data-parallel replica that share the table of the embedding (ss_tables) add up its gradient. */
#ifndef STEPSIM_SIM_ENGINE_CORE_TIES_H
#define STEPSIM_SIM_ENGINE_CORE_TIES_H

#include "sim/engine/core/stage_replica.h"

/* The stages add up the gradient when each has reduced its own. */
struct ss_tie {
  ss_tie *twin;
  int64_t members;
  ss_stage_replica *member[SS_TABLES_MAX]; /* that are simulated */
  int64_t arrivals;
  bool done;
  ss_transfer transfer;
  ss_route route;
};

/* The transfer of a tie. */
ss_transfer ss_tie_transfer(ss_world *world, ss_tie *tie);

/* What ties a replica to other stages; NULL where nothing does. */
ss_tie *ss_world_tie(const ss_world *world, const ss_stage_replica *replica);

/* A replica has reduced its own gradient. The exchange starts when all have; they are woken from SS_WAITS_TIE. */
void ss_tie_join(ss_world *world, const ss_stage_replica *replica, ss_tie *tie);

#endif
