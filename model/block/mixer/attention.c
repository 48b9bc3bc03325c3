#include "model/block/mixer/attention.h"

#include <math.h>

#include "model/block/mixer/attended.h"
#include "model/block/mixer/attention_core.h"
#include "model/block/mixer/attention_format.h"
#include "model/block/mixer/context.h"
#include "model/block/mixer/latent_attention.h"
#include "model/block/mixer/layout_copies.h"
#include "model/block/mixer/sparse_attention.h"
#include "model/block/products.h"
#include "model/block/recomputation.h"
#include "model/block/residual.h"
#include "model/input/exchange.h"
#include "model/input/workload.h"

static bool is_gated(const ss_workload *workload)
{
  return workload->model.attention_output_gate == SS_YES;
}

double ss_attention_query_heads(const ss_workload *workload)
{
  return (is_gated(workload) ? 2.0 : 1.0) * (double)workload->model.heads;
}

static double share_of_logits(const ss_builder *b, double ranks)
{
  return b->traits.as_published ? 1.0 : ss_attention_share(b->workload, ranks);
}

/* All heads of this rank. Latent attention has a pair of key and value heads for every head, and rotary parts. */
static ss_attention_shape core_shape(const ss_builder *b)
{
  const ss_workload *w = b->workload;
  const double heads = (double)w->model.heads / b->tp, head_size = (double)w->model.head_size;
  const bool latent = w->model.kv_rank > 0;
  const double tokens = (double)w->model.sequence, parts = ss_chunks_are_local(w) ? b->context : 1.0;
  return (ss_attention_shape){
      .batch = (double)w->training.micro_batch,
      .heads = heads,
      .kv_heads = latent ? heads : fmax((double)w->model.kv_heads / b->tp, 1.0),
      .head_size = head_size + (latent ? (double)w->model.rope_size : 0.0),
      .value_size = (double)ss_workload_value_size(w),
      .queries = tokens / b->context,
      .keys = tokens / parts,
      .span = ss_attention_span(w, tokens / parts),
      .own_keys = tokens / b->context,
      .vector_to_matrix = b->vector_to_matrix,
      .share = share_of_logits(b, b->context) * parts,
      .window = (double)ss_workload_most_keys(w),
      .format = b->attention_format,
      .forward = b->attention_forward,
      .backward = b->attention_backward,
      .row_copies = 2.0,
      .keeps_output = b->traits.as_published,
  };
}

/* Part of the core. Its recomputation makes again what it makes; that of the up-projections its inputs. */
static void add_part(ss_builder *b, ss_operation part)
{
  const double inputs_bytes = part.stored_bytes - part.made_bytes;
  const bool whole = ss_builder_recomputes(b, SS_RECOMPUTE_CORE_ATTN) || ss_builder_recomputes_logits(b);
  if (whole) part.remade_bytes += part.made_bytes;
  if (ss_builder_recomputes(b, SS_RECOMPUTE_MLA_UP_PROJ)) part.remade_bytes += inputs_bytes;
  ss_builder_add(b, part);
}

static void add_unfused(ss_builder *b, const ss_attention_shape *shape)
{
  const int64_t first = b->count;
  add_part(b, ss_operation_logits(shape));
  if (!b->fused && !b->traits.as_published) add_part(b, ss_operation_scale_mask(shape));
  add_part(b, ss_operation_softmax(shape));
  if (b->dropout) add_part(b, ss_operation_attention_dropout(shape));
  add_part(b, ss_operation_attend(shape));
  ss_builder_add_output_copy(b, shape);
  if (ss_builder_recomputes_logits(b)) ss_builder_run_again_first(b, first, b->count);
}

/* Keys and values are those of a layer before, which keeps them. */
static bool shares_keys(const ss_builder *b)
{
  return b->workload->model.shared_keys == SS_YES;
}

/* Of this rank's tokens. */
static double own_keys_and_values(const ss_attention_shape *shape)
{
  return shape->batch * shape->kv_heads * shape->own_keys * (shape->head_size + shape->value_size);
}

