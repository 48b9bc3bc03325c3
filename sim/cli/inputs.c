#include "sim/cli/inputs.h"

ss_status ss_inputs_find(ss_options *options, ss_error *error)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < options->argument_count; ++i) {
    const ss_shipped kind = ss_command_names(options->command, i);
    if (kind == SS_SHIPPED_NONE) continue;
    status = ss_shipped_find(kind, options->argument[i], options->path[i], error);
    options->argument[i] = options->path[i];
  }
  if (status != SS_OK || (SS_ON(options->command) & SS_ON_TASKS) == 0) return status;
  options->common.workload = options->argument[0];
  options->common.platform = options->argument_count > 1 ? options->argument[1] : NULL;
  return SS_OK;
}
