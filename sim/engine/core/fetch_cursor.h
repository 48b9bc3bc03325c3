/* Where a replica is on its way through the blocks that are fetched for (ss_pass_fetches), ahead of its compute. */
#ifndef STEPSIM_SIM_ENGINE_CORE_FETCH_CURSOR_H
#define STEPSIM_SIM_ENGINE_CORE_FETCH_CURSOR_H

#include "sim/engine/core/stage_replica.h"

/* The pass of the block that a cursor is at. */
const ss_work *ss_cursor_work(const ss_world *world, const ss_stage_replica *replica, const ss_cursor *cursor);

/* Moves a cursor that is at a pass that does not fetch to the next one that does. False at the end of the iteration. */
bool ss_cursor_settle(const ss_world *world, const ss_stage_replica *replica, ss_cursor *cursor);

/* Moves a cursor to the next block that is fetched for. False at the end of the iteration. */
bool ss_cursor_step(const ss_world *world, const ss_stage_replica *replica, ss_cursor *cursor);

#endif
