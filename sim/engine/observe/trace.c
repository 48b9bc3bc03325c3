#include "sim/engine/observe/trace.h"

#include <stdlib.h>

#include "model/input/workload.h"
#include "sim/engine/core/calls.h"
#include "sim/engine/core/data_ops.h"
#include "sim/engine/core/ties.h"
#include "sim/engine/observe/trace_run.h"
#include "sim/engine/observe/trace_transfers.h"
#include "sim/engine/observe/trace_writers.h"

static const ss_trace_writers *writers_of(const void *self)
{
  return &((const ss_tracer *)self)->writers;
}

static const ss_world *world_of(const void *self)
{
  return writers_of(self)->world;
}

static void pass_begin(void *self, const ss_stage_replica *replica)
{
  static const ss_activity activities[SS_PASSES] = {
      [SS_PASS_FORWARD] = SS_FORWARD, [SS_PASS_BACKWARD] = SS_BACKWARD, [SS_PASS_WEIGHT] = SS_WEIGHT};
  const ss_world *world = world_of(self);
  ss_trace_begin_on_replica(writers_of(self), replica,
                            ss_trace_pass_slice(world, replica, activities[replica->work.pass]));
}

static void block_begin(void *self, const ss_stage_replica *replica)
{
  const ss_world *world = world_of(self);
  const ss_activity activity = ss_block_traits_of(ss_replica_block_kind(world, replica))->activity;
  ss_trace_begin_on_replica(writers_of(self), replica,
                            ss_trace_block_slice(world, replica, SS_STREAM_COMPUTE, activity));
}

static void kernel_begin(void *self, const ss_stage_replica *replica)
{
  ss_trace_begin_on_replica(writers_of(self), replica,
                            ss_trace_kernel_slice(world_of(self), replica, replica->live.pieces.task));
}

/* The end of a kernel, a block or a pass: whatever began last on the compute stream. */
static void compute_end(void *self, const ss_stage_replica *replica)
{
  const ss_world *world = world_of(self);
  ss_trace_end_on_replica(writers_of(self), replica, SS_STREAM_COMPUTE, replica->work.micro_batch,
                          world->common->now_s);
}

static void run_begin(void *self, const ss_stage_replica *replica, const ss_step *step, double begin_s, double excess_s)
{
  ss_trace_run(writers_of(self), replica, step, begin_s, excess_s);
}

static void launched(void *self, const ss_stage_replica *replica, double begin_s)
{
  const ss_world *world = world_of(self);
  if (replica->host_s <= begin_s) return;
  ss_slice slice = ss_trace_block_slice(world, replica, SS_STREAM_HOST, SS_HOST_LAUNCH);
  slice.time_s = begin_s;
  ss_trace_begin_on_replica(writers_of(self), replica, slice);
  ss_trace_end_on_replica(writers_of(self), replica, SS_STREAM_HOST, replica->work.micro_batch, replica->host_s);
}

static void optimizer_begin(void *self, const ss_stage_replica *replica, double duration_s)
{
  const ss_world *world = world_of(self);
  if (duration_s <= 0.0) return;
  ss_trace_begin_on_replica(writers_of(self), replica,
                            (ss_slice){.stream = SS_STREAM_COMPUTE,
                                       .activity = SS_OP_OPTIMIZER,
                                       .micro_batch = SS_NO_INDEX,
                                       .chunk = SS_NO_INDEX,
                                       .layer = SS_NO_INDEX,
                                       .time_s = world->common->now_s});
  ss_trace_end_on_replica(writers_of(self), replica, SS_STREAM_COMPUTE, SS_NO_INDEX, world->common->now_s + duration_s);
}

/* Waits for data, for the second memory tier and for another stage are drawn; a wait for the replica's own transfer
 * shows on the transfer's track. */
static bool wait_is_drawn(const ss_stage_replica *replica, ss_activity *activity)
{
  switch (replica->wait) {
  case SS_WAITS_DATA: *activity = SS_WAIT_DATA; return true;
  case SS_WAITS_OFFLOAD: *activity = SS_WAIT_OFFLOAD; return true;
  case SS_WAITS_HOST: *activity = SS_WAIT_HOST; return true;
  case SS_WAITS_TIE:
  case SS_WAITS_MESSAGE: *activity = SS_WAIT_PIPELINE; return true;
  case SS_WAITS_NOTHING:
  case SS_WAITS_TIMER:
  case SS_WAITS_SEND:
  case SS_WAITS_TASK:
  case SS_WAITS_EXCHANGE: return false;
  }
  return false;
}

