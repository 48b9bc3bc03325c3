#include "sim/engine/core/calls.h"

#include "model/plan/task_time.h"
#include "sim/engine/core/kernels.h"
#include "sim/engine/core/known_calls.h"
#include "sim/engine/core/stage.h"

ss_expert_group *ss_world_expert_group(const ss_world *world, ss_group group, int64_t stage, int64_t dp)
{
  const int64_t own = group == SS_GROUP_STAGE ? 0 : world->expert_group_of[dp];
  return world->expert[stage * world->expert_groups + ss_world_first_meeting(world, group) + own].twin;
}

static void slow_replica(ss_transfer *transfer, int change)
{
  ss_kernels_share(transfer->world, transfer->replica, ss_span_transport(transfer->route->span), change);
}

static void slow_group(ss_transfer *transfer, int change)
{
  ss_transport transport = ss_span_transport(transfer->route->span);
  transport.experts = transfer->group != SS_GROUP_STAGE;
  for (int64_t i = 0; i < transfer->experts->members; ++i)
    ss_kernels_share(transfer->world, transfer->experts->member[i], transport, change);
}

static void call_arrived(ss_transfer *transfer)
{
  ss_world_wake(transfer->world, transfer->replica, SS_WAITS_TASK, transfer);
}

static void prepare(const ss_call_place *at, ss_transfer *transfer, const ss_route *routes, const ss_known_call *known)
{
  const ss_world *world = transfer->world;
  transfer->group = at->task->call[at->call].group;
  transfer->method = known->method;
  transfer->top_k = at->task->top_k;
  transfer->starts = known->starts;
  ss_transfer_take_route(transfer, &routes[known->route]);
  transfer->volume_bytes = known->volume_bytes;
  transfer->start_up_s = known->start_up_s;
  transfer->on_network = transfer->on_network && !world->computed[transfer->group];
}

void ss_call_prepare(const ss_call_place *at, ss_transfer *transfer, const ss_route *routes)
{
  prepare(at, transfer, routes, ss_known_call_find(transfer->world, at, routes));
}

static ss_start_up call_start_up(const ss_transfer *transfer)
{
  const ss_start_up first = {transfer->start_up_s, transfer->start_up_s};
  return transfer->phase == 0 ? first : ss_transfer_start_up(transfer);
}

/* Starts a collective on the transfer of its replica or group. */
static void start(const ss_call_place *at, ss_transfer *transfer, const ss_route *routes)
{
  const ss_known_call *known = ss_known_call_find(transfer->world, at, routes);
  prepare(at, transfer, routes, known);
  ss_transfer_start(transfer, known->piece);
}

static ss_meeting meeting_of(ss_group group)
{
  if (group == SS_GROUP_STAGE) return SS_MEETING_ALL;
  return group == SS_GROUP_EXPERT ? SS_MEETING_EXCHANGE : SS_MEETING_SHARERS;
}

/* Whether a replica has come to the first exchange of a quiet pass of which the rest is a run. */
static bool is_at_rest(const ss_world *world, const ss_stage_replica *replica)
{
  const ss_work *work = &replica->work;
  const ss_quiet_rest *rest = &world->stage[replica->stage].quiet_rest[work->chunk * SS_PASSES + work->pass];
  return replica->steps == &world->quiet[SS_QUIET_MEETS] && rest->run.legs > 0 && replica->live.pieces.call == 0 &&
         replica->position == rest->position && replica->step == rest->step && !ss_pass_moves_data(world->job, work);
}

/* Whether all replicas of a group, which have met, go through the rest of their passes side by side. */
static bool go_on_together(const ss_world *world, const ss_expert_group *experts)
{
  bool together = experts->has_own_links;
  for (int64_t i = 0; together && i < experts->members; ++i)
    together = experts->member[i]->pass == experts->member[0]->pass && is_at_rest(world, experts->member[i]);
  return together;
}

