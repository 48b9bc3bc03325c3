#include "sim/engine/observe/trace.h"

/* What one report is about; it goes to every writer that wants its rank and micro-batch. */
typedef struct subject {
  int64_t rank, micro_batch;
} subject;

static bool wants(const ss_timeline *timeline, subject who)
{
  return ss_selection_has(&timeline->ranks, who.rank) &&
         (who.micro_batch == SS_NO_INDEX || ss_selection_has(&timeline->micro_batches, who.micro_batch));
}

static void begin(const ss_world *world, const ss_slice *slice)
{
  for (int64_t i = 0; i < world->options->timeline_count; ++i) {
    const ss_timeline *timeline = &world->options->timelines[i];
    if (wants(timeline, (subject){slice->rank, slice->micro_batch})) timeline->begin(timeline->self, slice);
  }
}

static void end(const ss_world *world, subject who, ss_stream stream, double time_s)
{
  for (int64_t i = 0; i < world->options->timeline_count; ++i) {
    const ss_timeline *timeline = &world->options->timelines[i];
    if (wants(timeline, who)) timeline->end(timeline->self, who.rank, stream, time_s);
  }
}

static void traffic(const ss_world *world, const ss_traffic *what)
{
  for (int64_t i = 0; i < world->options->timeline_count; ++i) {
    const ss_timeline *timeline = &world->options->timelines[i];
    if (ss_selection_has(&timeline->ranks, what->rank)) timeline->traffic(timeline->self, what);
  }
}

static bool nobody_watches(const ss_world *world)
{
  return world->options->timeline_count == 0;
}

static int64_t rank_of(const ss_world *world, const ss_stage_replica *replica, int64_t member)
{
  return ss_placement_rank(&world->job->placement, ss_replica_member(world, replica, member));
}

/* Begins or ends something on one track of all ranks of a replica. */
static void begin_on_replica(const ss_world *world, const ss_stage_replica *replica, ss_slice slice)
{
  for (int64_t member = 0; member < world->width; ++member) {
    slice.rank = rank_of(world, replica, member);
    begin(world, &slice);
  }
}

static void end_on_replica(const ss_world *world, const ss_stage_replica *replica, ss_stream stream,
                           int64_t micro_batch, double time_s)
{
  for (int64_t member = 0; member < world->width; ++member)
    end(world, (subject){rank_of(world, replica, member), micro_batch}, stream, time_s);
}

void ss_trace_open(ss_world *world)
{
  const ss_job *job = world->job;
  const ss_timeline_job description = {
      .name = world->options->title,
      .ranks = ss_workload_gpus(job->workload),
      .domain_size = job->machine->domain_size,
      .gpu = job->placement.gpu,
      .stage = world->stage_of_rank,
      .port_bytes_per_s = {[SS_PORT_NVLINK_OUT] = job->network.nvlink_bytes_per_s,
                           [SS_PORT_NVLINK_IN] = job->network.nvlink_bytes_per_s,
                           [SS_PORT_NIC_OUT] = job->network.fabric_bytes_per_s,
                           [SS_PORT_NIC_IN] = job->network.fabric_bytes_per_s},
  };
  for (int64_t i = 0; i < world->options->timeline_count; ++i) {
    ss_timeline *timeline = &world->options->timelines[i];
    timeline->open(timeline->self, &description);
  }
}

ss_status ss_trace_close(ss_world *world, ss_error *error)
{
  ss_status first = SS_OK;
  for (int64_t i = 0; i < world->options->timeline_count; ++i) {
    ss_timeline *timeline = &world->options->timelines[i];
    const ss_status status = timeline->close(timeline->self, world->common->now_s, first == SS_OK ? error : NULL);
    if (first == SS_OK) first = status;
  }
  return first;
}

/* Chunks are told where a stage has more than one. */
static int64_t chunk_of(const ss_world *world, const ss_work *work)
{
  return world->job->chunks > 1 ? work->chunk : SS_NO_INDEX;
}

/* A slice of a replica's current pass; between passes there is no block. */
static ss_slice pass_slice(const ss_world *world, const ss_stage_replica *replica, ss_activity activity)
{
  return (ss_slice){.stream = SS_STREAM_COMPUTE,
                    .activity = activity,
                    .backward = replica->work.pass != SS_PASS_FORWARD,
                    .micro_batch = replica->work.micro_batch,
                    .chunk = chunk_of(world, &replica->work),
                    .layer = SS_NO_INDEX,
                    .time_s = world->common->now_s};
}

