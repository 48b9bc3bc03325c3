#include "model/block/mixer/compressed_attention.h"

#include "model/base/number.h"
#include "model/block/mixer/attention_core.h"
#include "model/block/mixer/indexer.h"
#include "model/block/mixer/latent_attention.h"
#include "model/block/products.h"
#include "model/block/recomputation.h"
#include "model/block/residual.h"
#include "model/input/workload.h"

/* Tokens of compressed ones that overlap: each is made of as many tokens ahead of its own, too (Compressor.overlap). */
#define OVERLAPPING 4

static double size_of(const ss_workload *w)
{
  return (double)w->model.head_size;
}

/* Columns that are pooled for each one of a compressed token: those of its own tokens, and of the ones ahead. */
static double copies_of(const ss_workload *w)
{
  return w->model.compress == OVERLAPPING ? 2.0 : 1.0;
}

static double compressed_tokens(const ss_workload *w)
{
  const int64_t tokens = w->model.compress > 0 ? w->model.sequence / w->model.compress : 0;
  return (double)tokens;
}

static bool compresses(const ss_workload *w)
{
  return compressed_tokens(w) > 0.0;
}

/* Of compressed tokens, those that a query attends to at most. */
static double most_compressed(const ss_workload *w)
{
  const double all = compressed_tokens(w);
  return w->model.index_heads > 0 ? ss_min((double)w->model.index_top_k, all) : all;
}

/* The mean over queries of min(window, i), and of min(most, floor(i / r)): r queries each see 1, 2, ... of them. */
static double window_keys(const ss_workload *w)
{
  const double l = (double)w->model.sequence, seen = ss_min((double)w->model.window, l);
  return (seen * (seen + 1.0) / 2.0 + seen * (l - seen)) / l;
}

static double compressed_keys(const ss_workload *w, double most)
{
  const double l = (double)w->model.sequence, r = (double)w->model.compress;
  return (r * most * (most - 1.0) / 2.0 + most + most * (l - r * most)) / l;
}

static ss_sparse_shape shape_of(const ss_workload *w, double keys, double chosen, double most)
{
  return (ss_sparse_shape){
      .batch = (double)w->training.micro_batch,
      .queries = (double)w->model.sequence,
      .keys = keys,
      .heads = (double)w->model.heads,
      .latent_size = size_of(w),
      .value_size = size_of(w),
      .chosen = chosen,
      .most = most,
      .index_heads = (double)w->model.index_heads,
      .index_size = (double)w->model.index_head_size,
      .scored = compressed_keys(w, compressed_tokens(w)),
  };
}

ss_sparse_shape ss_compressed_shape_of(const ss_workload *workload)
{
  const double l = (double)workload->model.sequence, most = most_compressed(workload);
  const double seen = ss_min((double)workload->model.window, l);
  return shape_of(workload, l + compressed_tokens(workload), window_keys(workload) + compressed_keys(workload, most),
                  seen + most);
}

ss_sparse_shape ss_compressed_index_shape_of(const ss_workload *workload)
{
  const double most = most_compressed(workload);
  return shape_of(workload, compressed_tokens(workload), compressed_keys(workload, most), most);
}

/* Heads of a group, in columns. */
static double group_columns(const ss_workload *w)
{
  return (double)w->model.heads * size_of(w) / (double)w->model.output_groups;
}

static double output_columns(const ss_workload *w)
{
  return (double)(w->model.output_groups * w->model.output_rank);
}

/* Of the products for values and for gates of compressed tokens of so many columns. */
static double compressor_parameters(const ss_workload *w, double size)
{
  return compresses(w) ? 2.0 * (double)w->model.hidden * copies_of(w) * size : 0.0;
}

double ss_compressed_up_parameters(const ss_workload *workload)
{
  const double size = size_of(workload), queries = (double)workload->model.heads * size;
  return (double)workload->model.q_rank * queries + (double)workload->model.hidden * size;
}

double ss_compressed_parameters(const ss_workload *workload)
{
  const double e = (double)workload->model.hidden, size = size_of(workload);
  const double output = output_columns(workload) * (group_columns(workload) + e);
  return e * (double)workload->model.q_rank + ss_compressed_up_parameters(workload) +
         compressor_parameters(workload, size) + output;
}

double ss_compressed_index_parameters(const ss_workload *workload)
{
  const double heads = (double)workload->model.index_heads, size = (double)workload->model.index_head_size;
  if (heads == 0.0) return 0.0;
  return (double)workload->model.q_rank * heads * size + (double)workload->model.hidden * heads +
         compressor_parameters(workload, size);
}

