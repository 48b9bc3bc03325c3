#include "model/operation.h"

ss_operation ss_operation_linear(ss_activity activity, double tokens, double in, double out, double stored_tokens)
{
  const double x = tokens * in, y = tokens * out, w = in * out;
  return (ss_operation){
      .activity = activity,
      .matrix = true,
      .forward = {tokens * out * (2.0 * in - 1.0), SS_ELEMENT_BYTES * (x + y + w)},
      .backward = {tokens * in * (2.0 * out - 1.0) + in * out * (2.0 * tokens - 1.0),
                   SS_ELEMENT_BYTES * (2.0 * w + 2.0 * x + 2.0 * y)},
      .backward_kernels = 2,
      .stored_bytes = SS_ELEMENT_BYTES * stored_tokens * in,
      .parameters = w,
  };
}

ss_operation ss_operation_bias(ss_activity activity, double elements, double width)
{
  const ss_kernel kernel = {elements, SS_ELEMENT_BYTES * (elements + width)};
  return (ss_operation){
      .activity = activity, .forward = kernel, .backward = kernel, .backward_kernels = 1, .parameters = width};
}

ss_operation ss_operation_norm(ss_activity activity, double rows, double width, double parameters)
{
  const double elements = rows * width;
  return (ss_operation){
      .activity = activity,
      .forward = {9.0 * elements, SS_ELEMENT_BYTES * (2.0 * elements + 2.0 * rows + 2.0 * width)},
      .backward = {8.0 * elements + 4.0 * rows * (width - 1.0), SS_ELEMENT_BYTES * (5.0 * elements + 2.0 * width)},
      .backward_kernels = 1,
      .stored_bytes = SS_ELEMENT_BYTES * elements,
      .parameters = parameters,
  };
}

ss_operation ss_operation_gelu(ss_activity activity, double elements)
{
  return (ss_operation){.activity = activity,
                        .forward = {8.0 * elements, 2.0 * SS_ELEMENT_BYTES * elements},
                        .backward = {13.0 * elements, 3.0 * SS_ELEMENT_BYTES * elements},
                        .backward_kernels = 1,
                        .stored_bytes = SS_ELEMENT_BYTES * elements};
}

ss_operation ss_operation_dropout(ss_activity activity, double elements)
{
  const ss_kernel kernel = {elements, (2.0 * SS_ELEMENT_BYTES + SS_MASK_BYTES) * elements};
  return (ss_operation){.activity = activity,
                        .forward = kernel,
                        .backward = kernel,
                        .backward_kernels = 1,
                        .stored_bytes = SS_MASK_BYTES * elements};
}

/* Elements of queries (or of the output), of keys (or values), and of logits. */
static double query_elements(const ss_attention_shape *s)
{
  return s->batch * s->heads * s->queries * s->head_size;
}

static double key_elements(const ss_attention_shape *s)
{
  return s->batch * s->kv_heads * s->keys * s->head_size;
}

static double logit_elements(const ss_attention_shape *s)
{
  return s->batch * s->heads * s->queries * s->keys;
}

ss_operation ss_operation_flash(const ss_attention_shape *s)
{
  const double logits = logit_elements(s), queries = query_elements(s), keys = key_elements(s);
  const double rows = s->batch * s->heads * s->queries;
  const double logits_flop = logits * (2.0 * s->head_size - 1.0);
  const double attend_flop = queries * (2.0 * s->keys - 1.0);
  const double row_sums = rows * (s->keys - 1.0);
  const double outputs = s->keeps_output ? queries : 0.0;
  const double stored = SS_ELEMENT_BYTES * (queries + 2.0 * keys + outputs + s->row_copies * rows);
  /* backward: one product to make the logits again, two for the gradients of each of the two products */
  const double backward_flop =
      3.0 * attend_flop + 2.0 * logits_flop + s->vector_to_matrix * (7.0 * logits + 2.0 * row_sums);
  return (ss_operation){
      .activity = SS_OP_ATTENTION,
      .matrix = true,
      .forward = {s->share * (logits_flop + attend_flop + s->vector_to_matrix * (3.0 * logits + row_sums)),
                  SS_ELEMENT_BYTES * (2.0 * queries + 2.0 * keys + rows)},
      .backward = {s->share * backward_flop, SS_ELEMENT_BYTES * (2.0 * queries + 2.0 * keys) + stored},
      .backward_kernels = 1,
      .stored_bytes = stored,
  };
}

ss_operation ss_operation_logits(const ss_attention_shape *s)
{
  const double logits = logit_elements(s), queries = query_elements(s), keys = key_elements(s);
  const double flop = logits * (2.0 * s->head_size - 1.0);
  const double bytes = SS_ELEMENT_BYTES * (queries + keys + logits);
  return (ss_operation){.activity = SS_OP_LOGITS,
                        .matrix = true,
                        .forward = {flop, bytes},
                        .backward = {2.0 * flop, 2.0 * bytes},
                        .backward_kernels = 2,
                        .stored_bytes = SS_ELEMENT_BYTES * (queries + keys),
                        .recomputed = true};
}

