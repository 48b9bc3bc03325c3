/* Transfers between cells: when they start, which flows they become, and who goes on when they have arrived. */
#include <stdlib.h>

#include "sim/engine/network.h"
#include "sim/engine/record.h"
#include "sim/engine/world.h"

static int64_t gpu_of(const ss_world *world, const ss_cell *cell, int64_t member)
{
  return ss_placement_gpu(&world->job->placement, ss_cell_member(world, cell, member));
}

ss_message ss_outbox_message(const ss_world *world, const ss_cell *from, ss_pass side)
{
  const ss_work *work = &world->stage[from->stage].order[from->outbox[side].pass];
  ss_chunk to = {0};
  const bool sends = ss_job_receiver(world->job, (ss_chunk){from->stage, work->chunk}, side, &to);
  SS_ASSERT(sends);
  return (ss_message){from, ss_world_cell(world, to.stage, from->replica), side, *work, to.index};
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

/* A transfer is under way at a cell, or no more; where that slows kernels, their rate changes. */
static void note_at_cell(ss_world *world, ss_cell *cell, bool fabric, int change)
{
  *(fabric ? &cell->fabric_transfers : &cell->nvlink_transfers) += change;
  ss_kernel_rate_changes(world, cell);
}

static void note_at_cells(ss_world *world, const ss_transfer *transfer, int change)
{
  if (!world->slows) return;
  const ss_job *job = world->job;
  const bool fabric = transfer->route != NULL && transfer->route->span.domains > 1;
  ss_message message;
  switch (transfer->kind) {
  case SS_TRANSFER_CALL: note_at_cell(world, transfer->cell, fabric, change); break;
  case SS_TRANSFER_EXPERT:
    for (int64_t place = 0; place < job->placement.ep; ++place) {
      const int64_t replica = ss_placement_expert_replica(&job->placement, transfer->experts->index, place);
      note_at_cell(world, ss_world_cell(world, transfer->experts->stage, replica), fabric, change);
    }
    break;
  case SS_TRANSFER_DATA:
    for (int64_t d = 0; d < job->replicas; ++d)
      note_at_cell(world, ss_world_cell(world, transfer->channel->stage, d), fabric, change);
    break;
  case SS_TRANSFER_MESSAGE:
    message = ss_outbox_message(world, transfer->cell, transfer->side);
    note_at_cell(world, transfer->cell, message_is_slow(world, &message), change);
    note_at_cell(world, message.to, message_is_slow(world, &message), change);
    break;
  }
}

/* When the start-up of a collective's phase is over. */
static double started_s(const ss_world *world, const ss_transfer *transfer)
{
  const ss_comm_time time = ss_collective_phase(&world->job->network, transfer->method, transfer->route->span,
                                                transfer->volume_bytes, transfer->phase);
  return world->now_s + transfer->starts * time.latency_s;
}

/* A collective goes on with its next phase. */
bool ss_transfer_goes_on(ss_world *world, ss_transfer *transfer)
{
  if (transfer->kind == SS_TRANSFER_MESSAGE || ++transfer->phase >= transfer->route->phases) return false;
  ss_agenda_add(&world->agenda, started_s(world, transfer), SS_EVENT_LAUNCH, transfer);
  return true;
}

/* On the network, start-up passes first and the flows take their time; otherwise both are known. */
static void start(ss_world *world, ss_transfer *transfer, ss_comm_time time, bool flows)
{
  transfer->active = true;
  transfer->start_s = world->now_s;
  ss_record_transfer_begin(world, transfer);
  note_at_cells(world, transfer, 1);
  if (flows) {
    const bool message = transfer->kind == SS_TRANSFER_MESSAGE;
    transfer->phase = 0;
    ss_agenda_add(&world->agenda, message ? world->now_s + time.latency_s : started_s(world, transfer), SS_EVENT_LAUNCH,
                  transfer);
  } else
    ss_agenda_add(&world->agenda, world->now_s + ss_comm_time_sum(time), SS_EVENT_ARRIVED, transfer);
}

static void launch_edge(ss_world *world, ss_transfer *transfer, const ss_edge *edge, double volume_bytes)
{
  const double bytes = edge->share * volume_bytes;
  world->result.flows++;
  if (edge->fabric)
    world->result.fabric_bytes += bytes;
  else
    world->result.nvlink_bytes += bytes;
  ss_network_launch(world->network, edge, bytes, transfer);
}

static void launch_collective(ss_world *world, ss_transfer *transfer)
{
  const ss_route *route = transfer->route;
  transfer->flows_left = 0;
  for (int64_t i = 0; i < route->count; ++i) transfer->flows_left += route->edge[i].phase == transfer->phase;
  for (int64_t i = 0; i < route->count; ++i)
    if (route->edge[i].phase == transfer->phase) launch_edge(world, transfer, &route->edge[i], transfer->volume_bytes);
}

static void launch_message(ss_world *world, ss_transfer *transfer)
{
  const ss_message message = ss_outbox_message(world, transfer->cell, transfer->side);
  transfer->flows_left = world->width;
  for (int64_t member = 0; member < world->width; ++member) {
    const ss_edge edge =
        ss_route_message(world->job->machine, gpu_of(world, message.from, member), gpu_of(world, message.to, member));
    launch_edge(world, transfer, &edge, world->job->message_bytes);
  }
}

void ss_transfer_launch(ss_world *world, ss_transfer *transfer)
{
  world->on_network++;
  if (transfer->kind == SS_TRANSFER_MESSAGE)
    launch_message(world, transfer);
  else
    launch_collective(world, transfer);
}

/* Starts the collective that a cell's live task has come to, on its own or its group's transfer. */
static void start_call(ss_world *world, const ss_cell *cell, ss_transfer *transfer)
{
  const ss_live_task *live = &cell->live;
  const ss_call *call = &live->task->call[live->call];
  const bool flows = world->network != NULL && !world->computed[call->group];
  transfer->group = call->group;
  transfer->volume_bytes = ss_task_call_bytes(live->task, live->call);
  transfer->starts = ss_task_call_starts(live->task);
  if (flows)
    transfer->route = transfer->kind == SS_TRANSFER_EXPERT
                          ? ss_expert_route(world, transfer->experts, transfer->method)
                          : ss_cell_route(world, transfer->cell, call->group, transfer->method);
  const ss_comm_time time = ss_job_call_piece(world->job, ss_cell_block_kind(world, cell), cell->work.pass, live->task,
                                              live->call, transfer->route->span);
  start(world, transfer, time, flows);
}

void ss_start_call(ss_world *world, ss_cell *cell)
{
  const ss_live_task *live = &cell->live;
  const ss_group group = live->task->call[live->call].group;
  ss_transfer *transfer = &cell->call;
  if (group != SS_GROUP_EXPERT) {
    transfer->route = ss_routes_first(&cell->route[group]);
  } else {
    ss_expert_group *experts = ss_world_expert_group(world, cell->stage, cell->replica);
    if (++experts->arrivals < world->job->placement.ep) return;
    experts->arrivals = 0;
    transfer = &experts->transfer;
    transfer->route = ss_routes_first(&experts->route);
  }
  transfer->method = ss_job_call_method(world->job, live->task, live->call, transfer->route->span);
  start_call(world, cell, transfer);
}

static void experts_arrived(ss_world *world, const ss_expert_group *experts)
{
  const ss_placement *placement = &world->job->placement;
  for (int64_t place = 0; place < placement->ep; ++place) {
    const int64_t replica = ss_placement_expert_replica(placement, experts->index, place);
    ss_call_arrived(world, ss_world_cell(world, experts->stage, replica));
  }
}

/* Messages leave in the order of the passes that send them. */
static void start_message(ss_world *world, ss_cell *from, ss_pass side)
{
  ss_outbox *outbox = &from->outbox[side];
  const ss_work *order = world->stage[from->stage].order;
  ss_chunk receiver;
  do outbox->pass++;
  while (order[outbox->pass].pass != side ||
         !ss_job_receiver(world->job, (ss_chunk){from->stage, order[outbox->pass].chunk}, side, &receiver));
  const ss_message message = ss_outbox_message(world, from, side);
  start(world, &outbox->transfer, message_time(world, &message), world->network != NULL);
}

void ss_send_message(ss_world *world, ss_cell *cell)
{
  ss_outbox *outbox = &cell->outbox[cell->work.pass];
  outbox->queued++;
  if (!outbox->transfer.active) start_message(world, cell, cell->work.pass);
}

static void message_arrived(ss_world *world, ss_transfer *transfer)
{
  const ss_message message = ss_outbox_message(world, transfer->cell, transfer->side);
  ss_cell *from = transfer->cell, *to = message.to;
  ss_outbox *outbox = &from->outbox[transfer->side];
  ss_inbox *inbox = &to->inbox[transfer->side];
  outbox->sent++;
  inbox->arrived[message.to_chunk]++;
  inbox->last_start_s = transfer->start_s;
  if (outbox->sent < outbox->queued) start_message(world, from, transfer->side);
  if (to->wait == SS_WAITS_MESSAGE) ss_cell_resume(world, to);
  if (from->wait == SS_WAITS_SEND) ss_cell_resume(world, from);
}

static ss_data_op *stage_op(ss_stage *stage, int64_t index)
{
  SS_ASSERT(index >= stage->first && index < stage->end);
  return &stage->op[index % stage->capacity];
}

const ss_data_op *ss_channel_op(const ss_world *world, const ss_channel *channel)
{
  return stage_op(&world->stage[channel->stage], channel->completed);
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

/* A channel's next collective starts when all replicas have issued it and the one before is complete. */
static void start_next(ss_world *world, ss_channel *channel)
{
  ss_transfer *transfer = &channel->transfer;
  if (transfer->active || channel->completed == world->stage[channel->stage].end) return;
  const ss_data_op *op = ss_channel_op(world, channel);
  if (op->arrivals < world->job->replicas) return;
  const ss_span span = ss_routes_first(&channel->route[op->weights])->span;
  const ss_algorithm algorithm = ss_collective_choose(&world->job->network, op->kind, span, op->volume_bytes);
  transfer->method = (ss_method){op->kind, algorithm};
  transfer->volume_bytes = op->volume_bytes;
  transfer->starts = 1.0;
  transfer->route = ss_channel_route(world, channel, op->weights, transfer->method);
  start(world, transfer, ss_job_data_time(world->job, op->kind, span, op->volume_bytes), world->network != NULL);
}

int64_t ss_issue_data_op(ss_world *world, ss_cell *cell, const ss_data_op *op)
{
  ss_stage *stage = &world->stage[cell->stage];
  const int64_t index = cell->data_issued++;
  if (index == stage->end) {
    if (stage->end - stage->first == stage->capacity) grow(stage);
    stage->end++;
    *stage_op(stage, index) = *op;
  }
  if (++stage_op(stage, index)->arrivals == world->job->replicas)
    for (int64_t shard = 0; shard < world->shards; ++shard)
      start_next(world, ss_world_channel(world, cell->stage, shard));
  return index;
}

/* Drops the operations that every channel of the stage has completed. */
static bool retire(ss_world *world, int64_t stage)
{
  ss_stage *of = &world->stage[stage];
  int64_t completed = of->end;
  for (int64_t shard = 0; shard < world->shards; ++shard) {
    const int64_t of_channel = ss_world_channel(world, stage, shard)->completed;
    if (of_channel < completed) completed = of_channel;
  }
  const bool moved = completed > of->first;
  of->first = completed;
  return moved;
}

static void data_arrived(ss_world *world, ss_channel *channel)
{
  channel->completed++;
  start_next(world, channel);
  if (!retire(world, channel->stage)) return;
  for (int64_t d = 0; d < world->job->replicas; ++d) {
    ss_cell *cell = ss_world_cell(world, channel->stage, d);
    if (cell->wait == SS_WAITS_DATA) ss_cell_resume(world, cell);
  }
}

void ss_transfer_arrived(ss_world *world, ss_transfer *transfer)
{
  transfer->active = false;
  ss_record_transfer_end(world, transfer);
  note_at_cells(world, transfer, -1);
  switch (transfer->kind) {
  case SS_TRANSFER_CALL: ss_call_arrived(world, transfer->cell); break;
  case SS_TRANSFER_EXPERT: experts_arrived(world, transfer->experts); break;
  case SS_TRANSFER_DATA: data_arrived(world, transfer->channel); break;
  case SS_TRANSFER_MESSAGE: message_arrived(world, transfer); break;
  }
}
