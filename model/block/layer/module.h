/* What a multi-token-prediction module has beside its layer (arXiv 2412.19437 section 2.2). */
#ifndef STEPSIM_MODEL_BLOCK_LAYER_MODULE_H
#define STEPSIM_MODEL_BLOCK_LAYER_MODULE_H

#include "model/block/builder.h"

/* Norms of the states and of the embedding of a token further on, and the product that makes one of both, side by side:
 * equation 21, as megatron/core/transformer/multi_token_prediction.py does it. */
void ss_builder_add_merger(ss_builder *b);

#endif
