#include "sim/engine/core/messages.h"

#include <stdlib.h>

#include "model/plan/transfer_time.h"
#include "sim/engine/core/kernels.h"
#include "sim/engine/core/stage.h"

ss_message ss_message_of(const ss_transfer *transfer)
{
  const ss_world *world = transfer->world;
  const ss_stage_replica *from = transfer->replica;
  const ss_work *work = &world->stage[from->stage].order[from->outbox[transfer->side].pass];
  ss_chunk to = {0};
  const bool sends = ss_job_receiver(world->job, (ss_chunk){from->stage, work->chunk}, transfer->side, &to);
  SS_ASSERT(sends);
  return (ss_message){from, ss_world_replica(world, to.stage, from->dp), transfer->side, *work, to.index};
}

static bool crosses_domains(const ss_world *world, const ss_message *message, int64_t member)
{
  const int64_t domain_size = world->job->machine->domain_size;
  return ss_replica_gpu(world, message->from, member) / domain_size !=
         ss_replica_gpu(world, message->to, member) / domain_size;
}

/* Some rank's message goes over the fabric. */
static bool goes_over_fabric(const ss_world *world, const ss_message *message)
{
  bool fabric = false;
  for (int64_t member = 0; !fabric && member < world->width; ++member) fabric = crosses_domains(world, message, member);
  return fabric;
}

/* The slowest of the ranks' messages. */
static ss_comm_time time_of(const ss_world *world, const ss_message *message)
{
  ss_comm_time slowest = {0.0, 0.0};
  for (int64_t member = 0; member < world->width; ++member) {
    const ss_comm_time time = ss_job_message_time(world->job, crosses_domains(world, message, member));
    if (ss_comm_time_sum(time) > ss_comm_time_sum(slowest)) slowest = time;
  }
  return slowest;
}

static double phase_latency_s(const ss_transfer *transfer)
{
  const ss_message message = ss_message_of(transfer);
  return time_of(transfer->world, &message).latency_s;
}

static void slow_kernels(ss_transfer *transfer, int change)
{
  ss_world *world = transfer->world;
  const ss_message message = ss_message_of(transfer);
  const bool fabric = goes_over_fabric(world, &message);
  ss_kernels_share(world, transfer->replica, fabric, change);
  ss_kernels_share(world, message.to, fabric, change);
}

/* Messages leave in the order of the passes that send them. */
static void start_next(ss_world *world, ss_stage_replica *from, ss_pass side)
{
  ss_outbox *outbox = &from->outbox[side];
  const ss_work *order = world->stage[from->stage].order;
  ss_chunk receiver;
  do outbox->pass++;
  while (order[outbox->pass].pass != side ||
         !ss_job_receiver(world->job, (ss_chunk){from->stage, order[outbox->pass].chunk}, side, &receiver));
  const ss_message message = ss_message_of(&outbox->transfer);
  outbox->transfer.on_network = world->common->network != NULL;
  outbox->transfer.asked = outbox->asked[outbox->sent % outbox->capacity];
  outbox->transfer.to_replica = ss_replica_index(world, message.to);
  ss_transfer_start(&outbox->transfer, time_of(world, &message));
}

static void arrived(ss_transfer *transfer)
{
  ss_world *world = transfer->world;
  const ss_message message = ss_message_of(transfer);
  ss_stage_replica *from = transfer->replica;
  ss_outbox *outbox = &from->outbox[transfer->side];
  ss_inbox *inbox = &message.to->inbox[transfer->side];
  outbox->sent++;
  inbox->arrived[message.to_chunk]++;
  inbox->last_start_s = transfer->start_s;
  if (outbox->sent < outbox->queued) start_next(world, from, transfer->side);
  ss_world_wake(world, message.to, SS_WAITS_MESSAGE, transfer);
  ss_world_wake(world, from, SS_WAITS_SEND, transfer);
}

ss_transfer ss_message_transfer(ss_world *world, ss_stage_replica *replica, ss_pass side)
{
  static const ss_transfer_type type = {SS_TRANSFER_MESSAGE, phase_latency_s, slow_kernels, arrived};
  return (ss_transfer){.type = &type,
                       .world = world,
                       .ended.transfer = -1,
                       .replica = replica,
                       .side = side,
                       .phases = 1,
                       .volume_bytes = world->job->message_bytes,
                       .route = &replica->outbox[side].route};
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

void ss_message_send(ss_world *world, ss_stage_replica *replica)
{
  ss_outbox *outbox = &replica->outbox[replica->work.pass];
  if (outbox->queued - outbox->sent == outbox->capacity) grow(outbox);
  outbox->asked[outbox->queued++ % outbox->capacity] = ss_replica_asks(world, replica);
  if (!outbox->transfer.active) start_next(world, replica, replica->work.pass);
}
