/* Attention of DeepSeek-V4 (mixer compressed): a query attends to a window of tokens and to compressed ones, each of
 * which a gate makes of several (model.compress). Of these an indexer chooses (CSA), or all count (HCA), or there are
 * none. One head of keys is that of values, too. What heads write goes through a product of each group of them, ahead
 * of the projection. Kernels are those of deepseek_v4_hybrid_attention.py and csa.py in
 * megatron/core/transformer/experimental_attention_variant (Megatron-LM's branch dev). */
#ifndef STEPSIM_MODEL_BLOCK_MIXER_COMPRESSED_ATTENTION_H
#define STEPSIM_MODEL_BLOCK_MIXER_COMPRESSED_ATTENTION_H

#include "model/block/builder.h"
#include "model/block/mixer/sparse_core.h"

/* Norm, queries, keys, compressed ones, core, both products behind it, and residual. */
void ss_builder_add_compressed_attention(ss_builder *b);

/* What a query attends to, of the window and of compressed tokens; and compressed tokens alone, as the indexer sees
 * them. Of token i (from 1), these are floor(i / compress). */
ss_sparse_shape ss_compressed_shape_of(const ss_workload *workload);
ss_sparse_shape ss_compressed_index_shape_of(const ss_workload *workload);

/* Parameters of the products of such a layer, but for its indexer; those of the way up that recompute module
 * mla_up_proj runs again; and those of the indexer. */
double ss_compressed_parameters(const ss_workload *workload);
double ss_compressed_up_parameters(const ss_workload *workload);
double ss_compressed_index_parameters(const ss_workload *workload);

#endif
