#include "sim/engine/world.h"

#include <stdlib.h>
#include <string.h>

#include "sim/engine/fold.h"
#include "sim/engine/trouble.h"
#include "sim/engine/watch.h"
#include "sim/engine/wiring.h"

ss_cell *ss_world_cell(const ss_world *world, int64_t stage, int64_t replica)
{
  return world->cell[stage * world->job->replicas + replica].twin;
}

ss_expert_group *ss_world_expert_group(const ss_world *world, int64_t stage, int64_t replica)
{
  const int64_t group = ss_placement_expert_group(&world->job->placement, replica);
  return world->expert[stage * world->expert_groups + group].twin;
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

/* A task and where it is met. */
typedef struct task_place {
  ss_block_kind kind;
  ss_pass pass;
  const ss_task *task;
} task_place;

/* Puts a task at the end of a run. */
static void add_task(const ss_world *world, task_place at, ss_step *run)
{
  const ss_job *job = world->job;
  const ss_duration duration = ss_job_task_duration(job, at.kind, at.pass, at.task);
  const double pieces = at.task->overlap.kernel_pieces > 0 ? (double)at.task->overlap.call_pieces : 1.0;
  ss_exposed calls = {0};
  double exposed_s = 0.0;
  for (int group = 0; group < SS_GROUPS; ++group) exposed_s += duration.comm_s[group];
  for (int64_t i = 0; i < at.task->calls; ++i) {
    const ss_span span = job->span[at.task->call[i].group];
    const ss_comm_time time = ss_job_call_piece(job, at.kind, at.pass, at.task, i, span);
    calls.latency_s += time.latency_s;
    calls.bandwidth_s += time.transfer_s;
    run->nvlink_bytes += pieces * ss_collective_port_bytes(&job->network, ss_call_method(world, at.task, i), span,
                                                           ss_task_call_bytes(at.task, i));
  }
  ss_exposed_add(&run->exposed, exposed_s, &calls);
  run->parts = ss_duration_add(run->parts, duration);
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
    if (!live) add_task(world, (task_place){kind, pass, task}, last);
  }
}

static int64_t written_blocks(const ss_world *world, const ss_cell *cell)
{
  const int64_t chunks = world->job->chunks, *first = &world->job->block_first[cell->stage * chunks];
  return (first[chunks] - first[0]) * world->job->micro_batches;
}

static void forget_written(const ss_world *world, ss_cell *cell)
{
  for (int64_t i = 0; i < written_blocks(world, cell); ++i) cell->offload.written_s[i] = -1.0;
}

static ss_status init_offload(const ss_world *world, ss_cell *cell)
{
  const ss_job *job = world->job;
  if (!job->offload.active) return SS_OK;
  const int64_t written = written_blocks(world, cell);
  SS_ASSERT(written > 0);
  cell->offload.read_done_s = calloc((size_t)world->window, sizeof *cell->offload.read_done_s);
  cell->offload.written_s = malloc((size_t)written * sizeof *cell->offload.written_s);
  if (cell->offload.read_done_s == NULL || cell->offload.written_s == NULL) return SS_ERROR_MEMORY;
  forget_written(world, cell);
  return SS_OK;
}

static ss_status init_cell(ss_world *world, ss_cell *cell)
{
  cell->work.micro_batch = SS_NO_INDEX;
  cell->call = (ss_transfer){.kind = SS_TRANSFER_CALL, .world = world, .cell = cell, .logged = -1};
  for (int side = 0; side < SS_SIDES; ++side) {
    cell->outbox[side] = (ss_outbox){.pass = -1};
    cell->outbox[side].transfer = (ss_transfer){.kind = SS_TRANSFER_MESSAGE,
                                                .world = world,
                                                .logged = -1,
                                                .cell = cell,
                                                .side = (ss_pass)side,
                                                .phases = 1,
                                                .volume_bytes = world->job->message_bytes,
                                                .route = &cell->outbox[side].route};
    cell->inbox[side].arrived = calloc((size_t)world->job->chunks, sizeof *cell->inbox[side].arrived);
    if (cell->inbox[side].arrived == NULL) return SS_ERROR_MEMORY;
  }
  cell->gather_need = calloc((size_t)world->window, sizeof *cell->gather_need);
  if (cell->gather_need == NULL) return SS_ERROR_MEMORY;
  return init_offload(world, cell);
}

static ss_status init_cells(ss_world *world)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < world->cell_count; ++i) {
    ss_cell *cell = &world->cell[i];
    cell->stage = i / world->job->replicas;
    cell->replica = i % world->job->replicas;
    cell->twin = cell;
    status = init_cell(world, cell);
  }
  return status;
}

