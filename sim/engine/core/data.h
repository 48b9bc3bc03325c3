/* What data parallelism wants of a replica: weights gathered before blocks, gradients reduced after them. Needs are
 * numbers of data operations that must be complete. */
#ifndef STEPSIM_SIM_ENGINE_CORE_DATA_H
#define STEPSIM_SIM_ENGINE_CORE_DATA_H

#include "sim/engine/core/stage.h"
#include "sim/engine/core/stage_replica.h"

void ss_gather_first(ss_world *world, ss_stage_replica *replica);
int64_t ss_gather_need(ss_world *world, ss_stage_replica *replica);
void ss_gather_ahead(ss_world *world, ss_stage_replica *replica);
int64_t ss_reduce_need(ss_world *world, ss_stage_replica *replica);
void ss_reduce_rest(ss_world *world, ss_stage_replica *replica);

/* Moves a cursor to the next block of a pass that needs weights; false at the end of the iteration. */
bool ss_cursor_step(const ss_world *world, const ss_stage_replica *replica, ss_cursor *cursor);
bool ss_cursor_settle(const ss_world *world, const ss_stage_replica *replica, ss_cursor *cursor);

#endif