/* A slice of its current block. */
static ss_slice block_slice(const ss_world *world, const ss_stage_replica *replica, ss_stream stream,
                            ss_activity activity)
{
  ss_slice slice = pass_slice(world, replica, activity);
  slice.stream = stream;
  slice.layer = ss_job_block_layer(world->job, ss_replica_chunk(replica), ss_replica_block(world, replica));
  return slice;
}

void ss_trace_pass_begin(ss_world *world, const ss_stage_replica *replica)
{
  static const ss_activity activities[SS_PASSES] = {
      [SS_PASS_FORWARD] = SS_FORWARD, [SS_PASS_BACKWARD] = SS_BACKWARD, [SS_PASS_WEIGHT] = SS_WEIGHT};
  if (nobody_watches(world)) return;
  begin_on_replica(world, replica, pass_slice(world, replica, activities[replica->work.pass]));
}

void ss_trace_block_begin(ss_world *world, const ss_stage_replica *replica)
{
  if (nobody_watches(world)) return;
  const ss_block_kind kind = ss_replica_block_kind(world, replica);
  begin_on_replica(world, replica, block_slice(world, replica, SS_STREAM_COMPUTE, ss_block_traits_of(kind)->activity));
}

void ss_trace_end(ss_world *world, const ss_stage_replica *replica)
{
  if (nobody_watches(world)) return;
  end_on_replica(world, replica, SS_STREAM_COMPUTE, replica->work.micro_batch, world->common->now_s);
}

void ss_trace_kernel_begin(ss_world *world, const ss_stage_replica *replica)
{
  if (nobody_watches(world)) return;
  begin_on_replica(world, replica, block_slice(world, replica, SS_STREAM_COMPUTE, replica->live.task->activity));
}

void ss_trace_kernel_end(ss_world *world, const ss_stage_replica *replica)
{
  ss_trace_end(world, replica);
}

static ss_stream group_stream(ss_group group)
{
  static const ss_stream streams[SS_GROUPS] = {[SS_GROUP_TENSOR] = SS_STREAM_TENSOR,
                                               [SS_GROUP_TENSOR_2] = SS_STREAM_TENSOR,
                                               [SS_GROUP_CONTEXT] = SS_STREAM_CONTEXT,
                                               [SS_GROUP_EXPERT] = SS_STREAM_EXPERT};
  return streams[group];
}

bool ss_trace_is_on(const ss_world *world, const ss_stage_replica *replica)
{
  for (int64_t i = 0; i < world->options->timeline_count; ++i)
    for (int64_t member = 0; member < world->width; ++member)
      if (wants(&world->options->timelines[i], (subject){rank_of(world, replica, member), replica->work.micro_batch}))
        return true;
  return false;
}

void ss_trace_kernel(ss_world *world, const ss_stage_replica *replica, ss_activity activity, ss_interval when)
{
  ss_slice slice = block_slice(world, replica, SS_STREAM_COMPUTE, activity);
  slice.time_s = when.start_s;
  begin_on_replica(world, replica, slice);
  end_on_replica(world, replica, SS_STREAM_COMPUTE, replica->work.micro_batch, when.end_s);
}

void ss_trace_call(ss_world *world, const ss_stage_replica *replica, const ss_call *call, double rank_bytes,
                   ss_interval when)
{
  const ss_stream stream = group_stream(call->group);
  ss_slice slice = block_slice(world, replica, stream, ss_collective_activity(call->kind));
  slice.time_s = when.start_s;
  begin_on_replica(world, replica, slice);
  end_on_replica(world, replica, stream, replica->work.micro_batch, when.end_s);
  for (int64_t member = 0; member < world->width; ++member) {
    ss_traffic what = {rank_of(world, replica, member), SS_PORT_NVLINK_OUT, when.start_s, when.end_s, rank_bytes};
    traffic(world, &what);
    what.port = SS_PORT_NVLINK_IN;
    traffic(world, &what);
  }
}

void ss_trace_optimizer(ss_world *world, const ss_stage_replica *replica, double duration_s)
{
  if (nobody_watches(world) || duration_s <= 0.0) return;
  begin_on_replica(world, replica,
                   (ss_slice){.stream = SS_STREAM_COMPUTE,
                              .activity = SS_OP_OPTIMIZER,
                              .micro_batch = SS_NO_INDEX,
                              .chunk = SS_NO_INDEX,
                              .layer = SS_NO_INDEX,
                              .time_s = world->common->now_s});
  end_on_replica(world, replica, SS_STREAM_COMPUTE, SS_NO_INDEX, world->common->now_s + duration_s);
}

/* Waits for data, for the second memory tier and for another stage are drawn; a wait for the replica's own transfer
 * shows on the transfer's track. */
