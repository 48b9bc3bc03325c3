#include "model/plan/stage_ops.h"

#include <stdlib.h>

#include "model/block/holders.h"

/* A list in the making. */
typedef struct builder {
  const ss_job *job;
  const int64_t *chunk_first; /* [chunks + 1] where the chunks of the stage start among the blocks of the job */
  const int8_t *kind;         /* [blocks] of the stage */
  int64_t shards[SS_WEIGHTS]; /* ranks that share a copy */
  int64_t copies;
  double bucket_bytes[SS_WEIGHTS];
  ss_stage_ops *ops;
  ss_stage_op *first; /* of those like the last one; NULL before there is one */
} builder;

/* The first block of a chunk, counted over the stage. */
static int64_t first_of(const builder *b, int64_t chunk)
{
  return b->chunk_first[chunk] - b->chunk_first[0];
}

static bool take_as_long(const ss_stage_op *a, const ss_stage_op *b)
{
  return a->start == b->start && a->group == b->group && a->volume_bytes == b->volume_bytes;
}

/* Most are like the one before. */
static void list(builder *b, const ss_stage_op *part, ss_collective kind, bool copies, double volume_bytes)
{
  ss_stage_op *op = &b->ops->op[b->ops->count++];
  *op = *part;
  op->kind = kind;
  op->group = ss_data_group_of(part->weights, copies);
  op->volume_bytes = volume_bytes;
  op->alike = 0;
  if (b->first == NULL || !take_as_long(b->first, op)) b->first = op;
  b->first->alike++;
}

/* Lists what is gathered or reduced among the holders that share a copy, and what copies then add up: the shard that a
 * holder has of it. */
static void list_all(builder *b, const ss_stage_op *part, double volume_bytes)
{
  const int64_t shards = b->shards[part->weights];
  if (shards > 1) list(b, part, part->kind, false, volume_bytes);
  if (part->kind != SS_ALL_GATHER && b->copies > 1) list(b, part, SS_ALL_REDUCE, true, volume_bytes / (double)shards);
}

/* Puts the bytes of an operation into the bucket of their class; lists one for all of it when that is full, or
 * `closes`. True when it has. */
static bool collect(builder *b, const ss_stage_op *part, bool closes)
{
  double *bucket_bytes = &b->bucket_bytes[part->weights];
  const int64_t sharers = b->shards[part->weights] * (part->kind == SS_ALL_GATHER ? 1 : b->copies);
  if (sharers < 2) return false;
  *bucket_bytes += part->volume_bytes;
  if (*bucket_bytes <= 0.0 || (!closes && *bucket_bytes < b->job->data.bucket_bytes)) return false;
  list_all(b, part, *bucket_bytes);
  *bucket_bytes = 0.0;
  return true;
}

/* What is gathered of a block before the first pass: what an optimizer has stepped; adapters in 16 bits. */
static double first_bytes(const builder *b, int64_t block, int weights)
{
  const ss_job *job = b->job;
  const ss_block_kind kind = (ss_block_kind)b->kind[block];
  const double trained = job->block[kind].trained[weights];
  if (ss_workload_adapts(job->workload)) return SS_WEIGHT_BYTES * trained;
  return trained > 0.0 ? job->gather_bytes[kind][weights] : 0.0;
}

/* Block by block as forward comes to them; a block needs the operations that its own weights are part of. */
static void list_first(builder *b, int64_t chunk)
{
  ss_stage_ops *ops = b->ops;
  const int64_t end = first_of(b, chunk + 1);
  int64_t waiting[SS_WEIGHTS];
  for (int weights = 0; weights < SS_WEIGHTS; ++weights) waiting[weights] = first_of(b, chunk);
  for (int64_t i = first_of(b, chunk); i < end; ++i)
    for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
      const ss_stage_op part = {.volume_bytes = first_bytes(b, i, weights),
                                .start = SS_OP_FIRST,
                                .kind = SS_ALL_GATHER,
                                .weights = (ss_weights)weights,
                                .chunk = (int32_t)chunk,
                                .block = (int32_t)i};
      if (!collect(b, &part, i == end - 1)) continue;
      for (; waiting[weights] <= i; ++waiting[weights])
        if (first_bytes(b, waiting[weights], weights) > 0.0) ops->needs[waiting[weights]] = (int32_t)ops->count;
    }
}

/* Where these may not run beside compute, every block needs all of them: without overlap_param_gather, the optimizer of
 * Megatron-LM awaits one after the other (step_with_ready_grads of megatron/core/optimizer/distrib_optimizer.py). */
static void list_all_first(builder *b, int64_t blocks)
{
  ss_stage_ops *ops = b->ops;
  for (int64_t i = 0; i < blocks; ++i) ops->needs[i] = 0;
  for (int64_t chunk = 0; chunk < b->job->chunks; ++chunk) list_first(b, chunk);
  for (int64_t i = 0; i < blocks && !b->job->overlaps_first; ++i) ops->needs[i] = (int32_t)ops->count;
  ops->first = ops->count;
}

