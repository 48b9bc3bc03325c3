/* Tasks of a block: runs (runs.h), and live tasks, whose pieces of kernel and collectives go side by side.
 * Nothing here lets a replica go on: functions say that a task is over, and the caller acts on it. */
#ifndef STEPSIM_SIM_ENGINE_CORE_TASKS_H
#define STEPSIM_SIM_ENGINE_CORE_TASKS_H

#include "sim/engine/core/stage_replica.h"

/* Starts the current step; the replica waits for it. True where it is over at once. */
bool ss_step_start(ss_world *world, ss_stage_replica *replica);

/* A piece of the kernel, or the collective `call`, of the live task is over. True where the whole task is. */
bool ss_live_task_kernel_over(ss_world *world, ss_stage_replica *replica);
bool ss_live_task_call_over(ss_world *world, ss_stage_replica *replica, const ss_transfer *call);

#endif
