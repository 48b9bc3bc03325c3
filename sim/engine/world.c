#include "sim/engine/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/network.h"
#include "sim/engine/record.h"

ss_cell *ss_world_cell(const ss_world *world, int64_t stage, int64_t replica)
{
  return &world->cell[stage * world->job->replicas + replica];
}

ss_channel *ss_world_channel(const ss_world *world, int64_t stage, int64_t shard)
{
  return &world->channel[stage * world->shards + shard];
}

ss_expert_group *ss_world_expert_group(const ss_world *world, int64_t stage, int64_t replica)
{
  const int64_t group = ss_placement_expert_group(&world->job->placement, replica);
  return &world->expert[stage * world->expert_groups + group];
}

ss_coordinates ss_cell_member(const ss_world *world, const ss_cell *cell, int64_t member)
{
  const int64_t tp = world->job->tensor;
  return (ss_coordinates){member % tp, member / tp, cell->replica, cell->stage};
}

/* A task that cannot be part of a run: its collectives become flows or wait for other cells, or its kernel can be
 * slowed down. */
static bool is_live(const ss_world *world, const ss_task *task)
{
  bool live = world->slows;
  for (int64_t i = 0; i < task->calls; ++i)
    live = live || task->call[i].group == SS_GROUP_EXPERT || !world->computed[task->call[i].group];
  return live;
}

/* Splits a pass through a block where a cell can wait: before and after every live task. */
static void cut_steps(const ss_world *world, ss_block_kind kind, ss_pass pass, ss_step_list *list)
{
  const ss_task_list *tasks = ss_job_tasks(world->job, kind, pass);
  list->count = 0;
  for (int64_t i = 0; i < tasks->count; ++i) {
    const ss_task *task = &tasks->task[i];
    const bool live = is_live(world, task);
    ss_step *last = list->count > 0 ? &list->step[list->count - 1] : NULL;
    if (live || last == NULL || last->live) {
      last = &list->step[list->count++];
      *last = (ss_step){.live = live, .first = i};
    }
    last->count++;
    if (!live) last->parts = ss_duration_add(last->parts, ss_job_task_duration(world->job, kind, pass, task));
  }
}

static ss_status init_routes(const ss_world *world, ss_cell *cell, int32_t *scratch)
{
  const ss_job *job = world->job;
  const bool one_axis = job->workload->parallelism.tensor == SS_TENSOR_1D;
  const ss_group sequence = one_axis ? SS_GROUP_CONTEXT : SS_GROUP_TENSOR_2;
  ss_status status = SS_OK;
  for (int64_t cp = 0; status == SS_OK && cp < job->context; ++cp) {
    ss_placement_tensor_group(&job->placement, (ss_coordinates){0, cp, cell->replica, cell->stage}, scratch);
    status = ss_route_add_rings(&cell->route[SS_GROUP_TENSOR], job->machine, scratch, job->tensor);
  }
  for (int64_t tp = 0; status == SS_OK && tp < job->tensor; ++tp) {
    ss_placement_context_group(&job->placement, (ss_coordinates){tp, 0, cell->replica, cell->stage}, scratch);
    status = ss_route_add_rings(&cell->route[sequence], job->machine, scratch, job->context);
  }
  return status;
}

static ss_status init_offload(const ss_world *world, ss_cell *cell)
{
  const ss_job *job = world->job;
  if (!job->offload.active) return SS_OK;
  const int64_t *first = &job->block_first[cell->stage * job->chunks];
  const int64_t written = (first[job->chunks] - first[0]) * job->micro_batches;
  SS_ASSERT(written > 0);
  cell->offload.read_done_s = calloc((size_t)world->window, sizeof *cell->offload.read_done_s);
  cell->offload.written_s = malloc((size_t)written * sizeof *cell->offload.written_s);
  if (cell->offload.read_done_s == NULL || cell->offload.written_s == NULL) return SS_ERROR_MEMORY;
  for (int64_t i = 0; i < written; ++i) cell->offload.written_s[i] = -1.0;
  return SS_OK;
}

static ss_status init_cell(const ss_world *world, ss_cell *cell, int32_t *scratch)
{
  cell->work.micro_batch = SS_NO_INDEX;
  cell->call = (ss_transfer){.kind = SS_TRANSFER_CALL, .cell = cell};
  for (int side = 0; side < SS_SIDES; ++side) {
    cell->outbox[side] = (ss_outbox){.pass = -1};
    cell->outbox[side].transfer = (ss_transfer){.kind = SS_TRANSFER_MESSAGE, .cell = cell, .side = (ss_pass)side};
    cell->inbox[side].arrived = calloc((size_t)world->job->chunks, sizeof *cell->inbox[side].arrived);
    if (cell->inbox[side].arrived == NULL) return SS_ERROR_MEMORY;
  }
  cell->gather_need = calloc((size_t)world->window, sizeof *cell->gather_need);
  if (cell->gather_need == NULL) return SS_ERROR_MEMORY;
  const ss_status status = init_offload(world, cell);
  return status == SS_OK ? init_routes(world, cell, scratch) : status;
}

