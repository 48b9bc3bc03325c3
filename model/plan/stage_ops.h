/* What a pipeline stage moves beside its kernels, and when: a list of its data-parallel operations, and the questions
 * about data parallelism and the second memory tier. Closed form (model/estimate/walk_run.c) and replay
 * (sim/engine/core/data.c, offload.c) both play this list, each with a clock of its own; neither decides what there is
 * to move.
 *
 * How to play it. Before the first pass: start what is SS_OP_FIRST; fetch ahead, and read for the first block itself.
 * Before a pass of a block that fetches: wait for its fetches, then fetch ahead of it. To fetch for a block is to
 * gather its weights (SS_OP_AHEAD) and to read job->offload.read_bytes for it; what is read back starts when it is
 * written. Behind a pass of a block: write job->offload.write_bytes, and start what is SS_OP_BEHIND if the pass
 * reduces; where collectives may not run beside compute, wait for it. Two passes that run together come to their blocks
 * in the order of model/plan/pair_order.h, which is also that of what is fetched ahead. When all passes are over: start
 * what is left for the end, and wait for all. */
#ifndef STEPSIM_MODEL_PLAN_STAGE_OPS_H
#define STEPSIM_MODEL_PLAN_STAGE_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/plan/job.h"
#include "model/plan/pair_order.h"
#include "model/schedule/schedule.h"

/* When an operation starts. */
typedef enum ss_op_start {
  SS_OP_FIRST,  /* before the first pass: gathers the weights of blocks */
  SS_OP_AHEAD,  /* before each pass of its block that fetches, some blocks ahead: gathers the weights of the block */
  SS_OP_BEHIND, /* behind its block in passes that reduce, or at the end: reduces the gradients of blocks */
  SS_OP_STARTS
} ss_op_start;

/* A collective of ranks that hold the same weights of a stage: of those that share a copy, or of those at the same
 * place of all copies. */
typedef struct ss_stage_op {
  double volume_bytes;
  ss_op_start start;
  ss_collective kind;
  ss_weights weights;
  ss_data_group group;
  int32_t chunk, block; /* the last block that is in it, counted over all chunks of the stage */
  int32_t alike;        /* how many in a row have its start, group and volume, of the first of these; else 0 */
} ss_stage_op;

/* The operations of a stage. Those before the first pass come first, in the order of forward; then chunk by chunk, from
 * its last block to its first as backward comes to them, what is gathered ahead of a block and what is reduced behind
 * it. Blocks are counted over all chunks of the stage. */
typedef struct ss_stage_ops {
  int64_t count, first; /* first: of SS_OP_FIRST */
  ss_stage_op *op;      /* [count + 1] the last one ends the list: its block is -1; NULL where nothing moves; owned */
  int32_t *of_block;    /* [blocks] where the operations ahead of and behind a block are; part of `op` */
  int32_t *needs;       /* [blocks] operations of SS_OP_FIRST, in their order, that have to be complete before the first
                           forward pass of a block; part of `op` */
} ss_stage_ops;

/* Lists the operations of a stage. Gradients, and weights at the start, go in buckets: one for each class of weights of
 * a chunk, sent when it holds job->data.bucket_bytes or the chunk ends (PyTorch DDP, arXiv 2006.15704 section 3.2).
 * With several copies, what a
 * bucket leaves on each holder is then added up over them. What no other rank holds stays. SS_ERROR_MEMORY; release
 * with ss_stage_ops_free, also after an error. */
ss_status ss_stage_ops_init(ss_stage_ops *ops, const ss_job *job, int64_t stage);
void ss_stage_ops_free(ss_stage_ops *ops);

/* The operations of a stage that a job has listed, and of which revision of it. */
typedef struct ss_kept_ops {
  ss_stage_ops ops;
  int64_t revision; /* 0: none yet */
} ss_kept_ops;

/* Room for the lists of so many stages of a job that is estimated only. SS_ERROR_MEMORY; release with
 * ss_kept_ops_free, which tolerates a job without. */
ss_status ss_kept_ops_init(ss_job *job, int64_t stages);
void ss_kept_ops_free(ss_job *job);

