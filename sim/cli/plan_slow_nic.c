#include "sim/cli/plan_slow_nic.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/estimate/estimate.h"
#include "model/fabric/fabric.h"
#include "model/plan/job_setup.h"
#include "model/plan/placement.h"
#include "sim/engine/replay.h"

/* Adds a cable to the links that are slow. */
static ss_status slow_down_cable(ss_machine *machine, const char *name, ss_error *error)
{
  char *text = machine->link_speed;
  const size_t used = strlen(text), room = sizeof machine->link_speed - used;
  const int length = snprintf(text + used, room, "%s%s:%.17g", used > 0 ? " " : "", name, machine->slow_nic_speed);
  if ((size_t)length < room) return SS_OK;
  return ss_machine_refuse(
      machine, SS_PROPERTY_link_speed, error,
      "is too long to have a slow NIC (platform.slow-nic-rate) beside these; allowed: fewer links");
}

/* A NIC has a cable, or several in a torus. */
static ss_status slow_down_nic(const ss_fabric *fabric, int64_t nic, ss_machine *machine, ss_error *error)
{
  char name[SS_LINK_NAME_SIZE];
  (void)snprintf(name, sizeof name, "nic-%" PRId64, nic);
  if (ss_fabric_cable(fabric, name) >= 0) return slow_down_cable(machine, name, error);
  ss_status status = SS_OK;
  for (int port = 0; status == SS_OK; ++port) {
    (void)snprintf(name, sizeof name, "nic-%" PRId64 ":%d", nic, port);
    if (ss_fabric_cable(fabric, name) < 0) break;
    status = slow_down_cable(machine, name, error);
  }
  return status;
}

/* The NIC of the first rank or, where link-speed has it already, the next one of its domain. */
static ss_status slow_down_one(const ss_job *job, ss_machine *machine, ss_error *error)
{
  const int64_t nics = machine->nics_per_domain;
  const int64_t first = ss_machine_nic(machine, ss_placement_gpu(&job->placement, (ss_coordinates){0}));
  ss_fabric *fabric = NULL;
  ss_status status = ss_fabric_create(&fabric, job->machine, error);
  bool slow = status != SS_OK;
  for (int64_t nic = first; !slow && nic < (first / nics + 1) * nics; ++nic) {
    ss_fabric *slowed = NULL;
    memcpy(machine->link_speed, job->machine->link_speed, sizeof machine->link_speed);
    status = slow_down_nic(fabric, nic, machine, error);
    if (status == SS_OK) status = ss_fabric_create(&slowed, machine, error);
    slow = status != SS_ERROR_INPUT;
    ss_fabric_destroy(slowed);
  }
  ss_fabric_destroy(fabric);
  return status;
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
    status = slow_down_one(&session->job, &machine, error);
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
