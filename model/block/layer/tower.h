/* The ends of a vision tower: patches become its states, and these tokens of the decoder. */
#ifndef STEPSIM_MODEL_BLOCK_LAYER_TOWER_H
#define STEPSIM_MODEL_BLOCK_LAYER_TOWER_H

#include "model/block/builder.h"

/* The product of patches and the vectors of their positions, which every tensor-parallel rank has whole, for the
 * patches that it computes norms of. Images ask for no gradients. */
void ss_builder_add_patches(ss_builder *b);

/* Final norm of the tower; patches that become one token side by side, or their mean; one product, or an MLP, to the
 * width of the decoder; and these tokens into their places of its embedding. */
void ss_builder_add_projector(ss_builder *b);

#endif
