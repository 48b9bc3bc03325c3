#include "model/block/mixer/latent_attention.h"

#include "model/block/adapter.h"
#include "model/block/products.h"
#include "model/block/recomputation.h"
#include "model/input/workload.h"

/* Each tensor-parallel rank has the way down whole, for its own tokens. */
static void add_query_latents(ss_builder *b, double q_rank)
{
  ss_builder_add_own(b, (ss_product){.activity = SS_OP_Q_DOWN,
                                     .tokens = b->tokens,
                                     .in = b->hidden,
                                     .out = q_rank,
                                     .input_from = SS_SOURCE_OTHER, /* a norm of its own */
                                     .gradient_from = SS_SOURCE_OTHER,
                                     .reads_norm = true});
  ss_builder_add_norm(b, SS_OP_LATENT_NORM, q_rank);
}

/* `carried` columns are gathered beside what the product reads. */
static void add_queries(ss_builder *b, const ss_attention_shape *shape, double carried)
{
  const double q_rank = (double)b->workload->model.q_rank;
  ss_builder_add_column(b, (ss_product){.activity = SS_OP_Q_UP,
                                        .tokens = b->tokens,
                                        .in = q_rank > 0.0 ? q_rank : b->hidden,
                                        .out = shape->heads * b->tp * shape->head_size,
                                        .input_from = q_rank > 0.0 ? SS_SOURCE_NORM : SS_SOURCE_OTHER,
                                        .gradient_from = SS_SOURCE_OTHER,
                                        .carried = carried,
                                        .reads_norm = q_rank == 0.0});
}

ss_operations ss_builder_add_latent_queries(ss_builder *b, const ss_attention_shape *shape)
{
  const double q_rank = (double)b->workload->model.q_rank;
  if (q_rank > 0.0) {
    add_query_latents(b, q_rank);
    ss_builder_keep_input(b, SS_RECOMPUTE_MLA_UP_PROJ,
                          SS_ELEMENT_BYTES * b->own_tokens * ss_norm_columns(b->workload, b->cost, q_rank));
  } else {
    (void)ss_builder_open(b, SS_RECOMPUTE_MLA_UP_PROJ);
  }
  const int64_t first = b->count;
  add_queries(b, shape, 0.0);
  return (ss_operations){first, b->count};
}

void ss_builder_add_low_queries(ss_builder *b, const ss_attention_shape *shape)
{
  const double pairs = (double)b->workload->model.kv_heads * (shape->head_size + shape->value_size);
  add_query_latents(b, (double)b->workload->model.q_rank);
  ss_builder_add_own(b, (ss_product){.activity = SS_OP_QKV,
                                     .tokens = b->tokens,
                                     .in = b->hidden,
                                     .out = pairs,
                                     .shares_input = true,
                                     .input_from = SS_SOURCE_OTHER,
                                     .gradient_from = SS_SOURCE_OTHER,
                                     .reads_norm = true});
  add_queries(b, shape, pairs);
}

/* The way down reads what that of the queries keeps; or, where the queries have none and make theirs again, what they
 * keep for that, if it has the format. */
static bool shares_queries_input(const ss_builder *b)
{
  const bool again = b->workload->model.q_rank == 0 && ss_builder_recomputes(b, SS_RECOMPUTE_MLA_UP_PROJ);
  return !again || b->recipe->weight_gradient == SS_FORMAT_16BIT;
}

void ss_builder_add_latents(ss_builder *b)
{
  const double kv_rank = (double)b->workload->model.kv_rank, rope = (double)b->workload->model.rope_size;
  ss_builder_add_own(b, (ss_product){.activity = SS_OP_KV_DOWN,
                                     .in = b->hidden,
                                     .out = kv_rank + rope,
                                     .input_from = SS_SOURCE_OTHER,
                                     .gradient_from = SS_SOURCE_OTHER,
                                     .shares_input = shares_queries_input(b),
                                     .kept_16bit = ss_builder_adapts(b, SS_OP_Q_DOWN),
                                     .reads_norm = true});
  ss_builder_add_norm(b, SS_OP_LATENT_NORM, kv_rank);
}

ss_operations ss_builder_add_keys_and_values(ss_builder *b, const ss_attention_shape *shape)
{
  const double heads = shape->heads * b->tp, rope = (double)b->workload->model.rope_size;
  const double kv_rank = (double)b->workload->model.kv_rank;
  ss_builder_add_latents(b);
  const double latents = b->own_tokens * ss_norm_columns(b->workload, b->cost, kv_rank);
  ss_builder_keep_input(b, SS_RECOMPUTE_MLA_UP_PROJ, SS_ELEMENT_BYTES * (latents + b->tokens * rope));
  const int64_t first = b->count;
  ss_builder_add_column(b, (ss_product){.activity = SS_OP_KV_UP,
                                        .tokens = b->tokens,
                                        .in = kv_rank,
                                        .out = heads * ((double)b->workload->model.head_size + shape->value_size),
                                        .gradient_from = SS_SOURCE_OTHER,
                                        .carried = rope});
  ss_builder_add_rotary(b, (shape->heads + 1.0) * rope * b->tokens);
  return (ss_operations){first, b->count};
}
