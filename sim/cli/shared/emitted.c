#include "sim/cli/shared/emitted.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/import/emit.h"

/* GPUs that one launcher starts: those of a domain, which may be of several hosts where it is a rack. */
enum { MOST_OF_NODE = 8 };

ss_status ss_emitted_write(const ss_session *session, const ss_workload *workload, const ss_options *options,
                           ss_error *error)
{
  static const ss_emit emits[] = {[SS_RUNNER_MEGATRON] = SS_EMIT_megatron,
                                  [SS_RUNNER_NEMO] = SS_EMIT_nemo,
                                  [SS_RUNNER_TORCHTITAN] = SS_EMIT_torchtitan};
  const int64_t domain = session->machine.domain_size;
  char *text;
  if (!options->common.emits) return SS_OK;
  SS_ASSERT(workload->training.framework != SS_RUNNER_ANY);
  const ss_status status = ss_emit_write(workload, domain < MOST_OF_NODE ? domain : MOST_OF_NODE,
                                         emits[workload->training.framework], &text, error);
  if (status == SS_OK) (void)fputs(text, stdout);
  free(text);
  return status;
}
