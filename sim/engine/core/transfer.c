/* Transfers between replicas: when they start, which flows they become, and who goes on when they have arrived. */
#include <stdlib.h>

#include "sim/engine/core/flow_setup.h"
#include "sim/engine/core/world.h"
#include "sim/engine/network/simgrid.h"
#include "sim/engine/observe/monitor.h"
#include "sim/engine/observe/trace.h"

static int64_t gpu_of(const ss_world *world, const ss_stage_replica *replica, int64_t member)
{
  return ss_placement_gpu(&world->job->placement, ss_replica_member(world, replica, member));
}

ss_message ss_outbox_message(const ss_world *world, const ss_stage_replica *from, ss_pass side)
{
  const ss_work *work = &world->stage[from->stage].order[from->outbox[side].pass];
  ss_chunk to = {0};
  const bool sends = ss_job_receiver(world->job, (ss_chunk){from->stage, work->chunk}, side, &to);
  SS_ASSERT(sends);
  return (ss_message){from, ss_world_replica(world, to.stage, from->dp), side, *work, to.index};
}

static bool crosses_domains(const ss_world *world, const ss_message *message, int64_t member)
{
  const int64_t domain_size = world->job->machine->domain_size;
  return gpu_of(world, message->from, member) / domain_size != gpu_of(world, message->to, member) / domain_size;
}

/* Some rank's message goes over the fabric. */
static bool message_is_slow(const ss_world *world, const ss_message *message)
{
  bool slow = false;
  for (int64_t member = 0; !slow && member < world->width; ++member) slow = crosses_domains(world, message, member);
  return slow;
}

/* The slowest of the ranks' messages. */
static ss_comm_time message_time(const ss_world *world, const ss_message *message)
{
  ss_comm_time slowest = {0.0, 0.0};
  for (int64_t member = 0; member < world->width; ++member) {
    const ss_comm_time time = ss_job_message_time(world->job, crosses_domains(world, message, member));
    if (ss_comm_time_sum(time) > ss_comm_time_sum(slowest)) slowest = time;
  }
  return slowest;
}

/* A transfer is under path at a replica, or no more; where that slows kernels, their rate changes. */
static void note_at_replica(ss_world *world, ss_stage_replica *replica, bool fabric, int change)
{
  *(fabric ? &replica->fabric_transfers : &replica->nvlink_transfers) += change;
  ss_kernel_rate_changes(world, replica);
}

static void note_at_replicas(ss_world *world, const ss_transfer *transfer, int change)
{
  if (!world->slows) return;
  const bool fabric = transfer->kind != SS_TRANSFER_MESSAGE && transfer->route->span.domains > 1;
  ss_message message;
  switch (transfer->kind) {
  case SS_TRANSFER_CALL: note_at_replica(world, transfer->replica, fabric, change); break;
  case SS_TRANSFER_EXPERT:
    for (int64_t i = 0; i < transfer->experts->members; ++i)
      note_at_replica(world, transfer->experts->member[i], fabric, change);
    break;
  case SS_TRANSFER_DATA:
    for (int64_t i = 0; i < world->stage[transfer->dp_group->stage].members; ++i)
      note_at_replica(world, world->stage[transfer->dp_group->stage].member[i], fabric, change);
    break;
  case SS_TRANSFER_TIED:
    for (int i = 0; i < 2; ++i) note_at_replica(world, transfer->tie->member[i], fabric, change);
    break;
  case SS_TRANSFER_MESSAGE:
    message = ss_outbox_message(world, transfer->replica, transfer->side);
    note_at_replica(world, transfer->replica, message_is_slow(world, &message), change);
    note_at_replica(world, message.to, message_is_slow(world, &message), change);
    break;
  }
}

static void launch_flow(ss_world *world, ss_transfer *transfer, const ss_flow *flow)
{
  const double bytes = flow->share * transfer->volume_bytes, alike = (double)flow->alike;
  world->result.flows += flow->alike;
  if (flow->fabric)
    world->result.fabric_bytes += alike * bytes;
  else
    world->result.nvlink_bytes += alike * bytes;
  ss_network_launch(world->common->network, transfer, flow, bytes);
}

