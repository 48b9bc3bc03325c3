#include "sim/engine/setup/world_setup.h"

#include <stdlib.h>
#include <string.h>

#include "model/plan/placement_groups.h"
#include "model/plan/transfer_time.h"
#include "sim/engine/core/known_calls.h"
#include "sim/engine/core/messages.h"
#include "sim/engine/core/restart.h"
#include "sim/engine/setup/expert_groups.h"
#include "sim/engine/setup/fold.h"
#include "sim/engine/setup/quiet.h"
#include "sim/engine/setup/routes.h"
#include "sim/engine/setup/shortcut.h"
#include "sim/engine/setup/shown.h"
#include "sim/engine/setup/steps.h"

static ss_status init_offload(const ss_world *world, ss_stage_replica *replica)
{
  const ss_job *job = world->job;
  if (!job->offload.active) return SS_OK;
  const int64_t written = ss_replica_written_blocks(world, replica);
  const size_t room = written > 0 ? (size_t)written : 1; /* a stage may have no blocks */
  replica->offload.read_done_s = calloc((size_t)world->window, sizeof *replica->offload.read_done_s);
  replica->offload.written_s = malloc(room * sizeof *replica->offload.written_s);
  if (replica->offload.read_done_s == NULL || replica->offload.written_s == NULL) return SS_ERROR_MEMORY;
  ss_replica_forget_written(world, replica);
  return SS_OK;
}

/* Transfers of a replica, as they are before the first one. */
static void begin_transfers(ss_world *world, ss_stage_replica *replica)
{
  replica->call = ss_call_transfer(world, replica);
  for (int side = 0; side < SS_SIDES; ++side)
    replica->outbox[side].transfer = ss_message_transfer(world, replica, (ss_pass)side);
}

static ss_status init_replica(ss_world *world, ss_stage_replica *replica)
{
  replica->work.micro_batch = SS_NO_INDEX;
  for (int side = 0; side < SS_SIDES; ++side) {
    replica->outbox[side] = (ss_outbox){.pass = -1};
    replica->inbox[side].arrived = calloc((size_t)world->job->chunks, sizeof *replica->inbox[side].arrived);
    if (replica->inbox[side].arrived == NULL) return SS_ERROR_MEMORY;
  }
  begin_transfers(world, replica);
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
    replica->alike = 1;
    status = init_replica(world, replica);
  }
  return status;
}

static void init_dp_groups(ss_world *world)
{
  for (int64_t i = 0; i < world->job->stages * world->shards; ++i) {
    ss_dp_group *dp_group = &world->dp_group[i];
    *dp_group = (ss_dp_group){.stage = i / world->shards, .shard = i % world->shards, .twin = dp_group};
    dp_group->transfer = ss_dp_group_transfer(world, dp_group);
  }
}

static void init_ties(ss_world *world)
{
  for (int64_t i = 0; i < world->ties; ++i) {
    ss_tie *tie = &world->tie[i];
    *tie = (ss_tie){.twin = tie};
    tie->transfer = ss_tie_transfer(world, tie);
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
    stage->quiet_rest = calloc((size_t)(job->chunks * SS_PASSES), sizeof *stage->quiet_rest);
    if (stage->order == NULL || stage->pass == NULL || stage->quiet_rest == NULL) return SS_ERROR_MEMORY;
    if (ss_stage_ops_init(&stage->ops, job, i) != SS_OK) return SS_ERROR_MEMORY;
    stage->home = &world->stage[ss_schedule_holder(&job->shape, i, 0)];
    ss_schedule_emit(&job->shape, i, stage->order);
  }
  return SS_OK;
}

static ss_status allocate(ss_world *world)
{
  const ss_job *job = world->job;
  world->replica = calloc((size_t)world->replica_count, sizeof *world->replica);
  world->dp_group = calloc((size_t)(job->stages * world->shards), sizeof *world->dp_group);
  world->expert = calloc((size_t)(job->stages * world->expert_groups + 1), sizeof *world->expert);
  world->tie = calloc((size_t)world->ties + 1, sizeof *world->tie);
  world->stage = calloc((size_t)job->stages, sizeof *world->stage);
  return world->replica != NULL && world->dp_group != NULL && world->expert != NULL && world->tie != NULL &&
                 world->stage != NULL
             ? SS_OK
             : SS_ERROR_MEMORY;
}

/* Room for all replicas of a stage and of those that hold its weights, too. */
static ss_status allocate_members(const ss_world *world, ss_stage *stage)
{
  const size_t copies = (size_t)world->job->shape.schedule->layout->copies;
  stage->member = calloc(copies * (size_t)world->job->replicas, sizeof *stage->member);
  stage->dp_group = calloc((size_t)world->shards, sizeof *stage->dp_group);
  return stage->member != NULL && stage->dp_group != NULL ? SS_OK : SS_ERROR_MEMORY;
}