/* Queries, keys and values in 16 bits are kept beside what is quantised of them only where that is made again. */
static void add_flash(ss_builder *b, const ss_attention_shape *shape, ss_operation flash)
{
  if (ss_builder_recomputes_logits(b)) flash.made_bytes = 0.0; /* the kernel computes its logits again anyway */
  if (shape->format != SS_FORMAT_16BIT && ss_builder_recomputes(b, SS_RECOMPUTE_CORE_ATTN))
    flash.stored_bytes += SS_ELEMENT_BYTES * ss_attention_inputs(shape);
  if (shares_keys(b)) flash.stored_bytes -= SS_ELEMENT_BYTES * own_keys_and_values(shape);
  ss_builder_add_attention_inputs(b, shape);
  add_part(b, flash);
  ss_builder_add_attention_outputs(b, shape);
}

static void add_kernels(ss_builder *b, const ss_attention_shape *shape)
{
  if (b->workload->training.attention == SS_ATTENTION_FLASH)
    add_flash(b, shape, ss_operation_flash(shape));
  else
    add_unfused(b, shape);
}

static void add_flash_pieces(ss_builder *b, const ss_attention_shape *shape, double volume_bytes)
{
  ss_operation flash = ss_operation_flash(shape);
  ss_builder_join_pieces(b, &flash, volume_bytes);
  ss_builder_add_piece_inputs(b, shape, volume_bytes);
  add_flash(b, shape, flash);
  ss_builder_add_piece_outputs(b, shape, volume_bytes);
}

/* Instead of some tokens of all heads, all tokens of some heads (arXiv 2309.14509). */
static bool exchanges_heads(const ss_builder *b)
{
  const ss_workload *w = b->workload;
  return w->parallelism.tensor == SS_TENSOR_1D && w->parallelism.cp_exchange == SS_CP_ALL_TO_ALL && b->context > 1.0;
}

/* Tokens of all of so many ranks of the group, and as much less heads. */
static ss_attention_shape tokens_of(const ss_builder *b, const ss_attention_shape *shape, double ranks)
{
  ss_attention_shape whole = *shape;
  whole.heads /= ranks;
  whole.kv_heads /= ranks;
  whole.queries *= ranks;
  whole.own_keys *= ranks;
  whole.share = share_of_logits(b, b->context / ranks);
  return whole;
}

/* What queries, keys and values of this rank's tokens take to where their heads are, and the output to come back. */
static ss_call heads_out(const ss_attention_shape *shape, ss_group group)
{
  const double rows = shape->batch * shape->heads * shape->queries;
  return (ss_call){group, SS_ALL_TO_ALL, SS_ELEMENT_BYTES * rows * shape->value_size};
}

static ss_call heads_in(const ss_builder *b, const ss_attention_shape *shape, ss_group group)
{
  const double rows = shape->batch * shape->heads * shape->queries;
  const double keys_and_values = (ss_attention_keys(shape) + ss_attention_values(shape)) / b->context;
  return (ss_call){group, SS_ALL_TO_ALL, SS_ELEMENT_BYTES * (rows * shape->head_size + keys_and_values)};
}

static void add_heads_exchanged(ss_builder *b, const ss_attention_shape *shape)
{
  const ss_attention_shape whole = tokens_of(b, shape, b->context);
  const ss_call in = heads_in(b, shape, b->sequence), out = heads_out(shape, b->sequence);
  ss_builder_add_exchange(b, in, in);
  add_kernels(b, &whole);
  ss_builder_add_exchange(b, out, out);
}

/* Where they are not passed around, each rank keeps its own keys and values and gathers the others' before the core,
 * forward and backward; the gradients of all of them are reduced after it. */
