/* Operations of the attention core: one fused kernel, or logits in memory. */
#ifndef STEPSIM_MODEL_BLOCK_MIXER_ATTENTION_CORE_H
#define STEPSIM_MODEL_BLOCK_MIXER_ATTENTION_CORE_H

#include <stdbool.h>

#include "model/block/operation.h"

/* Heads of attention on one GPU; `queries` and `keys` are tokens per sequence. */
typedef struct ss_attention_shape {
  double batch, heads, kv_heads;
  double head_size, value_size; /* of queries and keys, of values */
  double queries, keys;
  double span;             /* of the keys, those in the document of a query: all, but in packed sequences */
  double own_keys;         /* of the keys: kept for backward; the others come from the context-parallel group */
  double vector_to_matrix; /* softmax and dropout inside the fused kernel are charged as this much matrix work */
  double share;            /* of the logits that is computed: 0.5 for causal */
  double window;           /* keys that a query sees at most; 0: all of them */
  ss_format format;        /* of queries, keys and values as the fused kernel reads them */
  ss_engine forward;       /* units of the fused kernel: those of attention, whose efficiency has softmax and dropout */
  ss_engine backward;      /* in it, or SS_ENGINE_MATRIX */
  double row_copies;       /* per query: 2-byte numbers kept for backward (2 as published) */
  bool keeps_output;       /* the kernel keeps its output too, not only its inputs */
} ss_attention_shape;

/* Elements of the keys, and of the values, of all sequences. */
double ss_attention_keys(const ss_attention_shape *shape);
double ss_attention_values(const ss_attention_shape *shape);

/* Fused attention: logits never reach memory, backward computes them again. Of operands in 8 bits it keeps what a
 * kernel ahead of it has made of them. */
ss_operation ss_operation_flash(const ss_attention_shape *shape);

/* Bytes that backward keeps of a query, key or value: in blocks that share a scale there is a copy along rows and one
 * along columns (FusedAttnFunc and get_attention_quantizers of Transformer Engine). */
double ss_attention_kept_bytes(ss_format format);

/* Queries, keys and values of this rank, in elements. */
double ss_attention_inputs(const ss_attention_shape *shape);

/* What quantises them forward, and the gradient of the output backward; and what looks for their largest value. */
ss_operation ss_operation_quantise_inputs(const ss_attention_shape *shape);
ss_operation ss_operation_quantise_gradient(const ss_attention_shape *shape);
ss_operation ss_operation_largest_input(const ss_attention_shape *shape);
ss_operation ss_operation_largest_gradient(const ss_attention_shape *shape);

/* With scales from earlier iterations the fused kernel writes 8 bits, too, of which others make 16: of the gradients of
 * queries, keys and values backward, and of the output forward. */
ss_operation ss_operation_widen_gradients(const ss_attention_shape *shape);
ss_operation ss_operation_widen_output(const ss_attention_shape *shape);

/* Sums of what fused attention makes in so many pieces, one for the keys of each context-parallel rank, by kernels of
 * their own in fp32, as _SDPAMerger and _templated_ring_attention_backward of PyTorch
 * (torch/distributed/tensor/experimental/_attention.py). Forward of outputs, which their log-sum-exps weigh; backward
 * of gradients of queries, and of `sent_elements` of keys and values, which are put side by side to be sent.
 *
 * Bytes an element, of n pieces. Outputs: each to fp32 2 + 4; n - 1 times the difference from the sum 4 + 4 + 4, times
 * a weight of the row 4 + 4, off the sum 4 + 4 + 4; to 16 bits 4 + 2: 38 n - 26. Gradients of queries: zeros 4, n times
 * 4 + 2 + 4, to 16 bits 4 + 2: 10 n + 10; of keys and values also side by side each time 4 + 4: 18 n + 10. With fused
 * kernels each sum is one: 4 + 2 + 4, the first of 16 bits, the last to 16 bits: 10 n - 14; what is sent is in fp32
 * from the first on, 2 + 4, and made 16 bits when it is back, 4 + 2: 10 n + 2. All rows are in all sums: on other ranks
 * than the last, which has most, some have half of them. */
ss_operation ss_operation_output_sums(const ss_attention_shape *shape, int64_t pieces, bool fused);
ss_operation ss_operation_gradient_sums(const ss_attention_shape *shape, double sent_elements, int64_t pieces,
                                        bool fused);

/* Unfused: product of queries and keys, scale and mask where they are a kernel of their own, softmax, dropout, product
 * with values. */
ss_operation ss_operation_logits(const ss_attention_shape *shape);
ss_operation ss_operation_scale_mask(const ss_attention_shape *shape);
ss_operation ss_operation_softmax(const ss_attention_shape *shape);
ss_operation ss_operation_attention_dropout(const ss_attention_shape *shape);
ss_operation ss_operation_attend(const ss_attention_shape *shape);

#endif
