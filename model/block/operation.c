#include "model/block/operation.h"

static ss_task vector_task(ss_activity activity, double flop, double hbm_bytes)
{
  return ss_kernel_task(activity, SS_ENGINE_VECTOR, flop, hbm_bytes);
}

static ss_task product_task(const ss_product *p, const ss_format_row *format)
{
  return (ss_task){.activity = p->activity,
                   .computes = true,
                   .kernel = {.engine = format->engine, .products = p->together ? 1.0 : p->matrices},
                   .matrices = p->matrices};
}

static double load_bytes(const ss_product *p, const ss_format_row *format)
{
  return ss_rows_load_bytes(p->in, p->out, format->value_bytes);
}

static double weights_of(const ss_product *p)
{
  return ss_max(p->matrices, 1.0) * p->in * p->out;
}

ss_operation ss_operation_product(const ss_product *p)
{
  const double matrices = ss_max(p->matrices, 1.0);
  const double x = p->tokens * p->in, y = p->tokens * p->out, w = weights_of(p);
  const ss_recipe *recipe = ss_recipe_of(p->precision);
  const ss_format_row *forward = ss_format_row_of(recipe->forward);
  const ss_format_row *input_gradient = ss_format_row_of(recipe->input_gradient);
  const ss_format_row *weight_gradient = ss_format_row_of(recipe->weight_gradient);
  const double kept_bytes = weight_gradient->activation_bytes;
  ss_operation product = {.forward = product_task(p, forward),
                          .backward = product_task(p, input_gradient),
                          .weight = product_task(p, weight_gradient),
                          .stored_bytes = p->shares_input ? 0.0 : kept_bytes * x,
                          .gradient_bytes = kept_bytes * y,
                          .result_bytes = SS_ELEMENT_BYTES * y,
                          .parameters = w,
                          .weights = p->weights,
                          .matrix = {.rows = p->in, .columns = p->out, .count = matrices, .weights = p->weights},
                          .elsewhere = p->elsewhere};
  const double tokens = p->tokens / matrices;
  product.forward.kernel.shape = (ss_product_shape){tokens, p->out, p->in, load_bytes(p, forward), false};
  product.backward.kernel.shape = (ss_product_shape){tokens, p->in, p->out, load_bytes(p, input_gradient), false};
  product.weight.kernel.shape = (ss_product_shape){p->in, p->out, tokens, load_bytes(p, weight_gradient), false};
  product.forward.kernel.flop = y * (2.0 * p->in - 1.0);
  product.forward.kernel.hbm_bytes =
      forward->activation_bytes * x + forward->weight_bytes * w + SS_ELEMENT_BYTES * y + p->forward_bytes;
  product.backward.kernel.flop = x * (2.0 * p->out - 1.0);
  product.backward.kernel.hbm_bytes = input_gradient->activation_bytes * y + input_gradient->weight_bytes * w +
                                      SS_ELEMENT_BYTES * x + p->backward_bytes;
  product.weight.kernel.flop = p->in * p->out * (2.0 * p->tokens - matrices);
  product.weight.kernel.hbm_bytes = kept_bytes * (x + y) + SS_ELEMENT_BYTES * w;
  if (p->detached) product.backward = (ss_task){0};
  if (p->fixed) product.weight = (ss_task){0};
  if (p->fixed) product.stored_bytes = product.gradient_bytes = 0.0;
  return product;
}

void ss_operation_freeze(ss_operation *o)
{
  if (o->sums) o->backward = (ss_task){0};
  if (o->parameters <= 0.0) return;
  o->frozen = true;
  o->scattered = false;
  if (!o->weight.computes) return;
  o->weight.computes = false;
  o->weight.kernel = (ss_kernel){0};
  o->weight.overlap = (ss_overlap){0};
  o->stored_bytes = o->remade_bytes = o->gradient_bytes = 0.0;
  o->keeps_norm = false;
  o->regathered.volume_bytes = 0.0;
}