/* Queries have a norm of their own, without parameters, which torch.compile makes one kernel; the key has one, too, and
 * a part of both is turned where it lies. */
static ss_operations add_queries_and_keys(ss_builder *b)
{
  const ss_workload *w = b->workload;
  const double heads = (double)w->model.heads, size = size_of(w);
  const ss_attention_shape shape = {.heads = heads, .head_size = size};
  const ss_operations queries = ss_builder_add_latent_queries(b, &shape);
  ss_builder_add(b, ss_operation_norm(SS_OP_QK_NORM, b->tokens * heads, size, 0.0));
  ss_builder_add_own(b, (ss_product){.activity = SS_OP_KV_DOWN,
                                     .in = b->hidden,
                                     .out = size,
                                     .input_from = SS_SOURCE_OTHER,
                                     .gradient_from = SS_SOURCE_OTHER,
                                     .shares_input = true,
                                     .reads_norm = true});
  ss_builder_add_norm(b, SS_OP_LATENT_NORM, size);
  ss_builder_add(b, ss_operation_rotary((heads + 1.0) * (double)w->model.rope_size * b->tokens));
  return (ss_operations){queries.first, b->count};
}

/* In 16 bits, whatever the others have. The first of them keeps its input, where other products keep it in fewer. */
static void add_16bit(ss_builder *b, ss_product product, bool first)
{
  product.tokens = b->tokens;
  product.shares_input = !first || b->recipe->weight_gradient == SS_FORMAT_16BIT;
  ss_operation operation = ss_operation_product(&product);
  operation.keeps_norm = true;
  if (ss_builder_recomputes_norms(b)) operation.remade_bytes = operation.stored_bytes;
  ss_builder_add(b, operation);
}

/* Kernels of PyTorch, one after the other (Compressor._forward_sbhd). Forward, bytes an element of what the products
 * make of one kind: positions, which are in fp32, are added to gates 2 + 4; where compressed tokens overlap, zeros are
 * filled in and all copied beside one another, of values 2 + 2 + 2 and of gates 4 + 4 + 4; softmax 4 + 4, its type
 * 4 + 2, its product with values 2 + 2 + 2, and the sum of that 2. Backward: gradients of both factors 4 + 4, a cast
 * 2 + 4, softmax 4 + 4 + 4, positions 4, a cast 4 + 2; of what lies beside one another two copies with zeros, and their
 * sum, of values 2 x (2 + 2 + 2) + 6 and of gates twice that. Kept are values, and softmax in both types. */
static ss_operation pooling(double elements, bool overlaps)
{
  const double forward_bytes = 28.0 + (overlaps ? 18.0 : 0.0), backward_bytes = 36.0 + (overlaps ? 54.0 : 0.0);
  const double kernels = overlaps ? 12.0 : 6.0, backward_kernels = overlaps ? 18.0 : 8.0;
  return (ss_operation){
      .forward = ss_chain_task(SS_OP_POOLING, kernels, (int64_t)kernels, 10.0 * elements, forward_bytes * elements),
      .backward = ss_chain_task(SS_OP_POOLING, backward_kernels, (int64_t)backward_kernels, 12.0 * elements,
                                backward_bytes * elements),
      .stored_bytes = (2.0 * SS_ELEMENT_BYTES + SS_FP32_BYTES) * elements};
}

/* A compressed token of so many columns: values and gates, by a product each, which is pooled, has a norm, and is
 * turned by the position of its tokens. `product` is as those of attention or of its indexer are. */
static void add_compressor(ss_builder *b, ss_product product, double size, bool first)
{
  const ss_workload *w = b->workload;
  const double copies = copies_of(w), rows = (double)w->training.micro_batch * compressed_tokens(w);
  void (*add)(ss_builder *, ss_operation) = product.fixed ? ss_builder_add_index_part : ss_builder_add;
  product.out = copies * size;
  add_16bit(b, product, first);
  add_16bit(b, product, false);
  ss_operation pooled = pooling(b->tokens * copies * size, copies > 1.0);
  pooled.parameters = (double)w->model.compress * copies * size;
  const ss_operation parts[] = {pooled, ss_operation_norm(SS_OP_LATENT_NORM, rows, size, size),
                                ss_operation_rotary(rows * ss_min((double)w->model.rope_size, size))};
  for (int i = 0; i < 3; ++i) add(b, parts[i]);
}

