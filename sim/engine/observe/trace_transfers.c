#include "sim/engine/observe/trace_transfers.h"

#include "sim/engine/core/calls.h"
#include "sim/engine/core/data_ops.h"
#include "sim/engine/core/messages.h"
#include "sim/engine/core/ties.h"
#include "sim/engine/observe/trace_writers.h"

static ss_stream send_stream(ss_pass side)
{
  return side == SS_PASS_BACKWARD ? SS_STREAM_SEND_GRADIENTS : SS_STREAM_SEND_ACTIVATIONS;
}

/* A stage sends one message at a time each way, so that one at a time comes from each stage that sends to another. Two
 * stages do where the pipeline is gone through in both directions: by a V, or by two copies of the model. */
static bool is_from_other_side(const ss_world *world, const ss_message *m)
{
  const int64_t stages = world->job->stages;
  const int64_t before = m->side == SS_PASS_BACKWARD ? m->to->stage : m->from->stage;
  const int64_t behind = m->side == SS_PASS_BACKWARD ? m->from->stage : m->to->stage;
  return (before + 1) % stages != behind;
}

static ss_stream receive_stream(ss_pass side, bool other_side)
{
  if (side == SS_PASS_BACKWARD) return other_side ? SS_STREAM_RECEIVE_GRADIENTS_OTHER : SS_STREAM_RECEIVE_GRADIENTS;
  return other_side ? SS_STREAM_RECEIVE_ACTIVATIONS_OTHER : SS_STREAM_RECEIVE_ACTIVATIONS;
}

static void message_begin(const ss_world *world, const ss_message *m)
{
  ss_slice slice = {.activity = SS_COMM_SEND,
                    .stream = send_stream(m->side),
                    .backward = m->side == SS_PASS_BACKWARD,
                    .micro_batch = m->work.micro_batch,
                    .chunk = ss_trace_chunk(world, &m->work),
                    .layer = SS_NO_INDEX,
                    .time_s = world->common->now_s};
  ss_trace_begin_on_replica(world, m->from, slice);
  slice.activity = SS_COMM_RECEIVE;
  slice.stream = receive_stream(m->side, is_from_other_side(world, m));
  ss_trace_begin_on_replica(world, m->to, slice);
}

static void message_end(const ss_world *world, const ss_message *m, double start_s)
{
  const bool other_side = is_from_other_side(world, m);
  ss_trace_end_on_replica(world, m->from, send_stream(m->side), m->work.micro_batch, world->common->now_s);
  ss_trace_end_on_replica(world, m->to, receive_stream(m->side, other_side), m->work.micro_batch, world->common->now_s);
  for (int64_t i = 0; i < world->options->timeline_count; ++i) {
    const ss_timeline *timeline = &world->options->timelines[i];
    for (int64_t member = 0; member < world->width; ++member) {
      const ss_arrow arrow = {.from_rank = ss_trace_rank(world, m->from, member),
                              .to_rank = ss_trace_rank(world, m->to, member),
                              .gradients = m->side == SS_PASS_BACKWARD,
                              .other_side = other_side,
                              .micro_batch = m->work.micro_batch,
                              .chunk = ss_trace_chunk(world, &m->work),
                              .start_s = start_s,
                              .end_s = world->common->now_s,
                              .bytes = ss_message_bytes(world->job, m)};
      if (ss_trace_wants(timeline, (ss_trace_subject){arrow.from_rank, arrow.micro_batch}) &&
          ss_trace_wants(timeline, (ss_trace_subject){arrow.to_rank, arrow.micro_batch}))
        timeline->arrow(timeline->self, &arrow);
    }
  }
}

/* The ranks of a data-parallel group: those of all replicas that hold its shard, on each stage that does. */
static void data_transfer(const ss_world *world, const ss_dp_group *dp_group, bool begins)
{
  const ss_stage_op *op = ss_dp_group_op(world, dp_group)->op;
  ss_slice slice = {.stream = SS_STREAM_DATA,
                    .activity = ss_collective_activity(op->kind),
                    .backward = op->kind != SS_ALL_GATHER,
                    .micro_batch = SS_NO_INDEX,
                    .chunk = SS_NO_INDEX,
                    .layer = ss_stage_op_layer(world->job, dp_group->stage, op),
                    .time_s = world->common->now_s};
  const ss_stage *home = &world->stage[dp_group->stage];
  for (int64_t i = 0; i < home->members; ++i)
    for (int64_t member = dp_group->shard; member < world->width; member += world->shards) {
      slice.rank = ss_trace_rank(world, home->member[i], member);
      if (begins)
        ss_trace_begin(world, &slice);
      else
        ss_trace_end(world, (ss_trace_subject){slice.rank, SS_NO_INDEX}, SS_STREAM_DATA, world->common->now_s);
    }
}

static void call_transfer(const ss_world *world, const ss_stage_replica *replica, const ss_transfer *transfer,
                          bool begins)
{
  const ss_stream stream = ss_trace_group_stream(transfer->group);
  if (begins)
    ss_trace_begin_on_replica(
        world, replica, ss_trace_block_slice(world, replica, stream, ss_collective_activity(transfer->method.kind)));
  else
    ss_trace_end_on_replica(world, replica, stream, replica->work.micro_batch, world->common->now_s);
}

static void expert_transfer(const ss_world *world, const ss_transfer *transfer, bool begins)
{
  for (int64_t dp = 0; dp < world->job->replicas; ++dp)
    if (world->expert_group_of[dp] == transfer->experts->index)
      call_transfer(world, ss_world_replica(world, transfer->experts->stage, dp), transfer, begins);
}

static void message_transfer(const ss_world *world, const ss_transfer *transfer, bool begins)
{
  const ss_message m = ss_message_of(transfer);
  if (begins)
    message_begin(world, &m);
  else
    message_end(world, &m, transfer->start_s);
}

static void tied_transfer(const ss_world *world, const ss_transfer *transfer, bool begins)
{
  const ss_slice slice = {.stream = SS_STREAM_DATA,
                          .activity = ss_collective_activity(transfer->method.kind),
                          .backward = true,
                          .micro_batch = SS_NO_INDEX,
                          .chunk = SS_NO_INDEX,
                          .layer = SS_NO_INDEX,
                          .time_s = world->common->now_s};
  for (int64_t i = 0; i < transfer->tie->members; ++i) {
    const ss_stage_replica *replica = transfer->tie->member[i];
    if (begins)
      ss_trace_begin_on_replica(world, replica, slice);
    else
      ss_trace_end_on_replica(world, replica, SS_STREAM_DATA, SS_NO_INDEX, world->common->now_s);
  }
}

void ss_trace_transfer(const ss_transfer *transfer, bool begins)
{
  const ss_world *world = transfer->world;
  switch (transfer->type->kind) {
  case SS_TRANSFER_CALL: call_transfer(world, transfer->replica, transfer, begins); break;
  case SS_TRANSFER_EXPERT: expert_transfer(world, transfer, begins); break;
  case SS_TRANSFER_DATA: data_transfer(world, transfer->dp_group, begins); break;
  case SS_TRANSFER_MESSAGE: message_transfer(world, transfer, begins); break;
  case SS_TRANSFER_TIED: tied_transfer(world, transfer, begins); break;
  }
}
