/* A block of a stage - a layer of the transformer, a module, or an end of the model - as lists of tasks: what is
 * computed, what is communicated, what is kept. Closed form and replay both work from these lists, so nothing is
 * counted twice. */
#ifndef STEPSIM_MODEL_BLOCK_BLOCK_H
#define STEPSIM_MODEL_BLOCK_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/block/task.h"
#include "model/input/words.h"
#include "model/kernel/cost.h"
#include "model/schedule/pass.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* A set of kinds of blocks. */
typedef uint64_t ss_block_set;
#define SS_BLOCK_BIT(kind) ((ss_block_set)1 << (kind))

/* A layer has a second block, KEPT, for those that training.recompute-layers or training.offload-layers leave out: they
 * recompute nothing, are in a group of which another one keeps the input, or are not offloaded. */

/* Layers of the n-th kind of a model with several (model/input/layer_kinds.h). */
#define SS_BLOCKS_OF_KIND(X, n)                                                                                        \
  X(SS_BLOCK_KIND_##n, SS_LAYER, true, false, true, false)                                                             \
  X(SS_BLOCK_KIND_##n##_KEPT, SS_LAYER, true, false, false, false)

/* What a chunk of a stage is made of: X(enumerator, activity, is a layer of the decoder, has experts, recomputes, is a
 * module). */
#define SS_BLOCK_LIST(X)                                                                                               \
  X(SS_BLOCK_ENTRY, SS_ENTRY, false, false, false, false)                                                              \
  X(SS_BLOCK_PATCHES, SS_PATCHES, false, false, false, false)                                                          \
  X(SS_BLOCK_VISION, SS_VISION_LAYER, false, false, true, false)                                                       \
  X(SS_BLOCK_VISION_KEPT, SS_VISION_LAYER, false, false, false, false)                                                 \
  X(SS_BLOCK_WINDOWS, SS_VISION_LAYER, false, false, true, false)                                                      \
  X(SS_BLOCK_WINDOWS_KEPT, SS_VISION_LAYER, false, false, false, false)                                                \
  X(SS_BLOCK_PROJECTOR, SS_PROJECTOR, false, false, false, false)                                                      \
  X(SS_BLOCK_EMBEDDING, SS_EMBEDDING, false, false, false, false)                                                      \
  X(SS_BLOCK_AMAX_GRADIENTS, SS_AMAX_GRADIENTS, false, false, false, false)                                            \
  X(SS_BLOCK_LAYER, SS_LAYER, true, false, true, false)                                                                \
  X(SS_BLOCK_LAYER_KEPT, SS_LAYER, true, false, false, false)                                                          \
  X(SS_BLOCK_EXPERT, SS_EXPERT_LAYER, true, true, true, false)                                                         \
  X(SS_BLOCK_EXPERT_KEPT, SS_EXPERT_LAYER, true, true, false, false)                                                   \
  SS_BLOCKS_OF_KIND(X, 0)                                                                                              \
  SS_BLOCKS_OF_KIND(X, 1)                                                                                              \
  SS_BLOCKS_OF_KIND(X, 2)                                                                                              \
  SS_BLOCKS_OF_KIND(X, 3)                                                                                              \
  SS_BLOCKS_OF_KIND(X, 4)                                                                                              \
  SS_BLOCKS_OF_KIND(X, 5)                                                                                              \
  SS_BLOCKS_OF_KIND(X, 6)                                                                                              \
  SS_BLOCKS_OF_KIND(X, 7)                                                                                              \
  X(SS_BLOCK_NEXT, SS_NEXT, false, false, false, false)                                                                \
  X(SS_BLOCK_MODULE, SS_MODULE, true, false, true, true)                                                               \
  X(SS_BLOCK_MODULE_KEPT, SS_MODULE, true, false, false, true)                                                         \
  X(SS_BLOCK_AMAX_VALUES, SS_AMAX_VALUES, false, false, false, false)                                                  \
  X(SS_BLOCK_HEAD, SS_HEAD, false, false, false, false)                                                                \
  X(SS_BLOCK_EXIT, SS_EXIT, false, false, false, false)

typedef enum ss_block_kind {
#define SS_BLOCK_ID(id, activity, layer, experts, recomputes, module) id,
  SS_BLOCK_LIST(SS_BLOCK_ID)
#undef SS_BLOCK_ID
      SS_BLOCK_COUNT
} ss_block_kind;

/* Takes the first kind out of a set that is not empty. */
static inline ss_block_kind ss_block_take(ss_block_set *kinds)
{
  const ss_block_kind first = (ss_block_kind)__builtin_ctzll(*kinds);
  *kinds &= *kinds - 1;
  return first;
}

typedef struct ss_block_traits {
  ss_activity activity;
  bool layer;      /* a layer of the decoder, or a module, which has one; with a number */
  bool experts;    /* the feed-forward part of the layer is a mixture of experts; that of a module is like the last's */
  bool recomputes; /* does what training.recompute says; not left out by recompute-layers or offload-layers */
  bool module;     /* multi-token-prediction module */
} ss_block_traits;

/* The traits of a kind of blocks; static. */
const ss_block_traits *ss_block_traits_of(ss_block_kind kind);

/* The kinds of blocks that are layers of a vision tower, those of them that look at windows, those that are frozen
 * where the tower is, and all of the tower with what joins it to the decoder. */
#define SS_BLOCKS_OF_WINDOWS (SS_BLOCK_BIT(SS_BLOCK_WINDOWS) | SS_BLOCK_BIT(SS_BLOCK_WINDOWS_KEPT))
#define SS_BLOCKS_OF_VISION  (SS_BLOCK_BIT(SS_BLOCK_VISION) | SS_BLOCK_BIT(SS_BLOCK_VISION_KEPT) | SS_BLOCKS_OF_WINDOWS)
#define SS_BLOCKS_TO_FREEZE  (SS_BLOCK_BIT(SS_BLOCK_PATCHES) | SS_BLOCKS_OF_VISION)
/* Kinds whose weights are the first that tokens meet: where only adapters are trained, they go forward only. */
#define SS_BLOCKS_OF_TABLE (SS_BLOCK_BIT(SS_BLOCK_EMBEDDING) | SS_BLOCK_BIT(SS_BLOCK_NEXT))
#define SS_BLOCKS_OF_TOWER (SS_BLOCKS_TO_FREEZE | SS_BLOCK_BIT(SS_BLOCK_PROJECTOR))

/* Layers of the n-th kind of a model with several, and which these are; below 0 for other blocks. */
ss_block_kind ss_block_of_kind(int64_t n, bool recomputes);
int64_t ss_block_kind_index(ss_block_kind kind);

/* Weights by the replicas that hold the same: dense ones all replicas, experts those of one expert-parallel rank. */
typedef enum ss_weights { SS_WEIGHTS_DENSE, SS_WEIGHTS_EXPERT, SS_WEIGHTS } ss_weights;

/* The axis of a matrix that the ranks of a group share out. */
typedef enum ss_cut_axis { SS_CUT_NONE, SS_CUT_ROWS, SS_CUT_COLUMNS } ss_cut_axis;

typedef struct ss_cut {
  ss_cut_axis axis;
  ss_group group;
  double ranks;
} ss_cut;

/* So many equal matrices of weights of a linear layer, as a GPU has them: inputs by outputs. */
typedef struct ss_matrix {
  double rows, columns, count;
  ss_weights weights;
  ss_cut cut;
} ss_matrix;

#define SS_MATRICES_MAX 20

/* One block on one GPU, for one micro-batch; it is the GPU with the most to do where they differ. */
typedef struct ss_block {
  ss_block_kind kind;
  bool frozen;        /* goes forward only */
  bool shares_table;  /* the table that it uses is counted in another block of its stage; said by whoever builds */
  ss_task_list *list; /* [SS_PASSES] in the order they run; backward has what is recomputed; the weight pass is empty
                         unless the schedule splits backward; belongs to whoever builds */
  double parameters[SS_WEIGHTS]; /* on this GPU, before any sharding over replicas */
  double trained[SS_WEIGHTS];    /* of these, those that get gradients */
  double stored_bytes;           /* activations kept from forward to backward */
  double offload_bytes;          /* of these, what training.offload-activations moves to the second tier */
  double working_bytes;          /* what recomputation needs on top, while the block runs backward */
  double scratch_bytes;          /* what an operation needs on top while it runs, at most */
  double adapter_flop;           /* of products of adapters, forward, 2 for a parameter and token */
  double again_flop; /* of products and scans that backward runs again: of whole layers, or but for some operations */
  double deferred_bytes; /* kept from backward to the weight gradients, where backward is split */
  double logits_bytes;   /* of stored_bytes: logits of the output layer */
  int64_t matrices;
  ss_matrix matrix[SS_MATRICES_MAX]; /* [matrices] of the parameters, those of a layer that are matrices; last, so that
                                        a copy can leave the rest out */
} ss_block;

/* Bytes of a block that are in use: a copy of these is a copy of the block. */
static inline size_t ss_block_used_bytes(const ss_block *block)
{
  return offsetof(ss_block, matrix) + (size_t)block->matrices * sizeof block->matrix[0];
}

/* The precision of the products of a kind of blocks: ends of the model and vision towers have 16 bits, but for an
 * output layer that is as layers are. */
ss_precision ss_block_precision(const ss_workload *workload, ss_block_kind kind);

/* The same of the products of a class of weights: those of routed experts may stay in 16 bits. */
ss_precision ss_weights_precision(const ss_workload *workload, ss_block_kind kind, ss_weights weights);

/* Bytes per parameter of a gradient as it is added up, kept and reduced. */
double ss_gradient_bytes(const ss_workload *workload, ss_cost cost);

/* Columns of a norm over rows of `width` on one GPU: all, or with summa the share of one of tp ranks. */
double ss_norm_columns(const ss_workload *workload, ss_cost cost, double width);

/* Makes a block of nothing, with room for its tasks in `list` [SS_PASSES]. That is long: only lengths are cleared. */
void ss_block_clear(ss_block *block, ss_block_kind kind, ss_task_list *list);

#endif
