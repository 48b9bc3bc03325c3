#include "sim/engine/record.h"

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

static int64_t rank_of(const ss_world *world, const ss_cell *cell, int64_t tensor)
{
  return ss_placement_rank(&world->job->placement, (ss_coordinates){tensor, cell->replica, cell->stage});
}

/* Begins or ends something on one track of all ranks of a cell. */
static void begin_on_cell(const ss_world *world, const ss_cell *cell, ss_slice slice)
{
  for (int64_t t = 0; t < world->job->tensor; ++t) {
    slice.rank = rank_of(world, cell, t);
    begin(world, &slice);
  }
}

static void end_on_cell(const ss_world *world, const ss_cell *cell, ss_stream stream, int64_t micro_batch,
                        double time_s)
{
  for (int64_t t = 0; t < world->job->tensor; ++t)
    end(world, (subject){rank_of(world, cell, t), micro_batch}, stream, time_s);
}

void ss_record_open(ss_world *world)
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

ss_status ss_record_close(ss_world *world, ss_error *error)
{
  ss_status first = SS_OK;
  for (int64_t i = 0; i < world->options->timeline_count; ++i) {
    ss_timeline *timeline = &world->options->timelines[i];
    const ss_status status = timeline->close(timeline->self, world->now_s, first == SS_OK ? error : NULL);
    if (first == SS_OK) first = status;
  }
  return first;
}

/* A slice of a cell's current pass and block. */
static ss_slice current_slice(const ss_world *world, const ss_cell *cell, ss_stream stream, ss_activity activity)
{
  return (ss_slice){.stream = stream,
                    .activity = activity,
                    .backward = cell->work.backward,
                    .micro_batch = cell->work.micro_batch,
                    .layer = ss_job_block_layer(world->job, cell->stage, ss_cell_block(world, cell)),
                    .time_s = world->now_s};
}

void ss_record_pass_begin(ss_world *world, const ss_cell *cell)
{
  if (nobody_watches(world)) return;
  ss_slice slice = current_slice(world, cell, SS_STREAM_COMPUTE, cell->work.backward ? SS_BACKWARD : SS_FORWARD);
  slice.layer = SS_NO_INDEX;
  begin_on_cell(world, cell, slice);
}

void ss_record_block_begin(ss_world *world, const ss_cell *cell)
{
  if (nobody_watches(world)) return;
  const ss_block_kind kind = ss_job_block_kind(world->job, cell->stage, ss_cell_block(world, cell));
  begin_on_cell(world, cell, current_slice(world, cell, SS_STREAM_COMPUTE, ss_block_activity(kind)));
}

void ss_record_end(ss_world *world, const ss_cell *cell)
{
  if (nobody_watches(world)) return;
  end_on_cell(world, cell, SS_STREAM_COMPUTE, cell->work.micro_batch, world->now_s);
}

/* A computed tensor collective keeps the NVLink port of every rank busy. */
static void record_computed_traffic(ss_world *world, const ss_cell *cell, const ss_task *task, double start_s,
                                    double end_s)
{
  const double bytes = ss_collective_rank_bytes(task->kind, world->job->tensor_span, task->volume_bytes);
  for (int64_t t = 0; t < world->job->tensor; ++t) {
    ss_traffic what = {rank_of(world, cell, t), SS_PORT_NVLINK_OUT, start_s, end_s, bytes};
    traffic(world, &what);
    what.port = SS_PORT_NVLINK_IN;
    traffic(world, &what);
  }
}

static bool cell_is_watched(const ss_world *world, const ss_cell *cell)
{
  for (int64_t i = 0; i < world->options->timeline_count; ++i)
    for (int64_t t = 0; t < world->job->tensor; ++t)
      if (wants(&world->options->timelines[i], (subject){rank_of(world, cell, t), cell->work.micro_batch})) return true;
  return false;
}

void ss_record_run(ss_world *world, const ss_cell *cell, const ss_step *step)
{
  if (nobody_watches(world) || !cell_is_watched(world, cell)) return;
  const ss_block_kind kind = ss_job_block_kind(world->job, cell->stage, ss_cell_block(world, cell));
  const ss_pass pass = cell->work.backward ? SS_PASS_BACKWARD : SS_PASS_FORWARD;
  const ss_task_list *tasks = ss_job_tasks(world->job, kind, pass);
  double done_s = 0.0;
  for (int64_t i = step->first; i < step->first + step->count; ++i) {
    const ss_task *task = &tasks->task[i];
    const double start_s = world->now_s + done_s;
    done_s += ss_duration_sum(ss_job_task_duration(world->job, kind, pass, task));
    const double end_s = world->now_s + (done_s < step->run_s ? done_s : step->run_s);
    const ss_stream stream = task->collective ? SS_STREAM_TENSOR : SS_STREAM_COMPUTE;
    ss_slice slice = current_slice(world, cell, stream, task->activity);
    slice.time_s = start_s < end_s ? start_s : end_s;
    begin_on_cell(world, cell, slice);
    end_on_cell(world, cell, stream, cell->work.micro_batch, end_s);
    if (task->collective) record_computed_traffic(world, cell, task, slice.time_s, end_s);
  }
}

