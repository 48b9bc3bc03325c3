/* Residual streams (manifold-constrained hyper-connections, mHC, arXiv 2512.24880 section 4; model.residual-streams):
 * in place of one hidden state n of them go from layer to layer. A part of a layer reads a sum of them, weighed by
 * numbers that are made of all of them, token by token, and what it writes is added, weighed likewise, to n mixtures of
 * them. Kernels are those of megatron/core/transformer/hyper_connection.py and
 * megatron/core/fusions/fused_mhc_kernels.py. */
#ifndef STEPSIM_MODEL_BLOCK_STREAMS_H
#define STEPSIM_MODEL_BLOCK_STREAMS_H

#include "model/block/builder.h"

/* Adds what makes the input of a part of a layer; nothing where there is one stream. */
void ss_builder_add_stream_input(ss_builder *b);

/* Adds the output of a part to the streams: in place of the sum with the residual. */
void ss_builder_add_stream_output(ss_builder *b);

/* Adds copies of the embedding, one for each stream, and what makes one state of them again ahead of the final norm:
 * a sum that is weighed as the input of a part is. Nothing where there is one stream. */
void ss_builder_add_stream_copies(ss_builder *b);
void ss_builder_add_stream_contraction(ss_builder *b);

/* Adds a vector of each token to all of its streams, all of which are results of products. */
void ss_builder_add_stream_broadcast(ss_builder *b);

/* Parameters of the product of a part that makes its weights; 0 where there is one stream. */
double ss_stream_parameters(const ss_workload *workload);

#endif
