#include "sim/engine/observe/trace_transfers.h"

#include "sim/engine/core/calls.h"
#include "sim/engine/core/data_ops.h"
#include "sim/engine/core/messages.h"
#include "sim/engine/core/ties.h"
#include "sim/engine/observe/trace_writers.h"

static const char *const data_group_names[] = {[SS_DATA_DENSE] = "dp",
                                               [SS_DATA_EXPERT] = "expert dp",
                                               [SS_DATA_DENSE_COPIES] = "dp of copies",
                                               [SS_DATA_EXPERT_COPIES] = "expert dp of copies"};

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

static void message_begin(const ss_trace_writers *writers, const ss_message *m)
{
  const ss_world *world = writers->world;
  ss_slice slice = {.activity = SS_COMM_SEND,
                    .stream = send_stream(m->side),
                    .backward = m->side == SS_PASS_BACKWARD,
                    .micro_batch = m->work.micro_batch,
                    .chunk = ss_trace_chunk(world, &m->work),
                    .layer = SS_NO_INDEX,
                    .time_s = world->common->now_s,
                    .bytes = ss_message_bytes(world->job, m)};
  ss_trace_begin_on_replica(writers, m->from, slice);
  slice.activity = SS_COMM_RECEIVE;
  slice.stream = receive_stream(m->side, is_from_other_side(world, m));
  ss_trace_begin_on_replica(writers, m->to, slice);
}

/* Arrows from a replica to the one of its copy of the model that is at the stage of the receiver. */
static void draw_arrows(const ss_world *world, const ss_stage_replica *from, const ss_message *m, ss_arrow arrow)
{
  const ss_stage_replica *to = &world->replica[m->to->stage * world->job->replicas + from->dp];
  for (int64_t i = 0; i < world->options->timeline_count; ++i)
    for (int64_t member = 0; member < world->width; ++member) {
      const ss_timeline *timeline = &world->options->timelines[i];
      arrow.from_rank = ss_trace_rank(world, from, member);
      arrow.to_rank = ss_trace_rank(world, to, member);
      if (ss_trace_wants(timeline, (ss_trace_subject){arrow.from_rank, arrow.micro_batch}) &&
          ss_trace_wants(timeline, (ss_trace_subject){arrow.to_rank, arrow.micro_batch}))
        timeline->arrow(timeline->self, &arrow);
    }
}

static void message_end(const ss_trace_writers *writers, const ss_message *m, double start_s)
{
  const ss_world *world = writers->world;
  const double now_s = world->common->now_s;
  const bool other_side = is_from_other_side(world, m);
  ss_trace_end_on_replica(writers, m->from, send_stream(m->side), m->work.micro_batch, now_s);
  ss_trace_end_on_replica(writers, m->to, receive_stream(m->side, other_side), m->work.micro_batch, now_s);
  const ss_arrow arrow = {.gradients = m->side == SS_PASS_BACKWARD,
                          .other_side = other_side,
                          .micro_batch = m->work.micro_batch,
                          .chunk = ss_trace_chunk(world, &m->work),
                          .start_s = start_s,
                          .end_s = now_s,
                          .bytes = ss_message_bytes(world->job, m)};
  int64_t next = 0;
  for (const ss_stage_replica *from; (from = ss_trace_next(writers, m->from, &next)) != NULL;)
    draw_arrows(world, from, m, arrow);
}

/* Begins or ends a slice on the ranks of a replica whose group of their shard a group stands for. */
static void data_slice(const ss_world *world, const ss_stage_replica *replica, const ss_dp_group *dp_group,
                       ss_slice slice, bool begins)
{
  const ss_dp_group *groups = &world->dp_group[dp_group->stage * world->shards];
  for (int64_t member = 0; member < world->width; ++member) {
    if (groups[member % world->shards].twin != dp_group) continue;
    slice.rank = ss_trace_rank(world, replica, member);
    if (begins)
      ss_trace_begin(world, &slice);
    else
      ss_trace_end(world, (ss_trace_subject){slice.rank, SS_NO_INDEX}, SS_STREAM_DATA, slice.time_s);
  }
}

