/* The second memory tier as a replica uses it: when it has delivered what the current block needs; what it takes when
 * the block is done. */
#ifndef STEPSIM_SIM_ENGINE_CORE_OFFLOAD_H
#define STEPSIM_SIM_ENGINE_CORE_OFFLOAD_H

#include "sim/engine/core/stage_replica.h"

double ss_offload_ready_s(ss_world *world, ss_stage_replica *replica);
void ss_offload_ahead(ss_world *world, ss_stage_replica *replica);
void ss_offload_write(ss_world *world, ss_stage_replica *replica);

#endif
