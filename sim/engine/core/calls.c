#include "sim/engine/core/calls.h"

#include "model/plan/task_time.h"
#include "sim/engine/core/kernels.h"

ss_expert_group *ss_world_expert_group(const ss_world *world, int64_t stage, int64_t dp)
{
  return world->expert[stage * world->expert_groups + world->expert_group_of[dp]].twin;
}

static void slow_replica(ss_transfer *transfer, int change)
{
  ss_kernels_share(transfer->world, transfer->replica, ss_span_transport(transfer->route->span), change);
}

static void slow_group(ss_transfer *transfer, int change)
{
  for (int64_t i = 0; i < transfer->experts->members; ++i)
    ss_kernels_share(transfer->world, transfer->experts->member[i], ss_span_transport(transfer->route->span), change);
}

static void call_arrived(ss_transfer *transfer)
{
  ss_world_wake(transfer->world, transfer->replica, SS_WAITS_TASK, transfer);
}

static void experts_arrived(ss_transfer *transfer)
{
  for (int64_t i = 0; i < transfer->experts->members; ++i)
    ss_world_wake(transfer->world, transfer->experts->member[i], SS_WAITS_TASK, transfer);
}

ss_transfer ss_call_transfer(ss_world *world, ss_stage_replica *replica)
{
  static const ss_transfer_type type = {SS_TRANSFER_CALL, ss_transfer_start_up, slow_replica, call_arrived};
  return (ss_transfer){.type = &type, .world = world, .ended.transfer = -1, .replica = replica};
}

ss_transfer ss_expert_transfer(ss_world *world, ss_expert_group *experts)
{
  static const ss_transfer_type type = {SS_TRANSFER_EXPERT, ss_transfer_start_up, slow_group, experts_arrived};
  return (ss_transfer){.type = &type, .world = world, .ended.transfer = -1, .experts = experts};
}

/* Starts the collective of a live task on the transfer of its replica or group. */
static void start(const ss_stage_replica *replica, ss_transfer *transfer, const ss_route *routes)
{
  const ss_world *world = transfer->world;
  const ss_live_task *live = &replica->live;
  const ss_call *call = &live->task->call[live->call];
  transfer->group = call->group;
  transfer->method = ss_method_of_call(world->job, live->task, live->call);
  transfer->starts = ss_task_call_starts(live->task);
  ss_transfer_choose_route(transfer, &world->methods[call->group], routes);
  transfer->volume_bytes = ss_job_call_bytes(world->job, live->task, live->call, transfer->route->span);
  transfer->on_network = transfer->on_network && !world->computed[call->group];
  ss_transfer_start(transfer, ss_job_call_piece(world->job, ss_replica_block_kind(world, replica), replica->work.pass,
                                                live->task, live->call, transfer->route->span));
}

void ss_call_start(ss_world *world, ss_stage_replica *replica)
{
  const ss_group group = replica->live.task->call[replica->live.call].group;
  if (!ss_group_joins_replicas(group)) {
    start(replica, &replica->call, replica->route[group]);
    return;
  }
  ss_expert_group *experts = ss_world_expert_group(world, replica->stage, replica->dp);
  if (++experts->arrivals < experts->members) return;
  experts->arrivals = 0;
  experts->transfer.asked = ss_replica_asks(world, replica);
  experts->transfer.to_replica = experts->transfer.asked.replica;
  start(replica, &experts->transfer, experts->route[group]);
}