static bool wait_is_drawn(const ss_stage_replica *replica, ss_activity *activity)
{
  switch (replica->wait) {
  case SS_WAITS_DATA: *activity = SS_WAIT_DATA; return true;
  case SS_WAITS_OFFLOAD: *activity = SS_WAIT_OFFLOAD; return true;
  case SS_WAITS_TIE:
  case SS_WAITS_MESSAGE: *activity = SS_WAIT_PIPELINE; return true;
  case SS_WAITS_NOTHING:
  case SS_WAITS_TIMER:
  case SS_WAITS_SEND:
  case SS_WAITS_TASK: return false;
  }
  return false;
}

void ss_trace_wait_begin(ss_world *world, const ss_stage_replica *replica)
{
  ss_activity activity;
  if (nobody_watches(world) || !wait_is_drawn(replica, &activity)) return;
  begin_on_replica(world, replica, pass_slice(world, replica, activity));
}

void ss_trace_wait_end(ss_world *world, const ss_stage_replica *replica)
{
  ss_activity activity;
  if (nobody_watches(world) || !wait_is_drawn(replica, &activity)) return;
  end_on_replica(world, replica, SS_STREAM_COMPUTE, replica->work.micro_batch, world->common->now_s);
}

static ss_stream send_stream(ss_pass side)
{
  return side == SS_PASS_BACKWARD ? SS_STREAM_SEND_GRADIENTS : SS_STREAM_SEND_ACTIVATIONS;
}

static ss_stream receive_stream(ss_pass side)
{
  return side == SS_PASS_BACKWARD ? SS_STREAM_RECEIVE_GRADIENTS : SS_STREAM_RECEIVE_ACTIVATIONS;
}

static void message_begin(const ss_world *world, const ss_message *m)
{
  ss_slice slice = {.activity = SS_COMM_SEND,
                    .stream = send_stream(m->side),
                    .backward = m->side == SS_PASS_BACKWARD,
                    .micro_batch = m->work.micro_batch,
                    .chunk = chunk_of(world, &m->work),
                    .layer = SS_NO_INDEX,
                    .time_s = world->common->now_s};
  begin_on_replica(world, m->from, slice);
  slice.activity = SS_COMM_RECEIVE;
  slice.stream = receive_stream(m->side);
  begin_on_replica(world, m->to, slice);
}

static void message_end(const ss_world *world, const ss_message *m, double start_s)
{
  end_on_replica(world, m->from, send_stream(m->side), m->work.micro_batch, world->common->now_s);
  end_on_replica(world, m->to, receive_stream(m->side), m->work.micro_batch, world->common->now_s);
  for (int64_t i = 0; i < world->options->timeline_count; ++i) {
    const ss_timeline *timeline = &world->options->timelines[i];
    for (int64_t member = 0; member < world->width; ++member) {
      const ss_arrow arrow = {.from_rank = rank_of(world, m->from, member),
                              .to_rank = rank_of(world, m->to, member),
                              .gradients = m->side == SS_PASS_BACKWARD,
                              .micro_batch = m->work.micro_batch,
                              .chunk = chunk_of(world, &m->work),
                              .start_s = start_s,
                              .end_s = world->common->now_s,
                              .bytes = world->job->message_bytes};
      if (wants(timeline, (subject){arrow.from_rank, arrow.micro_batch}) &&
          wants(timeline, (subject){arrow.to_rank, arrow.micro_batch}))
        timeline->arrow(timeline->self, &arrow);
    }
  }
}

/* The ranks of a dp_group: those of all replicas that hold its shard. */
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
  for (int64_t d = 0; d < world->job->replicas; ++d)
    for (int64_t member = dp_group->shard; member < world->width; member += world->shards) {
      slice.rank = rank_of(world, ss_world_replica(world, dp_group->stage, d), member);
      if (begins)
        begin(world, &slice);
      else
        end(world, (subject){slice.rank, SS_NO_INDEX}, SS_STREAM_DATA, world->common->now_s);
    }
}

static void call_transfer(const ss_world *world, const ss_stage_replica *replica, const ss_transfer *transfer,
                          bool begins)
{
  const ss_stream stream = group_stream(transfer->group);
  if (begins)
    begin_on_replica(world, replica,
                     block_slice(world, replica, stream, ss_collective_activity(transfer->method.kind)));
  else
    end_on_replica(world, replica, stream, replica->work.micro_batch, world->common->now_s);
}

static void expert_transfer(const ss_world *world, const ss_transfer *transfer, bool begins)
{
  const ss_placement *placement = &world->job->placement;
  for (int64_t place = 0; place < placement->ep; ++place) {
    const int64_t replica = ss_placement_expert_replica(placement, transfer->experts->index, place);
    call_transfer(world, ss_world_replica(world, transfer->experts->stage, replica), transfer, begins);
  }
}

