#include "model/block/mixer/sparse_attention.h"

#include "model/block/mixer/attended.h"
#include "model/block/mixer/indexer.h"
#include "model/block/mixer/latent_attention.h"
#include "model/block/products.h"
#include "model/block/recomputation.h"
#include "model/input/workload.h"

double ss_index_parameters(const ss_workload *workload)
{
  const double heads = (double)workload->model.index_heads, size = (double)workload->model.index_head_size;
  if (heads == 0.0 || workload->model.index_top_k == 0) return 0.0;
  return ss_index_source(workload) * heads * size + (double)workload->model.hidden * (size + heads);
}

/* The indexer scores all that attention would look at if nothing were chosen. */
ss_sparse_shape ss_sparse_shape_of(const ss_workload *workload, double tp, double context)
{
  const double tokens = (double)workload->model.sequence;
  const ss_workload whole = ss_workload_without_choice(workload);
  return (ss_sparse_shape){
      .batch = (double)workload->training.micro_batch,
      .queries = tokens / context,
      .keys = tokens,
      .heads = (double)workload->model.heads / tp,
      .latent_size = (double)(workload->model.kv_rank + workload->model.rope_size),
      .value_size = (double)workload->model.kv_rank,
      .chosen = ss_attention_share(workload, context) * ss_attention_span(workload, tokens),
      .most = (double)ss_workload_most_keys(workload),
      .index_heads = (double)workload->model.index_heads,
      .index_size = (double)workload->model.index_head_size,
      .scored = ss_attention_share(&whole, context) * ss_attention_span(workload, tokens),
  };
}

static ss_call gather(ss_group group, double elements)
{
  return (ss_call){group, SS_ALL_GATHER, SS_ELEMENT_BYTES * elements};
}

static ss_call reduction(ss_group group, double elements)
{
  return (ss_call){group, SS_REDUCE_SCATTER, SS_ELEMENT_BYTES * elements};
}

/* All ranks along the sequence have all tokens of what is gathered, in its order again; gradients are reduced. */
static void add_context_gather(ss_builder *b, double width, bool has_gradient)
{
  const double elements = (double)b->workload->training.micro_batch * (double)b->workload->model.sequence * width;
  if (b->context <= 1.0) return;
  ss_builder_add_exchange(b, gather(b->sequence, elements), reduction(b->sequence, has_gradient ? elements : 0.0));
  ss_builder_add(b, ss_operation_copy(SS_OP_COPY, elements, has_gradient ? elements : 0.0));
}

/* Each tensor-parallel rank has all of it, for all tokens of the group. */
static void add_index_products(ss_builder *b)
{
  const ss_workload *w = b->workload;
  const double heads = (double)w->model.index_heads, size = (double)w->model.index_head_size;
  const bool shared = !ss_builder_gathers(b), has_latent = w->model.q_rank > 0;
  ss_product product = ss_index_product(b);
  product.shares_input = product.reads_norm = shared;
  ss_product queries = product, keys = product, weights = product;
  queries.in = ss_index_source(w);
  queries.out = heads * size;
  queries.reads_norm = shared && !has_latent;
  keys.out = size;
  keys.shares_input = shared || !has_latent;
  weights.out = heads;
  weights.shares_input = true;
  const double gathered = b->hidden + (has_latent ? queries.in : 0.0);
  if (!shared) ss_builder_add_exchange(b, gather(b->split.group, b->tokens * gathered), (ss_call){0});
  ss_builder_add_own(b, queries);
  ss_builder_add_own(b, keys);
  ss_builder_add_own(b, weights);
}

/* Rotary parts of index queries and keys are put in front of the others, in another tensor. */
static void add_index_rotary(ss_builder *b)
{
  const ss_workload *w = b->workload;
  const double vectors = b->tokens * ((double)w->model.index_heads + 1.0), size = (double)w->model.index_head_size;
  const double rope = (double)w->model.rope_size;
  ss_builder_add_index_part(b, ss_operation_rotary(vectors * (rope < size ? rope : size)));
  ss_builder_add_index_part(b, ss_operation_concatenation(vectors * size));
}

