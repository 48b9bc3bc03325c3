/* The host of a stage replica: it launches the kernels of each step, in order, as far ahead of the GPU as it can. */
#ifndef STEPSIM_SIM_ENGINE_CORE_HOST_H
#define STEPSIM_SIM_ENGINE_CORE_HOST_H

#include "sim/engine/core/stage_replica.h"

/* A pass begins now. Where the host waits for the GPU before passes, it begins to launch. */
void ss_host_begin_pass(const ss_world *world, ss_stage_replica *replica);

/* Launches the step that the replica has come to. Returns false where it has to wait for that; it asks again when the
 * wait is over. Always true where launches take no time. */
bool ss_host_launch(ss_world *world, ss_stage_replica *replica, const ss_step *step);

/* The same of so many reductions of gradients, or of a message to another stage. A timeline does not show these
 * launches. */
bool ss_host_launch_calls(ss_world *world, ss_stage_replica *replica, int64_t count);

/* The same of the optimizer step, whose kernels take the GPU `gpu_s`. */
bool ss_host_launch_optimizer(ss_world *world, ss_stage_replica *replica, double gpu_s);

#endif
