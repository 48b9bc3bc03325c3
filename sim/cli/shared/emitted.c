#include "sim/cli/shared/emitted.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/import/emit.h"

static ss_emit emit_of(const ss_workload *workload)
{
  static const ss_emit emits[] = {[SS_RUNNER_MEGATRON] = SS_EMIT_megatron,
                                  [SS_RUNNER_NEMO] = SS_EMIT_nemo,
                                  [SS_RUNNER_TORCHTITAN] = SS_EMIT_torchtitan};
  SS_ASSERT(workload->training.framework != SS_RUNNER_ANY);
  return emits[workload->training.framework];
}

ss_status ss_emitted_check(const ss_session *session, const ss_options *options, ss_error *error)
{
  if (!options->common.emits) return SS_OK;
  return ss_emit_check(&session->workload, emit_of(&session->workload), error);
}

/* No platform says its generation. Products in NVFP4 are of Blackwell and what came after it. */
static ss_emit_nodes nodes_of(const ss_machine *machine)
{
  return (ss_emit_nodes){.gpus = ss_machine_node_gpus(machine),
                         .domain_gpus = machine->domain_size,
                         .is_blackwell = machine->nvfp4_flop_per_s > 0.0};
}

ss_status ss_emitted_write(const ss_session *session, const ss_workload *workload, const ss_options *options,
                           ss_error *error)
{
  char *text;
  if (!options->common.emits) return SS_OK;
  const ss_emit_nodes nodes = nodes_of(&session->machine);
  const ss_status status = ss_emit_write(workload, &nodes, emit_of(workload), &text, error);
  if (status == SS_OK) (void)fputs(text, stdout);
  free(text);
  return status;
}
