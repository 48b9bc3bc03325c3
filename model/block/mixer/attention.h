/* The attention part of a layer, ordinary or latent. */
#ifndef STEPSIM_MODEL_BLOCK_MIXER_ATTENTION_H
#define STEPSIM_MODEL_BLOCK_MIXER_ATTENTION_H

#include "model/block/builder.h"

/* Norm, queries, keys and values, the core with its exchange along the sequence, projection and residual; without the
 * latter where a parallel feed-forward part, or a state space beside it, follows, which has them for both. */
void ss_builder_add_attention(ss_builder *b);

/* Heads of queries and, as many, of gates, which the same product makes: without gates those of queries. */
double ss_attention_query_heads(const ss_workload *workload);

#endif