/* Reads 16 bits, writes the copies. */
static ss_task cast_task(const ss_product *p, double elements, double copies_bytes)
{
  ss_task cast = vector_task(SS_OP_CAST, elements, (SS_ELEMENT_BYTES + copies_bytes) * elements);
  cast.matrices = p->matrices;
  if (p->apart) cast.kernel.kernels = p->matrices;
  return cast;
}

ss_operation ss_operation_cast_input(const ss_product *p)
{
  const double copies_bytes = ss_recipe_input_copies_bytes(ss_recipe_of(p->precision), p->one_copy);
  return (ss_operation){.forward = cast_task(p, p->tokens * p->in, copies_bytes)};
}

ss_operation ss_operation_cast_gradient(const ss_product *p)
{
  const double copies_bytes = ss_recipe_gradient_copies_bytes(ss_recipe_of(p->precision), p->one_copy);
  return (ss_operation){.backward = cast_task(p, p->tokens * p->out, copies_bytes)};
}

static double bytes_in(ss_format format)
{
  return ss_format_row_of(format)->activation_bytes;
}

ss_operation ss_operation_cast_input_rows(const ss_product *p)
{
  const ss_recipe *recipe = ss_recipe_of(p->precision);
  return (ss_operation){.forward = cast_task(p, p->tokens * p->in, bytes_in(recipe->forward)),
                        .backward = cast_task(p, p->tokens * p->in, bytes_in(recipe->weight_gradient))};
}

ss_operation ss_operation_cast_gradient_rows(const ss_product *p)
{
  const ss_recipe *recipe = ss_recipe_of(p->precision);
  return (ss_operation){.backward = cast_task(p, p->tokens * p->out, bytes_in(recipe->input_gradient))};
}

ss_operation ss_operation_cast_gradient_columns(const ss_product *p)
{
  const ss_recipe *recipe = ss_recipe_of(p->precision);
  return (ss_operation){.backward = cast_task(p, p->tokens * p->out, bytes_in(recipe->weight_gradient))};
}

ss_operation ss_operation_cast_weight_rows(const ss_product *p)
{
  const ss_format_row *format = ss_format_row_of(ss_recipe_of(p->precision)->forward);
  return (ss_operation){.forward = cast_task(p, weights_of(p), format->weight_bytes)};
}

ss_operation ss_operation_cast_weight_columns(const ss_product *p)
{
  const ss_format_row *format = ss_format_row_of(ss_recipe_of(p->precision)->input_gradient);
  return (ss_operation){.backward = cast_task(p, weights_of(p), format->weight_bytes)};
}

ss_operation ss_operation_transpose_weight(const ss_product *p)
{
  const double of_value = ss_format_row_of(ss_recipe_of(p->precision)->input_gradient)->weight_bytes;
  return (ss_operation){.backward = vector_task(SS_OP_COPY, 0.0, 2.0 * of_value * weights_of(p))};
}

static ss_task amax_task(const ss_product *p, double elements)
{
  ss_task largest = vector_task(SS_OP_AMAX, elements, SS_ELEMENT_BYTES * elements);
  largest.matrices = p->matrices;
  if (p->apart) largest.kernel.kernels = p->matrices;
  return largest;
}

ss_operation ss_operation_amax_input(const ss_product *p)
{
  return (ss_operation){.forward = amax_task(p, p->tokens * p->in)};
}

ss_operation ss_operation_amax_columns(const ss_product *p)
{
  return (ss_operation){.backward = amax_task(p, p->tokens * p->in)};
}

ss_operation ss_operation_amax_weight_columns(const ss_product *p)
{
  return (ss_operation){.backward = amax_task(p, weights_of(p))};
}

ss_operation ss_operation_amax_gradient(const ss_product *p)
{
  return (ss_operation){.backward = amax_task(p, p->tokens * p->out)};
}

ss_operation ss_operation_bias(ss_activity activity, double elements, double width)
{
  const ss_task task = vector_task(activity, elements, SS_ELEMENT_BYTES * (elements + width));
  return (ss_operation){.forward = task, .backward = task, .parameters = width, .sums = true};
}

