#include "sim/cli/shared/emitted.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/api/api.h"

ss_status ss_emitted_check(const ss_session *session, const ss_options *options, ss_error *error)
{
  return options->common.emits ? ss_api_emit_check(&session->workload, error) : SS_OK;
}

ss_status ss_emitted_write(const ss_session *session, const ss_workload *workload, const ss_options *options,
                           ss_error *error)
{
  char *text = NULL;
  if (!options->common.emits) return SS_OK;
  const ss_status status = ss_api_emit(workload, &session->machine, &text, error);
  if (status == SS_OK) (void)fputs(text, stdout);
  free(text);
  return status;
}
