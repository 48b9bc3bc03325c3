/* Queries, keys and values of latent attention (arXiv 2405.04434 section 2.1): queries through a low rank, keys and
 * values through one they share; the way down is the same on all tensor-parallel ranks, each has all of its weights;
 * the way up is split by heads. */
#ifndef STEPSIM_MODEL_BLOCK_MIXER_LATENT_ATTENTION_H
#define STEPSIM_MODEL_BLOCK_MIXER_LATENT_ATTENTION_H

#include "model/block/builder.h"
#include "model/block/mixer/attention_core.h"

/* Adds the queries. Returns the operations of the way up. */
ss_operations ss_builder_add_latent_queries(ss_builder *b, const ss_attention_shape *shape);

/* Adds the latents that keys and values are made of, with the rotary part of keys beside them. */
void ss_builder_add_latents(ss_builder *b);

/* Adds them, and keys and values. Returns the operations of the way up. */
ss_operations ss_builder_add_keys_and_values(ss_builder *b, const ss_attention_shape *shape);

/* Queries of low rank, with a norm of theirs, beside keys and values as they are (multi-matrix factorization attention,
 * arXiv 2412.19255). Each tensor-parallel rank has the way down, keys and values whole, as those have one head
 * (ReplicatedLinear qkv_proj of vllm/model_executor/models/step3_text.py). */
void ss_builder_add_low_queries(ss_builder *b, const ss_attention_shape *shape);

#endif
