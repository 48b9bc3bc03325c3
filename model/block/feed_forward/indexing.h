/* Rows on their way to experts and back as PyTorch copies them, by their indices: `elements` of the rows, `copies` of
 * all copies, one for each choice. Sums of copies are atomic. */
#ifndef STEPSIM_MODEL_BLOCK_FEED_FORWARD_INDEXING_H
#define STEPSIM_MODEL_BLOCK_FEED_FORWARD_INDEXING_H

#include "model/block/operation.h"

/* The indices of `chosen` of `scores`, and their weights, of which the host learns the number. */
ss_operation ss_indexing_find(double scores, double chosen);

/* Copies of rows; backward the sums of their gradients. */
ss_operation ss_indexing_gather(double elements, double copies);

/* Sums of copies, which are weighted before, or not; backward copies. */
ss_operation ss_indexing_scatter(double elements, double copies, bool weighs);

#endif
