/* One operation of a transformer with both its directions: the rows that blocks are made of. */
#ifndef STEPSIM_MODEL_OPERATION_H
#define STEPSIM_MODEL_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "model/activity.h"

#define SS_ELEMENT_BYTES 2.0 /* bf16 and fp16 */
#define SS_MASK_BYTES    1.0 /* dropout mask */

typedef struct ss_kernel {
  double flop, hbm_bytes;
} ss_kernel;

/* What happens after an operation forward, and with the gradient before it backward (sequence parallel / without):
 *   GATHER   all-gather,     reduce-scatter / nothing, all-reduce
 *   SCATTER  reduce-scatter, all-gather     / all-reduce, nothing
 *   REDUCE   all-reduce of a few numbers forward, nothing backward */
typedef enum ss_exchange { SS_EXCHANGE_NONE, SS_EXCHANGE_GATHER, SS_EXCHANGE_SCATTER, SS_EXCHANGE_REDUCE } ss_exchange;

typedef struct ss_operation {
  ss_activity activity;
  bool matrix;
  ss_kernel forward;
  ss_kernel backward;
  int64_t backward_kernels; /* backward is so many equal kernels (gradients of input and of weights) */
  double stored_bytes;      /* kept for backward */
  double parameters;
  bool recomputed; /* part of the attention core that selective recomputation runs again */
  bool derived;    /* what it stores is made again by that recomputation */
  ss_exchange exchange;
  double exchange_bytes; /* full, gathered size */
} ss_operation;

/* Y(tokens, out) = X(tokens, in) W(in, out); `stored_tokens` rows of X are kept. */
ss_operation ss_operation_linear(ss_activity activity, double tokens, double in, double out, double stored_tokens);

/* Bias over `elements` elements of rows of `width`. */
ss_operation ss_operation_bias(ss_activity activity, double elements, double width);

/* Layer norm of `rows` rows of `width`; `parameters` is 2 width (LayerNorm) or width (RMSNorm). */
ss_operation ss_operation_norm(ss_activity activity, double rows, double width, double parameters);

ss_operation ss_operation_gelu(ss_activity activity, double elements);
ss_operation ss_operation_dropout(ss_activity activity, double elements);

/* Heads of attention on one GPU; `queries` and `keys` are tokens per sequence. */
typedef struct ss_attention_shape {
  double batch, heads, kv_heads, head_size, queries, keys;
  double vector_to_matrix; /* softmax and dropout inside the fused kernel are charged as this much matrix work */
  double share;            /* of the logits that is computed: 0.5 for causal */
  double row_copies;       /* per query: 2-byte numbers kept for backward (2 as published) */
  bool keeps_output;       /* the kernel keeps its output too, not only its inputs */
} ss_attention_shape;

/* Fused attention: logits never reach memory, backward computes them again. */
ss_operation ss_operation_flash(const ss_attention_shape *shape);

/* Unfused: product of queries and keys, softmax with mask, dropout, product with values. */
ss_operation ss_operation_logits(const ss_attention_shape *shape);
ss_operation ss_operation_softmax(const ss_attention_shape *shape);
ss_operation ss_operation_attention_dropout(const ss_attention_shape *shape);
ss_operation ss_operation_attend(const ss_attention_shape *shape);

/* Element-wise chains as one kernel: bias + GELU on `elements`; SwiGLU of 2 * `elements` inputs; dropout + residual
 * add. */
ss_operation ss_operation_bias_gelu(double elements, double width);
ss_operation ss_operation_swiglu(double elements);
ss_operation ss_operation_bias_dropout_add(double elements, double bias_width, bool dropout);
ss_operation ss_operation_rotary(double elements);

/* Ends of the model: lookup of `tokens` rows in this GPU's `parameters`, cross entropy over `elements` logits. */
ss_operation ss_operation_lookup(double tokens, double width, double parameters);
ss_operation ss_operation_cross_entropy(double elements);

#endif