static void add_compressed_keys(ss_builder *b)
{
  const ss_workload *w = b->workload;
  const ss_product product = {.activity = SS_OP_COMPRESS, .in = b->hidden};
  if (!compresses(w)) return;
  add_compressor(b, product, size_of(w), true);
  ss_builder_add(
      b, ss_operation_concatenation(size_of(w) * (b->tokens + (double)w->training.micro_batch * compressed_tokens(w))));
}

static void add_indexer(ss_builder *b, const ss_sparse_shape *s)
{
  const ss_workload *w = b->workload;
  const double heads = s->index_heads, size = s->index_size, rope = (double)w->model.rope_size;
  const ss_product product = ss_index_product(b);
  ss_product queries = product, weights = product;
  queries.in = (double)w->model.q_rank;
  queries.out = heads * size;
  queries.shares_input = true;
  queries.reads_norm = false;
  ss_builder_add_own(b, queries);
  ss_builder_add_index_part(b, ss_operation_rotary(b->tokens * heads * ss_min(rope, size)));
  add_compressor(b, product, size, false);
  weights.out = heads;
  add_16bit(b, weights, false);
  ss_builder_add_index_choice(b, s);
}

/* What it writes is kept for the gradients of its logits, beside what the next product keeps, which is turned back. */
static void add_sparse_attention(ss_builder *b, const ss_sparse_shape *s)
{
  const double queries_bytes = SS_ELEMENT_BYTES * s->batch * s->queries * s->heads * s->latent_size;
  ss_operation attention = ss_operation_sparse_attention(s, true);
  attention.stored_bytes += queries_bytes; /* of as many elements as its queries */
  attention.made_bytes += queries_bytes;
  if (ss_builder_recomputes(b, SS_RECOMPUTE_MLA_UP_PROJ)) attention.remade_bytes = queries_bytes;
  ss_builder_add(b, attention);
}

static ss_sparse_shape on_builder(const ss_builder *b, ss_sparse_shape shape)
{
  shape.vector_to_matrix = b->vector_to_matrix;
  shape.forward = b->attention_forward;
  shape.backward = b->attention_backward;
  return shape;
}

static void add_core(ss_builder *b)
{
  const ss_sparse_shape attended = on_builder(b, ss_compressed_shape_of(b->workload));
  const ss_sparse_shape indexed = on_builder(b, ss_compressed_index_shape_of(b->workload));
  const bool indexes = attended.index_heads > 0.0 && indexed.keys > 0.0;
  const int64_t first = b->count;
  add_compressed_keys(b);
  if (indexes) add_indexer(b, &indexed);
  add_sparse_attention(b, &attended);
  if (indexes) ss_builder_add_index_loss(b, &indexed);
  ss_builder_offload(b, SS_OFFLOAD_CORE_ATTN, first);
}

/* What heads write is turned back, out of place. Each group of heads has a product of its own (linear_o_group_proj). */
static void add_output(ss_builder *b)
{
  const ss_workload *w = b->workload;
  const double groups = (double)w->model.output_groups, rank = (double)w->model.output_rank;
  const double elements = b->tokens * (double)w->model.heads * size_of(w), columns = group_columns(w);
  ss_builder_add(b, ss_operation_copy(SS_OP_ROTARY, elements, elements));
  ss_builder_add_by_head(b, groups,
                         (ss_product){.activity = SS_OP_OUTPUT_GROUPS, .tokens = b->tokens, .in = columns, .out = rank},
                         (ss_matrix){.rows = columns, .columns = rank, .count = groups});
  const int64_t projection = b->count;
  ss_builder_add_row(b, (ss_product){.activity = SS_OP_PROJECTION,
                                     .tokens = b->tokens,
                                     .in = output_columns(w),
                                     .out = b->hidden,
                                     .input_from = SS_SOURCE_OTHER,
                                     .gradient_from = SS_SOURCE_OTHER});
  ss_builder_offload(b, SS_OFFLOAD_ATTN_PROJ, projection);
}

void ss_builder_add_compressed_attention(ss_builder *b)
{
  const bool remakes = ss_builder_recomputes(b, SS_RECOMPUTE_MLA_UP_PROJ);
  ss_builder_add_input_norm(b, SS_OP_NORM_1, SS_OFFLOAD_ATTN_NORM);
  const ss_operations up = add_queries_and_keys(b);
  if (remakes) ss_builder_remake(b, up.first, up.end);
  add_core(b);
  if (remakes) ss_builder_run_again(b, up.first, up.end);
  add_output(b);
  ss_builder_end_input_norm(b);
  ss_builder_add_post_norm(b, SS_OP_POST_NORM_1);
  ss_builder_add_residual(b, SS_OP_PROJECTION_BIAS, SS_OP_DROPOUT_2, false);
}