/* Start-up of the phase that a transfer has come to. */
static double phase_latency_s(const ss_world *world, const ss_transfer *transfer)
{
  const ss_job *job = world->job;
  if (transfer->kind == SS_TRANSFER_MESSAGE) {
    const ss_message message = ss_outbox_message(world, transfer->replica, transfer->side);
    return message_time(world, &message).latency_s;
  }
  const double whole_bytes = transfer->volume_bytes / transfer->starts;
  return transfer->starts *
         ss_collective_phase(&job->network, transfer->method, transfer->route->span, whole_bytes, transfer->phase)
             .latency_s;
}

/* On the network, start-up passes before the flows of a phase. */
static void start_phase(ss_world *world, ss_transfer *transfer)
{
  const double latency_s = phase_latency_s(world, transfer);
  transfer->latency_s += latency_s;
  ss_world_schedule(world, world->common->now_s + latency_s, SS_EVENT_LAUNCH, transfer);
}

void ss_transfer_launch(ss_world *world, ss_transfer *transfer)
{
  const ss_route *route = transfer->route;
  SS_ASSERT(transfer->flows_left == 0);
  for (int64_t i = 0; i < route->count; ++i) transfer->flows_left += route->flow[i].phase == transfer->phase;
  if (transfer->flows_left == 0) {
    ss_transfer_flows_over(world, transfer);
    return;
  }
  for (int64_t i = 0; i < route->count; ++i)
    if (route->flow[i].phase == transfer->phase) launch_flow(world, transfer, &route->flow[i]);
}

void ss_transfer_flows_over(ss_world *world, ss_transfer *transfer)
{
  if (++transfer->phase < transfer->phases)
    start_phase(world, transfer);
  else
    ss_transfer_arrived(world, transfer);
}

/* Alone on its links a transfer takes `time`; flows on the network take the time they take. */
static void start(ss_world *world, ss_transfer *transfer, ss_comm_time time)
{
  transfer->active = true;
  transfer->start_s = world->common->now_s;
  transfer->phase = 0;
  transfer->latency_s = transfer->on_network ? 0.0 : time.latency_s;
  transfer->alone_s = time.transfer_s;
  ss_trace_transfer_begin(world, transfer);
  note_at_replicas(world, transfer, 1);
  if (transfer->on_network)
    start_phase(world, transfer);
  else
    ss_world_schedule(world, world->common->now_s + ss_comm_time_sum(time), SS_EVENT_ARRIVED, transfer);
}

/* What a transfer is about to do over the route of its method, one of `routes`. */
static void prepare(const ss_world *world, ss_transfer *transfer, const ss_method_list *list, const ss_route *routes)
{
  transfer->route = &routes[ss_method_find(list, transfer->method)];
  transfer->phases = transfer->route->phases;
  transfer->on_network = world->common->network != NULL;
}

/* Starts the collective that a replica's live task has come to, on its own or its group's transfer. */
static void start_call(ss_world *world, const ss_stage_replica *replica, ss_transfer *transfer, const ss_route *routes)
{
  const ss_live_task *live = &replica->live;
  const ss_call *call = &live->task->call[live->call];
  transfer->group = call->group;
  transfer->volume_bytes = ss_task_call_bytes(live->task, live->call);
  transfer->method = ss_call_method(world, live->task, live->call);
  transfer->starts = ss_task_call_starts(live->task);
  prepare(world, transfer, &world->methods[call->group], routes);
  transfer->on_network = transfer->on_network && !world->computed[call->group];
  start(world, transfer,
        ss_job_call_piece(world->job, ss_replica_block_kind(world, replica), replica->work.pass, live->task, live->call,
                          transfer->route->span));
}

void ss_start_call(ss_world *world, ss_stage_replica *replica)
{
  const ss_group group = replica->live.task->call[replica->live.call].group;
  if (group != SS_GROUP_EXPERT) {
    start_call(world, replica, &replica->call, replica->route[group]);
    return;
  }
  ss_expert_group *experts = ss_world_expert_group(world, replica->stage, replica->dp);
  if (++experts->arrivals < experts->members) return;
  experts->arrivals = 0;
  experts->transfer.asked = ss_monitor_asks(world, replica);
  start_call(world, replica, &experts->transfer, experts->route);
}

