/* Adapters of low rank (LoRA, arXiv 2106.09685) beside products of layers: down to training.lora-rank columns and up
 * again, in 16 bits. They alone are trained. */
#ifndef STEPSIM_MODEL_BLOCK_ADAPTER_H
#define STEPSIM_MODEL_BLOCK_ADAPTER_H

#include "model/block/builder.h"

/* Whether products of such an activity have one. */
bool ss_builder_adapts(const ss_builder *b, ss_activity activity);

/* What an adapter changes of the product beside it: gradients of the input that both read are added up by a kernel, or
 * as that product writes its own. */
void ss_adapter_share_input(const ss_builder *b, ss_product *base);

/* Adds the adapter of a product behind it, whose `in` and `out` are as this rank has them. Column: ranks share the
 * columns in the middle out, and gather them. Row: partial sums of the middle are reduced, and what ranks compute of
 * the result is gathered, or exchanged, for their tokens (ParallelLinearAdapter of megatron/bridge/peft/utils.py). Own:
 * each has all of it, for its own tokens. Routed experts have one for all of a rank, or one each. */
void ss_builder_add_column_adapter(ss_builder *b, const ss_product *base);
void ss_builder_add_row_adapter(ss_builder *b, const ss_product *base);
void ss_builder_add_own_adapter(ss_builder *b, const ss_product *base);

#endif
