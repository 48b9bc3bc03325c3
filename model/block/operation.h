/* One operation of a transformer with all its directions: the rows that blocks are made of. */
#ifndef STEPSIM_MODEL_BLOCK_OPERATION_H
#define STEPSIM_MODEL_BLOCK_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "model/block/block.h"
#include "model/block/recipe.h"

#define SS_MASK_BYTES 1.0 /* dropout mask */
#define SS_BYTE       1.0 /* of 8 bits */

/* A direction with nothing to do has a task that neither computes nor communicates. */
typedef struct ss_operation {
  ss_task forward;
  ss_task backward;      /* gradients of the inputs; of norms and element-wise operations everything */
  ss_task weight;        /* gradients of a product's second operand: its weights, or keys or values of attention */
  double stored_bytes;   /* kept for backward */
  double made_bytes;     /* of these, not inputs: what attention itself makes */
  double remade_bytes;   /* of these, not kept: recomputation makes them again */
  bool keeps_norm;       /* what it stores is what the input norm has written, on this rank */
  bool offloaded;        /* what it keeps is an input of a module that goes to the second tier */
  double scratch_bytes;  /* there while it runs */
  double gradient_bytes; /* of the output of a product: needed until the gradients of its weights are there */
  double result_bytes;   /* of the output of a product with weights or of flash attention, in 16 bits */
  ss_call regathered;    /* of an input kept in shards: gathered again for the gradients of the weights */
  double parameters;
  ss_weights weights; /* what kind of parameters */
  ss_matrix matrix;   /* that they are; none where the parameters of several operations are one, but for the first */
  bool elsewhere;     /* the parameters are those of another operation, and counted there */
  bool frozen;        /* they get no gradient: adapters beside them do */
  bool sums;          /* backward only sums their gradient up */
  bool scattered;     /* the gradient has few rows that are not zero, and is written whole by a kernel of its own */
  bool joint;         /* the collectives of both gradients are one set: they are one task */
} ss_operation;

/* What writes an operand of a product; the last has quantised it. */
typedef enum ss_source { SS_SOURCE_NORM, SS_SOURCE_ACTIVATION, SS_SOURCE_OTHER, SS_SOURCE_FUSED } ss_source;

/* Which of the products of what is gathered once gathers it again for the gradients of their weights: the one that has
 * gathered it forward, or another, which comes first backward. */
typedef enum ss_gathers_again { SS_AGAIN_AS_GATHERED, SS_AGAIN_HERE, SS_AGAIN_ELSEWHERE } ss_gathers_again;

/* How a product keeps its input: in the format of the weight gradient; as it came, in 16 bits, quantised again for that
 * gradient (save_original_input of Transformer Engine); or not, as what has written it makes it again, likewise. */
typedef enum ss_input_kept { SS_INPUT_AS_READ, SS_INPUT_ORIGINAL, SS_INPUT_DISCARDED } ss_input_kept;

/* Y(tokens, out) = X(tokens, in) W(in, out), or so many such products with as many matrices and all tokens together.
 * Operands are read in the formats of the precision; results have 16 bits. */
typedef struct ss_product {
  ss_activity activity;
  double tokens, in, out;
  double matrices; /* 0 is 1 */
  double carried;  /* width of what is gathered with X, but goes past the product */
  ss_weights weights;
  ss_precision precision;
  bool together;     /* all matrices in one kernel, which fills the GPU as a single product does */
  bool apart;        /* each matrix has kernels of its own for what quantises its operands */
  bool one_copy;     /* these write operands along rows alone */
  bool elsewhere;    /* W is that of another operation */
  bool detached;     /* X gets no gradient */
  bool fixed;        /* W gets none either, and X is not kept for it */
  bool shares_input; /* X is kept by another operation already */
  bool kept_16bit;   /* by what has written it, in 16 bits, for an adapter */
  bool gathered;     /* X has been gathered for another product; their gradients of it are reduced together */
  ss_gathers_again again;
  bool partial;         /* Y is added to that of another product, and reduced with it */
  bool sums;            /* such a Y is added to this one, by a kernel */
  int64_t readers;      /* products of X, of which this is the first: kernels sum their gradients of it; 0 is 1 */
  bool reads_again;     /* X is as one of those has read and keeps it */
  ss_source input_from; /* what writes X, and what the gradient of Y */
  ss_source gradient_from;
  bool reads_norm; /* X is what the input norm has written, which may be recomputed */
  ss_input_kept input_kept;
  double forward_bytes, backward_bytes; /* of HBM, of what is fused with Y and with the gradient of X */
} ss_product;