static void experts_arrived(ss_world *world, ss_expert_group *experts)
{
  const ss_ending ended = ss_monitor_arrived(world, &experts->transfer, NULL);
  for (int64_t i = 0; i < experts->members; ++i) {
    experts->member[i]->ended = ended;
    ss_call_arrived(world, experts->member[i], &experts->transfer);
  }
}

/* Messages leave in the order of the passes that send them. */
static void start_message(ss_world *world, ss_stage_replica *from, ss_pass side)
{
  ss_outbox *outbox = &from->outbox[side];
  const ss_work *order = world->stage[from->stage].order;
  ss_chunk receiver;
  do outbox->pass++;
  while (order[outbox->pass].pass != side ||
         !ss_job_receiver(world->job, (ss_chunk){from->stage, order[outbox->pass].chunk}, side, &receiver));
  const ss_message message = ss_outbox_message(world, from, side);
  outbox->transfer.on_network = world->common->network != NULL;
  outbox->transfer.asked = outbox->asked[outbox->sent % outbox->capacity];
  start(world, &outbox->transfer, message_time(world, &message));
}

static void grow_outbox(ss_outbox *outbox)
{
  const int64_t capacity = outbox->capacity > 0 ? 2 * outbox->capacity : 2;
  ss_asked *asked = malloc((size_t)capacity * sizeof *asked);
  SS_ASSERT(asked != NULL);
  for (int64_t i = outbox->sent; i < outbox->queued; ++i) asked[i % capacity] = outbox->asked[i % outbox->capacity];
  free(outbox->asked);
  outbox->asked = asked;
  outbox->capacity = capacity;
}

void ss_send_message(ss_world *world, ss_stage_replica *replica)
{
  ss_outbox *outbox = &replica->outbox[replica->work.pass];
  if (outbox->queued - outbox->sent == outbox->capacity) grow_outbox(outbox);
  outbox->asked[outbox->queued++ % outbox->capacity] = ss_monitor_asks(world, replica);
  if (!outbox->transfer.active) start_message(world, replica, replica->work.pass);
}

/* What a replica waits for may have happened. */
static void end_wait(ss_world *world, ss_stage_replica *replica, const ss_ending *ended)
{
  replica->ended = *ended;
  ss_replica_resume(world, replica);
}

static void message_arrived(ss_world *world, ss_transfer *transfer)
{
  const ss_message message = ss_outbox_message(world, transfer->replica, transfer->side);
  ss_stage_replica *from = transfer->replica, *to = message.to;
  ss_outbox *outbox = &from->outbox[transfer->side];
  ss_inbox *inbox = &to->inbox[transfer->side];
  const ss_ending ended = ss_monitor_arrived(world, transfer, to);
  outbox->sent++;
  inbox->arrived[message.to_chunk]++;
  inbox->last_start_s = transfer->start_s;
  if (outbox->sent < outbox->queued) start_message(world, from, transfer->side);
  if (to->wait == SS_WAITS_MESSAGE) end_wait(world, to, &ended);
  if (from->wait == SS_WAITS_SEND) end_wait(world, from, &ended);
}

/* The exchange starts when both stages are there. */
void ss_join_tie(ss_world *world, const ss_stage_replica *replica, ss_tie *tie)
{
  if (++tie->arrivals < 2) return;
  tie->transfer.phases = tie->route.phases;
  tie->transfer.on_network = world->common->network != NULL;
  tie->transfer.asked = ss_monitor_asks(world, replica);
  start(world, &tie->transfer, ss_job_tied_time(world->job, tie->route.span));
}

static void tied_arrived(ss_world *world, ss_tie *tie)
{
  const bool first_asked = tie->member[0] == &world->replica[tie->transfer.asked.replica];
  const ss_ending ended = ss_monitor_arrived(world, &tie->transfer, tie->member[first_asked]);
  tie->done = true;
  for (int i = 0; i < 2; ++i) end_wait(world, tie->member[i], &ended);
}