static void init_channels(ss_world *world)
{
  for (int64_t i = 0; i < world->job->stages * world->shards; ++i) {
    ss_channel *channel = &world->channel[i];
    *channel = (ss_channel){.stage = i / world->shards, .shard = i % world->shards, .twin = channel};
    channel->transfer =
        (ss_transfer){.kind = SS_TRANSFER_DATA, .world = world, .logged = -1, .channel = channel, .starts = 1.0};
  }
}

static void init_expert_groups(ss_world *world)
{
  for (int64_t i = 0; world->expert_groups > 0 && i < world->job->stages * world->expert_groups; ++i) {
    ss_expert_group *group = &world->expert[i];
    *group = (ss_expert_group){.stage = i / world->expert_groups, .index = i % world->expert_groups, .twin = group};
    group->transfer = (ss_transfer){.kind = SS_TRANSFER_EXPERT, .world = world, .logged = -1, .experts = group};
  }
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
    stage->pass = calloc((size_t)(job->chunks * SS_PASSES), sizeof *stage->pass);
    if (stage->order == NULL || stage->first_need == NULL || stage->pass == NULL) return SS_ERROR_MEMORY;
    ss_schedule_emit(&job->shape, i, stage->order);
  }
  return SS_OK;
}

/* The routes of the `index`-th group of its kind; NULL after the last. */
static const ss_route *group_routes(const ss_world *world, ss_group group, int64_t index)
{
  if (group != SS_GROUP_EXPERT) return index < world->cell_count ? world->cell[index].route[group] : NULL;
  return index < world->job->stages * world->expert_groups ? world->expert[index].route : NULL;
}

/* All groups of a kind lie over domains in the same way, so that one duration holds for all. */
static bool spans_agree(const ss_world *world, ss_group group)
{
  const ss_route *first = group_routes(world, group, 0), *route;
  for (int64_t i = 0; (route = group_routes(world, group, i)) != NULL; ++i)
    if (route->uneven || route->span.domains != first->span.domains || route->span.per_domain != first->span.per_domain)
      return false;
  return true;
}

/* No pipeline message and no data-parallel collective uses NVLink: then the collectives of layers, which a GPU makes
 * one after the other, have its port to themselves. */
static bool nvlink_is_for_layers(const ss_owner *owner, int64_t owners)
{
  for (int64_t i = 0; i < owners; ++i) {
    if (owner[i].kind != SS_TRANSFER_MESSAGE && owner[i].kind != SS_TRANSFER_DATA) continue;
    for (int64_t e = 0; e < owner[i].route->count; ++e)
      if (!owner[i].route->edge[e].fabric) return false;
  }
  return true;
}

/* The NVLink ports of the job are as fast as those that times are computed with: link-speed names none of them. */
static bool nvlink_is_nominal(const ss_world *world)
{
  const ss_job *job = world->job;
  const double *bytes_per_s = world->common->ways.bytes_per_s;
  if (world->common->fabric == NULL) return true;
  for (int64_t rank = 0; rank < world->cell_count * world->width; ++rank) {
    const int64_t gpu = job->placement.gpu[rank];
    for (int64_t link = 2 * gpu; link < 2 * gpu + 2; ++link)
      if (bytes_per_s[link] != job->network.nvlink_bytes_per_s) return false;
  }
  return true;
}

/* The exact shortcut: collectives of a kind take their computed time where nothing can share their links. */
static bool is_computed(const ss_world *world, ss_group group, bool nvlink_is_free)
{
  const ss_route *first = group_routes(world, group, 0);
  if (world->methods[group].count == 0 || first == NULL) return true;
  if (!spans_agree(world, group)) return false;
  if (world->options->private_links) return true;
  if (world->options->flows != SS_FLOWS_SHARED) return first->span.size < 2;
  return first->span.domains == 1 && nvlink_is_free;
}

