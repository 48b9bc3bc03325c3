/* Whether a replay hangs on the last digits of its input. */
#include "sim/engine/replay.h"

/* What is replayed again without being asked for, unfolded: some tenths of a second. */
#define FLOWS_MOST    50000
#define REPLICAS_MOST 1024

static bool is_worth_it(const ss_job *job, const ss_replay_options *options, const ss_replay_result *result)
{
  return !options->private_links && options->co_scheduled == NULL && !ss_machine_has_perturbation(job->machine) &&
         !ss_job_has_uneven_iterations(job) && result->shortcuts.presumed.flows == 0 && result->flows > 0 &&
         result->flows <= FLOWS_MOST && result->stage_replicas <= REPLICAS_MOST;
}

ss_status ss_replay_stability(const ss_job *job, const ss_replay_options *options, const ss_replay_result *result,
                              ss_stability *stability, ss_error *error)
{
  *stability = (ss_stability){.measured = false};
  if (!is_worth_it(job, options, result)) return SS_OK;
  ss_machine machine = *job->machine;
  machine.kernel_noise = SS_SHAKE;
  ss_job shaken = *job; /* borrows all but the machine, and is not freed */
  shaken.machine = &machine;
  const ss_replay_options again = {.flows = options->flows, .seed = options->seed, .budget = options->budget};
  ss_replay_result other;
  const ss_status status = ss_replay(&shaken, &again, &other, error);
  if (status == SS_ERROR_BUDGET) return SS_OK; /* the replay that was asked for is there */
  if (status == SS_OK) *stability = (ss_stability){.measured = true, .shaken_s = other.breakdown.iteration_s};
  return status;
}
