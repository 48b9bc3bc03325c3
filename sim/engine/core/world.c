#include "sim/engine/core/world.h"

#include <stdlib.h>
#include <string.h>

#include "sim/engine/core/flow_setup.h"
#include "sim/engine/network/fold.h"
#include "sim/engine/observe/monitor.h"
#include "sim/engine/perturbation/perturbation.h"

ss_stage_replica *ss_world_replica(const ss_world *world, int64_t stage, int64_t dp)
{
  return world->replica[stage * world->job->replicas + dp].twin;
}

ss_expert_group *ss_world_expert_group(const ss_world *world, int64_t stage, int64_t dp)
{
  const int64_t group = ss_placement_expert_group(&world->job->placement, dp);
  return world->expert[stage * world->expert_groups + group].twin;
}

ss_tie *ss_world_tie(const ss_world *world, const ss_stage_replica *replica)
{
  const bool at_end = replica->stage == 0 || replica->stage == world->job->stages - 1;
  return world->ties > 0 && at_end ? world->tie[replica->dp].twin : NULL;
}

ss_coordinates ss_replica_member(const ss_world *world, const ss_stage_replica *replica, int64_t member)
{
  const int64_t tp = world->job->tensor;
  return (ss_coordinates){member % tp, member / tp, replica->dp, replica->stage};
}

static int64_t written_blocks(const ss_world *world, const ss_stage_replica *replica)
{
  const int64_t chunks = world->job->chunks, *first = &world->job->block_first[replica->stage * chunks];
  return (first[chunks] - first[0]) * world->job->micro_batches;
}

static void forget_written(const ss_world *world, ss_stage_replica *replica)
{
  for (int64_t i = 0; i < written_blocks(world, replica); ++i) replica->offload.written_s[i] = -1.0;
}

static ss_status init_offload(const ss_world *world, ss_stage_replica *replica)
{
  const ss_job *job = world->job;
  if (!job->offload.active) return SS_OK;
  const int64_t written = written_blocks(world, replica);
  SS_ASSERT(written > 0);
  replica->offload.read_done_s = calloc((size_t)world->window, sizeof *replica->offload.read_done_s);
  replica->offload.written_s = malloc((size_t)written * sizeof *replica->offload.written_s);
  if (replica->offload.read_done_s == NULL || replica->offload.written_s == NULL) return SS_ERROR_MEMORY;
  forget_written(world, replica);
  return SS_OK;
}

static ss_status init_replica(ss_world *world, ss_stage_replica *replica)
{
  replica->work.micro_batch = SS_NO_INDEX;
  replica->call = (ss_transfer){.kind = SS_TRANSFER_CALL, .world = world, .replica = replica, .logged = -1};
  for (int side = 0; side < SS_SIDES; ++side) {
    replica->outbox[side] = (ss_outbox){.pass = -1};
    replica->outbox[side].transfer = (ss_transfer){.kind = SS_TRANSFER_MESSAGE,
                                                   .world = world,
                                                   .logged = -1,
                                                   .replica = replica,
                                                   .side = (ss_pass)side,
                                                   .phases = 1,
                                                   .volume_bytes = world->job->message_bytes,
                                                   .route = &replica->outbox[side].route};
    replica->inbox[side].arrived = calloc((size_t)world->job->chunks, sizeof *replica->inbox[side].arrived);
    if (replica->inbox[side].arrived == NULL) return SS_ERROR_MEMORY;
  }
  replica->gather_need = calloc((size_t)world->window, sizeof *replica->gather_need);
  if (replica->gather_need == NULL) return SS_ERROR_MEMORY;
  return init_offload(world, replica);
}

static ss_status init_replicas(ss_world *world)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < world->replica_count; ++i) {
    ss_stage_replica *replica = &world->replica[i];
    replica->stage = i / world->job->replicas;
    replica->dp = i % world->job->replicas;
    replica->twin = replica;
    status = init_replica(world, replica);
  }
  return status;
}

