/* What becomes of the operations of a block: the tasks of its passes, and the memory that it takes. */
#ifndef STEPSIM_MODEL_BLOCK_LAYER_PASSES_H
#define STEPSIM_MODEL_BLOCK_LAYER_PASSES_H

#include "model/block/builder.h"

/* Appends the tasks of each pass, in the order they run, to the lists of a block. */
void ss_passes_assemble(const ss_builder *b, ss_block *block);

/* Fills in the parameters and the bytes of a block, cleared before. */
void ss_passes_account_memory(const ss_builder *b, ss_block *block);

#endif