static ss_data_op *stage_op(ss_stage *stage, int64_t index)
{
  SS_ASSERT(index >= stage->first && index < stage->end);
  return &stage->op[index % stage->capacity];
}

const ss_data_op *ss_dp_group_op(const ss_world *world, const ss_dp_group *dp_group)
{
  return stage_op(&world->stage[dp_group->stage], dp_group->completed);
}

static void grow(ss_stage *stage)
{
  const int64_t capacity = stage->capacity > 0 ? 2 * stage->capacity : 16;
  ss_data_op *op = malloc((size_t)capacity * sizeof *op);
  SS_ASSERT(op != NULL);
  for (int64_t i = stage->first; i < stage->end; ++i) op[i % capacity] = stage->op[i % stage->capacity];
  free(stage->op);
  stage->op = op;
  stage->capacity = capacity;
}

int64_t ss_data_completed(const ss_world *world, int64_t stage)
{
  return world->stage[stage].first;
}

/* A dp_group's next collective starts when all replicas have issued it and the one before is complete. */
static void start_next(ss_world *world, ss_dp_group *dp_group)
{
  ss_transfer *transfer = &dp_group->transfer;
  const ss_stage *stage = &world->stage[dp_group->stage];
  if (transfer->active || dp_group->completed == stage->end) return;
  const ss_data_op *next = ss_dp_group_op(world, dp_group);
  if (next->arrivals < stage->members) return;
  const ss_stage_op *op = next->op;
  transfer->method = ss_data_method(world, dp_group->stage, op);
  transfer->volume_bytes = op->volume_bytes;
  transfer->asked = next->asked;
  prepare(world, transfer, &world->data_methods[op->weights], dp_group->route[op->weights]);
  start(world, transfer, ss_job_data_time(world->job, op->kind, transfer->route->span, op->volume_bytes));
}

int64_t ss_issue_data_op(ss_world *world, ss_stage_replica *replica, const ss_stage_op *op)
{
  ss_stage *stage = &world->stage[replica->stage];
  const int64_t index = replica->data_issued++;
  if (index == stage->end) {
    if (stage->end - stage->first == stage->capacity) grow(stage);
    stage->end++;
    *stage_op(stage, index) = (ss_data_op){.op = op};
  }
  stage_op(stage, index)->asked = ss_monitor_asks(world, replica);
  if (++stage_op(stage, index)->arrivals == stage->members)
    for (int64_t i = 0; i < stage->dp_groups; ++i) start_next(world, stage->dp_group[i]);
  return index;
}

/* Drops the operations that every dp_group of the stage has completed. */
static bool retire(ss_stage *stage)
{
  int64_t completed = stage->end;
  for (int64_t i = 0; i < stage->dp_groups; ++i)
    if (stage->dp_group[i]->completed < completed) completed = stage->dp_group[i]->completed;
  const bool moved = completed > stage->first;
  stage->first = completed;
  return moved;
}

static void data_arrived(ss_world *world, ss_dp_group *dp_group)
{
  ss_stage *stage = &world->stage[dp_group->stage];
  const ss_ending ended = ss_monitor_arrived(world, &dp_group->transfer, NULL);
  dp_group->completed++;
  start_next(world, dp_group);
  if (!retire(stage)) return;
  for (int64_t i = 0; i < stage->members; ++i)
    if (stage->member[i]->wait == SS_WAITS_DATA) end_wait(world, stage->member[i], &ended);
}

void ss_transfer_arrived(ss_world *world, ss_transfer *transfer)
{
  transfer->active = false;
  ss_trace_transfer_end(world, transfer);
  note_at_replicas(world, transfer, -1);
  switch (transfer->kind) {
  case SS_TRANSFER_CALL: ss_call_arrived(world, transfer->replica, transfer); break;
  case SS_TRANSFER_EXPERT: experts_arrived(world, transfer->experts); break;
  case SS_TRANSFER_DATA: data_arrived(world, transfer->dp_group); break;
  case SS_TRANSFER_MESSAGE: message_arrived(world, transfer); break;
  case SS_TRANSFER_TIED: tied_arrived(world, transfer->tie); break;
  }
}