/* The ranks of a data-parallel group: those of all replicas that hold its shard, on each stage that does. */
static void data_transfer(const ss_trace_writers *writers, const ss_dp_group *dp_group, bool begins)
{
  const ss_world *world = writers->world;
  const ss_stage_op *op = ss_dp_group_op(world, dp_group)->op;
  const ss_slice slice = {.stream = SS_STREAM_DATA,
                          .activity = ss_collective_activity(op->kind),
                          .backward = op->kind != SS_ALL_GATHER,
                          .micro_batch = SS_NO_INDEX,
                          .chunk = SS_NO_INDEX,
                          .layer = ss_stage_op_layer(world->job, dp_group->stage, op),
                          .time_s = world->common->now_s,
                          .bytes = op->volume_bytes,
                          .group = data_group_names[op->group],
                          .group_ranks = ss_job_data_span(world->job, op->group, dp_group->stage).size};
  const ss_stage *home = &world->stage[dp_group->stage];
  for (int64_t i = 0; i < home->members; ++i) {
    int64_t next = 0;
    for (const ss_stage_replica *shown; (shown = ss_trace_next(writers, home->member[i], &next)) != NULL;)
      data_slice(world, shown, dp_group, slice, begins);
  }
}

/* Of a pair of passes, a replica may be in the other one while the exchange of this one runs. */
static bool is_of_other_pass(const ss_stage_replica *replica, const ss_transfer *transfer)
{
  return transfer->group == SS_GROUP_EXPERT && replica->pair.active && replica->exchange.state != SS_EXCHANGE_RUNS;
}

static void call_transfer(const ss_trace_writers *writers, const ss_stage_replica *replica, const ss_transfer *transfer,
                          bool begins)
{
  const ss_trace_collective collective = {transfer->group, transfer->method.kind, transfer->volume_bytes,
                                          transfer->route->span.size};
  const ss_slice slice = is_of_other_pass(replica, transfer)
                             ? ss_trace_other_call_slice(writers->world, replica, collective)
                             : ss_trace_call_slice(writers->world, replica, collective);
  if (begins)
    ss_trace_begin_on_replica(writers, replica, slice);
  else
    ss_trace_end_on_replica(writers, replica, slice.stream, slice.micro_batch, slice.time_s);
}

static void expert_transfer(const ss_trace_writers *writers, const ss_transfer *transfer, bool begins)
{
  for (int64_t i = 0; i < transfer->experts->members; ++i)
    call_transfer(writers, transfer->experts->member[i], transfer, begins);
}

static void message_transfer(const ss_trace_writers *writers, const ss_transfer *transfer, bool begins)
{
  const ss_message m = ss_message_of(transfer);
  if (begins)
    message_begin(writers, &m);
  else
    message_end(writers, &m, transfer->start_s);
}

static void tied_transfer(const ss_trace_writers *writers, const ss_transfer *transfer, bool begins)
{
  const ss_slice slice = {.stream = SS_STREAM_DATA,
                          .activity = ss_collective_activity(transfer->method.kind),
                          .backward = true,
                          .micro_batch = SS_NO_INDEX,
                          .chunk = SS_NO_INDEX,
                          .layer = SS_NO_INDEX,
                          .time_s = writers->world->common->now_s,
                          .bytes = transfer->volume_bytes,
                          .group = "tables",
                          .group_ranks = writers->world->job->tables.count};
  for (int64_t i = 0; i < transfer->tie->members; ++i) {
    const ss_stage_replica *replica = transfer->tie->member[i];
    if (begins)
      ss_trace_begin_on_replica(writers, replica, slice);
    else
      ss_trace_end_on_replica(writers, replica, SS_STREAM_DATA, SS_NO_INDEX, slice.time_s);
  }
}

void ss_trace_transfer(const ss_trace_writers *writers, const ss_transfer *transfer, bool begins)
{
  switch (transfer->type->kind) {
  case SS_TRANSFER_CALL: call_transfer(writers, transfer->replica, transfer, begins); break;
  case SS_TRANSFER_EXPERT: expert_transfer(writers, transfer, begins); break;
  case SS_TRANSFER_DATA: data_transfer(writers, transfer->dp_group, begins); break;
  case SS_TRANSFER_MESSAGE: message_transfer(writers, transfer, begins); break;
  case SS_TRANSFER_TIED: tied_transfer(writers, transfer, begins); break;
  }
}
