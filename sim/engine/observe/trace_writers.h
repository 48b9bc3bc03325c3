/* What the trace says to the writers: slices and traffic of all ranks of a stage replica, and of those that it stands
 * for. */
#ifndef STEPSIM_SIM_ENGINE_OBSERVE_TRACE_WRITERS_H
#define STEPSIM_SIM_ENGINE_OBSERVE_TRACE_WRITERS_H

#include "sim/engine/core/stage_replica.h"

/* What one report is about; it goes to every writer that wants its rank and micro-batch. */
typedef struct ss_trace_subject {
  int64_t rank, micro_batch;
} ss_trace_subject;

bool ss_trace_wants(const ss_timeline *timeline, ss_trace_subject who);

/* A world and which of its stage replicas are shown: of each, those that it stands for, itself among them. */
typedef struct ss_trace_writers {
  const ss_world *world;
  int64_t *first; /* [replicas + 1] of `shown`, owned */
  int32_t *shown; /* by what stands for them; owned */
} ss_trace_writers;

/* SS_ERROR_MEMORY. Free in any case. */
ss_status ss_trace_writers_init(ss_trace_writers *writers, const ss_world *world);
void ss_trace_writers_free(ss_trace_writers *writers);

/* The replicas that are shown as this one does, one after the other: NULL behind the last. Starts with *next = 0. */
const ss_stage_replica *ss_trace_next(const ss_trace_writers *writers, const ss_stage_replica *replica, int64_t *next);

/* Begins a slice of one rank; ends the one that it is in on a stream. */
void ss_trace_begin(const ss_world *world, const ss_slice *slice);
void ss_trace_end(const ss_world *world, ss_trace_subject who, ss_stream stream, double time_s);

/* The same on all ranks of a replica, and of those that it stands for. */
void ss_trace_begin_on_replica(const ss_trace_writers *writers, const ss_stage_replica *replica, ss_slice slice);
void ss_trace_end_on_replica(const ss_trace_writers *writers, const ss_stage_replica *replica, ss_stream stream,
                             int64_t micro_batch, double time_s);

/* Bytes through a port of a rank. */
void ss_trace_traffic(const ss_world *world, const ss_traffic *what);

/* The number of the `member`-th rank of a replica. */
int64_t ss_trace_rank(const ss_world *world, const ss_stage_replica *replica, int64_t member);

/* A slice of a replica's current pass (between passes there is no block), and of its current block. */
ss_slice ss_trace_pass_slice(const ss_world *world, const ss_stage_replica *replica, ss_activity activity);
ss_slice ss_trace_block_slice(const ss_world *world, const ss_stage_replica *replica, ss_stream stream,
                              ss_activity activity);

/* A slice of the kernel of a task of its current block. */
ss_slice ss_trace_kernel_slice(const ss_world *world, const ss_stage_replica *replica, const ss_task *task);

typedef struct ss_trace_collective {
  ss_group group;
  ss_collective kind;
  double bytes; /* of its volume */
  int64_t ranks;
} ss_trace_collective;

/* A slice of a collective of its current block. */
ss_slice ss_trace_call_slice(const ss_world *world, const ss_stage_replica *replica, ss_trace_collective collective);

/* The same where the collective is of the other pass of a pair. */
ss_slice ss_trace_other_call_slice(const ss_world *world, const ss_stage_replica *replica,
                                   ss_trace_collective collective);

/* The chunk of some work, where a stage has more than one; else SS_NO_INDEX. */
int64_t ss_trace_chunk(const ss_world *world, const ss_work *work);

/* The stream of the collectives of a group. */
ss_stream ss_trace_group_stream(ss_group group);

#endif