ss_operation ss_operation_positions(double elements, double used, double parameters)
{
  return (ss_operation){.forward = vector_task(SS_OP_POSITIONS, elements, SS_ELEMENT_BYTES * (2.0 * elements + used)),
                        .backward = vector_task(SS_OP_POSITIONS, elements, SS_ELEMENT_BYTES * (elements + used)),
                        .parameters = parameters,
                        .sums = true};
}

ss_operation ss_operation_norm(ss_activity activity, double rows, double width, double parameters)
{
  const double elements = rows * width;
  return (ss_operation){
      .forward = vector_task(activity, 9.0 * elements, SS_ELEMENT_BYTES * (2.0 * elements + 2.0 * rows + 2.0 * width)),
      .backward = vector_task(activity, 8.0 * elements + 4.0 * rows * (width - 1.0),
                              SS_ELEMENT_BYTES * (5.0 * elements + 2.0 * width)),
      .stored_bytes = SS_ELEMENT_BYTES * elements,
      .parameters = parameters,
  };
}

ss_operation ss_operation_composed_norm(ss_activity activity, double rows, double width, double parameters)
{
  const double elements = rows * width;
  ss_operation norm = ss_operation_norm(activity, rows, width, parameters);
  norm.forward.kernel.hbm_bytes = 36.0 * elements;
  norm.backward.kernel.hbm_bytes = 92.0 * elements;
  norm.stored_bytes = (SS_FP32_BYTES + SS_ELEMENT_BYTES) * elements;
  norm.forward.launches = 8;
  norm.backward.launches = 17;
  return norm;
}

ss_operation ss_operation_gelu(ss_activity activity, double elements)
{
  return (ss_operation){.forward = vector_task(activity, 8.0 * elements, 2.0 * SS_ELEMENT_BYTES * elements),
                        .backward = vector_task(activity, 13.0 * elements, 3.0 * SS_ELEMENT_BYTES * elements),
                        .stored_bytes = SS_ELEMENT_BYTES * elements};
}

ss_operation ss_operation_dropout(ss_activity activity, double elements)
{
  const ss_task task = vector_task(activity, elements, (2.0 * SS_ELEMENT_BYTES + SS_MASK_BYTES) * elements);
  return (ss_operation){.forward = task, .backward = task, .stored_bytes = SS_MASK_BYTES * elements};
}

ss_operation ss_operation_add(double elements)
{
  const ss_task task = vector_task(SS_OP_ADD, elements, 3.0 * SS_ELEMENT_BYTES * elements);
  return (ss_operation){.forward = task, .backward = task};
}

ss_operation ss_operation_output_sum(double elements)
{
  return (ss_operation){.forward = vector_task(SS_OP_OUTPUT_SUM, elements, 3.0 * SS_ELEMENT_BYTES * elements)};
}

ss_operation ss_operation_input_sum(double elements, int64_t terms, bool fused)
{
  const double sums = (double)(terms - 1), touched = fused ? sums + 2.0 : 3.0 * sums;
  return (ss_operation){.backward =
                            vector_task(SS_OP_INPUT_SUM, sums * elements, touched * SS_ELEMENT_BYTES * elements)};
}

ss_operation ss_operation_piece_sums(double forward_elements, double backward_elements, double ranks)
{
  const double touched = SS_ELEMENT_BYTES + SS_ELEMENT_BYTES / ranks;
  ss_operation sums = {.stored_bytes = 0.0};
  if (forward_elements > 0.0) sums.forward = vector_task(SS_OP_PIECE_SUM, forward_elements, touched * forward_elements);
  if (backward_elements > 0.0)
    sums.backward = vector_task(SS_OP_PIECE_SUM, backward_elements, touched * backward_elements);
  return sums;
}

ss_operation ss_operation_concatenation(double elements)
{
  const ss_task task = vector_task(SS_OP_CONCATENATION, 0.0, 2.0 * SS_ELEMENT_BYTES * elements);
  return (ss_operation){.forward = task, .backward = task};
}

ss_operation ss_operation_qkv_bias(double elements)
{
  return (ss_operation){.forward = vector_task(SS_OP_QKV_BIAS, elements, 2.0 * SS_ELEMENT_BYTES * elements),
                        .backward = vector_task(SS_OP_QKV_BIAS, elements, SS_ELEMENT_BYTES * elements),
                        .sums = true};
}

