#include "sim/cli/plan_slow_nic.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/estimate/estimate.h"
#include "model/plan/job_setup.h"
#include "model/plan/placement.h"
#include "sim/engine/replay.h"

/* The NIC of the first rank, at both directions of its cable, beside the links that are slow anyway. */
static ss_status slow_down_nic(const ss_job *job, ss_machine *machine, ss_error *error)
{
  const int64_t gpu = ss_placement_gpu(&job->placement, (ss_coordinates){0});
  char *text = machine->link_speed;
  const size_t used = strlen(text), room = sizeof machine->link_speed - used;
  const int length = snprintf(text + used, room, "%snic-%" PRId64 ":%.17g", used > 0 ? " " : "",
                              ss_machine_nic(machine, gpu), machine->slow_nic_speed);
  if ((size_t)length < room) return SS_OK;
  return ss_machine_refuse(
      machine, SS_PROPERTY_link_speed, error,
      "is too long to have a slow NIC (platform.slow-nic-rate) beside these; allowed: fewer links");
}

static ss_status replay_s(const ss_job *job, const ss_options *options, double *time_s, ss_error *error)
{
  const ss_replay_options replay_options = ss_replay_options_of(&options->replay);
  ss_replay_result result;
  const ss_status status = ss_replay(job, &replay_options, &result, error);
  if (status == SS_OK) *time_s = result.breakdown.iteration_s;
  return status;
}

ss_status ss_plan_nic_speed(const ss_session *session, const ss_options *options, double iteration_s, double *speed,
                            ss_error *error)
{
  const bool replays = options->sweep.replay > 0;
  ss_machine machine = session->machine;
  ss_job_options job_options = session->job.options;
  ss_job job = {0};
  double slow_s = iteration_s;
  *speed = 1.0;
  if (machine.slow_nic_rate == 0.0) return SS_OK;
  ss_status status = SS_OK;
  if (replays) {
    status = slow_down_nic(&session->job, &machine, error);
  } else {
    job_options.estimate_only = true;
    machine.fabric_bytes_per_s *= machine.slow_nic_speed;
    machine.ll_fabric_bytes_per_s *= machine.slow_nic_speed;
  }
  if (status == SS_OK) status = ss_job_init(&job, &session->workload, &machine, job_options, error);
  if (status == SS_OK && replays) status = replay_s(&job, options, &slow_s, error);
  if (status == SS_OK && !replays) slow_s = ss_estimate_time(&job).iteration_s;
  ss_job_free(&job);
  if (status == SS_OK) *speed = fmin(1.0, iteration_s / slow_s);
  return status;
}