static void init_dp_groups(ss_world *world)
{
  for (int64_t i = 0; i < world->job->stages * world->shards; ++i) {
    ss_dp_group *dp_group = &world->dp_group[i];
    *dp_group = (ss_dp_group){.stage = i / world->shards, .shard = i % world->shards, .twin = dp_group};
    dp_group->transfer =
        (ss_transfer){.kind = SS_TRANSFER_DATA, .world = world, .logged = -1, .dp_group = dp_group, .starts = 1.0};
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

static void init_ties(ss_world *world)
{
  const ss_job *job = world->job;
  for (int64_t i = 0; i < world->ties; ++i) {
    ss_tie *tie = &world->tie[i];
    *tie = (ss_tie){.twin = tie};
    tie->transfer = (ss_transfer){.kind = SS_TRANSFER_TIED,
                                  .world = world,
                                  .logged = -1,
                                  .tie = tie,
                                  .method = ss_tie_method(world),
                                  .starts = 1.0,
                                  .volume_bytes = job->tied_bytes,
                                  .route = &tie->route};
  }
}

static ss_status init_stages(ss_world *world)
{
  const ss_job *job = world->job;
  const int64_t passes = ss_schedule_length(&job->shape);
  for (int64_t i = 0; i < job->stages; ++i) {
    ss_stage *stage = &world->stage[i];
    stage->order = calloc((size_t)passes, sizeof *stage->order);
    stage->pass = calloc((size_t)(job->chunks * SS_PASSES), sizeof *stage->pass);
    if (stage->order == NULL || stage->pass == NULL) return SS_ERROR_MEMORY;
    if (ss_stage_ops_init(&stage->ops, job, i) != SS_OK) return SS_ERROR_MEMORY;
    ss_schedule_emit(&job->shape, i, stage->order);
  }
  return SS_OK;
}

static ss_status allocate(ss_world *world)
{
  const ss_job *job = world->job;
  const int64_t ranks = world->replica_count * world->width;
  world->replica = calloc((size_t)world->replica_count, sizeof *world->replica);
  world->dp_group = calloc((size_t)(job->stages * world->shards), sizeof *world->dp_group);
  world->expert = calloc((size_t)(job->stages * world->expert_groups + 1), sizeof *world->expert);
  world->tie = calloc((size_t)world->ties + 1, sizeof *world->tie);
  world->stage = calloc((size_t)job->stages, sizeof *world->stage);
  world->stage_of_rank = calloc((size_t)ranks, sizeof *world->stage_of_rank);
  world->rank_of_gpu = malloc((size_t)job->machine->gpus * sizeof *world->rank_of_gpu);
  if (world->replica == NULL || world->dp_group == NULL || world->expert == NULL || world->tie == NULL ||
      world->stage == NULL || world->stage_of_rank == NULL || world->rank_of_gpu == NULL)
    return SS_ERROR_MEMORY;
  for (int64_t gpu = 0; gpu < job->machine->gpus; ++gpu) world->rank_of_gpu[gpu] = SS_NO_INDEX;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    world->stage_of_rank[rank] = (int32_t)(rank / (world->width * job->replicas));
    world->rank_of_gpu[job->placement.gpu[rank]] = (int32_t)rank;
  }
  return SS_OK;
}

/* Lists what is simulated of each stage and of each expert-parallel group. */
static ss_status list_members(ss_world *world)
{
  const ss_job *job = world->job;
  for (int64_t i = 0; i < job->stages; ++i) {
    ss_stage *stage = &world->stage[i];
    stage->member = calloc((size_t)job->replicas, sizeof *stage->member);
    stage->dp_group = calloc((size_t)world->shards, sizeof *stage->dp_group);
    if (stage->member == NULL || stage->dp_group == NULL) return SS_ERROR_MEMORY;
    for (int64_t d = 0; d < job->replicas; ++d) {
      ss_stage_replica *replica = &world->replica[i * job->replicas + d];
      if (replica->twin == replica) stage->member[stage->members++] = replica;
    }
    for (int64_t shard = 0; shard < world->shards; ++shard) {
      ss_dp_group *dp_group = &world->dp_group[i * world->shards + shard];
      if (dp_group->twin == dp_group) stage->dp_group[stage->dp_groups++] = dp_group;
    }
    world->replicas_left += stage->members;
  }
  world->passes = world->replicas_left * ss_schedule_length(&job->shape);
  return SS_OK;
}

static bool has_member(const ss_expert_group *group, const ss_stage_replica *replica)
{
  bool found = false;
  for (int64_t i = 0; i < group->members; ++i) found = found || group->member[i] == replica;
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
      ss_stage_replica *replica =
          ss_world_replica(world, group->stage, ss_placement_expert_replica(placement, group->index, place));
      if (!has_member(group, replica)) group->member[group->members++] = replica;
    }
  }
  return SS_OK;
}

