#include "sim/engine/core/host.h"

void ss_host_begin_pass(const ss_world *world, ss_stage_replica *replica)
{
  replica->host_s = ss_host_plan_begin_s(&world->job->host, replica->host_s, world->common->now_s);
}

bool ss_host_launch(ss_world *world, ss_stage_replica *replica, const ss_step *step)
{
  const bool waited = replica->launched;
  replica->launched = false;
  if (waited || !world->job->host.active) return true;
  const double begin_s = replica->host_s, ready_s = begin_s + step->launches.start_s;
  replica->host_s += step->launches.host_s;
  SS_TELL(&world->observers, launched, replica, begin_s);
  if (ready_s <= world->common->now_s) return true;
  replica->launched = true;
  return ss_replica_wait_until(world, replica, SS_WAITS_HOST, ready_s);
}
