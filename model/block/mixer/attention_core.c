#include "model/block/mixer/attention_core.h"

#include "model/base/number.h"

/* Elements of queries, of the output, and of logits. */
static double query_elements(const ss_attention_shape *s)
{
  return s->batch * s->heads * s->queries * s->head_size;
}

static double output_elements(const ss_attention_shape *s)
{
  return s->batch * s->heads * s->queries * s->value_size;
}

static double logit_elements(const ss_attention_shape *s)
{
  return s->batch * s->heads * s->queries * s->span;
}

double ss_attention_keys(const ss_attention_shape *s)
{
  return s->batch * s->kv_heads * s->keys * s->head_size;
}

double ss_attention_values(const ss_attention_shape *s)
{
  return s->batch * s->kv_heads * s->keys * s->value_size;
}

/* Gradients of queries, keys and values, the gradient of the logits, and the logits once more. */
static double flash_gradient_flop(const ss_attention_shape *s)
{
  const double per_query = s->batch * s->heads * s->queries, per_key = s->batch * s->heads * s->keys;
  const double queries = per_query * s->head_size * (2.0 * s->span - 1.0);
  const double keys_and_values =
      per_key * (s->head_size + s->value_size) * (2.0 * s->queries * (s->span / s->keys) - 1.0);
  const double logits = logit_elements(s) * (2.0 * (s->head_size + s->value_size) - 2.0);
  return queries + keys_and_values + logits;
}

/* The fused kernel on the engine that its efficiency is known of, or as a product with softmax as part of its work. */
static ss_task flash_task(const ss_attention_shape *s, ss_engine engine, double products_flop, double softmax_flop,
                          double hbm_bytes)
{
  const bool measured = engine != SS_ENGINE_MATRIX;
  const double flop = products_flop + (measured ? 0.0 : s->vector_to_matrix * softmax_flop);
  ss_task task = ss_kernel_task(SS_OP_ATTENTION, engine, s->share * flop, hbm_bytes);
  const double seen = s->window > 0.0 ? ss_min(s->span, s->window) : s->span;
  if (measured) task.kernel.shape = (ss_product_shape){.rows = s->queries, .columns = seen, .inner = s->head_size};
  return task;
}

double ss_attention_kept_bytes(ss_format format)
{
  const ss_format_row *row = ss_format_row_of(format);
  return (row->activation_bytes > row->value_bytes ? 2.0 : 1.0) * row->activation_bytes;
}

double ss_attention_inputs(const ss_attention_shape *s)
{
  return query_elements(s) + (ss_attention_keys(s) + ss_attention_values(s)) * s->own_keys / s->keys;
}

/* Reads and writes so many bytes of each element. */
static ss_task pass_over(ss_activity activity, double elements, double bytes)
{
  return ss_kernel_task(activity, SS_ENGINE_VECTOR, elements, bytes * elements);
}

ss_operation ss_operation_quantise_inputs(const ss_attention_shape *s)
{
  const double bytes = SS_ELEMENT_BYTES + ss_attention_kept_bytes(s->format);
  return (ss_operation){.forward = pass_over(SS_OP_CAST, ss_attention_inputs(s), bytes)};
}

ss_operation ss_operation_quantise_gradient(const ss_attention_shape *s)
{
  const double bytes = SS_ELEMENT_BYTES + ss_attention_kept_bytes(s->format);
  return (ss_operation){.backward = pass_over(SS_OP_CAST, output_elements(s), bytes)};
}

ss_operation ss_operation_largest_input(const ss_attention_shape *s)
{
  return (ss_operation){.forward = pass_over(SS_OP_AMAX, ss_attention_inputs(s), SS_ELEMENT_BYTES)};
}

ss_operation ss_operation_largest_gradient(const ss_attention_shape *s)
{
  return (ss_operation){.backward = pass_over(SS_OP_AMAX, output_elements(s), SS_ELEMENT_BYTES)};
}

static double widened_bytes(const ss_attention_shape *s)
{
  return ss_format_row_of(s->format)->value_bytes + SS_ELEMENT_BYTES;
}

ss_operation ss_operation_widen_gradients(const ss_attention_shape *s)
{
  return (ss_operation){.backward = pass_over(SS_OP_CAST, ss_attention_inputs(s), widened_bytes(s))};
}

ss_operation ss_operation_widen_output(const ss_attention_shape *s)
{
  return (ss_operation){.forward = pass_over(SS_OP_CAST, output_elements(s), widened_bytes(s))};
}

ss_operation ss_operation_flash(const ss_attention_shape *s)
{
  const double logits = logit_elements(s), queries = query_elements(s), outputs = output_elements(s);
  const double keys_and_values = ss_attention_keys(s) + ss_attention_values(s);
  const double rows = s->batch * s->heads * s->queries;
  const double products = logits * (2.0 * s->head_size - 1.0) + outputs * (2.0 * s->span - 1.0);
  const double row_sums = rows * (s->span - 1.0);
  const double inputs_bytes = ss_attention_kept_bytes(s->format) * ss_attention_inputs(s);
  const double made = SS_ELEMENT_BYTES * ((s->keeps_output ? outputs : 0.0) + s->row_copies * rows);
  const double read_bytes = ss_format_row_of(s->format)->activation_bytes * (queries + keys_and_values);
  const double touched = read_bytes + SS_ELEMENT_BYTES * outputs, stored = inputs_bytes + made;
  return (ss_operation){
      .forward = flash_task(s, s->forward, products, 3.0 * logits + row_sums, touched + SS_ELEMENT_BYTES * rows),
      .backward = flash_task(s, s->backward, flash_gradient_flop(s), 7.0 * logits + 2.0 * row_sums, touched + stored),
      .stored_bytes = stored,
      .made_bytes = s->format == SS_FORMAT_16BIT ? made : stored,
      .result_bytes = SS_ELEMENT_BYTES * (outputs + s->row_copies * rows),
  };
}

