/* Tells the trace writers what happens, for the ranks and micro-batches they asked for. */
#ifndef STEPSIM_SIM_ENGINE_RECORD_H
#define STEPSIM_SIM_ENGINE_RECORD_H

#include "sim/engine/world.h"

void ss_record_open(ss_world *world);
ss_status ss_record_close(ss_world *world, ss_error *error);

/* Activities on the compute stream of all ranks of a cell. */
void ss_record_pass_begin(ss_world *world, const ss_cell *cell);
void ss_record_block_begin(ss_world *world, const ss_cell *cell);
void ss_record_kernel_begin(ss_world *world, const ss_cell *cell);
void ss_record_kernel_end(ss_world *world, const ss_cell *cell);
void ss_record_end(ss_world *world, const ss_cell *cell); /* of a block or pass */
void ss_record_wait_begin(ss_world *world, const ss_cell *cell);
void ss_record_wait_end(ss_world *world, const ss_cell *cell);
void ss_record_optimizer(ss_world *world, const ss_cell *cell, double duration_s);

/* What a cell is known to do from start to end: a kernel of its current block; a computed collective of it, which keeps
 * the NVLink port of every rank busy with so many bytes. Some writer wants to know at all? */
typedef struct ss_interval {
  double start_s, end_s;
} ss_interval;

void ss_record_kernel(ss_world *world, const ss_cell *cell, ss_activity activity, ss_interval when);
void ss_record_call(ss_world *world, const ss_cell *cell, const ss_call *call, double rank_bytes, ss_interval when);
bool ss_record_is_watched(const ss_world *world, const ss_cell *cell);

/* draw.c: the tasks of a run that begins now and takes longer than nominal, its kernels stretched alike. */
void ss_record_run(ss_world *world, const ss_cell *cell, const ss_step *step, double excess_s);

/* Transfers, on the tracks of both ends; flows, as traffic of ports. */
void ss_record_transfer_begin(ss_world *world, const ss_transfer *transfer);
void ss_record_transfer_end(ss_world *world, const ss_transfer *transfer);
void ss_record_offload(ss_world *world, const ss_cell *cell, ss_stream stream, double start_s, double end_s);
void ss_record_flow(ss_world *world, const ss_edge *edge, double start_s, double end_s, double bytes);

/* Lets the writers know that nothing earlier than this will be reported any more. */
void ss_record_advance(ss_world *world);

#endif
