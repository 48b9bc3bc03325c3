#include "model/block/mixer/sparse_core.h"

#include <math.h>

#include "model/base/number.h"

#define INDEX_BYTES 4.0 /* of a chosen token */
#define SCORE_BYTES 4.0

/* Scores that are in memory at once (_INDEXER_SCORE_CHUNK_MAX_BYTES), and heads that kernels take at least
 * (_get_head_padding, _pad_indexer_heads_for_backward). */
#define SCORES_AT_ONCE_BYTES 1073741824.0
#define HEADS_OF_BLOCK       64.0

/* A fused kernel, with what its vector units do as matrix work where the efficiency of its units does not have it. */
static ss_task fused(const ss_sparse_shape *s, ss_activity activity, ss_engine engine, double products_flop,
                     double vector_flop, double hbm_bytes)
{
  const bool measured = engine != SS_ENGINE_MATRIX;
  ss_task task =
      ss_kernel_task(activity, engine, products_flop + (measured ? 0.0 : s->vector_to_matrix * vector_flop), hbm_bytes);
  if (measured) task.kernel.shape = (ss_product_shape){.rows = s->queries, .columns = s->most, .inner = s->latent_size};
  return task;
}

static double rows_of(const ss_sparse_shape *s)
{
  return s->batch * s->queries;
}

/* Heads as the kernels have them. */
static double padded(double heads)
{
  return HEADS_OF_BLOCK * ceil(heads / HEADS_OF_BLOCK);
}

/* Queries and keys of attention, and of the indexer with its weights. */
static double latents_bytes(const ss_sparse_shape *s)
{
  return SS_ELEMENT_BYTES * s->latent_size * (rows_of(s) * s->heads + s->batch * s->keys);
}

static double index_elements(const ss_sparse_shape *s)
{
  return rows_of(s) * s->index_heads * (s->index_size + 1.0) + s->batch * s->keys * s->index_size;
}

static double choice_bytes(const ss_sparse_shape *s)
{
  return INDEX_BYTES * rows_of(s) * s->most;
}

ss_sparse_flop ss_sparse_flop_of(const ss_sparse_shape *s)
{
  const double logits = 2.0 * rows_of(s) * padded(s->heads) * s->chosen;
  return (ss_sparse_flop){.logits = logits * s->latent_size,
                          .attend = logits * s->value_size,
                          .scores = 2.0 * rows_of(s) * s->index_heads * s->scored * s->index_size,
                          .target = logits * s->latent_size,
                          .gradients = 3.0 * 2.0 * rows_of(s) * padded(s->index_heads) * s->most * s->index_size};
}

ss_operation ss_operation_index_scores(const ss_sparse_shape *s)
{
  const double logits = rows_of(s) * s->scored * s->index_heads;
  const double scores_bytes = SCORE_BYTES * rows_of(s) * s->keys;
  const double moved_bytes = SS_ELEMENT_BYTES * index_elements(s) + scores_bytes;
  return (ss_operation){
      .forward = fused(s, SS_OP_INDEX_SCORES, SS_ENGINE_MATRIX, ss_sparse_flop_of(s).scores, 3.0 * logits, moved_bytes),
      .scratch_bytes = ss_min(scores_bytes, SCORES_AT_ONCE_BYTES)};
}

ss_operation ss_operation_index_top_k(const ss_sparse_shape *s, bool keeps_scores)
{
  const double scores = rows_of(s) * s->keys, chosen = rows_of(s) * s->most;
  const double written_bytes = (INDEX_BYTES + (keeps_scores ? SCORE_BYTES : 0.0)) * chosen;
  return (ss_operation){
      .forward = ss_kernel_task(SS_OP_INDEX_TOP_K, SS_ENGINE_VECTOR, scores, SCORE_BYTES * scores + written_bytes)};
}

/* Latents are read from HBM once: queries beside one another choose many of the same. Backward has the products of
 * flash attention, and sums up gradients of latents in fp32. */