static void add_indexer(ss_builder *b, const ss_sparse_shape *s)
{
  add_index_products(b);
  ss_builder_add_index_part(b, ss_operation_norm(SS_OP_INDEX_NORM, b->tokens, s->index_size, 2.0 * s->index_size));
  add_index_rotary(b);
  add_context_gather(b, s->index_size, ss_index_learns(b));
  ss_builder_add_index_choice(b, s);
}

/* What the core makes is made again where it is recomputed; queries where their up-projections are, and latents stay.
 */
static void add_attention(ss_builder *b, const ss_sparse_shape *s)
{
  ss_operation attention = ss_operation_sparse_attention(s, s->index_heads > 0.0);
  const double queries_bytes = SS_ELEMENT_BYTES * s->batch * s->queries * s->heads * s->latent_size;
  if (ss_builder_recomputes(b, SS_RECOMPUTE_CORE_ATTN)) attention.remade_bytes += attention.made_bytes;
  if (ss_builder_recomputes(b, SS_RECOMPUTE_MLA_UP_PROJ)) attention.remade_bytes += queries_bytes;
  ss_builder_add(b, attention);
}

/* DSAttention of dsa.py, with the indexer inside. */
static void add_core(ss_builder *b, const ss_sparse_shape *s)
{
  const int64_t first = b->count;
  const bool recomputes = ss_builder_recomputes(b, SS_RECOMPUTE_CORE_ATTN), indexes = s->index_heads > 0.0;
  add_context_gather(b, s->latent_size, true);
  if (indexes) add_indexer(b, s);
  if (recomputes) ss_builder_remake(b, first, b->count);
  add_attention(b, s);
  const int64_t behind = b->count;
  if (indexes) ss_builder_add_index_loss(b, s);
  if (recomputes) ss_builder_remake(b, behind, b->count);
  ss_builder_offload(b, SS_OFFLOAD_CORE_ATTN, first);
  if (recomputes) ss_builder_run_again(b, first, b->count);
}

/* Matrices that make keys of latents are those of the queries instead, one for each head, and those that make values of
 * them are behind the core (AbsorbedMLASelfAttention of absorbed_mla.py): both are of one parameter, linear_kv_up_proj.
 * Rotary parts are put beside. */
static ss_operations add_queries(ss_builder *b, const ss_attention_shape *shape, const ss_sparse_shape *s)
{
  const double rope = (double)b->workload->model.rope_size, size = (double)b->workload->model.head_size;
  const ss_matrix both = {.rows = s->value_size,
                          .columns = s->heads * (size + shape->value_size),
                          .count = 1.0,
                          .cut = ss_builder_cut(b, SS_CUT_COLUMNS)};
  const ss_operations up = ss_builder_add_latent_queries(b, shape);
  ss_builder_add_by_head(
      b, s->heads, (ss_product){.activity = SS_OP_KV_UP, .tokens = b->tokens, .in = size, .out = s->value_size}, both);
  ss_builder_add_rotary(b, (s->heads + 1.0) * rope * b->tokens);
  ss_builder_add(b, ss_operation_concatenation(b->tokens * s->heads * s->latent_size));
  return (ss_operations){up.first, b->count};
}

int64_t ss_builder_add_sparse_core(ss_builder *b, const ss_attention_shape *shape)
{
  ss_sparse_shape s = ss_sparse_shape_of(b->workload, b->tp, b->context);
  s.vector_to_matrix = b->vector_to_matrix;
  s.forward = b->attention_forward;
  s.backward = b->attention_backward;
  const int64_t first = b->count;
  const ss_operations queries = add_queries(b, shape, &s);
  ss_builder_add_latents(b);
  const double latents = b->tokens * s.latent_size;
  ss_builder_add_exchange(b, gather(b->split.group, latents), reduction(b->split.group, latents));
  ss_builder_offload(b, SS_OFFLOAD_QKV_LINEAR, first);
  const bool remakes = ss_builder_recomputes(b, SS_RECOMPUTE_MLA_UP_PROJ);
  if (remakes) ss_builder_remake(b, queries.first, queries.end);
  add_core(b, &s);
  if (remakes) ss_builder_run_again(b, queries.first, queries.end);
  ss_builder_add_by_head(
      b, s.heads,
      (ss_product){.activity = SS_OP_KV_UP, .tokens = b->tokens, .in = s.value_size, .out = shape->value_size},
      (ss_matrix){.count = 0.0});
  return b->count;
}
