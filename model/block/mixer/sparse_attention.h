/* The attention part of a layer whose indexer chooses the tokens that a query attends to. */
#ifndef STEPSIM_MODEL_BLOCK_MIXER_SPARSE_ATTENTION_H
#define STEPSIM_MODEL_BLOCK_MIXER_SPARSE_ATTENTION_H

#include "model/block/builder.h"
#include "model/block/mixer/attention_core.h"
#include "model/block/mixer/sparse_core.h"

/* Sizes of a rank of `tp` that share the heads out, for so many of the tokens of a sequence. */
ss_sparse_shape ss_sparse_shape_of(const ss_workload *workload, double tp, double context);

/* Queries, latents, indexer and core, as far as the projection. Returns where the output is that this reads. */
int64_t ss_builder_add_sparse_core(ss_builder *b, const ss_attention_shape *shape);

/* Parameters of the products of an indexer; 0 for a layer that has none. */
double ss_index_parameters(const ss_workload *workload);

#endif