static void message_transfer(const ss_world *world, const ss_transfer *transfer, bool begins)
{
  const ss_message m = ss_outbox_message(world, transfer->replica, transfer->side);
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
  for (int i = 0; i < 2; ++i) {
    const ss_stage_replica *replica = transfer->tie->member[i];
    if (begins)
      begin_on_replica(world, replica, slice);
    else
      end_on_replica(world, replica, SS_STREAM_DATA, SS_NO_INDEX, world->common->now_s);
  }
}

static void trace_transfer(const ss_world *world, const ss_transfer *transfer, bool begins)
{
  if (nobody_watches(world)) return;
  switch (transfer->kind) {
  case SS_TRANSFER_CALL: call_transfer(world, transfer->replica, transfer, begins); break;
  case SS_TRANSFER_EXPERT: expert_transfer(world, transfer, begins); break;
  case SS_TRANSFER_DATA: data_transfer(world, transfer->dp_group, begins); break;
  case SS_TRANSFER_MESSAGE: message_transfer(world, transfer, begins); break;
  case SS_TRANSFER_TIED: tied_transfer(world, transfer, begins); break;
  }
}

void ss_trace_transfer_begin(ss_world *world, const ss_transfer *transfer)
{
  trace_transfer(world, transfer, true);
}

void ss_trace_transfer_end(ss_world *world, const ss_transfer *transfer)
{
  trace_transfer(world, transfer, false);
}

void ss_trace_offload(ss_world *world, const ss_stage_replica *replica, ss_stream stream, double start_s, double end_s)
{
  if (nobody_watches(world)) return;
  const ss_activity activity = stream == SS_STREAM_OFFLOAD_READ ? SS_COMM_READ : SS_COMM_WRITE;
  ss_slice slice = {.stream = stream,
                    .activity = activity,
                    .micro_batch = SS_NO_INDEX,
                    .chunk = SS_NO_INDEX,
                    .layer = SS_NO_INDEX,
                    .time_s = start_s};
  begin_on_replica(world, replica, slice);
  end_on_replica(world, replica, stream, SS_NO_INDEX, end_s);
}

/* The rank whose port an flow leaves or reaches; a NIC that GPUs share is shown with the first of them that has a rank.
 */
static int64_t rank_at(const ss_world *world, const ss_flow *flow, int64_t end_point)
{
  const ss_machine *machine = world->job->machine;
  if (!flow->fabric) return world->rank_of_gpu[end_point];
  int64_t gpu = end_point * machine->domain_size / machine->nics_per_domain;
  while (world->rank_of_gpu[gpu] == SS_NO_INDEX && gpu + 1 < machine->gpus &&
         ss_machine_nic(machine, gpu + 1) == end_point)
    ++gpu;
  return world->rank_of_gpu[gpu];
}

void ss_trace_flow(ss_world *world, const ss_flow *flow, double start_s, double end_s, double bytes)
{
  if (nobody_watches(world)) return;
  ss_traffic what = {.rank = rank_at(world, flow, flow->from),
                     .port = flow->fabric ? SS_PORT_NIC_OUT : SS_PORT_NVLINK_OUT,
                     .start_s = start_s,
                     .end_s = end_s,
                     .bytes = bytes};
  if (what.rank != SS_NO_INDEX) traffic(world, &what);
  what.rank = rank_at(world, flow, flow->to);
  what.port = flow->fabric ? SS_PORT_NIC_IN : SS_PORT_NVLINK_IN;
  if (what.rank != SS_NO_INDEX) traffic(world, &what);
}

static void earlier_of(const ss_transfer *transfer, double *time_s)
{
  if (transfer->active && transfer->start_s < *time_s) *time_s = transfer->start_s;
}

void ss_trace_advance(ss_world *world)
{
  if (nobody_watches(world)) return;
  double time_s = world->common->now_s;
  for (int64_t i = 0; i < world->replica_count; ++i) {
    earlier_of(&world->replica[i].call, &time_s);
    for (int side = 0; side < SS_SIDES; ++side) earlier_of(&world->replica[i].outbox[side].transfer, &time_s);
  }
  for (int64_t i = 0; i < world->job->stages * world->expert_groups; ++i)
    earlier_of(&world->expert[i].transfer, &time_s);
  for (int64_t i = 0; i < world->ties; ++i) earlier_of(&world->tie[i].transfer, &time_s);
  for (int64_t i = 0; i < world->job->stages * world->shards; ++i) earlier_of(&world->dp_group[i].transfer, &time_s);
  for (int64_t i = 0; i < world->options->timeline_count; ++i)
    world->options->timelines[i].advance(world->options->timelines[i].self, time_s);
}
