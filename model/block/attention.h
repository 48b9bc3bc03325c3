/* The attention part of a layer, ordinary or latent. */
#ifndef STEPSIM_MODEL_BLOCK_ATTENTION_H
#define STEPSIM_MODEL_BLOCK_ATTENTION_H

#include "model/block/builder.h"

/* Norm, queries, keys and values, the core with its exchange along the sequence, projection and residual; without the
 * latter where a parallel feed-forward part follows, which has them for both. */
void ss_builder_add_attention(ss_builder *b);

/* Heads of queries and, as many, of gates, which the same product makes: without gates those of queries. */
double ss_attention_query_heads(const ss_workload *workload);

/* Keys that a query sees at most: those in the model's window or chunk, else all of the sequence. */
double ss_attention_window(const ss_workload *workload);

/* The mean number of keys that a model asks of a query for, where those behind it count, too: of a window as many as it
 * has, of chunks c of all but the last one, which may have fewer. */
double ss_attention_asked(const ss_workload *workload);

/* Whether ranks along the sequence have whole chunks, so that attention needs nothing of the others: with
 * parallelism.cp-balance, each of the two pieces of a rank. */
bool ss_attention_is_local(const ss_workload *workload);

#endif
