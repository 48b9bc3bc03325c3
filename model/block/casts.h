/* Kernels that quantise what products read: their inputs, and the gradients of what they write. */
#ifndef STEPSIM_MODEL_BLOCK_CASTS_H
#define STEPSIM_MODEL_BLOCK_CASTS_H

#include "model/block/builder.h"

/* Whether each row of tokens has a scale of its own. */
bool ss_builder_scales_rows(const ss_builder *b);

/* Whether ranks quantise what each has of the tokens and gather that, in place of 16 bits. */
bool ss_builder_gathers_quantised(const ss_builder *b);

/* Adds what quantises the input of a product, ahead of it. `own`: of the tokens of this rank, before they are gathered.
 */
void ss_builder_add_input_casts(ss_builder *b, const ss_product *product, bool own);

/* Adds what quantises the gradient of what a product writes, behind it forward, and so ahead of it backward. */
void ss_builder_add_gradient_casts(ss_builder *b, const ss_product *product, bool own);

/* Adds the transpose of so many values that ranks have gathered along rows, ahead of the gradient of the weights. */
void ss_builder_add_transposition(ss_builder *b, double elements);

#endif
