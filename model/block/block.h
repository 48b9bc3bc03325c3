/* A layer of the transformer as lists of tasks: what is computed, what is communicated, what is kept. Closed form and
 * replay both work from these lists, so nothing is counted twice. */
#ifndef STEPSIM_MODEL_BLOCK_BLOCK_H
#define STEPSIM_MODEL_BLOCK_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/collective/collective.h"
#include "model/input/workload.h"
#include "model/kernel/activity.h"
#include "model/kernel/cost.h"
#include "model/schedule/schedule.h"

#define SS_ELEMENT_BYTES 2.0 /* bf16 and fp16 */
#define SS_FP32_BYTES    4.0

/* A collective over one of the groups of a rank. */
typedef struct ss_call {
  ss_group group;
  ss_collective kind;
  double volume_bytes; /* as in ss_collective_rank_bytes; of the busiest group where they differ */
} ss_call;

#define SS_CALLS_MAX 4

/* What a task is for, where its activity occurs more than once in a pass: X(enumerator, "text"). */
#define SS_ROLE_LIST(X)                                                                                                \
  X(SS_ROLE_PLAIN, "")                                                                                                 \
  X(SS_ROLE_AGAIN, ", again")                                                                                          \
  X(SS_ROLE_INPUT, ", input gradient")                                                                                 \
  X(SS_ROLE_WEIGHTS, ", weight gradient")

typedef enum ss_role {
#define SS_ROLE_ID(id, text) id,
  SS_ROLE_LIST(SS_ROLE_ID)
#undef SS_ROLE_ID
} ss_role;

const char *ss_role_text(ss_role role);

/* One kernel, one collective, or a kernel with the collectives that run beside it, piece by piece. */
typedef struct ss_task {
  ss_activity activity;
  ss_role role;
  bool computes; /* there is a kernel */
  ss_kernel kernel;
  int64_t calls; /* collectives, one after the other; 0 for a kernel alone */
  ss_call call[SS_CALLS_MAX];
  ss_overlap overlap; /* with both: how they run side by side */
} ss_task;

#define SS_TASKS_MAX 192

typedef struct ss_task_list {
  int64_t count;
  ss_task task[SS_TASKS_MAX];
} ss_task_list;

/* What a chunk of a stage is made of: X(enumerator, activity, is a layer of the model, has experts, recomputes). */
#define SS_BLOCK_LIST(X)                                                                                               \
  X(SS_BLOCK_ENTRY, SS_ENTRY, false, false, false)                                                                     \
  X(SS_BLOCK_EMBEDDING, SS_EMBEDDING, false, false, false)                                                             \
  X(SS_BLOCK_LAYER, SS_LAYER, true, false, true)                                                                       \
  X(SS_BLOCK_LAYER_KEPT, SS_LAYER, true, false, false)                                                                 \
  X(SS_BLOCK_EXPERT, SS_EXPERT_LAYER, true, true, true)                                                                \
  X(SS_BLOCK_EXPERT_KEPT, SS_EXPERT_LAYER, true, true, false)                                                          \
  X(SS_BLOCK_HEAD, SS_HEAD, false, false, false)                                                                       \
  X(SS_BLOCK_EXIT, SS_EXIT, false, false, false)

typedef enum ss_block_kind {
#define SS_BLOCK_ID(id, activity, layer, experts, recomputes) id,
  SS_BLOCK_LIST(SS_BLOCK_ID)
#undef SS_BLOCK_ID
      SS_BLOCK_COUNT
} ss_block_kind;

typedef struct ss_block_traits {
  ss_activity activity;
  bool layer;      /* of the model, with a number */
  bool experts;    /* its feed-forward part is a mixture of experts */
  bool recomputes; /* does what training.recompute says */
} ss_block_traits;

const ss_block_traits *ss_block_traits_of(ss_block_kind kind);

/* Weights by the replicas that hold the same: X(enumerator). Dense ones all replicas, experts those of one
 * expert-parallel rank. */
typedef enum ss_weights { SS_WEIGHTS_DENSE, SS_WEIGHTS_EXPERT, SS_WEIGHTS } ss_weights;

/* One block on one GPU, for one micro-batch; it is the GPU with the most to do where they differ. */
typedef struct ss_block {
  ss_block_kind kind;
  ss_task_list *list; /* [SS_PASSES] in the order they run; backward starts with what is recomputed; the weight
                         pass is empty unless the schedule splits backward; belongs to whoever builds */
  double parameters[SS_WEIGHTS]; /* on this GPU, before any sharding over replicas */
  double stored_bytes;           /* activations kept from forward to backward */
  double working_bytes;          /* what recomputation needs on top, while the block runs backward */
  double deferred_bytes;         /* kept from backward to the weight gradients, where backward is split */
  double logits_bytes;           /* of stored_bytes: logits of the output layer */
} ss_block;

/* Bytes per parameter of a gradient as it is added up, kept and reduced. */
double ss_gradient_bytes(const ss_workload *workload, ss_cost cost);

/* Gradients of such weights are sharded and leave in every pass: only shards of them are added up. */
bool ss_gradients_leave(const ss_workload *workload, ss_weights weights);

/* Makes a block of nothing, with room for its tasks in `list` [SS_PASSES]. That is long: only lengths are cleared. */
void ss_block_clear(ss_block *block, ss_block_kind kind, ss_task_list *list);

/* Builds a block, cleared before, for a GPU with `tp` x (`tp2` or `cp`) ranks in its layers: shapes from the workload,
 * operations by the cost model. Only the machine's rates are used (softmax inside fused attention is charged as matrix
 * work). Equations: arXiv 2410.00273 tables I to III (1D, 2D, SUMMA); activations: arXiv 2205.05198 section 4. */
void ss_block_build(const ss_workload *workload, ss_cost cost, const ss_machine *machine, ss_block *block);

#endif