static void add_tokens_exchanged(ss_builder *b, const ss_attention_shape *shape)
{
  const double copies = ss_attention_repeats_keys(b->workload, shape) ? shape->heads / shape->kv_heads : 1.0;
  const double volume_bytes = SS_ELEMENT_BYTES * copies * (ss_attention_keys(shape) + ss_attention_values(shape));
  if (ss_builder_attends_in_pieces(b)) {
    add_flash_pieces(b, shape, volume_bytes);
    return;
  }
  const ss_call none = {.volume_bytes = 0.0}, gather = {b->sequence, SS_ALL_GATHER, volume_bytes};
  const ss_call reduction = {b->sequence, SS_REDUCE_SCATTER, volume_bytes};
  ss_builder_add_exchange(b, gather, reduction);
  add_kernels(b, shape);
  ss_builder_add_exchange(b, none, gather);
}

/* Neighbours may exchange heads for tokens first, of which the groups of them then exchange keys and values (a2a+p2p of
 * Transformer Engine, attn_forward_func_with_cp). */
static void add_exchanged_core(ss_builder *b, const ss_attention_shape *shape)
{
  if (ss_chunks_are_local(b->workload)) {
    add_kernels(b, shape);
    return;
  }
  if (exchanges_heads(b)) {
    add_heads_exchanged(b, shape);
    return;
  }
  const ss_attention_shape inner = tokens_of(b, shape, b->exchangers);
  const ss_call in = heads_in(b, shape, SS_GROUP_CONTEXT_INNER), out = heads_out(shape, SS_GROUP_CONTEXT_INNER);
  ss_builder_add_exchange(b, in, in);
  add_tokens_exchanged(b, &inner);
  ss_builder_add_exchange(b, out, out);
}

static bool has_values_of_keys(const ss_builder *b)
{
  return b->workload->model.keys_as_values == SS_YES;
}

/* What the product for keys has made gets a gradient as keys and one as values. What another layer has made gets those
 * of this layer, too. */
static void add_values_of_keys(ss_builder *b, const ss_attention_shape *shape)
{
  const double elements = shape->kv_heads * shape->head_size * b->tokens;
  if (has_values_of_keys(b)) ss_builder_add(b, ss_operation_input_sum(elements, 2, b->fused));
  if (shares_keys(b))
    ss_builder_add(
        b, ss_operation_input_sum(shape->kv_heads * (shape->head_size + shape->value_size) * b->tokens, 2, b->fused));
}

/* Heads of keys that this layer makes. */
static double made_keys(const ss_builder *b, const ss_attention_shape *shape)
{
  return shares_keys(b) ? 0.0 : shape->kv_heads;
}

/* Of all queries and keys of this rank; heads of a kind share their parameters. Values of keys have a norm beside that
 * of these, which keeps the same input, and has no parameters (v_norm of Gemma4TextAttention in transformers,
 * models/gemma4/modeling_gemma4.py). */
static void add_qk_norm(ss_builder *b, const ss_attention_shape *shape)
{
  if (b->workload->model.qk_norm == SS_NO) return;
  const double norms = shares_keys(b) ? 1.0 : 2.0;
  const double rows = (shape->heads + made_keys(b, shape)) * b->tokens;
  ss_builder_add(b, ss_builder_norm(b, SS_OP_QK_NORM, rows, shape->head_size, norms * shape->head_size));
  if (!has_values_of_keys(b)) return;
  ss_operation values = ss_builder_norm(b, SS_OP_QK_NORM, shape->kv_heads * b->tokens, shape->head_size, 0.0);
  values.stored_bytes -= SS_ELEMENT_BYTES * shape->kv_heads * shape->head_size * b->tokens;
  ss_builder_add(b, values);
}

/* The mixer that is beside attention reads the same, too. */
static bool is_hybrid(const ss_builder *b)
{
  return b->workload->model.mixer == SS_MIXER_HYBRID;
}

