#include "sim/engine/core/ties.h"

#include "model/plan/transfer_time.h"
#include "sim/engine/core/kernels.h"

ss_tie *ss_world_tie(const ss_world *world, const ss_stage_replica *replica)
{
  return ss_job_ties(world->job, replica->stage) ? world->tie[replica->dp].twin : NULL;
}

static void slow_kernels(ss_transfer *transfer, int change)
{
  for (int64_t i = 0; i < transfer->tie->members; ++i)
    ss_kernels_share(transfer->world, transfer->tie->member[i], ss_span_transport(transfer->route->span), change);
}

static void arrived(ss_transfer *transfer)
{
  transfer->tie->done = true;
  for (int64_t i = 0; i < transfer->tie->members; ++i)
    ss_world_wake(transfer->world, transfer->tie->member[i], SS_WAITS_TIE, transfer);
}

ss_transfer ss_tie_transfer(ss_world *world, ss_tie *tie)
{
  static const ss_transfer_type type = {SS_TRANSFER_TIED, ss_transfer_start_up, slow_kernels, arrived};
  return (ss_transfer){.type = &type,
                       .world = world,
                       .ended.transfer = -1,
                       .tie = tie,
                       .method = ss_method_of_tie(world->job),
                       .starts = 1.0,
                       .volume_bytes = world->job->tied_bytes,
                       .route = &tie->route};
}

/* The stages that came first wait for the last. */
void ss_tie_join(ss_world *world, const ss_stage_replica *replica, ss_tie *tie)
{
  if (++tie->arrivals < tie->members) return;
  ss_transfer *transfer = &tie->transfer;
  transfer->phases = tie->route.phases;
  transfer->on_network = world->common->network != NULL;
  transfer->asked = ss_replica_asks(world, replica);
  transfer->to_replica = ss_replica_index(world, tie->member[tie->member[0] == replica]);
  ss_transfer_start(transfer, ss_job_tied_time(world->job, tie->route.span));
}
