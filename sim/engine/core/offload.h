/* The second memory tier: a GPU reads what a block needs ahead of it and writes what the block leaves behind, each on a
 * stream of its own, at the bandwidth that is the GPU's own. */
#ifndef STEPSIM_SIM_ENGINE_CORE_OFFLOAD_H
#define STEPSIM_SIM_ENGINE_CORE_OFFLOAD_H

#include "sim/engine/core/stage_replica.h"

/* When everything that the current block needs has been read, in seconds; now, where nothing is. */
double ss_offload_ready_s(ss_world *world, ss_stage_replica *replica);

/* Starts to read for the blocks that come next, as far ahead as the job prefetches. */
void ss_offload_ahead(ss_world *world, ss_stage_replica *replica);

/* Starts to write what the current block, which has ended, leaves behind. */
void ss_offload_write(ss_world *world, ss_stage_replica *replica);

/* When all gradients that go there are there, in seconds; now, where none go. */
double ss_offload_written_s(const ss_world *world, const ss_stage_replica *replica);

#endif
