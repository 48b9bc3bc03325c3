/* Tells the trace writers what happens, for the ranks and micro-batches they asked for. */
#ifndef STEPSIM_SIM_ENGINE_OBSERVE_TRACE_H
#define STEPSIM_SIM_ENGINE_OBSERVE_TRACE_H

#include "sim/engine/core/world.h"

void ss_trace_open(ss_world *world);
ss_status ss_trace_close(ss_world *world, ss_error *error);

/* Activities on the compute stream of all ranks of a replica. */
void ss_trace_pass_begin(ss_world *world, const ss_stage_replica *replica);
void ss_trace_block_begin(ss_world *world, const ss_stage_replica *replica);
void ss_trace_kernel_begin(ss_world *world, const ss_stage_replica *replica);
void ss_trace_kernel_end(ss_world *world, const ss_stage_replica *replica);
void ss_trace_end(ss_world *world, const ss_stage_replica *replica); /* of a block or pass */
void ss_trace_wait_begin(ss_world *world, const ss_stage_replica *replica);
void ss_trace_wait_end(ss_world *world, const ss_stage_replica *replica);
void ss_trace_optimizer(ss_world *world, const ss_stage_replica *replica, double duration_s);

/* What a replica is known to do from start to end: a kernel of its current block; a computed collective of it, which
 * keeps the NVLink port of every rank busy with so many bytes. Some writer wants to know at all? */
typedef struct ss_interval {
  double start_s, end_s;
} ss_interval;

void ss_trace_kernel(ss_world *world, const ss_stage_replica *replica, ss_activity activity, ss_interval when);
void ss_trace_call(ss_world *world, const ss_stage_replica *replica, const ss_call *call, double rank_bytes,
                   ss_interval when);
bool ss_trace_is_on(const ss_world *world, const ss_stage_replica *replica);

/* draw.c: the tasks of a run that begins now and takes longer than nominal, its kernels stretched alike. */
void ss_trace_run(ss_world *world, const ss_stage_replica *replica, const ss_step *step, double excess_s);

/* Transfers, on the tracks of both ends; flows, as traffic of ports. */
void ss_trace_transfer_begin(ss_world *world, const ss_transfer *transfer);
void ss_trace_transfer_end(ss_world *world, const ss_transfer *transfer);
void ss_trace_offload(ss_world *world, const ss_stage_replica *replica, ss_stream stream, double start_s, double end_s);
void ss_trace_flow(ss_world *world, const ss_flow *flow, double start_s, double end_s, double bytes);

/* Lets the writers know that nothing earlier than this will be reported any more. */
void ss_trace_advance(ss_world *world);

#endif