ss_operation ss_operation_softmax(const ss_attention_shape *s)
{
  const double logits = logit_elements(s);
  return (ss_operation){.activity = SS_OP_SOFTMAX,
                        .forward = {5.0 * logits, 2.0 * SS_ELEMENT_BYTES * logits},
                        .backward = {4.0 * logits, 3.0 * SS_ELEMENT_BYTES * logits},
                        .backward_kernels = 1,
                        .stored_bytes = SS_ELEMENT_BYTES * logits,
                        .recomputed = true,
                        .derived = true};
}

ss_operation ss_operation_attention_dropout(const ss_attention_shape *s)
{
  ss_operation dropout = ss_operation_dropout(SS_OP_ATTENTION_DROPOUT, logit_elements(s));
  dropout.stored_bytes += SS_ELEMENT_BYTES * logit_elements(s); /* its output is the input of the next product */
  dropout.recomputed = dropout.derived = true;
  return dropout;
}

ss_operation ss_operation_attend(const ss_attention_shape *s)
{
  const double logits = logit_elements(s), queries = query_elements(s), keys = key_elements(s);
  const double flop = queries * (2.0 * s->keys - 1.0);
  const double bytes = SS_ELEMENT_BYTES * (logits + keys + queries);
  return (ss_operation){.activity = SS_OP_ATTEND,
                        .matrix = true,
                        .forward = {flop, bytes},
                        .backward = {2.0 * flop, 2.0 * bytes},
                        .backward_kernels = 2,
                        .stored_bytes = SS_ELEMENT_BYTES * keys,
                        .recomputed = true};
}

ss_operation ss_operation_bias_gelu(double elements, double width)
{
  ss_operation chain = ss_operation_gelu(SS_OP_BIAS_ACTIVATION, elements);
  chain.forward.flop += elements;
  chain.forward.hbm_bytes += SS_ELEMENT_BYTES * width;
  chain.backward.flop += elements; /* the bias gradient is a sum over what the kernel reads anyway */
  chain.backward.hbm_bytes += SS_ELEMENT_BYTES * width;
  chain.parameters = width;
  return chain;
}

ss_operation ss_operation_swiglu(double elements)
{
  return (ss_operation){.activity = SS_OP_ACTIVATION,
                        .forward = {10.0 * elements, 3.0 * SS_ELEMENT_BYTES * elements},
                        .backward = {17.0 * elements, 5.0 * SS_ELEMENT_BYTES * elements},
                        .backward_kernels = 1,
                        .stored_bytes = 2.0 * SS_ELEMENT_BYTES * elements};
}

ss_operation ss_operation_bias_dropout_add(double elements, double bias_width, bool dropout)
{
  const double masks = dropout ? SS_MASK_BYTES * elements : 0.0;
  const double dropout_gradient = dropout ? 2.0 * SS_ELEMENT_BYTES * elements + masks : 0.0;
  return (ss_operation){
      .activity = SS_OP_BIAS_DROPOUT_ADD,
      .forward = {3.0 * elements, 3.0 * SS_ELEMENT_BYTES * elements + SS_ELEMENT_BYTES * bias_width + masks},
      /* backward also adds the gradients of the two branches */
      .backward = {3.0 * elements,
                   3.0 * SS_ELEMENT_BYTES * elements + SS_ELEMENT_BYTES * bias_width + dropout_gradient},
      .backward_kernels = 1,
      .stored_bytes = masks,
      .parameters = bias_width};
}

ss_operation ss_operation_rotary(double elements)
{
  const ss_kernel kernel = {3.0 * elements, 2.0 * SS_ELEMENT_BYTES * elements};
  return (ss_operation){.activity = SS_OP_ROTARY, .forward = kernel, .backward = kernel, .backward_kernels = 1};
}

ss_operation ss_operation_lookup(double tokens, double width, double parameters)
{
  const double elements = tokens * width;
  return (ss_operation){.activity = SS_OP_LOOKUP,
                        .forward = {elements, 2.0 * SS_ELEMENT_BYTES * elements},
                        .backward = {elements, 3.0 * SS_ELEMENT_BYTES * elements},
                        .backward_kernels = 1,
                        .stored_bytes = 8.0 * tokens, /* the indices */
                        .parameters = parameters};
}

/* Passes over the fp32 logits as a framework runs them one by one: cast, maximum, subtract, exponent, sum; backward:
 * scale and cast. */
ss_operation ss_operation_cross_entropy(double elements)
{
  return (ss_operation){.activity = SS_OP_CROSS_ENTROPY,
                        .forward = {5.0 * elements, 30.0 * elements},
                        .backward = {2.0 * elements, 14.0 * elements},
                        .backward_kernels = 1,
                        .stored_bytes = 4.0 * elements};
}
