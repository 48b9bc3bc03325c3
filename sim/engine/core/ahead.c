#include "sim/engine/core/ahead.h"

#include <stdlib.h>

#include "model/plan/stage_ops.h"
#include "sim/engine/core/data_ops.h"

static int64_t arrivals_of(const ss_world *world)
{
  return world->replica_count * SS_SIDES * world->job->chunks * world->job->copy_batches;
}

/* All replicas draw, and messages use nothing that their passes do: then they are in no pairs, and have no host. */
static bool may_go_ahead(const ss_world *world)
{
  const ss_replay_options *options = world->options;
  bool may = options->private_links && options->only_time && !world->job->offload.active &&
             ss_perturbation_tells_apart(world->perturbation);
  for (int64_t i = 0; may && i < world->replica_count; ++i)
    may = world->replica[i].is_undisturbed || world->replica[i].may_be_quiet;
  return may;
}

void ss_ahead_begin(ss_world *world)
{
  enum { ARRIVALS_MOST = 1 << 22 };
  if (may_go_ahead(world) && arrivals_of(world) <= ARRIVALS_MOST)
    world->ahead_s = malloc((size_t)arrivals_of(world) * sizeof *world->ahead_s);
}

void ss_ahead_end(ss_world *world)
{
  free(world->ahead_s);
  world->ahead_s = NULL;
}

bool ss_ahead_is_free(const ss_world *world, const ss_stage_replica *replica)
{
  const bool quiet = replica->is_undisturbed || ss_data_ops_completed(world, replica->stage) == replica->data_issued;
  return quiet && !ss_pass_moves_data(world->job, &replica->work);
}

bool ss_ahead_run(ss_world *world, ss_stage_replica *replica, double end_s)
{
  if (!ss_world_goes_ahead(world) || !ss_ahead_is_free(world, replica)) return false;
  (void)ss_replica_wait(world, replica, SS_WAITS_TIMER);
  replica->wait_start_s = end_s;
  ss_world_wake(world, replica, SS_WAITS_TIMER, &replica->call);
  return true;
}