static void wait_begin(void *self, const ss_stage_replica *replica)
{
  const ss_world *world = world_of(self);
  ss_activity activity;
  if (!wait_is_drawn(replica, &activity)) return;
  ss_trace_begin_on_replica(writers_of(self), replica, ss_trace_pass_slice(world, replica, activity));
}

static void wait_end(void *self, const ss_stage_replica *replica)
{
  ss_activity activity;
  if (wait_is_drawn(replica, &activity)) compute_end(self, replica);
}

static void transfer_begin(void *self, const ss_transfer *transfer)
{
  ss_trace_transfer(writers_of(self), transfer, true);
}

static void transfer_end(void *self, const ss_transfer *transfer)
{
  ss_trace_transfer(writers_of(self), transfer, false);
}

static void tier_access(void *self, const ss_stage_replica *replica, const ss_tier_access *access)
{
  const ss_activity activity = access->stream == SS_STREAM_OFFLOAD_READ ? SS_COMM_READ : SS_COMM_WRITE;
  ss_slice slice = {.stream = access->stream,
                    .activity = activity,
                    .micro_batch = SS_NO_INDEX,
                    .chunk = SS_NO_INDEX,
                    .layer = SS_NO_INDEX,
                    .time_s = access->start_s};
  ss_trace_begin_on_replica(writers_of(self), replica, slice);
  ss_trace_end_on_replica(writers_of(self), replica, access->stream, SS_NO_INDEX, access->end_s);
}

/* The rank whose port a flow leaves or reaches. A NIC that GPUs share is shown with the first of them that has a rank.
 */
static int64_t rank_at(const ss_tracer *trace, const ss_flow *flow, int64_t end_point)
{
  const ss_machine *machine = trace->writers.world->job->machine;
  const int32_t *rank_of_gpu = trace->rank_of_gpu;
  if (!flow->fabric) return rank_of_gpu[end_point];
  int64_t gpu = end_point * machine->domain_size / machine->nics_per_domain;
  while (rank_of_gpu[gpu] == SS_NO_INDEX && gpu + 1 < machine->gpus && ss_machine_nic(machine, gpu + 1) == end_point)
    ++gpu;
  return rank_of_gpu[gpu];
}

/* What went through the port where a flow ends, or starts. */
static void port_carried(const ss_tracer *trace, const ss_carried *carried, int64_t end_point, bool at_end)
{
  static const ss_port ports[2][2] = {{SS_PORT_NVLINK_OUT, SS_PORT_NVLINK_IN}, {SS_PORT_NIC_OUT, SS_PORT_NIC_IN}};
  const ss_traffic what = {.rank = rank_at(trace, carried->flow, end_point),
                           .port = ports[carried->flow->fabric][at_end],
                           .start_s = carried->start_s,
                           .end_s = carried->end_s,
                           .bytes = carried->bytes};
  if (what.rank != SS_NO_INDEX) ss_trace_traffic(trace->writers.world, &what);
}

static void flow_carried(void *self, const ss_carried *carried)
{
  const ss_tracer *trace = self;
  const ss_flow *flow = carried->flow;
  const ss_shown_ends *shown = &trace->writers.world->shown_ends;
  if (shown->first == NULL) {
    port_carried(trace, carried, flow->from, false);
    port_carried(trace, carried, flow->to, true);
    return;
  }
  for (int64_t i = shown->first[flow->kind]; i < shown->first[flow->kind + 1]; ++i)
    port_carried(trace, carried, shown->end[i] / 2, shown->end[i] % 2 == 1);
}

/* The host of a replica may be ahead: what it launches next begins at replica->host_s, or later. */
static void host_earlier_of(const ss_world *world, const ss_stage_replica *replica, double *time_s)
{
  const bool launches = world->job->host.active && replica->finish_s <= 0.0;
  if (launches && replica->host_s < *time_s) *time_s = replica->host_s;
}

static void earlier_of(const ss_transfer *transfer, double *time_s)
{
  if (transfer->active && transfer->start_s < *time_s) *time_s = transfer->start_s;
}

static void replica_earlier_of(const ss_world *world, const ss_stage_replica *replica, double *time_s)
{
  host_earlier_of(world, replica, time_s);
  earlier_of(&replica->call, time_s);
  for (int side = 0; side < SS_SIDES; ++side) earlier_of(&replica->outbox[side].transfer, time_s);
}

