#include "sim/engine/core/messages.h"

#include <math.h>
#include <stdlib.h>

#include "sim/engine/core/ahead.h"
#include "sim/engine/core/kernels.h"
#include "sim/engine/core/stage.h"

ss_message ss_message_of(const ss_transfer *transfer)
{
  return transfer->replica->outbox[transfer->side].message;
}

/* That of the pass that a replica's outbox has come to. */
static ss_message message_at(const ss_world *world, const ss_stage_replica *from, ss_pass side)
{
  const ss_work *work = &world->stage[from->stage].order[from->outbox[side].pass];
  const ss_chunk chunk = {from->stage, work->chunk};
  ss_chunk to = {0};
  const bool sends = ss_job_receiver(world->job, chunk, side, &to);
  SS_ASSERT(sends);
  return (ss_message){.from = from,
                      .to = ss_world_replica(world, to.stage, from->dp),
                      .side = side,
                      .work = *work,
                      .to_chunk = to.index,
                      .cargo = ss_job_cargo(world->job, chunk, side)};
}

static const ss_message_way *way_of(const ss_message *message)
{
  const ss_outbox *outbox = &message->from->outbox[message->side];
  return &outbox->way[message->to->stage != outbox->way[0].stage];
}

/* The slowest of the ranks' messages. */
static ss_comm_time time_of(const ss_world *world, const ss_message *message)
{
  const int64_t crossing = way_of(message)->crossing;
  const ss_comm_time across = world->message_time[message->cargo][true],
                     inside = world->message_time[message->cargo][false];
  if (crossing == 0) return inside;
  return crossing < world->width && ss_comm_time_sum(inside) > ss_comm_time_sum(across) ? inside : across;
}

/* Each rank's message has its own. */
static ss_start_up start_up(const ss_transfer *transfer)
{
  const ss_world *world = transfer->world;
  const ss_message message = ss_message_of(transfer);
  const int64_t crossing = way_of(&message)->crossing;
  ss_start_up s = {world->message_time[message.cargo][false].latency_s,
                   world->message_time[message.cargo][true].latency_s};
  if (crossing == 0) s.across_s = s.inside_s;
  if (crossing == world->width) s.inside_s = s.across_s;
  return s;
}

static void slow_kernels(ss_transfer *transfer, int change)
{
  ss_world *world = transfer->world;
  const ss_message message = ss_message_of(transfer);
  const bool fabric = way_of(&message)->crossing > 0;
  const ss_transport transport = {.nvlink = !fabric, .fabric = fabric};
  ss_kernels_share(world, transfer->replica, transport, change);
  ss_kernels_share(world, message.to, transport, change);
}

/* A pass of a stage ends with a message to another one, in such a direction. */
static bool sends(const ss_job *job, int64_t stage, const ss_work *work, ss_pass side)
{
  ss_chunk receiver;
  return work->pass == side && ss_job_receiver(job, (ss_chunk){stage, work->chunk}, side, &receiver) &&
         receiver.stage != stage;
}

/* Messages leave in the order of the passes that send them. */
static ss_message next_message(const ss_world *world, ss_stage_replica *from, ss_pass side)
{
  ss_outbox *outbox = &from->outbox[side];
  const ss_work *order = world->stage[from->stage].order;
  do outbox->pass++;
  while (!sends(world->job, from->stage, &order[outbox->pass], side));
  return outbox->message = message_at(world, from, side);
}

static void start_next(ss_world *world, ss_stage_replica *from, ss_pass side)
{
  ss_outbox *outbox = &from->outbox[side];
  const ss_message message = next_message(world, from, side);
  outbox->transfer.route = &way_of(&message)->route;
  outbox->transfer.on_network = world->common->network != NULL;
  outbox->transfer.volume_bytes = ss_message_bytes(world->job, &message);
  outbox->transfer.asked = outbox->asked[outbox->sent % outbox->capacity];
  outbox->transfer.to_replica = ss_replica_index(world, message.to);
  ss_transfer_start(&outbox->transfer, time_of(world, &message));
}