static ss_status init_cells(ss_world *world, int32_t *scratch)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < world->cell_count; ++i) {
    ss_cell *cell = &world->cell[i];
    cell->stage = i / world->job->replicas;
    cell->replica = i % world->job->replicas;
    status = init_cell(world, cell, scratch);
  }
  return status;
}

static ss_status init_channel(const ss_world *world, ss_channel *channel, int32_t *scratch)
{
  const ss_placement *placement = &world->job->placement;
  int64_t count = ss_placement_data_group(placement, channel->stage, channel->shard, scratch);
  ss_status status = ss_route_add_rings(&channel->route[SS_WEIGHTS_DENSE], world->job->machine, scratch, count);
  for (int64_t place = 0; status == SS_OK && world->expert_groups > 0 && place < placement->ep; ++place) {
    count = ss_placement_expert_data_group(placement, channel->stage, channel->shard, place, scratch);
    status = ss_route_add_rings(&channel->route[SS_WEIGHTS_EXPERT], world->job->machine, scratch, count);
  }
  return status;
}

static ss_status init_channels(ss_world *world, int32_t *scratch)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < world->job->stages * world->shards; ++i) {
    ss_channel *channel = &world->channel[i];
    channel->stage = i / world->shards;
    channel->shard = i % world->shards;
    channel->transfer = (ss_transfer){.kind = SS_TRANSFER_DATA, .channel = channel};
    status = init_channel(world, channel, scratch);
  }
  return status;
}

/* The ranks of an expert-parallel group at the same place in their cells exchange with one another. */
static ss_status init_expert_group(const ss_world *world, ss_expert_group *group, int32_t *scratch)
{
  const ss_placement *placement = &world->job->placement;
  ss_status status = SS_OK;
  for (int64_t member = 0; status == SS_OK && member < world->width; ++member) {
    for (int64_t place = 0; place < placement->ep; ++place) {
      const int64_t replica = ss_placement_expert_replica(placement, group->index, place);
      const ss_cell *cell = ss_world_cell(world, group->stage, replica);
      scratch[place] = (int32_t)ss_placement_gpu(placement, ss_cell_member(world, cell, member));
    }
    status = ss_route_add_direct(&group->route, world->job->machine, scratch, placement->ep);
  }
  return status;
}

static ss_status init_expert_groups(ss_world *world, int32_t *scratch)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < world->job->stages * world->expert_groups; ++i) {
    ss_expert_group *group = &world->expert[i];
    group->stage = i / world->expert_groups;
    group->index = i % world->expert_groups;
    group->transfer = (ss_transfer){.kind = SS_TRANSFER_EXPERT, .experts = group};
    status = init_expert_group(world, group, scratch);
  }
  return status;
}

static ss_status init_stages(ss_world *world)
{
  const ss_job *job = world->job;
  const int64_t passes = ss_schedule_length(&job->shape);
  for (int64_t i = 0; i < job->stages; ++i) {
    ss_stage *stage = &world->stage[i];
    const int64_t blocks = job->block_first[(i + 1) * job->chunks] - job->block_first[i * job->chunks];
    stage->order = calloc((size_t)passes, sizeof *stage->order);
    stage->first_need = calloc((size_t)blocks, sizeof *stage->first_need);
    if (stage->order == NULL || stage->first_need == NULL) return SS_ERROR_MEMORY;
    ss_schedule_emit(&job->shape, i, stage->order);
  }
  return SS_OK;
}

/* The route of the `index`-th group of its kind; NULL after the last. */
static const ss_route *group_route(const ss_world *world, ss_group group, int64_t index)
{
  if (group != SS_GROUP_EXPERT) return index < world->cell_count ? &world->cell[index].route[group] : NULL;
  return index < world->job->stages * world->expert_groups ? &world->expert[index].route : NULL;
}

/* All groups of a kind lie over domains in the same way, so that one duration holds for all. */
static bool spans_agree(const ss_world *world, ss_group group)
{
  const ss_route *first = group_route(world, group, 0), *route;
  for (int64_t i = 0; (route = group_route(world, group, i)) != NULL; ++i)
    if (route->uneven || route->span.domains != first->span.domains || route->span.per_domain != first->span.per_domain)
      return false;
  return true;
}

/* No pipeline message and no data-parallel ring uses NVLink: then the collectives of layers, which a GPU makes one
 * after the other, have its port to themselves. */