static void add_qkv(ss_builder *b, const ss_attention_shape *shape)
{
  const double of_head = shape->head_size * b->tp, of_value = shape->value_size * b->tp;
  const double heads = ss_attention_query_heads(b->workload) / b->tp;
  const double out[] = {heads * of_head, shape->kv_heads * of_head, shape->kv_heads * of_value};
  const int64_t products = shares_keys(b) ? 1 : has_values_of_keys(b) ? 2 : 3;
  const ss_product product = {.activity = SS_OP_QKV,
                              .tokens = b->tokens,
                              .in = b->hidden,
                              .readers = is_hybrid(b) ? 2 : 1,
                              .again = is_hybrid(b) ? SS_AGAIN_ELSEWHERE : SS_AGAIN_AS_GATHERED,
                              .gradient_from = SS_SOURCE_OTHER,
                              .reads_norm = true};
  ss_builder_add_columns(b, product, out, products);
  add_values_of_keys(b, shape);
  const double values = products == 3 ? shape->kv_heads * shape->value_size : 0.0;
  if (ss_builder_sums_biases(b))
    ss_builder_add(b, ss_operation_qkv_bias(((heads + made_keys(b, shape)) * shape->head_size + values) * b->tokens));
  if (!shares_keys(b)) ss_builder_add_qkv_copies(b, shape, heads);
}

/* With queries of low rank a product each. */
static void add_core_inputs(ss_builder *b, const ss_attention_shape *shape)
{
  if (b->workload->model.q_rank > 0)
    ss_builder_add_low_queries(b, shape);
  else
    add_qkv(b, shape);
  add_qk_norm(b, shape);
  if (b->rotary) ss_builder_add_rotary(b, (shape->heads + made_keys(b, shape)) * shape->head_size * b->tokens);
}

/* Backward, flash attention reads its output, which a projection of fewer bits, or whose weights get no gradients, does
 * not keep for it, and a gate does, unless it has written 8 bits. */
static bool keeps_output(const ss_builder *b)
{
  const bool flash = b->workload->training.attention == SS_ATTENTION_FLASH && !b->traits.as_published;
  const bool projected = b->recipe->weight_gradient == SS_FORMAT_16BIT && !b->adapts;
  const bool kept = is_gated(b->workload) || projected;
  return flash && (!kept || ss_attention_writes_quantised(b));
}

/* The projection quantises that output once more for the gradient of its weights, unless the scale is an old one
 * (save_original_input of Megatron-LM). Behind sparse attention it reads values, which are another tensor. */
static bool shares_output(const ss_builder *b)
{
  return !ss_workload_is_sparse(b->workload) && keeps_output(b) && b->recipe->scaling != SS_SCALING_DELAYED;
}

/* Of so many heads, for the tokens of this rank. */
static double own_elements(const ss_attention_shape *shape, double heads, double size)
{
  return shape->batch * shape->queries * heads * size;
}

static void add_output(ss_builder *b, const ss_attention_shape *shape)
{
  const double of_element =
      ss_attention_writes_quantised(b) ? ss_attention_kept_bytes(shape->format) : SS_ELEMENT_BYTES;
  const double bytes = of_element * own_elements(shape, shape->heads, shape->value_size);
  const bool remade = ss_builder_recomputes(b, SS_RECOMPUTE_CORE_ATTN) && !shares_output(b);
  if (keeps_output(b)) ss_builder_add(b, (ss_operation){.stored_bytes = bytes, .remade_bytes = remade ? bytes : 0.0});
}

static bool unpads(const ss_builder *b)
{
  return b->workload->training.unpadding == SS_YES && !b->traits.as_published;
}

static void add_unpadding(ss_builder *b, const ss_attention_shape *shape)
{
  if (!unpads(b)) return;
  ss_builder_add(b, ss_operation_unpad(own_elements(shape, shape->heads, shape->head_size)));
  ss_builder_add(b, ss_operation_unpad(own_elements(shape, shape->kv_heads, shape->head_size)));
  ss_builder_add(b, ss_operation_unpad(own_elements(shape, shape->kv_heads, shape->value_size)));
}

static void add_padding(ss_builder *b, const ss_attention_shape *shape)
{
  if (unpads(b)) ss_builder_add(b, ss_operation_pad(own_elements(shape, shape->heads, shape->value_size)));
}

/* Its recomputation runs the exchanges of the core again, too. Returns where the output is that the projection reads.
 */