/* All replicas of a group are there. */
static void meet(ss_transfer *transfer, const ss_call_place *at)
{
  const ss_group group = at->task->call[at->call].group;
  const ss_expert_group *experts = transfer->experts;
  const ss_meeting meeting = meeting_of(group);
  transfer->asked = experts->last[meeting];
  transfer->to_replica = transfer->asked.replica;
  if (meeting == SS_MEETING_EXCHANGE && go_on_together(transfer->world, experts)) {
    ss_call_prepare(at, transfer, experts->route[group]);
    ss_transfer_meet(transfer);
  } else {
    start(at, transfer, experts->route[group]);
  }
}

/* The last replica of a group to come starts its collective; of those that come at once, the last that has said so. */
static void start_of_group(ss_world *world, const ss_stage_replica *replica, const ss_call_place *at, double time_s)
{
  const ss_group group = at->task->call[at->call].group;
  ss_expert_group *experts = ss_world_expert_group(world, group, replica->stage, replica->dp);
  const ss_meeting meeting = meeting_of(group);
  ss_asked *last = &experts->last[meeting];
  if (time_s >= last->time_s) *last = (ss_asked){time_s, ss_replica_calls_s(replica), ss_replica_index(world, replica)};
  if (++experts->arrivals[meeting] < experts->members) return;
  experts->arrivals[meeting] = 0;
  if (last->time_s > world->common->now_s)
    ss_world_schedule(world, last->time_s, SS_EVENT_MEETING, &experts->transfer[meeting]);
  else
    meet(&experts->transfer[meeting], at);
}

void ss_exchange_start(ss_world *world, ss_stage_replica *replica, ss_exchange *exchange)
{
  exchange->state = SS_EXCHANGE_RUNS;
  start_of_group(world, replica, &exchange->at, world->common->now_s);
}

static void end_exchange(ss_world *world, ss_stage_replica *replica)
{
  ss_exchange *own = &replica->exchange, *other = &replica->pair.other.exchange;
  ss_exchange *done = own->state == SS_EXCHANGE_RUNS ? own : other, *next = done == own ? other : own;
  done->state = SS_EXCHANGE_DONE;
  if (next->state == SS_EXCHANGE_QUEUED) ss_exchange_start(world, replica, next);
}

static void experts_arrived(ss_transfer *transfer)
{
  for (int64_t i = 0; i < transfer->experts->members; ++i) {
    ss_stage_replica *member = transfer->experts->member[i];
    const bool of_pair = member->pair.active && meeting_of(transfer->group) == SS_MEETING_EXCHANGE;
    if (of_pair) end_exchange(transfer->world, member);
    ss_world_wake(transfer->world, member, of_pair ? SS_WAITS_EXCHANGE : SS_WAITS_TASK, transfer);
  }
}

ss_transfer ss_call_transfer(ss_world *world, ss_stage_replica *replica)
{
  static const ss_transfer_type type = {SS_TRANSFER_CALL, call_start_up, slow_replica, call_arrived};
  return (ss_transfer){.type = &type, .world = world, .ended.transfer = -1, .replica = replica};
}

ss_transfer ss_expert_transfer(ss_world *world, ss_expert_group *experts)
{
  static const ss_transfer_type type = {SS_TRANSFER_EXPERT, call_start_up, slow_group, experts_arrived};
  return (ss_transfer){.type = &type, .world = world, .ended.transfer = -1, .experts = experts};
}

/* Where a replica is in its live task. */
static ss_call_place place_of(const ss_world *world, const ss_stage_replica *replica)
{
  const ss_pieces *pieces = &replica->live.pieces;
  return (ss_call_place){pieces->task, pieces->call, ss_replica_block_kind(world, replica), replica->work.pass};
}

void ss_call_meet(ss_transfer *transfer)
{
  const ss_world *world = transfer->world;
  const ss_expert_group *experts = transfer->experts;
  const ss_call_place at = place_of(world, &world->replica[experts->last[transfer - experts->transfer].replica]);
  meet(transfer, &at);
}

void ss_call_start(ss_world *world, ss_stage_replica *replica)
{
  const ss_call_place at = place_of(world, replica);
  const ss_group group = at.task->call[at.call].group;
  if (ss_group_joins_replicas(group))
    start_of_group(world, replica, &at, replica->live.call_start_s);
  else
    start(&at, &replica->call, replica->route[group]);
}