/* The operations of a stage, listed once however often the job is moved; of a job that keeps none, NULL. Aborts when
 * memory is out. The job's. */
const ss_stage_ops *ss_job_stage_ops(const ss_job *job, int64_t stage);

/* The operations ahead of (SS_OP_AHEAD) or behind (SS_OP_BEHIND) a block, one by one; NULL after the last one. */
const ss_stage_op *ss_stage_ops_of_block(const ss_stage_ops *ops, int64_t block, ss_op_start start);
const ss_stage_op *ss_stage_ops_next(const ss_stage_op *op);

/* The layer of the model that an operation of a stage is named after: that of its block; -1 for other blocks. */
int64_t ss_stage_op_layer(const ss_job *job, int64_t stage, const ss_stage_op *op);

/* Forward and backward fetch weights and activations before they start; what a weight pass needs is there. */
static inline bool ss_pass_fetches(ss_pass pass)
{
  return pass != SS_PASS_WEIGHT;
}

/* A pass of a block gathers its weights, if any pass does, but for backward of what is frozen. A table that several
 * blocks of a stage use is in the root unit of FSDP, which keeps it from forward to backward (reshard_after_forward of
 * PyTorch's fully_shard). */
static inline bool ss_pass_gathers(const ss_job *job, ss_block_kind kind, ss_pass pass)
{
  const bool forward_only = ((job->data.kept_tables | job->frozen) & SS_BLOCK_BIT(kind)) != 0;
  return ss_pass_fetches(pass) && !(forward_only && pass == SS_PASS_BACKWARD);
}

/* Forward writes to the second tier what backward reads back: job->offload.write_bytes, once its block has run. */
static inline bool ss_pass_writes(ss_pass pass)
{
  return pass == SS_PASS_FORWARD;
}

/* How many blocks ahead of compute the second tier is read and weights are gathered, counted over passes that fetch: of
 * two that run together (`paired`), as many for each. Megatron-FSDP, too, gathers ahead in the order of the pass that
 * asks (prefetch_order in megatron/core/distributed/fsdp/src/megatron_fsdp/megatron_fsdp.py). */
static inline int64_t ss_reads_ahead(const ss_job *job, bool paired)
{
  return (paired ? SS_PAIR_LANES : 1) * job->prefetch;
}

static inline int64_t ss_gathers_ahead(const ss_job *job, bool paired)
{
  return job->overlaps_data ? ss_reads_ahead(job, paired) : 0;
}

/* A pass waits for what is gathered before the first one. */
static inline bool ss_pass_needs_first(const ss_job *job, const ss_work *work)
{
  return job->data.gathers_at_start && work->pass == SS_PASS_FORWARD && work->micro_batch == 0;
}

/* A pass starts the reductions behind its blocks. `last`: it is of the last micro-batch. */
static inline bool ss_pass_reduces(const ss_job *job, ss_pass pass, bool last)
{
  const ss_data_plan *plan = &job->data;
  return plan->active && pass == plan->reducing_pass && (plan->reduces_each_pass || (last && job->overlaps_data));
}

/* What is reduced once, but not beside compute, is reduced when all passes are over. */
static inline bool ss_reduces_at_end(const ss_job *job)
{
  return job->data.active && !job->data.reduces_each_pass && !job->overlaps_data;
}

/* A pass starts or awaits collectives at its blocks. */
static inline bool ss_pass_moves_data(const ss_job *job, const ss_work *work)
{
  const bool gathers = job->data.gathers_each_pass && ss_pass_fetches(work->pass);
  const bool last = work->micro_batch == job->copy_batches - 1;
  return gathers || ss_pass_needs_first(job, work) || ss_pass_reduces(job, work->pass, last);
}

/* What a pass of a block reads from the second tier (job->offload.read_bytes) has to be written there first, by forward
 * of the same micro-batch. */
static inline bool ss_pass_reads_back(const ss_job *job, ss_block_kind kind, ss_pass pass)
{
  return pass == SS_PASS_BACKWARD && job->offload.write_bytes[kind][SS_PASS_FORWARD] > 0.0;
}

#endif
