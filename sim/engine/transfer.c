/* Transfers between cells: when they start, which flows they become, and who goes on when they have arrived. */
#include <stdlib.h>

#include "sim/engine/network.h"
#include "sim/engine/record.h"
#include "sim/engine/world.h"

ss_cell *ss_message_receiver(const ss_world *world, const ss_cell *cell, int side)
{
  return ss_world_cell(world, cell->stage + (side == SS_SIDE_ACTIVATIONS ? 1 : -1), cell->replica);
}

static int64_t gpu_of(const ss_world *world, const ss_cell *cell, int64_t tensor)
{
  return ss_placement_gpu(&world->job->placement, (ss_coordinates){tensor, cell->replica, cell->stage});
}

static bool crosses_domains(const ss_world *world, const ss_cell *from, const ss_cell *to, int64_t tensor)
{
  const int64_t domain_size = world->job->machine->domain_size;
  return gpu_of(world, from, tensor) / domain_size != gpu_of(world, to, tensor) / domain_size;
}

/* The slowest of the tensor ranks' messages. */
static ss_comm_time message_time(const ss_world *world, const ss_cell *from, int side)
{
  const ss_cell *to = ss_message_receiver(world, from, side);
  ss_comm_time slowest = {0.0, 0.0};
  for (int64_t t = 0; t < world->job->tensor; ++t) {
    const ss_comm_time time = ss_job_message_time(world->job, crosses_domains(world, from, to, t));
    if (ss_comm_time_sum(time) > ss_comm_time_sum(slowest)) slowest = time;
  }
  return slowest;
}

static const ss_data_op *current_op(const ss_world *world, const ss_channel *channel)
{
  return ss_stage_op(&world->data[channel->stage], channel->completed);
}

static ss_comm_time transfer_time(const ss_world *world, const ss_transfer *transfer)
{
  const ss_data_op *op;
  switch (transfer->kind) {
  case SS_TRANSFER_MESSAGE: return message_time(world, transfer->cell, transfer->side);
  case SS_TRANSFER_TENSOR: return ss_cell_task_time(world, transfer->cell);
  case SS_TRANSFER_DATA:
    op = current_op(world, transfer->channel);
    return ss_job_data_time(world->job, op->kind, transfer->channel->route.span, op->volume_bytes);
  }
  return (ss_comm_time){0.0, 0.0};
}

/* On the network, start-up passes first and the flows take their time; on private links both are known. */
static void start(ss_world *world, ss_transfer *transfer)
{
  const ss_comm_time time = transfer_time(world, transfer);
  transfer->active = true;
  transfer->start_s = world->now_s;
  ss_record_transfer_begin(world, transfer);
  if (world->network != NULL)
    ss_agenda_add(&world->agenda, world->now_s + time.latency_s, SS_EVENT_LAUNCH, transfer);
  else
    ss_agenda_add(&world->agenda, world->now_s + ss_comm_time_sum(time), SS_EVENT_ARRIVED, transfer);
}

static void launch_edge(ss_world *world, ss_transfer *transfer, const ss_edge *edge, double rank_bytes)
{
  const double bytes = edge->share * rank_bytes;
  world->result.flows++;
  if (edge->fabric)
    world->result.fabric_bytes += bytes;
  else
    world->result.nvlink_bytes += bytes;
  ss_network_launch(world->network, edge, bytes, transfer);
}

static void launch_route(ss_world *world, ss_transfer *transfer, const ss_route *route, ss_collective kind,
                         double volume_bytes)
{
  const double rank_bytes = ss_collective_rank_bytes(kind, route->span, volume_bytes);
  transfer->flows_left = route->count;
  for (int64_t i = 0; i < route->count; ++i) launch_edge(world, transfer, &route->edge[i], rank_bytes);
}

static void launch_message(ss_world *world, ss_transfer *transfer)
{
  const ss_cell *from = transfer->cell, *to = ss_message_receiver(world, from, transfer->side);
  transfer->flows_left = world->job->tensor;
  for (int64_t t = 0; t < world->job->tensor; ++t) {
    const ss_edge edge = ss_route_message(world->job->machine, gpu_of(world, from, t), gpu_of(world, to, t));
    launch_edge(world, transfer, &edge, world->job->message_bytes);
  }
}

