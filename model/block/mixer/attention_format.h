/* What surrounds fused attention in 8 bits: kernels that quantise what it reads, and that make 16 bits of what it
 * writes (FusedAttnFunc of Transformer Engine, pytorch/attention/dot_product_attention/backends.py). */
#ifndef STEPSIM_MODEL_BLOCK_MIXER_ATTENTION_FORMAT_H
#define STEPSIM_MODEL_BLOCK_MIXER_ATTENTION_FORMAT_H

#include "model/block/builder.h"
#include "model/block/mixer/attention_core.h"

/* Whether the fused kernel writes 8 bits as well as reading them: with scales from earlier iterations. */
bool ss_attention_writes_quantised(const ss_builder *b);

/* Add what runs ahead of the kernel forward, and what runs behind it; backward the other way round. Nothing in 16 bits.
 */
void ss_builder_add_attention_inputs(ss_builder *b, const ss_attention_shape *shape);
void ss_builder_add_attention_outputs(ss_builder *b, const ss_attention_shape *shape);

#endif
