/* The kernels of a stage replica in progress, and what communication leaves them of the GPU. */
#ifndef STEPSIM_SIM_ENGINE_CORE_KERNELS_H
#define STEPSIM_SIM_ENGINE_CORE_KERNELS_H

#include "sim/engine/core/stage_replica.h"

/* Starts kernels that take `alone_s` where nothing slows them down. */
void ss_kernels_start(ss_world *world, ss_stage_replica *replica, double alone_s);

/* The same of kernels and collectives that nothing slows down, which end at a known time. */
void ss_kernels_start_until(ss_world *world, ss_stage_replica *replica, double end_s);

/* The timer of a replica has rung. True where its kernels are over: one that was set before the rate changed is early.
 */
bool ss_kernels_end(const ss_world *world, ss_stage_replica *replica);

/* A transfer begins at a replica (change 1) or is over (-1): its kernels change pace. */
void ss_kernels_share(ss_world *world, ss_stage_replica *replica, ss_transport transport, int change);

#endif
