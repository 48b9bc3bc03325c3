#include "model/block/block.h"

#include "model/input/workload.h"

const ss_block_traits *ss_block_traits_of(ss_block_kind kind)
{
  static const ss_block_traits traits[] = {
#define SS_BLOCK_TRAITS(id, activity, layer, experts, recomputes, module)                                              \
  {activity, layer, experts, recomputes, module},
      SS_BLOCK_LIST(SS_BLOCK_TRAITS)
#undef SS_BLOCK_TRAITS
  };
  return &traits[kind];
}

ss_block_kind ss_block_of_kind(int64_t n, bool recomputes)
{
  return (ss_block_kind)(SS_BLOCK_KIND_0 + 2 * n + (recomputes ? 0 : 1));
}

int64_t ss_block_kind_index(ss_block_kind kind)
{
  const bool is_layer = kind >= SS_BLOCK_KIND_0 && kind <= SS_BLOCK_KIND_7_KEPT;
  return is_layer ? (int64_t)(kind - SS_BLOCK_KIND_0) / 2 : -1;
}

void ss_block_clear(ss_block *block, ss_block_kind kind, ss_task_list *list)
{
  *block = (ss_block){.kind = kind, .list = list};
  for (int pass = 0; pass < SS_PASSES; ++pass) list[pass].count = 0;
}

ss_precision ss_block_precision(const ss_workload *workload, ss_block_kind kind)
{
  const bool head = kind == SS_BLOCK_HEAD && workload->training.output_type == SS_AS_OPERANDS;
  return head || ss_block_traits_of(kind)->layer ? workload->training.precision : SS_PRECISION_BF16;
}

ss_precision ss_weights_precision(const ss_workload *workload, ss_block_kind kind, ss_weights weights)
{
  const bool stays = weights == SS_WEIGHTS_EXPERT && workload->training.expert_type == SS_AS_16BIT;
  return stays ? SS_PRECISION_BF16 : ss_block_precision(workload, kind);
}

double ss_gradient_bytes(const ss_workload *workload, ss_cost cost)
{
  const bool by_precision = ss_cost_traits_of(cost).fp32_gradients && workload->training.precision != SS_PRECISION_FP16;
  switch (workload->training.gradients) {
  case SS_GRADIENTS_AUTO: return by_precision ? SS_FP32_BYTES : SS_ELEMENT_BYTES;
  case SS_GRADIENTS_FP32: return SS_FP32_BYTES;
  case SS_GRADIENTS_16BIT: return SS_ELEMENT_BYTES;
  }
  return 0.0;
}

double ss_norm_columns(const ss_workload *workload, ss_cost cost, double width)
{
  if (workload->parallelism.tensor != SS_TENSOR_SUMMA) return width;
  const int64_t rows = workload->model.sequence / workload->parallelism.tp;
  if (ss_cost_traits_of(cost).slipped_norm) return (double)rows;
  return width / (double)workload->parallelism.tp;
}
