/* What chooses experts: the product that makes logits, and the kernels that choose by them and drop what does not
 * fit. */
#ifndef STEPSIM_MODEL_BLOCK_FEED_FORWARD_ROUTER_H
#define STEPSIM_MODEL_BLOCK_FEED_FORWARD_ROUTER_H

#include "model/block/builder.h"

/* Adds the choice of `choices` experts for each token of this rank. */
void ss_builder_add_router(ss_builder *b, double choices);

#endif
