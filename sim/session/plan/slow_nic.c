#include "sim/session/plan/slow_nic.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/fabric/fabric.h"
#include "model/plan/placement/placement.h"

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

ss_status ss_plan_nic_speed(const ss_slowed_job *slowed, double *speed, ss_error *error)
{
  ss_machine machine = slowed->session->machine;
  *speed = 1.0;
  if (machine.slow_nic_rate == 0.0) return SS_OK;
  if (slowed->options->sweep.replay == 0) return ss_plan_slowed_by_fabric(slowed, machine.slow_nic_speed, speed, error);
  const ss_status status = slow_down_one(&slowed->session->job, &machine, error);
  return status == SS_OK ? ss_plan_slowed_speed(slowed, &machine, speed, error) : status;
}
