/* A layer of the transformer as a list of tasks: what is computed, what is communicated, what is kept. Closed form and
 * replay both work from these lists, so nothing is counted twice. */
#ifndef STEPSIM_MODEL_BLOCK_H
#define STEPSIM_MODEL_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/activity.h"
#include "model/collective.h"
#include "model/cost.h"
#include "model/workload.h"

/* One kernel, or one collective over the tensor-parallel group. */
typedef struct ss_task {
  ss_activity activity;
  bool collective;        /* else a kernel */
  bool matrix;            /* kernel: runs at the matrix rate, else the vector rate */
  double flop, hbm_bytes; /* kernel */
  ss_collective kind;     /* collective */
  double volume_bytes;    /* collective: full, gathered size */
} ss_task;

#define SS_TASKS_MAX 64

typedef struct ss_task_list {
  int64_t count;
  ss_task task[SS_TASKS_MAX];
} ss_task_list;

/* X(enumerator, activity): what a stage is made of. */
#define SS_BLOCK_LIST(X) X(SS_BLOCK_EMBEDDING, SS_EMBEDDING) X(SS_BLOCK_LAYER, SS_LAYER) X(SS_BLOCK_HEAD, SS_HEAD)

typedef enum ss_block_kind {
#define SS_BLOCK_ID(id, activity) id,
  SS_BLOCK_LIST(SS_BLOCK_ID)
#undef SS_BLOCK_ID
      SS_BLOCK_COUNT
} ss_block_kind;

ss_activity ss_block_activity(ss_block_kind kind);

/* One block on one GPU, for one micro-batch. */
typedef struct ss_block {
  ss_block_kind kind;
  ss_task_list forward, backward; /* in the order they run; backward starts with what is recomputed */
  double parameters;              /* on this GPU, before any sharding over replicas */
  double stored_bytes;            /* activations kept from forward to backward */
  double working_bytes;           /* what recomputation needs on top, while the block runs backward */
} ss_block;

/* Builds a block for a GPU of a tensor-parallel group: shapes from the workload, fusion by the cost model.
 * `vector_to_matrix` is matrix rate / vector rate: softmax inside fused attention is charged as so much matrix work.
 * Equations: arXiv 2410.00273 tables I and II; activations: arXiv 2205.05198 section 4. */
void ss_block_build(const ss_workload *workload, ss_cost cost, double vector_to_matrix, ss_block_kind kind,
                    ss_block *block);

#endif