/* Lists what is simulated of each stage. */
static ss_status list_members(ss_world *world)
{
  const ss_job *job = world->job;
  for (int64_t i = 0; i < job->stages; ++i)
    if (allocate_members(world, &world->stage[i]) != SS_OK) return SS_ERROR_MEMORY;
  for (int64_t i = 0; i < world->replica_count; ++i) {
    ss_stage_replica *replica = &world->replica[i];
    ss_stage *home = world->stage[replica->stage].home;
    if (replica->twin != replica) continue;
    home->member[home->members++] = replica;
    ++world->replicas_left;
  }
  for (int64_t i = 0; i < job->stages * world->shards; ++i) {
    ss_dp_group *dp_group = &world->dp_group[i];
    ss_stage *stage = &world->stage[dp_group->stage];
    if (dp_group->twin == dp_group && stage->home == stage) stage->dp_group[stage->dp_groups++] = dp_group;
  }
  world->passes = world->replicas_left * ss_schedule_length(&job->shape);
  return SS_OK;
}

static void list_tie_members(ss_world *world)
{
  for (int64_t i = 0; i < world->ties; ++i) {
    ss_tie *tie = &world->tie[i];
    for (tie->members = 0; tie->members < world->job->tables.count; ++tie->members)
      tie->member[tie->members] = ss_world_replica(world, world->job->tables.stage[tie->members], i);
  }
}

/* Finds the paths of all flows through the network. */
static ss_status find_paths(const ss_world *world, ss_links *links, ss_error *error)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < world->owners; ++i) {
    const ss_route *route = world->owner[i].route;
    for (int64_t e = 0; status == SS_OK && ss_route_owner_sends(world, &world->owner[i]) && e < route->count; ++e)
      status = ss_links_find_path(links, &route->flow[e], error);
  }
  return status;
}

static ss_status connect(ss_world *world, ss_shared_links shared, ss_error *error)
{
  ss_status status = ss_routes_make(world);
  if (status == SS_OK) ss_shortcut_find(world, shared.links->fabric);
  if (status == SS_OK && shared.links->fabric != NULL) status = find_paths(world, shared.links, error);
  const bool is_beside = shared.headroom == NULL; /* another job */
  return status == SS_OK && !is_beside ? ss_quiet_find(world, shared.links) : status;
}

/* Finds what is simulated. */
static ss_status choose(ss_world *world, ss_shared_links shared)
{
  ss_status status = ss_fold_world(world, shared.links, shared.headroom, shared.presumption);
  if (status == SS_OK && shared.links->fabric != NULL) status = ss_routes_sort(world);
  if (status == SS_OK) status = list_members(world);
  if (status == SS_OK) status = ss_expert_groups_list_members(world);
  if (status == SS_OK) list_tie_members(world);
  if (status == SS_OK) ss_shown_mark(world);
  return status == SS_OK ? ss_steps_init(world) : status;
}

static void time_messages(ss_world *world)
{
  for (int cargo = 0; cargo < SS_CARGOS; ++cargo)
    for (int across = 0; across < 2; ++across)
      world->message_time[cargo][across] = ss_job_message_time(world->job, across != 0, (ss_cargo)cargo);
}

static void count_parts(ss_world *world)
{
  const ss_job *job = world->job;
  world->replica_count = job->stages * job->replicas;
  world->width = job->tensor * job->context;
  world->shards = ss_placement_shards(&job->placement);
  world->ties = job->tied_bytes > 0.0 ? job->replicas : 0;
  world->window = ss_reads_ahead(job, job->shape.pairs) + 2;
  const ss_machine *machine = job->machine;
  world->slows = machine->nvlink_compute_cost > 0.0 || machine->fabric_compute_cost > 0.0 ||
                 machine->data_parallel_compute_cost > 0.0 ||
                 (job->shape.pairs && machine->exchange_compute_cost > 0.0);
}

static ss_status build(ss_world *world, ss_shared_links shared, ss_error *error)
{
  count_parts(world);
  time_messages(world);
  ss_status status = ss_known_calls_init(world);
  if (status == SS_OK) status = ss_perturbation_create(&world->perturbation, world->job, world->options->seed);
  if (status == SS_OK) status = ss_expert_groups_find(world);
  if (status == SS_OK) status = allocate(world);
  if (status == SS_OK) status = init_stages(world);
  if (status == SS_OK) status = init_replicas(world);
  if (status == SS_OK) {
    init_dp_groups(world);
    ss_expert_groups_init(world);
    init_ties(world);
    status = connect(world, shared, error);
  }
  return status;
}

/* A status, and what it says. */
static ss_status explain(const ss_world *world, ss_status status, ss_error *error)
{
  if (status == SS_ERROR_MEMORY)
    (void)ss_error_set(error, status, NULL, 0, "out of memory for %lld stage replicas",
                       (long long)world->replica_count);
  return status;
}