ss_operation ss_operation_product(const ss_product *product);

/* Takes away what only gradients of the operation's own parameters are for: their product, what that reads and gathers,
 * and kernels that sum them up. What is reduced beside that product stays. */
void ss_operation_freeze(ss_operation *operation);

/* X in the formats of the products that read it, before a product forward; the gradient of Y likewise before its
 * gradients. */
ss_operation ss_operation_cast_input(const ss_product *product);
ss_operation ss_operation_cast_gradient(const ss_product *product);

/* With scales of rows: X and W along rows forward, along columns backward; the gradient of Y along either by itself. */
ss_operation ss_operation_cast_input_rows(const ss_product *product);
ss_operation ss_operation_cast_weight_rows(const ss_product *product);
ss_operation ss_operation_cast_weight_columns(const ss_product *product);
ss_operation ss_operation_cast_gradient_rows(const ss_product *product);
ss_operation ss_operation_cast_gradient_columns(const ss_product *product);

/* W as the gradient of X reads it, of what the product has forward: backward. */
ss_operation ss_operation_transpose_weight(const ss_product *product);

/* The largest value of each column of X, and of W, backward. */
ss_operation ss_operation_amax_columns(const ss_product *product);
ss_operation ss_operation_amax_weight_columns(const ss_product *product);

/* The largest value of X, and of the gradient of Y, which gives their scale. */
ss_operation ss_operation_amax_input(const ss_product *product);
ss_operation ss_operation_amax_gradient(const ss_product *product);

/* Bias over `elements` elements of rows of `width`. */
ss_operation ss_operation_bias(ss_activity activity, double elements, double width);

/* Learned positions, of `used` elements in a sequence and `parameters` in all, added to `elements`; backward each is
 * the sum over sequences. */
ss_operation ss_operation_positions(double elements, double used, double parameters);

/* Layer norm of `rows` rows of `width`; `parameters` is 2 width (LayerNorm) or width (RMSNorm). */
ss_operation ss_operation_norm(ss_activity activity, double rows, double width, double parameters);

/* RMSNorm as a chain of kernels in fp32, which is what PyTorch runs without a compiler: rms_norm_composite of
 * aten/src/ATen/native/layer_norm.cpp up to version 2.8, norms.py of torchtitan. Bytes an element. Forward: to fp32 2 +
 * 4, square 4 + 4, mean 4, times the inverse root 4 + 4, to 16 bits 4 + 2, times weight 2 + 2: 36. Backward: of the
 * weight 2 + 2 + 2 and the sum of that 2, times weight 2 + 2, to fp32 2 + 4, times the inverse root 4 + 4, by the input
 * 4 + 4 + 4 and its sum 4, of the mean 4 (mean_backward divides what it has expanded), of the square 4 + 4, 4 + 4 and
 * 4 + 4 + 4 (pow_backward), sum of both branches 4 + 4 + 4, to 16 bits 4 + 2: 92. Kept: the input in fp32 and the
 * result ahead of the weight. An eager host launches 8 kernels forward, these 6 and two for
 * the epsilon and the inverse root of each row, and 17 backward: these 13, three for that root, and one that adds the
 * gradient of the weight up. */
ss_operation ss_operation_composed_norm(ss_activity activity, double rows, double width, double parameters);

ss_operation ss_operation_gelu(ss_activity activity, double elements);
ss_operation ss_operation_dropout(ss_activity activity, double elements);

/* Sum of two tensors; backward the sum of their gradients. */
ss_operation ss_operation_add(double elements);

/* Sum of two tensors whose gradients are that of the sum. */
ss_operation ss_operation_output_sum(double elements);

/* The sum of gradients of `elements` elements from so many products, backward: in one kernel, or one by one. */
ss_operation ss_operation_input_sum(double elements, int64_t terms, bool fused);

/* The sum of results in 16 bits that lie beside one another, one of each rank, of `elements` in all: written once for
 * so many ranks. */
