#include "model/plan/offload_plan.h"

#include "model/input/workload.h"

/* The passes that use the weights of a block and the activations of a layer need them in HBM. What embedding and output
 * layer keep stays there: backward takes the logits as soon as they are there. */
ss_offload_plan ss_offload_plan_of(const ss_workload *workload, const ss_machine *machine, const ss_block *block,
                                   double weight_bytes)
{
  const bool weights = workload->training.offload_weights == SS_YES;
  const bool activations = workload->training.offload_activations == SS_YES;
  ss_offload_plan plan = {
      .active = weights || activations, .activations = activations, .bytes_per_s = machine->offload_bytes_per_s};
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind) {
    double used_bytes = 0.0;
    for (int i = 0; i < SS_WEIGHTS; ++i) used_bytes += weights ? weight_bytes * block[kind].parameters[i] : 0.0;
    const bool moves = activations && ss_block_traits_of((ss_block_kind)kind)->layer;
    const double stored_bytes = moves ? block[kind].stored_bytes : 0.0;
    plan.read_bytes[kind][SS_PASS_FORWARD] = used_bytes;
    plan.read_bytes[kind][SS_PASS_BACKWARD] = used_bytes + stored_bytes;
    plan.write_bytes[kind][SS_PASS_FORWARD] = stored_bytes;
  }
  return plan;
}