ss_operation ss_operation_bias_gelu(double elements, double width, bool summed)
{
  ss_operation chain = ss_operation_gelu(SS_OP_BIAS_ACTIVATION, elements);
  chain.forward.kernel.flop += elements;
  chain.forward.kernel.hbm_bytes += SS_ELEMENT_BYTES * width;
  chain.backward.kernel.flop += elements;
  chain.backward.kernel.hbm_bytes += SS_ELEMENT_BYTES * (width + (summed ? elements : 0.0));
  chain.parameters = width;
  return chain;
}

ss_operation ss_operation_swiglu(ss_activity activity, double elements)
{
  return (ss_operation){.forward = vector_task(activity, 10.0 * elements, 3.0 * SS_ELEMENT_BYTES * elements),
                        .backward = vector_task(activity, 17.0 * elements, 5.0 * SS_ELEMENT_BYTES * elements),
                        .stored_bytes = 2.0 * SS_ELEMENT_BYTES * elements};
}

ss_operation ss_operation_keep_8bit(double elements)
{
  const ss_task cast = vector_task(SS_OP_CAST, elements, (SS_ELEMENT_BYTES + SS_BYTE) * elements);
  return (ss_operation){.forward = cast, .backward = cast, .stored_bytes = SS_BYTE * elements};
}

ss_operation ss_operation_silu(ss_activity activity, double elements, bool joined)
{
  const double touched = joined ? 3.0 + 4.0 : 3.0;
  return (ss_operation){.forward = vector_task(activity, 9.0 * elements, 2.0 * SS_ELEMENT_BYTES * elements),
                        .backward = vector_task(activity, 15.0 * elements, touched * SS_ELEMENT_BYTES * elements),
                        .stored_bytes = 2.0 * SS_ELEMENT_BYTES * elements};
}

/* Keeps the SiLU; the other half is kept with the input of that. Each gradient is a product of two tensors. */
ss_operation ss_operation_gate(ss_activity activity, double elements)
{
  return (ss_operation){.forward = vector_task(activity, elements, 3.0 * SS_ELEMENT_BYTES * elements),
                        .backward = vector_task(activity, 2.0 * elements, 2.0 * 3.0 * SS_ELEMENT_BYTES * elements),
                        .stored_bytes = SS_ELEMENT_BYTES * elements};
}

/* Backward the gradient times s (1 - s). */
ss_operation ss_operation_sigmoid(ss_activity activity, double elements)
{
  return (ss_operation){.forward = vector_task(activity, 8.0 * elements, 2.0 * SS_ELEMENT_BYTES * elements),
                        .backward = vector_task(activity, 3.0 * elements, 3.0 * SS_ELEMENT_BYTES * elements),
                        .stored_bytes = SS_ELEMENT_BYTES * elements};
}

/* Forward a sigmoid and a product; backward the sigmoid, two products for the gradients of both, and s (1 - s) with
 * one more. Reads two tensors and, backward, the gradient; writes one, and backward two. */
ss_operation ss_operation_sigmoid_gate(ss_activity activity, double elements)
{
  return (ss_operation){.forward = vector_task(activity, 9.0 * elements, 3.0 * SS_ELEMENT_BYTES * elements),
                        .backward = vector_task(activity, 13.0 * elements, 5.0 * SS_ELEMENT_BYTES * elements),
                        .stored_bytes = 2.0 * SS_ELEMENT_BYTES * elements};
}

ss_operation ss_operation_bias_dropout_add(double elements, double bias_width, bool dropout, bool summed)
{
  const double masks = dropout ? SS_MASK_BYTES * elements : 0.0;
  const double dropout_gradient = dropout ? 2.0 * SS_ELEMENT_BYTES * elements + masks : 0.0;
  const double added = 3.0 * SS_ELEMENT_BYTES * elements + SS_ELEMENT_BYTES * bias_width;
  const double summed_bytes = summed && bias_width > 0.0 ? SS_ELEMENT_BYTES * elements : 0.0;
  return (ss_operation){
      .forward = vector_task(SS_OP_BIAS_DROPOUT_ADD, 3.0 * elements, added + masks),
      /* backward also adds the gradients of the two branches */
      .backward = vector_task(SS_OP_BIAS_DROPOUT_ADD, 3.0 * elements, added + dropout_gradient + summed_bytes),
      .stored_bytes = masks,
      .parameters = bias_width,
  };
}

