/* What the ranks of a tensor-parallel group gather and reduce, beside the products that they share out. */
#ifndef STEPSIM_MODEL_BLOCK_TENSOR_OVERLAP_H
#define STEPSIM_MODEL_BLOCK_TENSOR_OVERLAP_H

#include <stdbool.h>

#include "model/block/builder.h"

/* The gather of what a product reads, or the reduction of what it writes, of so many bytes. */
ss_call ss_builder_tensor_call(const ss_builder *b, bool gathers, double volume_bytes);

/* Whether collectives and the product they belong to are one task. */
bool ss_builder_overlaps_tensor(const ss_builder *b);

/* Whether they go through user buffers of Transformer Engine. */
bool ss_builder_uses_buffers(const ss_builder *b);

/* Whether pieces of what such a product writes there go to the ranks that they are for, and are summed up there
 * (split_overlap_rs of CommOverlapP2PBase in Transformer Engine). */
bool ss_builder_buffers_reduce_in_ring(const ss_builder *b, ss_activity product);

/* Joins the gather or the reduction to its product, which it cuts into pieces. */
void ss_builder_join_tensor(const ss_builder *b, ss_task *task, bool gathers, double volume_bytes);

#endif