ss_operation ss_operation_sparse_attention(const ss_sparse_shape *s, bool owns_choice)
{
  const double rows = rows_of(s), logits = rows * padded(s->heads) * s->chosen, d = s->latent_size, v = s->value_size;
  const ss_sparse_flop flop = ss_sparse_flop_of(s);
  const double sums_bytes = SS_FP32_BYTES * rows * s->heads, latents = s->batch * s->keys * d;
  const double output_bytes = SS_ELEMENT_BYTES * rows * s->heads * v;
  const double read_bytes = latents_bytes(s) + choice_bytes(s);
  const double gradients_bytes =
      SS_ELEMENT_BYTES * rows * s->heads * d + (2.0 * SS_FP32_BYTES + SS_ELEMENT_BYTES) * latents;
  const double made_bytes = (owns_choice ? choice_bytes(s) : 0.0) + sums_bytes;
  return (ss_operation){
      .forward = fused(s, SS_OP_SPARSE_ATTENTION, s->forward, flop.logits + flop.attend, 4.0 * logits,
                       read_bytes + output_bytes + sums_bytes),
      .backward = fused(s, SS_OP_SPARSE_ATTENTION, s->backward, 3.0 * flop.logits + 2.0 * flop.attend, 9.0 * logits,
                        read_bytes + 2.0 * output_bytes + sums_bytes + gradients_bytes),
      .stored_bytes = latents_bytes(s) + made_bytes,
      .made_bytes = made_bytes,
      .result_bytes = output_bytes + sums_bytes,
  };
}

double ss_index_target_bytes(const ss_sparse_shape *s)
{
  return SCORE_BYTES * rows_of(s) * s->most;
}

ss_operation ss_operation_index_target(const ss_sparse_shape *s)
{
  const double logits = rows_of(s) * padded(s->heads) * s->chosen;
  const double moved_bytes =
      latents_bytes(s) + choice_bytes(s) + SS_FP32_BYTES * rows_of(s) * s->heads + ss_index_target_bytes(s);
  return (ss_operation){
      .forward = fused(s, SS_OP_INDEX_TARGET, s->forward, ss_sparse_flop_of(s).target, 3.0 * logits, moved_bytes)};
}

/* Bytes of a chosen token: softmax of the scores 4 + 4; the target over its sum 4 + 4 + 4; their divergence 4 + 4. */
ss_operation ss_operation_index_loss(const ss_sparse_shape *s)
{
  const double chosen = rows_of(s) * s->most;
  return (ss_operation){.forward = ss_kernel_task(SS_OP_INDEX_LOSS, SS_ENGINE_VECTOR, 12.0 * chosen, 28.0 * chosen)};
}

/* Logits once more, gradients of queries and of keys, of as many tokens for each query; the last are sums in fp32. */
ss_operation ss_operation_index_gradients(const ss_sparse_shape *s)
{
  const double logits = rows_of(s) * s->most * padded(s->index_heads), elements = index_elements(s);
  const double read_bytes = SS_ELEMENT_BYTES * elements + choice_bytes(s) + 2.0 * ss_index_target_bytes(s);
  const double sums_bytes = 2.0 * SS_FP32_BYTES * s->batch * s->keys * s->index_size;
  const double stored_bytes = SS_ELEMENT_BYTES * elements;
  return (ss_operation){
      .forward = fused(s, SS_OP_INDEX_GRADIENTS, SS_ENGINE_MATRIX, ss_sparse_flop_of(s).gradients, 5.0 * logits,
                       read_bytes + sums_bytes + stored_bytes),
      .backward = ss_kernel_task(SS_OP_INDEX_LOSS, SS_ENGINE_VECTOR, elements, 2.0 * SS_ELEMENT_BYTES * elements),
      .stored_bytes = stored_bytes,
      .made_bytes = stored_bytes,
  };
}
