#include "sim/engine/core/host.h"

#include "model/plan/optimizer.h"

void ss_host_begin_pass(const ss_world *world, ss_stage_replica *replica)
{
  replica->host_s = ss_host_plan_begin_s(&world->job->host, replica->host_s, world->common->now_s);
}

/* How long a step waits, from now, for launches that begin at replica->host_s, so that none of its kernels waits for
 * its own; replica->host_s becomes when the host has launched it all. */
static double wait_s(const ss_world *world, ss_stage_replica *replica, const ss_step *step)
{
  const double now_s = world->common->now_s;
  if (world->perturbation == NULL || step->live) return ss_launches_wait(&step->launches, now_s, &replica->host_s);
  const ss_kernel_place at = ss_replica_kernels(world, replica, replica->position);
  const ss_task_run run = {step->first, step->count, ss_duration_sum(step->parts), step->launches};
  double host_s = replica->host_s - now_s;
  const double waits_s = ss_perturbation_launched_s(world->perturbation, &at, &run, &host_s);
  replica->host_s = ss_max(replica->host_s, now_s + host_s); /* no earlier than it was, by rounding either */
  return waits_s;
}

/* The replica comes to something; whether that has to be launched, and is not. */
static bool is_to_launch(const ss_world *world, ss_stage_replica *replica)
{
  const bool waited = replica->launched;
  replica->launched = false;
  return !waited && world->job->host.active;
}

static bool wait_for_launch(ss_world *world, ss_stage_replica *replica, double waits_s)
{
  if (waits_s <= 0.0) return true;
  replica->launched = true;
  return ss_replica_wait_until(world, replica, SS_WAITS_HOST, world->common->now_s + waits_s);
}

bool ss_host_launch(ss_world *world, ss_stage_replica *replica, const ss_step *step)
{
  if (!is_to_launch(world, replica)) return true;
  const double before_s = replica->host_s, waits_s = wait_s(world, replica, step);
  SS_TELL(&world->observers, launched, replica, ss_max(before_s, replica->host_s - step->launches.host_s));
  return wait_for_launch(world, replica, waits_s);
}

bool ss_host_launch_calls(ss_world *world, ss_stage_replica *replica, int64_t count)
{
  if (!is_to_launch(world, replica)) return true;
  const ss_launches launches = ss_host_plan_calls(&world->job->host, count);
  return wait_for_launch(world, replica, ss_launches_wait(&launches, world->common->now_s, &replica->host_s));
}

bool ss_host_launch_optimizer(ss_world *world, ss_stage_replica *replica, double gpu_s)
{
  if (!is_to_launch(world, replica)) return true;
  const ss_launches launches = ss_job_step_launches(world->job, replica->stage, gpu_s);
  return wait_for_launch(world, replica, ss_launches_wait(&launches, world->common->now_s, &replica->host_s));
}