void ss_record_optimizer(ss_world *world, const ss_cell *cell, double duration_s)
{
  if (nobody_watches(world) || duration_s <= 0.0) return;
  begin_on_cell(world, cell,
                (ss_slice){.stream = SS_STREAM_COMPUTE,
                           .activity = SS_OP_OPTIMIZER,
                           .micro_batch = SS_NO_INDEX,
                           .layer = SS_NO_INDEX,
                           .time_s = world->now_s});
  end_on_cell(world, cell, SS_STREAM_COMPUTE, SS_NO_INDEX, world->now_s + duration_s);
}

/* Waits for data and for another stage are drawn; a wait for the cell's own transfer shows on the transfer's track. */
static bool wait_is_drawn(const ss_cell *cell, ss_activity *activity)
{
  *activity = cell->wait == SS_WAITS_DATA ? SS_WAIT_DATA : SS_WAIT_PIPELINE;
  return cell->wait == SS_WAITS_DATA || cell->wait == SS_WAITS_MESSAGE;
}

void ss_record_wait_begin(ss_world *world, const ss_cell *cell)
{
  ss_activity activity;
  if (nobody_watches(world) || !wait_is_drawn(cell, &activity)) return;
  ss_slice slice = current_slice(world, cell, SS_STREAM_COMPUTE, activity);
  slice.layer = SS_NO_INDEX;
  begin_on_cell(world, cell, slice);
}

void ss_record_wait_end(ss_world *world, const ss_cell *cell)
{
  ss_activity activity;
  if (nobody_watches(world) || !wait_is_drawn(cell, &activity)) return;
  end_on_cell(world, cell, SS_STREAM_COMPUTE, cell->work.micro_batch, world->now_s);
}

/* The two ends of a pipeline message; its number is its micro-batch, since messages leave in order. */
typedef struct message {
  const ss_cell *from, *to;
  bool gradients;
  int64_t micro_batch;
} message;

static message message_of(const ss_world *world, const ss_transfer *transfer)
{
  const bool gradients = transfer->side == SS_SIDE_GRADIENTS;
  const ss_cell *from = transfer->cell;
  return (message){from, ss_message_receiver(world, from, transfer->side), gradients,
                   from->outbox[transfer->side].sent};
}

static ss_stream send_stream(const message *m)
{
  return m->gradients ? SS_STREAM_SEND_GRADIENTS : SS_STREAM_SEND_ACTIVATIONS;
}

static ss_stream receive_stream(const message *m)
{
  return m->gradients ? SS_STREAM_RECEIVE_GRADIENTS : SS_STREAM_RECEIVE_ACTIVATIONS;
}

static void message_begin(const ss_world *world, const message *m)
{
  ss_slice slice = {.activity = SS_COMM_SEND,
                    .stream = send_stream(m),
                    .backward = m->gradients,
                    .micro_batch = m->micro_batch,
                    .layer = SS_NO_INDEX,
                    .time_s = world->now_s};
  begin_on_cell(world, m->from, slice);
  slice.activity = SS_COMM_RECEIVE;
  slice.stream = receive_stream(m);
  begin_on_cell(world, m->to, slice);
}

static void message_end(const ss_world *world, const message *m, double start_s)
{
  end_on_cell(world, m->from, send_stream(m), m->micro_batch, world->now_s);
  end_on_cell(world, m->to, receive_stream(m), m->micro_batch, world->now_s);
  for (int64_t i = 0; i < world->options->timeline_count; ++i) {
    const ss_timeline *timeline = &world->options->timelines[i];
    for (int64_t t = 0; t < world->job->tensor; ++t) {
      const ss_arrow arrow = {.from_rank = rank_of(world, m->from, t),
                              .to_rank = rank_of(world, m->to, t),
                              .gradients = m->gradients,
                              .micro_batch = m->micro_batch,
                              .start_s = start_s,
                              .end_s = world->now_s,
                              .bytes = world->job->message_bytes};
      if (wants(timeline, (subject){arrow.from_rank, m->micro_batch}) &&
          wants(timeline, (subject){arrow.to_rank, m->micro_batch}))
        timeline->arrow(timeline->self, &arrow);
    }
  }
}

