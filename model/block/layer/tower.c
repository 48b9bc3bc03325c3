#include "model/block/layer/tower.h"

#include "model/block/feed_forward/feed_forward.h"
#include "model/block/products.h"
#include "model/input/tower.h"

/* From the sizes of the decoder to those of the tower. */
static void enter_tower(ss_builder *b)
{
  const ss_workload *w = b->workload;
  b->tp = (double)ss_tower_tp(w);
  b->split = ss_builder_tensor_split(b);
  b->tokens = ss_tower_own_patches(w);
  b->own_tokens = b->tokens / (b->sequence_parallel ? b->tp : 1.0);
  b->hidden = b->own_hidden = (double)w->model.vision_hidden;
  b->llama = b->rotary = w->model.vision_mlp != SS_MLP_GELU;
  b->biased = !b->llama;
  b->gated = b->dropout = false;
}

void ss_builder_add_patches(ss_builder *b)
{
  const ss_workload *w = b->workload;
  enter_tower(b);
  ss_builder_add_own(b, (ss_product){.activity = SS_OP_PATCHES,
                                     .in = (double)w->model.vision_patch,
                                     .out = b->hidden,
                                     .input_from = SS_SOURCE_OTHER,
                                     .gradient_from = SS_SOURCE_OTHER});
  b->operation[b->count - 1].backward = (ss_task){0};
  const double vectors = (double)w->model.vision_positions + (b->llama ? 0.0 : 1.0);
  if (vectors > 0.0)
    ss_builder_add(b, ss_operation_bias(SS_OP_POSITIONS, b->own_tokens * b->hidden, vectors * b->hidden));
}

/* Both products of an MLP, or one, which every rank has whole for the tokens that it has. */
static void add_products(ss_builder *b, double tokens, double own_tokens)
{
  const ss_workload *w = b->workload;
  const double in = ss_projector_width(w), inner = (double)w->model.vision_projector, out = (double)w->model.hidden;
  b->own_tokens = own_tokens;
  if (inner <= 0.0) {
    ss_builder_add_own(b, (ss_product){.activity = SS_OP_PROJECTOR,
                                       .in = in,
                                       .out = out,
                                       .input_from = SS_SOURCE_OTHER,
                                       .gradient_from = SS_SOURCE_OTHER});
    return;
  }
  ss_builder_add_column(b, (ss_product){.activity = SS_OP_PROJECTOR,
                                        .tokens = tokens,
                                        .in = in,
                                        .out = inner,
                                        .input_from = SS_SOURCE_OTHER,
                                        .gradient_from = SS_SOURCE_ACTIVATION});
  ss_builder_add_activation(b, SS_OP_ACTIVATION, tokens * inner / b->tp);
  ss_builder_add_row(b, (ss_product){.activity = SS_OP_PROJECTOR,
                                     .tokens = tokens,
                                     .in = inner,
                                     .out = out,
                                     .input_from = SS_SOURCE_ACTIVATION,
                                     .gradient_from = SS_SOURCE_OTHER});
}

/* Where each rank has all tokens, but the decoder only its share of the sequence, that of the gradients is gathered
 * (the other way of scatter_to_sequence_parallel_region of Megatron-LM): of a context-parallel rank those that are in
 * its part of the sequence. */
static void add_scatter(ss_builder *b, double bytes)
{
  const bool whole = !ss_tower_is_spread(b->workload) && b->sequence_parallel;
  ss_builder_add_exchange(b, (ss_call){.volume_bytes = 0.0},
                          (ss_call){SS_GROUP_TENSOR, SS_ALL_GATHER, whole ? bytes / b->context : 0.0});
}

/* Context-parallel ranks, in two steps where their groups are hierarchical, get the tokens of all images. Each has
 * gradients of those in its own part of the sequence: they are added up before each takes those of its own images
 * (AllGatherVisionEmbeddings of Megatron-Bridge). */
static void add_context_images(ss_builder *b, double bytes)
{
  const ss_group across = SS_GROUP_CONTEXT, inner = SS_GROUP_CONTEXT_INNER;
  ss_builder_add_exchange(b, (ss_call){across, SS_ALL_GATHER, bytes / b->exchangers},
                          (ss_call){across, SS_ALL_REDUCE, bytes});
  ss_builder_add_exchange(b, (ss_call){inner, SS_ALL_GATHER, bytes}, (ss_call){inner, SS_ALL_REDUCE, bytes});
}

/* Each rank gets the tokens of all images. Backward, where tensor-parallel ranks have encoded them, it has the
 * gradients of all, and takes those of its own. `bytes`: of the images that it has encoded, and of all. */
static void add_images(ss_builder *b, double own_bytes, double bytes)
{
  const ss_workload *w = b->workload;
  const ss_call none = {.volume_bytes = 0.0};
  const bool spread = ss_tower_is_spread(w), scattered = !spread && b->sequence_parallel;
  const double here = ss_tower_shares_over_context(w) ? bytes / b->context : bytes;
  ss_builder_add_exchange(b, (ss_call){SS_GROUP_VISION, SS_ALL_GATHER, scattered ? own_bytes : 0.0}, none);
  if (ss_tower_shares_over_tensor(w))
    ss_builder_add_exchange(b, (ss_call){SS_GROUP_VISION_COPIES, SS_ALL_GATHER, here}, none);
  const double ranks = spread && b->sequence_parallel ? b->split.ranks : 1.0;
  if (ss_tower_shares_over_context(w)) add_context_images(b, bytes / ranks);
}

/* The tokens of images that a rank puts into their places: all, or its share of them. */
static double placed_tokens(const ss_builder *b, double all_tokens)
{
  const bool share = ss_tower_is_spread(b->workload) && b->sequence_parallel;
  return all_tokens / (share ? b->split.ranks : 1.0);
}

void ss_builder_add_projector(ss_builder *b)
{
  const ss_workload *w = b->workload;
  enter_tower(b);
  const double merge = (double)w->model.vision_merge, own_tokens = b->own_tokens / merge;
  ss_builder_add_norm(b, SS_OP_FINAL_NORM, b->hidden);
  if (merge > 1.0 && w->model.vision_join == SS_NO)
    ss_builder_add(b, ss_operation_pooling(b->own_tokens * b->hidden, merge));
  add_products(b, b->tokens / merge, own_tokens);
  const double hidden = (double)w->model.hidden, all_tokens = (double)w->training.micro_batch * ss_tower_tokens(w);
  const double bytes = SS_ELEMENT_BYTES * all_tokens * hidden;
  b->tp = (double)w->parallelism.tp;
  add_images(b, SS_ELEMENT_BYTES * b->tokens / merge * hidden, bytes);
  ss_builder_add(b, ss_operation_concatenation(placed_tokens(b, all_tokens) * hidden));
  add_scatter(b, bytes);
}