ss_operation ss_operation_output_sums(const ss_attention_shape *s, int64_t pieces, bool fused)
{
  const double n = (double)pieces, bytes = fused ? 10.0 * n - 14.0 : 38.0 * n - 26.0;
  return (ss_operation){.forward = pass_over(SS_OP_PIECE_SUM, output_elements(s), bytes)};
}

ss_operation ss_operation_gradient_sums(const ss_attention_shape *s, double sent_elements, int64_t pieces, bool fused)
{
  const double n = (double)pieces, of_query = fused ? 10.0 * n - 14.0 : 10.0 * n + 10.0;
  const double of_sent = fused ? 10.0 * n + 2.0 : 18.0 * n + 10.0;
  ss_operation sums = {.backward = pass_over(SS_OP_PIECE_SUM, query_elements(s), of_query)};
  sums.backward.kernel.flop += sent_elements;
  sums.backward.kernel.hbm_bytes += of_sent * sent_elements;
  return sums;
}

/* Of products with two activations as operands, one for each head and sequence: `width` elements of a head beside
 * queries and keys. */
typedef struct core_size {
  double flop, elements, queries, span, width, load_bytes;
} core_size;

static ss_task core_product(ss_activity activity, const core_size *size, double rows, double columns, double inner)
{
  ss_task task = ss_kernel_task(activity, SS_ENGINE_MATRIX, size->flop, SS_ELEMENT_BYTES * size->elements);
  task.kernel.shape = (ss_product_shape){
      .rows = rows, .columns = columns, .inner = inner, .load_bytes = size->load_bytes, .batched = true};
  return task;
}

/* Sums over the elements of a head give queries x keys; they are short, so that tiles hardly begin before they end. */
static ss_task over_head(ss_activity activity, const core_size *size)
{
  return core_product(activity, size, size->queries, size->span, size->width);
}

static ss_task over_keys(ss_activity activity, const core_size *size)
{
  return core_product(activity, size, size->queries, size->width, size->span);
}

static ss_task over_queries(ss_activity activity, const core_size *size)
{
  return core_product(activity, size, size->span, size->width, size->queries);
}

ss_operation ss_operation_logits(const ss_attention_shape *s)
{
  const double logits = logit_elements(s), queries = query_elements(s), keys = ss_attention_keys(s);
  const core_size size = {.flop = logits * (2.0 * s->head_size - 1.0),
                          .elements = queries + keys + logits,
                          .queries = s->queries,
                          .span = s->span,
                          .width = s->head_size,
                          .load_bytes = ss_rows_load_bytes(s->head_size, s->keys, SS_ELEMENT_BYTES)};
  return (ss_operation){.forward = over_head(SS_OP_LOGITS, &size),
                        .backward = over_keys(SS_OP_LOGITS, &size),
                        .weight = over_queries(SS_OP_LOGITS, &size),
                        .stored_bytes = SS_ELEMENT_BYTES * (queries + keys * s->own_keys / s->keys)};
}

ss_operation ss_operation_attend(const ss_attention_shape *s)
{
  const double logits = logit_elements(s), outputs = output_elements(s), values = ss_attention_values(s);
  const core_size size = {.flop = outputs * (2.0 * s->span - 1.0),
                          .elements = logits + values + outputs,
                          .queries = s->queries,
                          .span = s->span,
                          .width = s->value_size,
                          .load_bytes = ss_rows_load_bytes(s->value_size, s->keys, SS_ELEMENT_BYTES)};
  return (ss_operation){.forward = over_keys(SS_OP_ATTEND, &size),
                        .backward = over_head(SS_OP_ATTEND, &size),
                        .weight = over_queries(SS_OP_ATTEND, &size),
                        .stored_bytes = SS_ELEMENT_BYTES * values * s->own_keys / s->keys};
}

ss_operation ss_operation_scale_mask(const ss_attention_shape *s)
{
  const double logits = logit_elements(s);
  const ss_task task =
      ss_kernel_task(SS_OP_SCALE_MASK, SS_ENGINE_VECTOR, 2.0 * logits, 2.0 * SS_ELEMENT_BYTES * logits);
  return (ss_operation){.forward = task, .backward = task};
}

ss_operation ss_operation_softmax(const ss_attention_shape *s)
{
  const double logits = logit_elements(s);
  return (ss_operation){
      .forward = ss_kernel_task(SS_OP_SOFTMAX, SS_ENGINE_VECTOR, 5.0 * logits, 2.0 * SS_ELEMENT_BYTES * logits),
      .backward = ss_kernel_task(SS_OP_SOFTMAX, SS_ENGINE_VECTOR, 4.0 * logits, 3.0 * SS_ELEMENT_BYTES * logits),
      .stored_bytes = SS_ELEMENT_BYTES * logits,
      .made_bytes = SS_ELEMENT_BYTES * logits};
}

ss_operation ss_operation_attention_dropout(const ss_attention_shape *s)
{
  ss_operation dropout = ss_operation_dropout(SS_OP_ATTENTION_DROPOUT, logit_elements(s));
  dropout.stored_bytes += SS_ELEMENT_BYTES * logit_elements(s); /* its output is the input of the next product */
  dropout.made_bytes = dropout.stored_bytes;
  return dropout;
}
