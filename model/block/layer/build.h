/* Puts the blocks of a stage together. */
#ifndef STEPSIM_MODEL_BLOCK_LAYER_BUILD_H
#define STEPSIM_MODEL_BLOCK_LAYER_BUILD_H

#include "model/block/block.h"
#include "model/input/machine.h"

/* Builds a block, cleared before, for a GPU with `tp` x (`tp2` or `cp`) ranks in its layers: shapes from the workload,
 * operations by the cost model. Only the machine's rates are used (softmax inside fused attention is charged as matrix
 * work). Equations: arXiv 2410.00273 tables I to III (1D, 2D, SUMMA); activations: arXiv 2205.05198 section 4. */
void ss_block_build(const ss_workload *workload, ss_cost cost, const ss_machine *machine, ss_block *block);

#endif