static void list_tie_members(ss_world *world)
{
  for (int64_t i = 0; i < world->ties; ++i) {
    world->tie[i].member[0] = ss_world_replica(world, 0, i);
    world->tie[i].member[1] = ss_world_replica(world, world->job->stages - 1, i);
  }
}

static ss_status connect(ss_world *world, ss_error *error)
{
  ss_status status = ss_wire(world);
  if (status == SS_OK && !world->options->private_links) status = ss_wire_fabric(world, error);
  if (status == SS_OK) status = ss_shortcut_find(world);
  if (status == SS_OK && !world->options->private_links) status = ss_wire_network(world, error);
  if (status == SS_OK && world->common->fabric != NULL && world->common->monitor == NULL)
    status = ss_monitor_open(world);
  if (status == SS_OK) status = ss_fold_world(world);
  if (status == SS_OK) status = list_members(world);
  if (status == SS_OK) status = list_expert_members(world);
  if (status == SS_OK) list_tie_members(world);
  return status;
}

/* Everything but what jobs have in common. */
static ss_status build(ss_world *world, ss_error *error)
{
  const ss_job *job = world->job;
  world->replica_count = job->stages * job->replicas;
  world->width = job->tensor * job->context;
  world->shards = ss_placement_shards(&job->placement);
  world->expert_groups = job->workload->model.experts > 0 ? job->replicas / job->placement.ep : 0;
  world->ties = job->tied_bytes > 0.0 ? job->replicas : 0;
  world->window = job->workload->schedule.prefetch + 2;
  world->slows = job->machine->nvlink_compute_cost > 0.0 || job->machine->fabric_compute_cost > 0.0;
  ss_status status = allocate(world);
  if (status == SS_OK) status = init_stages(world);
  if (status == SS_OK) status = init_replicas(world);
  if (status == SS_OK) {
    init_dp_groups(world);
    init_expert_groups(world);
    init_ties(world);
    status = connect(world, error);
  }
  if (status == SS_OK) ss_steps_init(world);
  return status;
}

/* The other job is on the same network, with timelines, neighbours and progress of its own: none. */
static ss_status add_co_scheduled(ss_world *world, ss_error *error)
{
  static const ss_replay_options options = {.fold = SS_FOLD_NONE};
  if (world->options->co_scheduled == NULL || world->options->private_links) return SS_OK;
  world->co_scheduled = calloc(1, sizeof *world->co_scheduled);
  if (world->co_scheduled == NULL) return SS_ERROR_MEMORY;
  *world->co_scheduled = (ss_world){.job = world->options->co_scheduled, .options = &options, .common = world->common};
  const ss_status status =
      ss_perturbation_create(&world->co_scheduled->perturbation, world->co_scheduled->job, world->options->seed);
  return status == SS_OK ? build(world->co_scheduled, error) : status;
}