ss_status ss_world_lay_out(ss_world *world, ss_common *common, const ss_job *job, const ss_replay_options *options,
                           ss_shared_links shared, ss_error *error)
{
  *world = (ss_world){.job = job, .options = options, .common = common};
  return explain(world, build(world, shared, error), error);
}

ss_status ss_world_choose(ss_world *world, ss_shared_links shared, ss_error *error)
{
  const ss_status status = explain(world, choose(world, shared), error);
  world->result.stage_replicas = world->replica_count;
  world->result.simulated_stage_replicas = world->replicas_left;
  return status;
}

ss_status ss_world_init(ss_world *world, ss_common *common, const ss_job *job, const ss_replay_options *options,
                        ss_shared_links shared, ss_error *error)
{
  const ss_status status = ss_world_lay_out(world, common, job, options, shared, error);
  return status == SS_OK ? ss_world_choose(world, shared, error) : status;
}

/* A job has the same parts as that for which they were made, with as much room. */
static bool has_same_parts(const ss_world *world, const ss_job *job)
{
  SS_ASSERT(world->job->workload == job->workload && world->job->machine == job->machine);
  return world->perturbation == NULL && !ss_job_is_perturbed(job) && !job->offload.active &&
         (world->ties > 0) == (job->tied_bytes > 0.0) && ss_reads_ahead(job, job->shape.pairs) + 2 == world->window;
}

static ss_status take_stage(ss_world *world, int64_t index)
{
  ss_stage *stage = &world->stage[index];
  ss_stage_ops_free(&stage->ops);
  stage->reducing = 0;
  stage->reducing_since_s = stage->reduced_s = 0.0;
  return ss_stage_ops_init(&stage->ops, world->job, index);
}

/* Transfers, as they are before the first one. */
static void forget_transfers(ss_world *world)
{
  for (int64_t i = 0; i < world->replica_count; ++i) {
    ss_stage_replica *replica = &world->replica[i];
    if (replica->twin != replica) continue;
    begin_transfers(world, replica);
    memset(replica->gather_need, 0, (size_t)world->window * sizeof *replica->gather_need);
  }
  for (int64_t i = 0; i < world->job->stages * world->shards; ++i)
    world->dp_group[i].transfer = ss_dp_group_transfer(world, &world->dp_group[i]);
  for (int64_t i = 0; i < world->job->stages * world->expert_groups; ++i) {
    ss_expert_group *group = &world->expert[i];
    for (int meeting = 0; meeting < SS_MEETINGS; ++meeting) {
      group->arrivals[meeting] = 0;
      group->last[meeting] = (ss_asked){0};
      group->transfer[meeting] = ss_expert_transfer(world, group);
    }
  }
  for (int64_t i = 0; i < world->ties; ++i) world->tie[i].transfer = ss_tie_transfer(world, &world->tie[i]);
}

/* All that moves is back at the beginning. */
static void begin_again(ss_world *world)
{
  ss_world_restart(world);
  forget_transfers(world);
  world->woken.count = world->arrivals = 0;
  world->result = (ss_replay_result){.stage_replicas = world->replica_count,
                                     .simulated_stage_replicas = world->result.simulated_stage_replicas};
}

ss_status ss_world_take(ss_world *world, const ss_links *links, const ss_job *job, bool *taken)
{
  SS_ASSERT(world->options->private_links);
  *taken = false;
  if (!has_same_parts(world, job)) return SS_OK;
  const bool as_late = world->job->options.what_if.no_latency == job->options.what_if.no_latency;
  ss_steps_free(world);
  ss_known_calls_forget(world);
  world->job = job;
  time_messages(world);
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < job->stages; ++i) status = take_stage(world, i);
  if (status != SS_OK || !ss_routes_stay(world, as_late)) return status;
  begin_again(world);
  *taken = true;
  status = ss_quiet_find(world, links);
  return status == SS_OK ? ss_steps_init(world) : status;
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

void ss_world_free(ss_world *world)
{
  for (int64_t i = 0; world->replica != NULL && i < world->replica_count; ++i) free_replica(&world->replica[i]);
  ss_routes_free(world);
  ss_expert_groups_free(world);
  ss_steps_free(world);
  ss_known_calls_free(world);
  ss_shown_ends_free(world);
  for (int64_t i = 0; world->stage != NULL && i < world->job->stages; ++i) {
    free(world->stage[i].order);
    ss_stage_ops_free(&world->stage[i].ops);
    free(world->stage[i].op);
    free(world->stage[i].member);
    free(world->stage[i].dp_group);
    free(world->stage[i].pass);
    free(world->stage[i].quiet_rest);
  }
  free(world->replica);
  free(world->dp_group);
  free(world->expert);
  free(world->tie);
  free(world->stage);
  free(world->woken.wake);
  ss_perturbation_destroy(world->perturbation);
  *world = (ss_world){0};
}