static bool nvlink_is_for_layers(const ss_world *world)
{
  if (world->job->stages > 1 && world->job->slow_hops < 1.0) return false;
  for (int64_t i = 0; world->job->data.active && i < world->job->stages * world->shards; ++i)
    for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
      const ss_route *route = &world->channel[i].route[weights];
      if (route->uneven || route->span.domains < route->span.size) return false;
    }
  return true;
}

/* The exact shortcut: collectives of a kind take their computed time where nothing can share their links. */
static bool is_computed(const ss_world *world, ss_group group)
{
  const ss_route *first = group_route(world, group, 0);
  if (first == NULL) return true;
  if (!spans_agree(world, group)) return false;
  if (world->options->private_links) return true;
  if (world->options->flows == SS_FLOWS_ALL) return first->span.size < 2;
  return first->span.domains == 1 && nvlink_is_for_layers(world);
}

static ss_status allocate(ss_world *world)
{
  const ss_job *job = world->job;
  const int64_t ranks = world->cell_count * world->width;
  world->cell = calloc((size_t)world->cell_count, sizeof *world->cell);
  world->channel = calloc((size_t)(job->stages * world->shards), sizeof *world->channel);
  world->expert = calloc((size_t)(job->stages * world->expert_groups + 1), sizeof *world->expert);
  world->stage = calloc((size_t)job->stages, sizeof *world->stage);
  world->stage_of_rank = calloc((size_t)ranks, sizeof *world->stage_of_rank);
  world->rank_of_gpu = malloc((size_t)job->machine->gpus * sizeof *world->rank_of_gpu);
  if (world->cell == NULL || world->channel == NULL || world->expert == NULL || world->stage == NULL ||
      world->stage_of_rank == NULL || world->rank_of_gpu == NULL)
    return SS_ERROR_MEMORY;
  for (int64_t gpu = 0; gpu < job->machine->gpus; ++gpu) world->rank_of_gpu[gpu] = SS_NO_INDEX;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    world->stage_of_rank[rank] = (int32_t)(rank / (world->width * job->replicas));
    world->rank_of_gpu[job->placement.gpu[rank]] = (int32_t)rank;
  }
  return SS_OK;
}

static ss_status init_groups(ss_world *world)
{
  const ss_job *job = world->job;
  int32_t *scratch = malloc((size_t)(job->tensor * job->context * job->replicas) * sizeof *scratch);
  ss_status status = scratch != NULL ? init_cells(world, scratch) : SS_ERROR_MEMORY;
  if (status == SS_OK) status = init_channels(world, scratch);
  if (status == SS_OK) status = init_expert_groups(world, scratch);
  free(scratch);
  return status;
}

ss_status ss_world_init(ss_world *world, const ss_job *job, const ss_replay_options *options)
{
  *world = (ss_world){.job = job,
                      .options = options,
                      .cell_count = job->stages * job->replicas,
                      .cells_left = job->stages * job->replicas,
                      .passes = job->stages * job->replicas * ss_schedule_length(&job->shape),
                      .width = job->tensor * job->context,
                      .shards = ss_placement_shards(&job->placement),
                      .expert_groups = job->workload->model.experts > 0 ? job->replicas / job->placement.ep : 0,
                      .window = job->workload->schedule.prefetch + 2,
                      .slows = job->machine->nvlink_compute_cost > 0.0 || job->machine->fabric_compute_cost > 0.0};
  ss_status status = allocate(world);
  if (status == SS_OK) status = init_stages(world);
  if (status == SS_OK) status = init_groups(world);
  if (status != SS_OK) return status;
  for (int group = 0; group < SS_GROUPS; ++group) world->computed[group] = is_computed(world, (ss_group)group);
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    for (int pass = 0; pass < SS_PASSES; ++pass)
      cut_steps(world, (ss_block_kind)kind, (ss_pass)pass, &world->steps[kind][pass]);
  return SS_OK;
}

static void free_cell(ss_cell *cell)
{
  free(cell->gather_need);
  free(cell->offload.read_done_s);
  free(cell->offload.written_s);
  for (int side = 0; side < SS_SIDES; ++side) free(cell->inbox[side].arrived);
  for (int group = 0; group < SS_GROUPS; ++group) ss_route_free(&cell->route[group]);
}

