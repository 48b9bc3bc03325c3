/* Copies of what does not lie as the next kernel reads it (training.layout-copies). */
#ifndef STEPSIM_MODEL_BLOCK_MIXER_LAYOUT_COPIES_H
#define STEPSIM_MODEL_BLOCK_MIXER_LAYOUT_COPIES_H

#include "model/block/builder.h"
#include "model/block/mixer/attention_core.h"

/* Whether there are keys and values for each head ahead of attention: repeat_kv of torchtitan
 * (models/llama3/model.py). */
bool ss_attention_repeats_keys(const ss_workload *workload, const ss_attention_shape *shape);

/* Behind the product of queries, keys and values; `heads` of queries, with those of their gates, are on this rank. */
void ss_builder_add_qkv_copies(ss_builder *b, const ss_attention_shape *shape, double heads);

/* Behind products of heads that are not fused, ahead of the projection. */
void ss_builder_add_output_copy(ss_builder *b, const ss_attention_shape *shape);

#endif
