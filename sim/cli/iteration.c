#include "sim/cli/iteration.h"

#include "sim/cli/shared/inputs.h"
#include "sim/session/used.h"

ss_status ss_iteration_open(const ss_options *options, ss_api_iteration **iteration, ss_error *error)
{
  stepsim_job *job;
  *iteration = NULL;
  ss_status status = ss_inputs_job(&options->common, &job, error);
  if (status == SS_OK && options->command == SS_COMMAND_ESTIMATE)
    status = ss_used_without_replay(&job->machine.of, "run", error);
  if (status == SS_OK && options->run.trials <= 1) status = ss_used_without_trials(&job->machine.of, error);
  if (status == SS_OK) status = ss_api_iteration_create(job, options, iteration, error);
  stepsim_job_destroy(job);
  return status;
}
