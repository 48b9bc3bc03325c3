#include "sim/engine/core/host.h"

void ss_host_begin_pass(const ss_world *world, ss_stage_replica *replica)
{
  replica->host_s = ss_host_plan_begin_s(&world->job->host, replica->host_s, world->common->now_s);
}

/* When a step starts whose launches begin at replica->host_s, so that none of its kernels waits for its own. */
static double ready_s(const ss_world *world, const ss_stage_replica *replica, const ss_step *step)
{
  const double begin_s = replica->host_s, now_s = world->common->now_s;
  if (world->perturbation == NULL || step->live) return begin_s + step->launches.start_s;
  const ss_kernel_place at = ss_replica_kernels(world, replica, replica->position);
  const ss_task_run run = {step->first, step->count, ss_duration_sum(step->parts), step->launches.start_s};
  return now_s + ss_perturbation_launched_s(world->perturbation, &at, run, begin_s - now_s);
}

bool ss_host_launch(ss_world *world, ss_stage_replica *replica, const ss_step *step)
{
  const bool waited = replica->launched;
  replica->launched = false;
  if (waited || !world->job->host.active) return true;
  const double begin_s = replica->host_s, start_s = ready_s(world, replica, step);
  replica->host_s += step->launches.host_s;
  SS_TELL(&world->observers, launched, replica, begin_s);
  if (start_s <= world->common->now_s) return true;
  replica->launched = true;
  return ss_replica_wait_until(world, replica, SS_WAITS_HOST, start_s);
}