static ss_status find_computed(ss_world *world)
{
  ss_owner *owner = malloc((size_t)(ss_wiring_owners(world, NULL) + 1) * sizeof *owner);
  if (owner == NULL) return SS_ERROR_MEMORY;
  const bool nvlink_is_free = nvlink_is_for_layers(owner, ss_wiring_owners(world, owner)) && nvlink_is_nominal(world);
  for (int group = 0; group < SS_GROUPS; ++group)
    world->computed[group] = is_computed(world, (ss_group)group, nvlink_is_free);
  free(owner);
  return SS_OK;
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

static bool has_live_steps(const ss_world *world)
{
  bool live = false;
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    for (int pass = 0; pass < SS_PASSES; ++pass)
      for (int64_t i = 0; i < world->steps[kind][pass].count; ++i) live = live || world->steps[kind][pass].step[i].live;
  return live;
}

static void add_step(ss_step *sum, const ss_step *step)
{
  sum->parts = ss_duration_add(sum->parts, step->parts);
  sum->nvlink_bytes += step->nvlink_bytes;
  ss_exposed_add(&sum->exposed, ss_exposed_sum(&step->exposed), &step->exposed);
}

/* What each pass of each chunk takes when nothing interrupts it. */
static void time_passes(ss_world *world)
{
  const ss_job *job = world->job;
  for (int64_t stage = 0; stage < job->stages; ++stage)
    for (int64_t index = 0; index < job->chunks; ++index)
      for (int pass = 0; pass < SS_PASSES; ++pass) {
        ss_step *sum = &world->stage[stage].pass[index * SS_PASSES + pass];
        for (int64_t block = 0; block < ss_job_block_count(job, (ss_chunk){stage, index}); ++block) {
          const ss_step_list *list = &world->steps[ss_job_block_kind(job, (ss_chunk){stage, index}, block)][pass];
          for (int64_t i = 0; i < list->count; ++i) add_step(sum, &list->step[i]);
        }
      }
}

static void init_steps(ss_world *world)
{
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    for (int pass = 0; pass < SS_PASSES; ++pass)
      cut_steps(world, (ss_block_kind)kind, (ss_pass)pass, &world->steps[kind][pass]);
  world->whole_passes = world->options->timeline_count == 0 && !world->job->offload.active && !has_live_steps(world);
  time_passes(world);
}

/* Lists what is simulated of each stage and of each expert-parallel group. */
static ss_status list_members(ss_world *world)
{
  const ss_job *job = world->job;
  for (int64_t i = 0; i < job->stages; ++i) {
    ss_stage *stage = &world->stage[i];
    stage->member = calloc((size_t)job->replicas, sizeof *stage->member);
    stage->channel = calloc((size_t)world->shards, sizeof *stage->channel);
    if (stage->member == NULL || stage->channel == NULL) return SS_ERROR_MEMORY;
    for (int64_t d = 0; d < job->replicas; ++d) {
      ss_cell *cell = &world->cell[i * job->replicas + d];
      if (cell->twin == cell) stage->member[stage->members++] = cell;
    }
    for (int64_t shard = 0; shard < world->shards; ++shard) {
      ss_channel *channel = &world->channel[i * world->shards + shard];
      if (channel->twin == channel) stage->channel[stage->channels++] = channel;
    }
    world->cells_left += stage->members;
  }
  world->passes = world->cells_left * ss_schedule_length(&job->shape);
  return SS_OK;
}

static bool has_member(const ss_expert_group *group, const ss_cell *cell)
{
  bool found = false;
  for (int64_t i = 0; i < group->members; ++i) found = found || group->member[i] == cell;
  return found;
}

static ss_status list_expert_members(ss_world *world)
{
  const ss_placement *placement = &world->job->placement;
  for (int64_t i = 0; i < world->job->stages * world->expert_groups; ++i) {
    ss_expert_group *group = &world->expert[i];
    group->member = calloc((size_t)placement->ep, sizeof *group->member);
    if (group->member == NULL) return SS_ERROR_MEMORY;
    for (int64_t place = 0; place < placement->ep; ++place) {
      ss_cell *cell = ss_world_cell(world, group->stage, ss_placement_expert_replica(placement, group->index, place));
      if (!has_member(group, cell)) group->member[group->members++] = cell;
    }
  }
  return SS_OK;
}

static ss_status add_neighbour(ss_world *world, ss_error *error);

static ss_status connect(ss_world *world, ss_error *error)
{
  ss_status status = ss_wire(world);
  if (status == SS_OK && !world->options->private_links) status = ss_wire_fabric(world, error);
  if (status == SS_OK) status = find_computed(world);
  if (status == SS_OK && !world->options->private_links) status = ss_wire_network(world, error);
  if (status == SS_OK && world->common->fabric != NULL && world->common->watch == NULL) status = ss_watch_open(world);
  if (status == SS_OK) status = add_neighbour(world, error);
  if (status == SS_OK) status = ss_fold_world(world);
  if (status == SS_OK) status = list_members(world);
  if (status == SS_OK) status = list_expert_members(world);
  return status;
}

/* Everything but what jobs have in common. */
static ss_status build(ss_world *world, ss_error *error)
{
  const ss_job *job = world->job;
  world->cell_count = job->stages * job->replicas;
  world->width = job->tensor * job->context;
  world->shards = ss_placement_shards(&job->placement);
  world->expert_groups = job->workload->model.experts > 0 ? job->replicas / job->placement.ep : 0;
  world->window = job->workload->schedule.prefetch + 2;
  world->slows = job->machine->nvlink_compute_cost > 0.0 || job->machine->fabric_compute_cost > 0.0;
  ss_status status = allocate(world);
  if (status == SS_OK) status = init_stages(world);
  if (status == SS_OK) status = init_cells(world);
  if (status == SS_OK) {
    init_channels(world);
    init_expert_groups(world);
    status = connect(world, error);
  }
  if (status == SS_OK) init_steps(world);
  return status;
}

/* The other job is on the same network, with timelines, neighbours and progress of its own: none. */
static ss_status add_neighbour(ss_world *world, ss_error *error)
{
  static const ss_replay_options options = {.fold = SS_FOLD_NONE};
  if (world->options->beside == NULL || world->options->private_links) return SS_OK;
  world->beside = calloc(1, sizeof *world->beside);
  if (world->beside == NULL) return SS_ERROR_MEMORY;
  *world->beside = (ss_world){.job = world->options->beside, .options = &options, .common = world->common};
  const ss_status status = ss_trouble_create(&world->beside->trouble, world->beside->job, world->options->seed);
  return status == SS_OK ? build(world->beside, error) : status;
}

ss_status ss_world_init(ss_world *world, const ss_job *job, const ss_replay_options *options, ss_error *error)
{
  *world = (ss_world){.job = job, .options = options, .common = &world->own};
  ss_status status = ss_trouble_create(&world->trouble, job, options->seed);
  if (status == SS_OK) status = build(world, error);
  if (status == SS_ERROR_MEMORY)
    (void)ss_error_set(error, status, NULL, 0, "out of memory for %lld cells", (long long)world->cell_count);
  world->result.cells = world->cell_count;
  world->result.simulated_cells = world->cells_left;
  return status;
}

static void restart_cell(const ss_world *world, ss_cell *cell)
{
  const ss_cell was = *cell;
  *cell = (ss_cell){.stage = was.stage,
                    .replica = was.replica,
                    .twin = was.twin,
                    .work = {.micro_batch = SS_NO_INDEX},
                    .gather_need = was.gather_need,
                    .call = was.call,
                    .offload = {.read_done_s = was.offload.read_done_s, .written_s = was.offload.written_s}};
  memcpy(cell->route, was.route, sizeof cell->route);
  for (int side = 0; side < SS_SIDES; ++side) {
    cell->outbox[side] = (ss_outbox){.transfer = was.outbox[side].transfer,
                                     .route = was.outbox[side].route,
                                     .asked = was.outbox[side].asked,
                                     .capacity = was.outbox[side].capacity,
                                     .pass = -1};
    cell->inbox[side].arrived = was.inbox[side].arrived;
    memset(cell->inbox[side].arrived, 0, (size_t)world->job->chunks * sizeof *cell->inbox[side].arrived);
  }
  if (world->job->offload.active) forget_written(world, cell);
}

void ss_world_restart(ss_world *world)
{
  world->passes_done = 0;
  world->cells_left = 0;
  for (int64_t i = 0; i < world->cell_count; ++i) restart_cell(world, &world->cell[i]);
  for (int64_t i = 0; i < world->job->stages * world->shards; ++i) world->channel[i].completed = 0;
  for (int64_t i = 0; i < world->job->stages; ++i) {
    world->stage[i].first = world->stage[i].end = 0;
    world->cells_left += world->stage[i].members;
  }
}

static void free_cell(ss_cell *cell)
{
  free(cell->gather_need);
  free(cell->offload.read_done_s);
  free(cell->offload.written_s);
  for (int side = 0; side < SS_SIDES; ++side) {
    free(cell->inbox[side].arrived);
    free(cell->outbox[side].asked);
  }
}

static void free_common(ss_common *common)
{
  ss_watch_close(common);
  ss_ways_free(&common->ways);
  free(common->link_alike);
  ss_fabric_destroy(common->fabric);
  ss_agenda_free(&common->agenda);
}

void ss_world_free(ss_world *world)
{
  for (int64_t i = 0; world->cell != NULL && i < world->cell_count; ++i) free_cell(&world->cell[i]);
  ss_unwire(world);
  for (int64_t i = 0; world->expert != NULL && i < world->job->stages * world->expert_groups; ++i)
    free(world->expert[i].member);
  for (int64_t i = 0; world->stage != NULL && i < world->job->stages; ++i) {
    free(world->stage[i].order);
    free(world->stage[i].first_need);
    free(world->stage[i].op);
    free(world->stage[i].member);
    free(world->stage[i].channel);
    free(world->stage[i].pass);
  }
  free(world->cell);
  free(world->channel);
  free(world->expert);
  free(world->stage);
  free(world->stage_of_rank);
  free(world->rank_of_gpu);
  ss_trouble_destroy(world->trouble);
  if (world->beside != NULL) ss_world_free(world->beside);
  free(world->beside);
  if (world->common == &world->own) free_common(&world->own);
  *world = (ss_world){0};
}