static ss_slice data_slice(const ss_world *world, const ss_channel *channel)
{
  const ss_data_op *op = ss_stage_op(&world->data[channel->stage], channel->completed);
  return (ss_slice){.stream = SS_STREAM_DATA,
                    .activity = ss_collective_activity(op->kind),
                    .backward = op->kind != SS_ALL_GATHER,
                    .micro_batch = SS_NO_INDEX,
                    .layer = ss_job_block_layer(world->job, channel->stage, op->block),
                    .time_s = world->now_s};
}

static void data_transfer(const ss_world *world, const ss_channel *channel, bool begins)
{
  ss_slice slice = data_slice(world, channel);
  for (int64_t d = 0; d < world->job->replicas; ++d) {
    slice.rank = rank_of(world, ss_world_cell(world, channel->stage, d), channel->tensor);
    if (begins)
      begin(world, &slice);
    else
      end(world, (subject){slice.rank, SS_NO_INDEX}, SS_STREAM_DATA, world->now_s);
  }
}

static void tensor_transfer(const ss_world *world, const ss_cell *cell, bool begins)
{
  const ss_activity activity = ss_cell_task(world, cell)->activity;
  if (begins)
    begin_on_cell(world, cell, current_slice(world, cell, SS_STREAM_TENSOR, activity));
  else
    end_on_cell(world, cell, SS_STREAM_TENSOR, cell->work.micro_batch, world->now_s);
}

static void record_transfer(const ss_world *world, const ss_transfer *transfer, bool begins)
{
  if (nobody_watches(world)) return;
  message m;
  switch (transfer->kind) {
  case SS_TRANSFER_DATA: data_transfer(world, transfer->channel, begins); break;
  case SS_TRANSFER_TENSOR: tensor_transfer(world, transfer->cell, begins); break;
  case SS_TRANSFER_MESSAGE:
    m = message_of(world, transfer);
    if (begins)
      message_begin(world, &m);
    else
      message_end(world, &m, transfer->start_s);
    break;
  }
}

void ss_record_transfer_begin(ss_world *world, const ss_transfer *transfer)
{
  record_transfer(world, transfer, true);
}

void ss_record_transfer_end(ss_world *world, const ss_transfer *transfer)
{
  record_transfer(world, transfer, false);
}

/* The rank whose port an edge leaves or reaches; a NIC that GPUs share is shown with the first of them that has a rank.
 */
static int64_t rank_at(const ss_world *world, const ss_edge *edge, int64_t end_point)
{
  const ss_machine *machine = world->job->machine;
  if (!edge->fabric) return world->rank_of_gpu[end_point];
  int64_t gpu = end_point * machine->domain_size / machine->nics_per_domain;
  while (world->rank_of_gpu[gpu] == SS_NO_INDEX && gpu + 1 < machine->gpus &&
         ss_machine_nic(machine, gpu + 1) == end_point)
    ++gpu;
  return world->rank_of_gpu[gpu];
}

void ss_record_flow(ss_world *world, const ss_edge *edge, double start_s, double end_s, double bytes)
{
  if (nobody_watches(world)) return;
  ss_traffic what = {.rank = rank_at(world, edge, edge->from),
                     .port = edge->fabric ? SS_PORT_NIC_OUT : SS_PORT_NVLINK_OUT,
                     .start_s = start_s,
                     .end_s = end_s,
                     .bytes = bytes};
  if (what.rank != SS_NO_INDEX) traffic(world, &what);
  what.rank = rank_at(world, edge, edge->to);
  what.port = edge->fabric ? SS_PORT_NIC_IN : SS_PORT_NVLINK_IN;
  if (what.rank != SS_NO_INDEX) traffic(world, &what);
}

static void earlier_of(const ss_transfer *transfer, double *time_s)
{
  if (transfer->active && transfer->start_s < *time_s) *time_s = transfer->start_s;
}

void ss_record_advance(ss_world *world)
{
  if (nobody_watches(world)) return;
  double time_s = world->now_s;
  for (int64_t i = 0; i < world->cell_count; ++i) {
    earlier_of(&world->cell[i].tensor, &time_s);
    for (int side = 0; side < SS_SIDES; ++side) earlier_of(&world->cell[i].outbox[side].transfer, &time_s);
  }
  for (int64_t i = 0; i < world->job->stages * world->job->tensor; ++i)
    earlier_of(&world->channel[i].transfer, &time_s);
  for (int64_t i = 0; i < world->options->timeline_count; ++i)
    world->options->timelines[i].advance(world->options->timelines[i].self, time_s);
}