/* A message for a chunk has been sent at a time, and arrives then. */
static void put_into(const ss_world *world, ss_stage_replica *to, ss_pass side, int64_t chunk, double start_s,
                     double end_s)
{
  ss_inbox *inbox = &to->inbox[side];
  const int64_t micro_batch = inbox->arrived[chunk]++;
  inbox->last_start_s = start_s;
  if (ss_world_goes_ahead(world)) *ss_ahead_arrival(world, to, side, chunk, micro_batch) = end_s;
}

static void arrived(ss_transfer *transfer)
{
  ss_world *world = transfer->world;
  const ss_message message = ss_message_of(transfer);
  ss_stage_replica *from = transfer->replica;
  ss_outbox *outbox = &from->outbox[transfer->side];
  outbox->sent++;
  put_into(world, message.to, transfer->side, message.to_chunk, transfer->start_s, world->common->now_s);
  if (outbox->sent < outbox->queued) start_next(world, from, transfer->side);
  ss_world_wake(world, message.to, SS_WAITS_MESSAGE, transfer);
  ss_world_wake(world, from, SS_WAITS_SEND, transfer);
}

ss_transfer ss_message_transfer(ss_world *world, ss_stage_replica *replica, ss_pass side)
{
  static const ss_transfer_type type = {SS_TRANSFER_MESSAGE, start_up, slow_kernels, arrived};
  return (ss_transfer){
      .type = &type, .world = world, .ended.transfer = -1, .replica = replica, .side = side, .phases = 1};
}

static void grow(ss_outbox *outbox)
{
  const int64_t capacity = outbox->capacity > 0 ? 2 * outbox->capacity : 2;
  ss_asked *asked = malloc((size_t)capacity * sizeof *asked);
  SS_ASSERT(asked != NULL);
  for (int64_t i = outbox->sent; i < outbox->queued; ++i) asked[i % capacity] = outbox->asked[i % outbox->capacity];
  free(outbox->asked);
  outbox->asked = asked;
  outbox->capacity = capacity;
}

/* On links of its own, it is known when a message arrives. */
static void send_ahead(ss_world *world, ss_stage_replica *from, ss_pass side)
{
  ss_outbox *outbox = &from->outbox[side];
  const ss_message message = next_message(world, from, side);
  const double start_s = fmax(world->common->now_s, outbox->free_s);
  outbox->free_s = start_s + ss_comm_time_sum(time_of(world, &message));
  put_into(world, message.to, side, message.to_chunk, start_s, outbox->free_s);
  ss_world_wake(world, message.to, SS_WAITS_MESSAGE, &outbox->transfer);
}

/* What stays on the stage is there at once. */
static void hand_over(const ss_world *world, ss_stage_replica *replica)
{
  ss_chunk to;
  const double now_s = world->common->now_s;
  if (!ss_job_receiver(world->job, ss_replica_chunk(replica), replica->work.pass, &to)) return;
  put_into(world, replica, replica->work.pass, to.index, now_s, now_s);
}

bool ss_message_leaves(const ss_world *world, const ss_stage_replica *replica)
{
  return sends(world->job, replica->stage, &replica->work, replica->work.pass);
}

void ss_message_send(ss_world *world, ss_stage_replica *replica)
{
  if (!ss_message_leaves(world, replica)) {
    hand_over(world, replica);
    return;
  }
  if (ss_world_goes_ahead(world)) {
    send_ahead(world, replica, replica->work.pass);
    return;
  }
  ss_outbox *outbox = &replica->outbox[replica->work.pass];
  if (outbox->queued - outbox->sent == outbox->capacity) grow(outbox);
  outbox->asked[outbox->queued++ % outbox->capacity] = ss_replica_asks(world, replica);
  if (!outbox->transfer.active) start_next(world, replica, replica->work.pass);
}
