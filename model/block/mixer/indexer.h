/* The indexer of sparse attention: products that read what those of attention read, apart from the model, what chooses
 * tokens by their scores, and the loss that it learns by. */
#ifndef STEPSIM_MODEL_BLOCK_MIXER_INDEXER_H
#define STEPSIM_MODEL_BLOCK_MIXER_INDEXER_H

#include "model/block/builder.h"
#include "model/block/mixer/sparse_core.h"

/* Columns of what its queries are made of: what those of attention are. */
double ss_index_source(const ss_workload *workload);

/* Whether it learns (training.index-loss). */
bool ss_index_learns(const ss_builder *b);

/* A product of what the norm has written. Nothing of its gradients goes back. */
ss_product ss_index_product(const ss_builder *b);

/* Adds an operation of it; where it does not learn only what goes forward. */
void ss_builder_add_index_part(ss_builder *b, ss_operation part);

/* Adds scores, and what finds the highest. */
void ss_builder_add_index_choice(ss_builder *b, const ss_sparse_shape *shape);

/* Adds the loss behind attention; nothing where it does not learn. */
void ss_builder_add_index_loss(ss_builder *b, const ss_sparse_shape *shape);

#endif
