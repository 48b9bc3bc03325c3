/* What comes behind a part of a layer: its output is added to what came into it. */
#ifndef STEPSIM_MODEL_BLOCK_RESIDUAL_H
#define STEPSIM_MODEL_BLOCK_RESIDUAL_H

#include "model/block/builder.h"

/* Adds the output of a row-parallel product to the residual, or to residual streams: bias (where the model has one),
 * dropout, sum. */
void ss_builder_add_residual(ss_builder *b, ss_activity bias, ss_activity dropout, bool biased);

#endif