void ss_transfer_launch(ss_world *world, ss_transfer *transfer)
{
  const ss_data_op *op;
  const ss_task *task;
  world->on_network++;
  switch (transfer->kind) {
  case SS_TRANSFER_MESSAGE: launch_message(world, transfer); break;
  case SS_TRANSFER_DATA:
    op = current_op(world, transfer->channel);
    launch_route(world, transfer, &transfer->channel->route, op->kind, op->volume_bytes);
    break;
  case SS_TRANSFER_TENSOR:
    task = ss_cell_task(world, transfer->cell);
    launch_route(world, transfer, &transfer->cell->tensor_route, task->kind, task->volume_bytes);
    break;
  }
}

void ss_start_tensor_collective(ss_world *world, ss_cell *cell)
{
  start(world, &cell->tensor);
}

void ss_send_message(ss_world *world, ss_cell *cell, int side)
{
  ss_outbox *outbox = &cell->outbox[side];
  outbox->queued++;
  if (!outbox->transfer.active) start(world, &outbox->transfer);
}

static void message_arrived(ss_world *world, ss_transfer *transfer)
{
  ss_cell *from = transfer->cell, *to = ss_message_receiver(world, from, transfer->side);
  ss_outbox *outbox = &from->outbox[transfer->side];
  ss_inbox *inbox = &to->inbox[transfer->side];
  outbox->sent++;
  inbox->arrived++;
  inbox->last_start_s = transfer->start_s;
  if (outbox->sent < outbox->queued) start(world, transfer);
  if (to->wait == SS_WAITS_MESSAGE) ss_cell_resume(world, to);
  if (from->wait == SS_WAITS_SEND) ss_cell_resume(world, from);
}

ss_data_op *ss_stage_op(ss_stage_data *data, int64_t index)
{
  SS_ASSERT(index >= data->first && index < data->end);
  return &data->op[index % data->capacity];
}

static void grow(ss_stage_data *data)
{
  const int64_t capacity = data->capacity > 0 ? 2 * data->capacity : 16;
  ss_data_op *op = malloc((size_t)capacity * sizeof *op);
  SS_ASSERT(op != NULL);
  for (int64_t i = data->first; i < data->end; ++i) op[i % capacity] = data->op[i % data->capacity];
  free(data->op);
  data->op = op;
  data->capacity = capacity;
}

int64_t ss_data_completed(const ss_world *world, int64_t stage)
{
  return world->data[stage].first;
}

/* A channel's next collective starts when all replicas have issued it and the one before is complete. */
static void start_next(ss_world *world, ss_channel *channel)
{
  const ss_stage_data *data = &world->data[channel->stage];
  if (channel->transfer.active || channel->completed == data->end) return;
  if (current_op(world, channel)->arrivals == world->job->replicas) start(world, &channel->transfer);
}

int64_t ss_issue_data_op(ss_world *world, ss_cell *cell, ss_collective kind, double volume_bytes, int64_t block)
{
  ss_stage_data *data = &world->data[cell->stage];
  const int64_t index = cell->data_issued++;
  if (index == data->end) {
    if (data->end - data->first == data->capacity) grow(data);
    data->end++;
    *ss_stage_op(data, index) = (ss_data_op){.kind = kind, .volume_bytes = volume_bytes, .block = block};
  }
  if (++ss_stage_op(data, index)->arrivals == world->job->replicas)
    for (int64_t t = 0; t < world->job->tensor; ++t) start_next(world, ss_world_channel(world, cell->stage, t));
  return index;
}

/* Drops the operations that every channel of the stage has completed. */
static bool retire(ss_world *world, int64_t stage)
{
  ss_stage_data *data = &world->data[stage];
  int64_t completed = data->end;
  for (int64_t t = 0; t < world->job->tensor; ++t) {
    const int64_t of_channel = ss_world_channel(world, stage, t)->completed;
    if (of_channel < completed) completed = of_channel;
  }
  const bool moved = completed > data->first;
  data->first = completed;
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
  switch (transfer->kind) {
  case SS_TRANSFER_MESSAGE: message_arrived(world, transfer); break;
  case SS_TRANSFER_DATA: data_arrived(world, transfer->channel); break;
  case SS_TRANSFER_TENSOR: ss_cell_resume(world, transfer->cell); break;
  }
}