/* Nothing earlier than the start of a transfer in progress will be reported any more. */
static void round_begin(void *self, int64_t round)
{
  const ss_world *world = world_of(self);
  (void)round;
  double time_s = world->common->now_s;
  for (int64_t stage = 0; stage < world->job->stages; ++stage)
    for (int64_t i = 0; i < world->stage[stage].members; ++i)
      replica_earlier_of(world, world->stage[stage].member[i], &time_s);
  for (int64_t i = 0; i < world->job->stages * world->expert_groups; ++i)
    for (int meeting = 0; meeting < SS_MEETINGS; ++meeting) earlier_of(&world->expert[i].transfer[meeting], &time_s);
  for (int64_t i = 0; i < world->ties; ++i) earlier_of(&world->tie[i].transfer, &time_s);
  for (int64_t i = 0; i < world->job->stages * world->shards; ++i) earlier_of(&world->dp_group[i].transfer, &time_s);
  for (int64_t i = 0; i < world->options->timeline_count; ++i)
    world->options->timelines[i].advance(world->options->timelines[i].self, time_s);
}

static void listen(ss_tracer *trace, ss_world *world)
{
  trace->observer = (ss_observer){.self = trace,
                                  .pass_begin = pass_begin,
                                  .pass_end = compute_end,
                                  .block_begin = block_begin,
                                  .block_end = compute_end,
                                  .run_begin = run_begin,
                                  .launched = launched,
                                  .kernel_begin = kernel_begin,
                                  .kernel_end = compute_end,
                                  .optimizer_begin = optimizer_begin,
                                  .wait_begin = wait_begin,
                                  .wait_end = wait_end,
                                  .transfer_begin = transfer_begin,
                                  .transfer_end = transfer_end,
                                  .tier_access = tier_access,
                                  .flow = flow_carried,
                                  .round = round_begin};
  ss_observers_add(&world->observers, &trace->observer);
}

static ss_status number_ranks(ss_tracer *trace)
{
  const ss_world *world = trace->writers.world;
  const ss_job *job = world->job;
  const int64_t ranks = world->replica_count * world->width;
  trace->stage_of_rank = calloc((size_t)ranks, sizeof *trace->stage_of_rank);
  trace->rank_of_gpu = malloc((size_t)job->machine->gpus * sizeof *trace->rank_of_gpu);
  if (trace->stage_of_rank == NULL || trace->rank_of_gpu == NULL) return SS_ERROR_MEMORY;
  for (int64_t gpu = 0; gpu < job->machine->gpus; ++gpu) trace->rank_of_gpu[gpu] = SS_NO_INDEX;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    trace->stage_of_rank[rank] = (int32_t)(rank / (world->width * job->replicas));
    trace->rank_of_gpu[job->placement.gpu[rank]] = (int32_t)rank;
  }
  return SS_OK;
}

static void open_writers(const ss_tracer *trace)
{
  const ss_world *world = trace->writers.world;
  const ss_job *job = world->job;
  const ss_timeline_job description = {
      .name = world->options->title,
      .ranks = ss_workload_gpus(job->workload),
      .micro_batches = job->micro_batches,
      .domain_size = job->machine->domain_size,
      .gpu = job->placement.gpu,
      .stage = trace->stage_of_rank,
      .expected_s = world->common->expected_s,
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

ss_status ss_tracer_open(ss_tracer *trace, ss_world *world)
{
  *trace = (ss_tracer){.writers = {.world = world}};
  if (world->options->timeline_count == 0) return SS_OK;
  ss_status status = ss_trace_writers_init(&trace->writers, world);
  if (status == SS_OK) status = number_ranks(trace);
  if (status != SS_OK) return status;
  open_writers(trace);
  listen(trace, world);
  return SS_OK;
}

void ss_tracer_free(ss_tracer *trace)
{
  ss_trace_writers_free(&trace->writers);
  free(trace->stage_of_rank);
  free(trace->rank_of_gpu);
  *trace = (ss_tracer){0};
}

ss_status ss_tracer_close(const ss_tracer *trace, ss_error *error)
{
  const ss_world *world = trace->writers.world;
  ss_status first = SS_OK;
  for (int64_t i = 0; i < world->options->timeline_count; ++i) {
    ss_timeline *timeline = &world->options->timelines[i];
    const ss_status status = timeline->close(timeline->self, world->common->now_s, first == SS_OK ? error : NULL);
    if (first == SS_OK) first = status;
  }
  return first;
}
