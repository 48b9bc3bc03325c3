/* The feed-forward part of a layer, and what a mixture of experts has in common with it. */
#ifndef STEPSIM_MODEL_BLOCK_FEED_FORWARD_FEED_FORWARD_H
#define STEPSIM_MODEL_BLOCK_FEED_FORWARD_FEED_FORWARD_H

#include "model/block/builder.h"

/* The feed-forward part of a dense layer: norm, MLP and residual; parallel to attention without a norm of its own. The
 * product that adds up both their outputs costs nothing more. */
void ss_builder_add_feed_forward(ss_builder *b);

/* Two products with the activation between them, `ffn` wide over the whole tensor-parallel group. `reads_norm`: of what
 * the input norm has written, and not of what a module that is computed again has kept of that. */
void ss_builder_add_mlp(ss_builder *b, double ffn, bool shares_input, bool biased, bool reads_norm);

/* Activation of `elements` elements without a bias: SwiGLU, where it is not fused in two kernels, or GELU. */
void ss_builder_add_activation(ss_builder *b, ss_activity activity, double elements);

#endif
