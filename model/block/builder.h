/* Collects the operations of a block: local sizes of one GPU, and the rows that depend on how products are laid out. */
#ifndef STEPSIM_MODEL_BLOCK_BUILDER_H
#define STEPSIM_MODEL_BLOCK_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/block/block.h"
#include "model/block/operation.h"

#define SS_OPERATIONS_MAX 192
#define SS_REGIONS_MAX    32

/* Operations [first, end) of a block. */
typedef struct ss_operations {
  int64_t first, end;
} ss_operations;

/* Operations [first, end) that run forward again in backward, before the gradients of operation `before` - 1, or of the
 * last one; what they make again is there from then on (model/block/recomputation.h). */
typedef struct ss_region {
  int64_t first, end, before;
  double remade_bytes;
  bool gathers; /* of them, only what they gather, where that is not kept */
} ss_region;

/* Ranks that a product is split over. Where each of them has tokens of its own, these are gathered. */
typedef struct ss_split {
  ss_group group;
  double ranks;
  bool gathers;
  bool regathers; /* products keep the shard of their input, and gather it again for the gradients of their weights */
  bool gathers_operands; /* ranks quantise before they gather */
  ss_tp_overlap overlap; /* of collectives and products */
} ss_split;

typedef struct ss_builder {
  const ss_workload *workload;
  const ss_machine *machine;
  ss_cost cost;
  ss_cost_traits traits;
  double vector_to_matrix;
  double tp, context; /* context: cp, or tp2 of 2d and summa */
  double exchangers;  /* neighbours of the context-parallel group that exchange heads; 1 unless it is hierarchical */
  ss_group tensor;    /* the tensor-parallel group, or in a vision tower the part of it that splits this */
  ss_group sequence;  /* the group along the sequence: context-parallel, or the second tensor-parallel one */
  double tokens;      /* of a micro-batch on the ranks of a tensor-parallel group, b l / context */
  double own_tokens;  /* of these, those whose norms and dropout this rank computes: fewer with sequence parallelism */
  double hidden;      /* the model's, and what this rank has of it: less with summa */
  double own_hidden;
  double streams;        /* residual streams, between layers */
  double gradient_bytes; /* per parameter, of the sum over micro-batches */
  bool sequence_parallel, summa;
  bool shares_table; /* as in ss_block */
  bool adapts;       /* weights get no gradients but for those of adapters (training.lora-rank) */
  bool transposes;   /* frozen weights, ahead of gradients of inputs */
  bool dropout;
  bool llama;             /* RMSNorm */
  bool rotary;            /* embedding of queries and keys */
  bool biased;            /* products are */
  bool gated;             /* MLPs have a third matrix, a gate */
  bool fused;             /* element-wise chains are one kernel */
  bool cudnn_norms;       /* kernels of norms are those of cuDNN */
  ss_precision precision; /* of the products of this block */
  const ss_recipe *recipe;
  bool casts;       /* what they read is quantised by kernels of their own, unless the kernel before does it */
  bool shares_copy; /* all products read the copy of an operand along its rows */
  ss_format attention_format;                      /* of queries, keys and values as fused attention reads them */
  ss_engine attention_forward, attention_backward; /* its units; SS_ENGINE_MATRIX: its efficiency is not known */
  ss_split split;               /* of products: over the tensor-parallel ranks, or in experts over those of an expert */
  bool layer, recomputes;       /* as in ss_block_traits */
  bool graphed;                 /* what is added is in a CUDA graph */
  int64_t sum_first;            /* operation of a part of a layer that makes its input of streams */
  int64_t norm_first, norm_end; /* operations of the input norm that was added last */
  int64_t count, regions;
  ss_operation operation[SS_OPERATIONS_MAX];
  ss_region region[SS_REGIONS_MAX];
} ss_builder;

/* Starts the operations of `block`: the local sizes of one GPU, and what the cost model makes of the workload. */
void ss_builder_start(ss_builder *b, const ss_workload *workload, ss_cost cost, const ss_machine *machine,
                      const ss_block *block);

/* How products are split in layers of attention, over the tensor-parallel ranks, and in experts. */
ss_split ss_builder_tensor_split(const ss_builder *b);
ss_split ss_builder_expert_split(const ss_builder *b);

/* From here on products compute in another format, or in that of the block again. */
void ss_builder_compute_in(ss_builder *b, ss_precision precision);

/* Whether products read tokens of several ranks. */
static inline bool ss_builder_gathers(const ss_builder *b)
{
  return b->split.gathers && b->split.ranks > 1.0;
}

/* Whether products keep their input as it was gathered, beside what this rank had of it. */
bool ss_builder_keeps_gathered(const ss_builder *b);

/* How the ranks that a product is split over share its matrix out: along an axis, if there are several. */
ss_cut ss_builder_cut(const ss_builder *b, ss_cut_axis axis);

/* Whether the block does what selective recomputation says; whether it then recomputes a module of
 * training.recompute-modules. */
bool ss_builder_is_selective(const ss_builder *b);
bool ss_builder_recomputes(const ss_builder *b, ss_recompute_module module);

/* Appends a region; there is room for SS_REGIONS_MAX. */
void ss_builder_add_region(ss_builder *b, ss_region region);

/* What is added from here on belongs to a module of training.graphs. */
void ss_builder_enter(ss_builder *b, ss_graph_module module);

/* Appends an operation, whose parameters get no gradients where adapters are trained; there is room for
 * SS_OPERATIONS_MAX. */
void ss_builder_add(ss_builder *b, ss_operation operation);

/* Appends one whose parameters get gradients. */
void ss_builder_add_trained(ss_builder *b, ss_operation operation);

/* Joins a collective to a task, unless it carries nothing or its group is one rank. */
void ss_builder_join(const ss_builder *b, ss_task *task, ss_call call, ss_overlap overlap);

/* Adds collectives by themselves: one forward, one backward; one of no bytes is left out. */
void ss_builder_add_exchange(ss_builder *b, ss_call forward, ss_call backward);

/* A norm of `rows` rows of `width` as the framework runs it: one kernel or a chain of them. */
ss_operation ss_builder_norm(const ss_builder *b, ss_activity activity, double rows, double width, double parameters);

/* Adds a norm over rows of `width` of the model, on this rank's share. */
void ss_builder_add_norm(ss_builder *b, ss_activity activity, double width);

/* Whether gradients of biases are sums in kernels of their own, beside other chains that are fused. */
bool ss_builder_sums_biases(const ss_builder *b);

/* Whether each matrix of what reads the same tokens has a product of its own (training.projections). */
bool ss_builder_separates(const ss_builder *b);

/* Adds a rotary embedding of `elements` of queries and keys. */
void ss_builder_add_rotary(ss_builder *b, double elements);

/* Adds the norm of what attention or a feed-forward part adds to the residual, where the model has one. */
void ss_builder_add_post_norm(ss_builder *b, ss_activity activity);

#endif