static int64_t add_core(ss_builder *b, const ss_attention_shape *shape)
{
  const int64_t first = b->count;
  add_unpadding(b, shape);
  add_exchanged_core(b, shape);
  ss_builder_offload(b, SS_OFFLOAD_CORE_ATTN, first);
  add_padding(b, shape);
  const int64_t output = b->count;
  add_output(b, shape);
  if (ss_builder_recomputes(b, SS_RECOMPUTE_CORE_ATTN)) ss_builder_run_again(b, first, b->count);
  return output;
}

/* What is made again of queries, keys and values is there before the gradients of the core. Of two regions that start
 * together the one that begins later is ended first. */
static int64_t add_latent_core(ss_builder *b, const ss_attention_shape *shape)
{
  const int64_t first = b->count;
  const ss_operations queries = ss_builder_add_latent_queries(b, shape);
  const ss_operations keys_and_values = ss_builder_add_keys_and_values(b, shape);
  ss_builder_offload(b, SS_OFFLOAD_QKV_LINEAR, first);
  if (ss_builder_recomputes(b, SS_RECOMPUTE_MLA_UP_PROJ)) {
    ss_builder_remake(b, queries.first, queries.end);
    ss_builder_remake(b, keys_and_values.first, keys_and_values.end);
  }
  const int64_t output = add_core(b, shape);
  if (ss_builder_recomputes(b, SS_RECOMPUTE_MLA_UP_PROJ)) {
    ss_builder_run_again(b, keys_and_values.first, keys_and_values.end);
    ss_builder_run_again(b, queries.first, queries.end);
  }
  return output;
}

/* Behind the core, which makes its own output again where it is recomputed, for tokens and heads of this rank
 * (_apply_output_gate in megatron/core/transformer/attention.py). */
static void add_gate(ss_builder *b, const ss_attention_shape *shape)
{
  const double elements = own_elements(shape, shape->heads, shape->value_size);
  if (b->fused || b->traits.as_published) {
    ss_builder_add(b, ss_operation_sigmoid_gate(SS_OP_ATTENTION_GATE, elements));
    return;
  }
  ss_builder_add(b, ss_operation_sigmoid(SS_OP_ATTENTION_GATE, elements));
  ss_builder_add(b, ss_operation_gate(SS_OP_ATTENTION_GATE, elements));
}

static int64_t add_plain_core(ss_builder *b, const ss_attention_shape *shape)
{
  const int64_t first = b->count;
  add_core_inputs(b, shape);
  ss_builder_offload(b, SS_OFFLOAD_QKV_LINEAR, first);
  const int64_t output = add_core(b, shape);
  if (!is_gated(b->workload)) return output;
  add_gate(b, shape);
  return b->count;
}

void ss_builder_add_attention(ss_builder *b)
{
  const ss_attention_shape shape = core_shape(b);
  const bool parallel = b->workload->model.parallel == SS_YES || is_hybrid(b);
  ss_builder_add_input_norm(b, SS_OP_NORM_1, SS_OFFLOAD_ATTN_NORM);
  const int64_t output = (ss_workload_is_sparse(b->workload) ? ss_builder_add_sparse_core
                          : b->workload->model.kv_rank > 0   ? add_latent_core
                                                             : add_plain_core)(b, &shape);
  ss_builder_add_row(b, (ss_product){.activity = SS_OP_PROJECTION,
                                     .tokens = b->tokens,
                                     .shares_input = shares_output(b),
                                     .kept_16bit = keeps_output(b) && !ss_attention_writes_quantised(b),
                                     .in = shape.heads * shape.value_size * b->tp,
                                     .out = b->hidden,
                                     .partial = parallel,
                                     .input_from = SS_SOURCE_OTHER,
                                     .gradient_from = SS_SOURCE_OTHER});
  ss_builder_offload(b, SS_OFFLOAD_ATTN_PROJ, output);
  if (parallel) return;
  ss_builder_end_input_norm(b);
  ss_builder_add_post_norm(b, SS_OP_POST_NORM_1);
  ss_builder_add_residual(b, SS_OP_PROJECTION_BIAS, SS_OP_DROPOUT_2, b->biased);
}