/* Each class of weights by itself. */
static void list_ahead(builder *b, int64_t chunk, int64_t block)
{
  for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
    const double bytes = b->job->gather_bytes[b->kind[block]][weights];
    const ss_stage_op part = {.start = SS_OP_AHEAD,
                              .kind = SS_ALL_GATHER,
                              .weights = (ss_weights)weights,
                              .chunk = (int32_t)chunk,
                              .block = (int32_t)block};
    if (bytes > 0.0) list_all(b, &part, bytes);
  }
}

static void list_behind(builder *b, int64_t chunk, int64_t block)
{
  for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
    const ss_stage_op part = {.volume_bytes = b->job->reduce_bytes[b->kind[block]][weights],
                              .start = SS_OP_BEHIND,
                              .kind = b->job->data.reduction,
                              .weights = (ss_weights)weights,
                              .chunk = (int32_t)chunk,
                              .block = (int32_t)block};
    (void)collect(b, &part, block == first_of(b, chunk));
  }
}

static void list_blocks(builder *b, int64_t chunk)
{
  for (int64_t i = first_of(b, chunk + 1); i-- > first_of(b, chunk);) {
    b->ops->of_block[i] = (int32_t)b->ops->count;
    if (b->job->data.gathers_each_pass) list_ahead(b, chunk, i);
    list_behind(b, chunk, i);
  }
}

/* At most one for each class of weights is gathered, and two reduced, for each block. */
static ss_status allocate(ss_stage_ops *ops, int64_t blocks)
{
  const int64_t most = (int64_t)3 * SS_WEIGHTS * blocks + 1;
  ops->op = malloc((size_t)most * sizeof *ops->op + 2 * (size_t)blocks * sizeof *ops->of_block);
  if (ops->op == NULL) return SS_ERROR_MEMORY;
  ops->of_block = (int32_t *)(ops->op + most);
  ops->needs = ops->of_block + blocks;
  return SS_OK;
}

ss_status ss_stage_ops_init(ss_stage_ops *ops, const ss_job *job, int64_t stage)
{
  const int64_t *first = &job->block_first[stage * job->chunks], blocks = first[job->chunks] - first[0];
  *ops = (ss_stage_ops){.count = 0};
  if (!job->data.active) return SS_OK;
  if (allocate(ops, blocks) != SS_OK) return SS_ERROR_MEMORY;
  builder b = {.job = job,
               .chunk_first = first,
               .kind = &job->block_kind[first[0]],
               .copies = ss_weights_copies(job->workload),
               .ops = ops};
  for (int weights = 0; weights < SS_WEIGHTS; ++weights) b.shards[weights] = ss_job_shards(job, (ss_weights)weights);
  if (job->data.gathers_at_start) list_all_first(&b, blocks);
  for (int64_t chunk = 0; chunk < job->chunks; ++chunk) list_blocks(&b, chunk);
  ops->op[ops->count] = (ss_stage_op){.start = SS_OP_STARTS, .block = -1};
  return SS_OK;
}

void ss_stage_ops_free(ss_stage_ops *ops)
{
  free(ops->op);
  *ops = (ss_stage_ops){.count = 0};
}

ss_status ss_kept_ops_init(ss_job *job, int64_t stages)
{
  job->revision = 1;
  job->kept_ops = calloc((size_t)stages + 1, sizeof *job->kept_ops);
  if (job->kept_ops == NULL) return SS_ERROR_MEMORY;
  job->kept_ops[stages].revision = -1; /* ends the list */
  return SS_OK;
}

void ss_kept_ops_free(ss_job *job)
{
  for (ss_kept_ops *kept = job->kept_ops; kept != NULL && kept->revision >= 0; ++kept) ss_stage_ops_free(&kept->ops);
  free(job->kept_ops);
  job->kept_ops = NULL;
}

const ss_stage_ops *ss_job_stage_ops(const ss_job *job, int64_t stage)
{
  if (job->kept_ops == NULL) return NULL;
  ss_kept_ops *kept = &job->kept_ops[stage];
  if (kept->revision != job->revision) {
    ss_stage_ops_free(&kept->ops);
    SS_ASSERT(ss_stage_ops_init(&kept->ops, job, stage) == SS_OK);
    kept->revision = job->revision;
  }
  return &kept->ops;
}

const ss_stage_op *ss_stage_ops_of_block(const ss_stage_ops *ops, int64_t block, ss_op_start start)
{
  if (ops->op == NULL) return NULL;
  const ss_stage_op *op = &ops->op[ops->of_block[block]];
  while (op->block == block && op->start < start) ++op;
  return op->block == block && op->start == start ? op : NULL;
}

const ss_stage_op *ss_stage_ops_next(const ss_stage_op *op)
{
  return op[1].block == op->block && op[1].start == op->start ? op + 1 : NULL;
}

int64_t ss_stage_op_layer(const ss_job *job, int64_t stage, const ss_stage_op *op)
{
  const int64_t *first = &job->block_first[stage * job->chunks];
  return ss_job_block_layer(job, (ss_chunk){stage, op->chunk}, op->block - (first[op->chunk] - first[0]));
}