ss_status ss_world_init(ss_world *world, const ss_job *job, const ss_replay_options *options, ss_error *error)
{
  *world = (ss_world){.job = job, .options = options, .common = &world->own};
  ss_status status = ss_perturbation_create(&world->perturbation, job, options->seed);
  if (status == SS_OK) status = build(world, error);
  if (status == SS_OK) status = add_co_scheduled(world, error);
  if (status == SS_ERROR_MEMORY)
    (void)ss_error_set(error, status, NULL, 0, "out of memory for %lld stage replicas",
                       (long long)world->replica_count);
  world->result.stage_replicas = world->replica_count;
  world->result.simulated_stage_replicas = world->replicas_left;
  return status;
}

static void restart_replica(const ss_world *world, ss_stage_replica *replica)
{
  const ss_stage_replica was = *replica;
  *replica =
      (ss_stage_replica){.stage = was.stage,
                         .dp = was.dp,
                         .twin = was.twin,
                         .work = {.micro_batch = SS_NO_INDEX},
                         .gather_need = was.gather_need,
                         .call = was.call,
                         .offload = {.read_done_s = was.offload.read_done_s, .written_s = was.offload.written_s}};
  memcpy(replica->route, was.route, sizeof replica->route);
  for (int side = 0; side < SS_SIDES; ++side) {
    replica->outbox[side] = (ss_outbox){.transfer = was.outbox[side].transfer,
                                        .route = was.outbox[side].route,
                                        .asked = was.outbox[side].asked,
                                        .capacity = was.outbox[side].capacity,
                                        .pass = -1};
    replica->inbox[side].arrived = was.inbox[side].arrived;
    memset(replica->inbox[side].arrived, 0, (size_t)world->job->chunks * sizeof *replica->inbox[side].arrived);
  }
  if (world->job->offload.active) forget_written(world, replica);
}

void ss_world_restart(ss_world *world)
{
  world->passes_done = 0;
  world->replicas_left = 0;
  for (int64_t i = 0; i < world->replica_count; ++i) restart_replica(world, &world->replica[i]);
  for (int64_t i = 0; i < world->job->stages * world->shards; ++i) world->dp_group[i].completed = 0;
  for (int64_t i = 0; i < world->ties; ++i) {
    world->tie[i].arrivals = 0;
    world->tie[i].done = false;
  }
  for (int64_t i = 0; i < world->job->stages; ++i) {
    world->stage[i].first = world->stage[i].end = 0;
    world->replicas_left += world->stage[i].members;
  }
}

static void free_replica(ss_stage_replica *replica)
{
  free(replica->gather_need);
  free(replica->offload.read_done_s);
  free(replica->offload.written_s);
  for (int side = 0; side < SS_SIDES; ++side) {
    free(replica->inbox[side].arrived);
    free(replica->outbox[side].asked);
  }
}

static void free_common(ss_common *common)
{
  ss_monitor_close(common);
  ss_link_paths_free(&common->paths);
  free(common->link_alike);
  ss_fabric_destroy(common->fabric);
  ss_event_queue_free(&common->queue);
}

void ss_world_free(ss_world *world)
{
  for (int64_t i = 0; world->replica != NULL && i < world->replica_count; ++i) free_replica(&world->replica[i]);
  ss_unwire(world);
  for (int64_t i = 0; world->expert != NULL && i < world->job->stages * world->expert_groups; ++i)
    free(world->expert[i].member);
  for (int64_t i = 0; world->stage != NULL && i < world->job->stages; ++i) {
    free(world->stage[i].order);
    ss_stage_ops_free(&world->stage[i].ops);
    free(world->stage[i].op);
    free(world->stage[i].member);
    free(world->stage[i].dp_group);
    free(world->stage[i].pass);
  }
  free(world->replica);
  free(world->dp_group);
  free(world->expert);
  free(world->tie);
  free(world->stage);
  free(world->stage_of_rank);
  free(world->rank_of_gpu);
  ss_perturbation_destroy(world->perturbation);
  if (world->co_scheduled != NULL) ss_world_free(world->co_scheduled);
  free(world->co_scheduled);
  if (world->common == &world->own) free_common(&world->own);
  *world = (ss_world){0};
}