void ss_world_free(ss_world *world)
{
  for (int64_t i = 0; world->cell != NULL && i < world->cell_count; ++i) free_cell(&world->cell[i]);
  for (int64_t i = 0; world->channel != NULL && i < world->job->stages * world->shards; ++i)
    for (int weights = 0; weights < SS_WEIGHTS; ++weights) ss_route_free(&world->channel[i].route[weights]);
  for (int64_t i = 0; world->expert != NULL && i < world->job->stages * world->expert_groups; ++i)
    ss_route_free(&world->expert[i].route);
  for (int64_t i = 0; world->stage != NULL && i < world->job->stages; ++i) {
    free(world->stage[i].order);
    free(world->stage[i].first_need);
    free(world->stage[i].op);
  }
  free(world->cell);
  free(world->channel);
  free(world->expert);
  free(world->stage);
  free(world->stage_of_rank);
  free(world->rank_of_gpu);
  ss_agenda_free(&world->agenda);
  *world = (ss_world){0};
}

static ss_status report_deadlock(const ss_world *world, ss_error *error)
{
  static const char *const texts[] = {
#define SS_WAIT_TEXT(id, text) text,
      SS_WAIT_LIST(SS_WAIT_TEXT)
#undef SS_WAIT_TEXT
  };
  enum { NAMED = 4 };
  char who[SS_MESSAGE_SIZE - 128] = "";
  size_t used = 0;
  int64_t named = 0;
  for (int64_t i = 0; i < world->cell_count && named < NAMED; ++i) {
    const ss_cell *cell = &world->cell[i];
    if (cell->phase == SS_PHASE_END && cell->wait == SS_WAITS_NOTHING) continue;
    const int written = snprintf(
        who + used, sizeof who - used, "; stage %lld of replica %lld waits for %s at micro-batch %lld",
        (long long)cell->stage, (long long)cell->replica, texts[cell->wait], (long long)cell->work.micro_batch);
    if (written > 0) used += (size_t)written;
    named++;
  }
  return ss_error_set(error, SS_ERROR_DEADLOCK, NULL, 0, "deadlock at %.9f s; cells that never end: %lld%s",
                      world->now_s, (long long)world->cells_left, who);
}

static void handle(ss_world *world, const ss_event *event)
{
  switch ((ss_event_kind)event->kind) {
  case SS_EVENT_CELL: ss_cell_resume(world, event->subject); break;
  case SS_EVENT_KERNEL: ss_kernel_timer(world, event->subject); break;
  case SS_EVENT_LAUNCH: ss_transfer_launch(world, event->subject); break;
  case SS_EVENT_ARRIVED: ss_transfer_arrived(world, event->subject); break;
  }
}

static void handle_all_until_now(ss_world *world)
{
  ss_transfer *arrived;
  while (world->network != NULL && (arrived = ss_network_arrived(world->network)) != NULL) {
    world->on_network--;
    ss_transfer_arrived(world, arrived);
  }
  for (const ss_event *next = ss_agenda_next(&world->agenda); next != NULL && next->time_s <= world->now_s;
       next = ss_agenda_next(&world->agenda)) {
    const ss_event event = ss_agenda_take(&world->agenda);
    handle(world, &event);
  }
}

/* The iteration is that of the cell that takes longest, from when it starts: 0, unless iterations run into one another.
 */
static void conclude(ss_world *world)
{
  const ss_cell *last = &world->cell[0];
  for (int64_t i = 1; i < world->cell_count; ++i)
    if (world->cell[i].finish_s - world->cell[i].start_s > last->finish_s - last->start_s) last = &world->cell[i];
  world->result.breakdown = last->parts;
  world->result.breakdown.iteration_s = last->finish_s - last->start_s;
  world->result.critical_stage = last->stage;
  world->result.critical_replica = last->replica;
}

/* Every so many rounds, writers may flush and a person may see that it goes on. */
#define ROUNDS_BETWEEN_REPORTS 4096

static double share_done(const ss_world *world)
{
  return (double)world->passes_done / (double)world->passes;
}

static void report_now_and_then(ss_world *world, int64_t round)
{
  if (round % ROUNDS_BETWEEN_REPORTS != 0) return;
  ss_record_advance(world);
  if (world->options->progress != NULL) world->options->progress(share_done(world));
}

ss_status ss_world_run(ss_world *world, ss_error *error)
{
  ss_record_open(world);
  for (int64_t i = 0; i < world->cell_count; ++i) ss_cell_start(world, &world->cell[i]);
  for (int64_t round = 1; world->cells_left > 0; ++round) {
    const ss_event *next = ss_agenda_next(&world->agenda);
    if (next == NULL && world->on_network == 0) return report_deadlock(world, error);
    const double until_s = next != NULL ? next->time_s : INFINITY;
    world->now_s = world->network != NULL ? ss_network_wait(world->network, world->now_s, until_s) : until_s;
    handle_all_until_now(world);
    report_now_and_then(world, round);
    if (ss_budget_is_due(round) && ss_budget_check(&world->options->budget, share_done(world), error) != SS_OK)
      return SS_ERROR_BUDGET;
  }
  conclude(world);
  return ss_record_close(world, error);
}
