#include "model/plan/offload_plan.h"

#include "model/input/workload.h"

/* What the ends of the model keep stays in HBM, but for layers of a tower: backward takes the logits as soon as they
 * are there. So does what layers keep that training.offload-layers leaves out. */
static bool moves_activations(const ss_workload *workload, ss_block_kind kind)
{
  const ss_block_traits *traits = ss_block_traits_of(kind);
  const bool layer = traits->layer || (SS_BLOCK_BIT(kind) & SS_BLOCKS_OF_VISION) != 0;
  return layer && (workload->training.offload_layers == SS_DERIVED || traits->recomputes);
}

/* The passes that use the weights of a block and the activations of a layer need them in HBM. */
void ss_offload_plan_fill(ss_offload_plan *plan, const ss_workload *workload, const ss_machine *machine,
                          const ss_block *block, ss_block_set kinds, double weight_bytes)
{
  const bool weights = workload->training.offload_weights == SS_YES;
  const bool activations = workload->training.offload_activations == SS_YES;
  plan->active = weights || activations;
  plan->activations = activations;
  plan->gradients = false;
  plan->bytes_per_s = machine->offload_bytes_per_s;
  while (kinds != 0) {
    const ss_block_kind kind = ss_block_take(&kinds);
    double used_bytes = 0.0;
    for (int i = 0; i < SS_WEIGHTS; ++i) used_bytes += weights ? weight_bytes * block[kind].parameters[i] : 0.0;
    const bool moves = activations && moves_activations(workload, kind);
    const double stored_bytes = moves ? block[kind].offload_bytes : 0.0;
    plan->read_bytes[kind][SS_PASS_FORWARD] = used_bytes;
    plan->read_bytes[kind][SS_PASS_BACKWARD] = used_bytes + stored_bytes;
    plan->read_bytes[kind][SS_PASS_WEIGHT] = 0.0;
    plan->write_bytes[kind][SS_PASS_FORWARD] = stored_bytes;
    plan->write_bytes[kind][SS_PASS_BACKWARD] = plan->write_bytes[kind][SS_PASS_WEIGHT] = 0.0;
  }
}
