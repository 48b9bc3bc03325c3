/* One iteration more of a job that runs beside another. */
#ifndef STEPSIM_SIM_ENGINE_CORE_RESTART_H
#define STEPSIM_SIM_ENGINE_CORE_RESTART_H

#include "sim/engine/core/stage_replica.h"

/* Puts everything that moves back to the beginning. */
void ss_world_restart(ss_world *world);

/* Activations of a replica that are written to the second memory tier: blocks times micro-batches; and none of them has
 * been written yet. */
int64_t ss_replica_written_blocks(const ss_world *world, const ss_stage_replica *replica);
void ss_replica_forget_written(const ss_world *world, ss_stage_replica *replica);

#endif
