/* What data parallelism wants of a replica: weights gathered before blocks, gradients reduced after them. Needs are
 * numbers of data operations that must be complete. */
#ifndef STEPSIM_SIM_ENGINE_CORE_DATA_H
#define STEPSIM_SIM_ENGINE_CORE_DATA_H

#include "sim/engine/core/stage.h"
#include "sim/engine/core/stage_replica.h"

/* Issues what is gathered before the first pass, and the gathers of the first blocks. */
void ss_gather_first(ss_world *world, ss_stage_replica *replica);

/* The need of the current block before it starts: of its weights. */
int64_t ss_gather_need(ss_world *world, ss_stage_replica *replica);

/* Issues the gathers of the blocks that come next, as far ahead as the job prefetches. */
void ss_gather_ahead(ss_world *world, ss_stage_replica *replica);

/* The reductions that are to be issued behind the current block. */
int64_t ss_reduce_count(const ss_world *world, const ss_stage_replica *replica);

/* Issues the reductions behind the current block. Returns the need before the next block starts: 0 where reductions may
 * run beside compute. */
int64_t ss_reduce_need(ss_world *world, ss_stage_replica *replica);

/* Issues, when all passes are over, the reductions that could not run beside compute. */
void ss_reduce_rest(ss_world *world, ss_stage_replica *replica);

#endif
