#include "model/block/mixer/attention_format.h"

static bool quantises(const ss_builder *b)
{
  return b->attention_format != SS_FORMAT_16BIT;
}

bool ss_attention_writes_quantised(const ss_builder *b)
{
  return quantises(b) && b->recipe->scaling == SS_SCALING_DELAYED;
}

static bool seeks_largest(const ss_builder *b)
{
  return quantises(b) && b->recipe->scaling == SS_SCALING_TENSOR;
}

void ss_builder_add_attention_inputs(ss_builder *b, const ss_attention_shape *shape)
{
  if (!quantises(b) || !b->casts) return;
  if (ss_attention_writes_quantised(b)) ss_builder_add(b, ss_operation_widen_gradients(shape));
  if (seeks_largest(b)) ss_builder_add(b, ss_operation_largest_input(shape));
  ss_builder_add(b, ss_operation_quantise_inputs(shape));
}

/* In the order of forward, so that backward seeks first and casts last. */
void ss_builder_add_attention_outputs(ss_builder *b, const ss_attention_shape *shape)
{
  if (!quantises(b) || !b->casts) return;
  if (ss_attention_writes_quantised(b)) ss_builder_add(b, ss_operation_widen_output(shape));
  ss_builder_add(b, ss_operation_quantise_gradient(shape));
  if (seeks_largest(b)) ss_builder_add(b, ss_operation_largest_gradient(shape));
}