ss_operation ss_operation_pooling(double elements, double rows)
{
  const ss_task task = vector_task(SS_OP_POOLING, elements, SS_ELEMENT_BYTES * (elements + elements / rows));
  return (ss_operation){.forward = task, .backward = task};
}

ss_operation ss_operation_rotary(double elements)
{
  const ss_task task = vector_task(SS_OP_ROTARY, 3.0 * elements, 2.0 * SS_ELEMENT_BYTES * elements);
  return (ss_operation){.forward = task, .backward = task};
}

ss_operation ss_operation_composed_rotary(double elements)
{
  ss_task task = vector_task(SS_OP_ROTARY, 3.0 * elements, 20.0 * elements);
  task.launches = 6;
  return (ss_operation){.forward = task, .backward = task};
}

ss_operation ss_operation_top_k(double tokens, double experts, double choices, double value_bytes)
{
  const double scores = tokens * experts;
  return (ss_operation){
      /* a softmax, and one comparison per score and choice */
      .forward = vector_task(SS_OP_TOP_K, (5.0 + choices) * scores, 2.0 * value_bytes * scores),
      .backward = vector_task(SS_OP_TOP_K, 4.0 * scores, 3.0 * value_bytes * scores),
      .stored_bytes = value_bytes * scores,
  };
}

#define INDEX_BYTES 4.0 /* where a copy of a row goes */

ss_operation ss_operation_permute(double elements, double copies, double width, bool fused)
{
  return (ss_operation){
      .forward = vector_task(SS_OP_PERMUTE, 0.0, SS_ELEMENT_BYTES * (copies + (fused ? elements : copies))),
      .backward = vector_task(SS_OP_PERMUTE, copies, SS_ELEMENT_BYTES * (copies + elements)),
      .stored_bytes = INDEX_BYTES * copies / width,
  };
}

ss_operation ss_operation_unpermute(double elements, double copies, bool weighs)
{
  if (!weighs)
    return (ss_operation){
        .forward = vector_task(SS_OP_UNPERMUTE, copies, SS_ELEMENT_BYTES * (copies + elements)),
        .backward = vector_task(SS_OP_UNPERMUTE, 0.0, SS_ELEMENT_BYTES * (copies + elements)),
    };
  return (ss_operation){
      .forward = vector_task(SS_OP_UNPERMUTE, 2.0 * copies, SS_ELEMENT_BYTES * (copies + elements)),
      /* reads copies and the gradient of their sum: gradients of the copies, and of their weights */
      .backward = vector_task(SS_OP_UNPERMUTE, 3.0 * copies, SS_ELEMENT_BYTES * (2.0 * copies + elements)),
      .stored_bytes = SS_ELEMENT_BYTES * copies,
  };
}

ss_operation ss_operation_copy(ss_activity activity, double forward_elements, double backward_elements)
{
  ss_operation copy = {.stored_bytes = 0.0};
  if (forward_elements > 0.0) copy.forward = vector_task(activity, 0.0, 2.0 * SS_ELEMENT_BYTES * forward_elements);
  if (backward_elements > 0.0) copy.backward = vector_task(activity, 0.0, 2.0 * SS_ELEMENT_BYTES * backward_elements);
  return copy;
}

ss_operation ss_operation_unpad(double elements)
{
  ss_operation unpad = {.forward = vector_task(SS_OP_UNPAD, 0.0, 2.0 * SS_ELEMENT_BYTES * elements),
                        .backward = vector_task(SS_OP_UNPAD, 0.0, 3.0 * SS_ELEMENT_BYTES * elements)};
  unpad.forward.synced = true;
  return unpad;
}

