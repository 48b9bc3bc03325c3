#include "sim/session/plan/slowed.h"

#include <math.h>

#include "model/estimate/estimate.h"
#include "model/plan/job_setup.h"
#include "sim/engine/replay.h"

static ss_status replay_s(const ss_job *job, const ss_options *options, double *time_s, ss_error *error)
{
  const ss_replay_options replay_options = ss_replay_options_of(&options->replay);
  ss_replay_result result;
  const ss_status status = ss_replay(job, &replay_options, &result, error);
  if (status == SS_OK) *time_s = result.breakdown.iteration_s;
  return status;
}

ss_status ss_plan_slowed_speed(const ss_slowed_job *slowed, const ss_machine *machine, double *speed, ss_error *error)
{
  const bool replays = slowed->options->sweep.replay > 0;
  const ss_session *session = slowed->session;
  ss_job_options job_options = session->job.options;
  ss_job job = {0};
  double slow_s = slowed->iteration_s;
  if (!replays) job_options.estimate_only = true;
  ss_status status = ss_job_init(&job, &session->workload, machine, job_options, error);
  if (status == SS_OK && replays) status = replay_s(&job, slowed->options, &slow_s, error);
  if (status == SS_OK && !replays) slow_s = ss_estimate_time(&job).iteration_s;
  ss_job_free(&job);
  if (status == SS_OK) *speed = fmin(1.0, slowed->iteration_s / slow_s);
  return status;
}

ss_status ss_plan_slowed_by_fabric(const ss_slowed_job *slowed, double share, double *speed, ss_error *error)
{
  ss_machine machine = slowed->session->machine;
  machine.fabric_bytes_per_s *= share;
  machine.ll_fabric_bytes_per_s *= share;
  return ss_plan_slowed_speed(slowed, &machine, speed, error);
}
