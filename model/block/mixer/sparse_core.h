/* Operations of sparse attention (DeepSeek-V3.2, arXiv 2512.02556 section 2.1): an indexer that gives every token
 * behind which a query lies a score, and attention to those with the highest ones. Kernels are those that Megatron-LM
 * calls of cuDNN and FlashMLA (megatron/core/transformer/experimental_attention_variant/dsa_cudnn_kernels.py). */
#ifndef STEPSIM_MODEL_BLOCK_MIXER_SPARSE_CORE_H
#define STEPSIM_MODEL_BLOCK_MIXER_SPARSE_CORE_H

#include "model/block/operation.h"

/* On one GPU. Means are over all queries. */
typedef struct ss_sparse_shape {
  double batch, queries, keys;    /* sequences; tokens of each that ask, and that can be chosen */
  double heads;                   /* of attention, on this rank */
  double latent_size, value_size; /* of what all heads share of a token: with its rotary part, and without */
  double chosen, most;            /* tokens that a query attends to, in the mean and at most */
  double index_heads, index_size; /* of the indexer, which each tensor-parallel rank has whole */
  double scored;                  /* tokens that it scores for a query, in the mean */
  double vector_to_matrix;        /* as in ss_attention_shape */
  ss_engine forward, backward;    /* units of attention, whose efficiency has softmax in it, or SS_ENGINE_MATRIX */
} ss_sparse_shape;

/* Flop of products of what such a rank computes, by what they are for. */
typedef struct ss_sparse_flop {
  double logits, attend; /* of attention, forward */
  double scores;         /* of the indexer */
  double target, gradients;
} ss_sparse_flop;

ss_sparse_flop ss_sparse_flop_of(const ss_sparse_shape *shape);

/* A score is the sum over heads of weight times ReLU of query times key, in fp32. Scores are there for some queries at
 * a time only (_indexer_score_chunk_rows). They have no backward pass: a choice has no gradient. */
ss_operation ss_operation_index_scores(const ss_sparse_shape *shape);

/* The highest ones of each query, where they are (4 bytes each), and, where the indexer learns, their scores. */
ss_operation ss_operation_index_top_k(const ss_sparse_shape *shape, bool keeps_scores);

/* Fused attention of latents as keys and values of all heads (absorbed, or MQA form of latent attention). FlashMLA has
 * 64 heads in a block (_get_head_padding). `owns_choice`: what was chosen is kept here, and not in a layer before. */
ss_operation ss_operation_sparse_attention(const ss_sparse_shape *shape, bool owns_choice);

/* What the indexer learns, all of it forward, by a loss of its own: what heads of this rank give each chosen token, of
 * logits that are computed again; the divergence of the scores from their sum over all heads; and the gradients of
 * index queries, keys and weights, which backward multiplies by that of the loss. */
ss_operation ss_operation_index_target(const ss_sparse_shape *shape);
ss_operation ss_operation_index_loss(const ss_sparse_shape *shape);
ss_operation ss_operation_index_gradients(const ss_sparse_shape *shape);

/* Bytes of that target, which tensor-parallel ranks add up. */
double ss_index_target_bytes(const ss_sparse_shape *shape);

#endif