ss_operation ss_operation_pad(double elements)
{
  return (ss_operation){.forward = vector_task(SS_OP_PAD, 0.0, 3.0 * SS_ELEMENT_BYTES * elements),
                        .backward = vector_task(SS_OP_PAD, 0.0, 2.0 * SS_ELEMENT_BYTES * elements)};
}

ss_operation ss_operation_weigh(ss_activity activity, double elements)
{
  return (ss_operation){
      .forward = vector_task(activity, elements, 2.0 * SS_ELEMENT_BYTES * elements),
      /* reads the input and the gradient of the product: gradients of the input, and of its weights */
      .backward = vector_task(activity, 3.0 * elements, 3.0 * SS_ELEMENT_BYTES * elements),
      .stored_bytes = SS_ELEMENT_BYTES * elements,
  };
}

ss_operation ss_operation_lookup(double tokens, double width, double parameters)
{
  const double elements = tokens * width;
  return (ss_operation){.forward = vector_task(SS_OP_LOOKUP, elements, 2.0 * SS_ELEMENT_BYTES * elements),
                        .backward = vector_task(SS_OP_LOOKUP, elements, 3.0 * SS_ELEMENT_BYTES * elements),
                        .stored_bytes = 8.0 * tokens, /* the indices */
                        .parameters = parameters,
                        .scattered = true};
}

/* Bytes of an element of the logits that a form of the loss moves, keeps for backward, and has on top of that for a
 * moment. */
typedef struct loss_bytes {
  double forward, backward, kept, scratch;
} loss_bytes;

/* separate: passes over fp32 logits, one by one (vocab_parallel_cross_entropy of Megatron-LM). Forward: cast 2 + 4,
 * maximum 4, subtract 4 + 4, exponent 4 + 4, sum 4; backward: scale 4 + 4, cast 4 + 2.
 * fused: the same in chains (fused_vocab_parallel_cross_entropy). Forward: cast with the maximum 2 + 4, subtract with
 * the exponent and the sum 4 + 4 + 4, divide 4 + 4; backward: scale with the cast 4 + 2.
 * online: maximum and sum in one pass (2), then the gradient in place of the logits (2 + 2); backward times the
 * gradient of the loss (2 + 2) (transformer_engine/common/triton/cross_entropy.py).
 * log-softmax: cast 2 + 4; a row at a time, its maximum 4, sum 4, result 4 + 4; backward: zeros 4, of which one in a
 * row is set, sum of the row 4, its gradient 4 + 4 + 4, cast 4 + 2 (aten/src/ATen/native/cuda/SoftMax.cu and
 * NLLLoss2d.cu). Backward has the result, the gradient of it, and that of the logits. */
static loss_bytes loss_bytes_of(ss_cross_entropy form)
{
  switch (form) {
  case SS_CROSS_ENTROPY_LOG_SOFTMAX:
    return (loss_bytes){.forward = 22.0, .backward = 26.0, .kept = 4.0, .scratch = 8.0};
  case SS_CROSS_ENTROPY_FUSED: return (loss_bytes){.forward = 26.0, .backward = 6.0, .kept = 4.0};
  case SS_CROSS_ENTROPY_ONLINE: return (loss_bytes){.forward = 6.0, .backward = 4.0, .kept = 2.0};
  case SS_CROSS_ENTROPY_SEPARATE: break;
  }
  return (loss_bytes){.forward = 30.0, .backward = 14.0, .kept = 4.0};
}

ss_operation ss_operation_cross_entropy(double elements, ss_cross_entropy form)
{
  const loss_bytes bytes = loss_bytes_of(form);
  return (ss_operation){.forward = vector_task(SS_OP_CROSS_ENTROPY, 5.0 * elements, bytes.forward * elements),
                        .backward = vector_task(SS_OP_CROSS_ENTROPY, 2.0 * elements, bytes.backward * elements),
                        .stored_bytes = bytes.kept * elements,
                        .scratch_bytes = bytes.scratch * elements};
}

ss_operation ss_operation_loss_metric(double elements)
{
  return (ss_operation){.forward = vector_task(SS_OP_LOSS_METRIC, 5.0 * elements, 22.0 * elements)};
}
