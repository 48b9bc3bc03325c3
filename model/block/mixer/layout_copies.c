#include "model/block/mixer/layout_copies.h"

#include "model/block/operation.h"
#include "model/input/workload.h"

bool ss_attention_repeats_keys(const ss_workload *workload, const ss_attention_shape *shape)
{
  const bool separate = workload->training.projections == SS_PROJECTIONS_SEPARATE;
  return workload->training.layout_copies == SS_YES && separate && shape->heads > shape->kv_heads;
}

/* reshape of get_query_key_value_tensors copies queries of several heads, which lie between keys and values of other
 * groups, and their gates (megatron/core/transformer/attention.py); SplitAlongDim.backward of Transformer Engine, and
 * split of PyTorch, put gradients side by side. */
void ss_builder_add_qkv_copies(ss_builder *b, const ss_attention_shape *shape, double heads)
{
  if (b->workload->training.layout_copies == SS_NO) return;
  const bool grouped = shape->heads > shape->kv_heads;
  const double of_head = shape->head_size * b->tokens;
  const double of_pair = of_head + shape->value_size * b->tokens;
  double forward = grouped ? heads * of_head : 0.0, backward = heads * of_head + shape->kv_heads * of_pair;
  if (b->workload->training.projections == SS_PROJECTIONS_SEPARATE)
    forward = backward =
        ss_attention_repeats_keys(b->workload, shape) ? (shape->heads + shape->kv_heads) * of_pair / 2.0 : 0.0;
  ss_builder_add(b, ss_operation_copy(SS_OP_COPY, forward, backward));
}

/* permute and contiguous of Megatron-LM (megatron/model/transformer.py): products of heads leave rows head by head, the
 * projection reads them token by token. */
void ss_builder_add_output_copy(ss_builder *b, const ss_attention_shape *shape)
{
  const ss_workload *w = b->workload;
  if (w->training.layout_copies == SS_NO || w->training.projections == SS_PROJECTIONS_SEPARATE) return;
  ss_builder_add(b, ss_operation_copy(SS_OP_COPY, shape->heads * shape->value_size * b->tokens, 0.0));
}