ss_operation ss_operation_piece_sums(double forward_elements, double backward_elements, double ranks);

/* Means of so many rows of `elements` in all. */
ss_operation ss_operation_pooling(double elements, double rows);

/* Two tensors of `elements` in all, side by side; backward apart again. */
ss_operation ss_operation_concatenation(double elements);

/* `elements` that are kept in one byte, which is what an operation behind it keeps: a cast to it, and backward one to
 * 16 bits. */
ss_operation ss_operation_keep_8bit(double elements);

/* SwiGLU kernel by kernel, of 2 * `elements` inputs: SiLU of one half, its product with the other half. Where one
 * product makes both halves (`joined`), backward also joins their gradients to one tensor. */
ss_operation ss_operation_silu(ss_activity activity, double elements, bool joined);
ss_operation ss_operation_gate(ss_activity activity, double elements);

/* Sigmoid of `elements`, which backward reads again. */
ss_operation ss_operation_sigmoid(ss_activity activity, double elements);

/* Product of `elements` with the sigmoid of as many, in one kernel that keeps both and computes the sigmoid again. */
ss_operation ss_operation_sigmoid_gate(ss_activity activity, double elements);

/* The bias of `elements` queries, keys and values, added by itself; its gradient is a sum over theirs. */
ss_operation ss_operation_qkv_bias(double elements);

/* Element-wise chains as one kernel, which keeps its input and makes what is between again: bias + GELU on `elements`;
 * SwiGLU of 2 * `elements` inputs; dropout + residual add. `summed`: the gradient of the bias is summed up by a kernel
 * of its own, otherwise by the one that reads it anyway. */
ss_operation ss_operation_bias_gelu(double elements, double width, bool summed);
ss_operation ss_operation_swiglu(ss_activity activity, double elements);
ss_operation ss_operation_bias_dropout_add(double elements, double bias_width, bool dropout, bool summed);
ss_operation ss_operation_rotary(double elements);

/* Rotary embedding of `elements` as three kernels, as that of Llama's reference and of torchtitan (apply_rotary_emb):
 * to fp32 2 + 4 bytes an element, a complex product 4 + 4, to 16 bits 4 + 2; backward the same. An eager host launches
 * them for queries and for keys. */
ss_operation ss_operation_composed_rotary(double elements);

/* Routing of `tokens` to `choices` of `experts` by logits of `value_bytes`: softmax and selection. */
ss_operation ss_operation_top_k(double tokens, double experts, double choices, double value_bytes);

/* Copies of rows of `width`, in the order of the experts: `elements` of the rows, `copies` of all copies. Backward adds
 * up the gradients of copies. A kernel that is fused (permutation of Transformer Engine) reads a row once, a gather by
 * indices for each copy. */
ss_operation ss_operation_permute(double elements, double copies, double width, bool fused);

/* Sums of the copies of each row, which weigh them, too, and keep them for that, or not. */
ss_operation ss_operation_unpermute(double elements, double copies, bool weighs);

/* Copies `elements` to where they are next to one another, or in another order: forward so many, backward so many. */
ss_operation ss_operation_copy(ss_activity activity, double forward_elements, double backward_elements);

/* Rows of `elements` in all without those of padding, of which the host learns the number, and back: a gather, whose
 * gradient is scattered into zeros, and the other way round (bert_padding.py of flash-attn). */
ss_operation ss_operation_unpad(double elements);
ss_operation ss_operation_pad(double elements);

/* Each row of `elements` in all times a number of its own. */
ss_operation ss_operation_weigh(ss_activity activity, double elements);

/* Ends of the model: lookup of `tokens` rows in this GPU's `parameters`. */
ss_operation ss_operation_lookup(double tokens, double width, double parameters);

/* Cross entropy over `elements` logits in 16 bits; bytes an element, as the kernels of each form move them. */
ss_operation ss_operation_cross_entropy(double elements, ss_cross_entropy form);

/* Cross entropy of PyTorch in fp32, without gradients: cast 2 + 4; log-softmax, a row at a time, its maximum 4, sum 4,
 * result 4 + 4 (aten/src/ATen/native/cuda/SoftMax.cu). */
ss_operation ss_operation_loss_metric(double elements);

#endif
