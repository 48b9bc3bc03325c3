#include "sim/engine/setup/routes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/tower.h"
#include "model/input/workload.h"
#include "model/plan/groups.h"
#include "model/plan/placement_groups.h"
#include "sim/engine/core/stage.h"
#include "sim/engine/setup/expert_groups.h"
#include "sim/engine/setup/group_routes.h"

static void list_call_methods(ss_world *world)
{
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    for (int pass = 0; pass < SS_PASSES; ++pass) {
      const ss_task_list *tasks = ss_job_tasks(world->job, (ss_block_kind)kind, (ss_pass)pass);
      for (int64_t i = 0; i < tasks->count; ++i)
        for (int64_t call = 0; call < tasks->task[i].calls; ++call)
          ss_method_list_add(&world->methods[tasks->task[i].call[call].group],
                             ss_method_of_call(world->job, &tasks->task[i], call), tasks->task[i].top_k);
    }
}

static void list_data_methods(ss_world *world)
{
  for (int64_t stage = 0; stage < world->job->stages; ++stage) {
    const ss_stage_ops *ops = &world->stage[stage].ops;
    for (const ss_stage_op *op = ops->op; op < ops->op + ops->count; ++op)
      ss_method_list_add(&world->data_methods[op->group],
                         ss_method_of_data(world->job, stage, op->kind, op->group, op->volume_bytes), (ss_top_k){0});
  }
}

/* Of a tensor-parallel group, neighbours that split a vision tower, and the ranks at the same place of all groups of
 * them. `gpu` [tensor], and as many more for scratch. */
static ss_status add_tower(const ss_world *world, ss_stage_replica *replica, int32_t *gpu)
{
  const int64_t tensor = world->job->tensor, split = ss_tower_tp(world->job->workload);
  const ss_holders all = {gpu, tensor, tensor / split};
  ss_status status = SS_OK;
  for (int of_copies = 0; of_copies < 2; ++of_copies) {
    const ss_group group = of_copies == 1 ? SS_GROUP_VISION_COPIES : SS_GROUP_VISION;
    for (int64_t i = 0; status == SS_OK && i < (of_copies == 1 ? split : all.copies); ++i) {
      const int64_t size = ss_placement_sharers(all, of_copies == 1, i, gpu + tensor);
      status = ss_group_routes_add(world, &world->methods[group], replica->route[group], gpu + tensor, size);
    }
  }
  return status;
}

/* Neighbours along the sequence that exchange heads, and the ranks at the same place of all groups of them. `gpu`
 * [context], and as many more for scratch. */
static ss_status add_sequence(const ss_world *world, ss_stage_replica *replica, int32_t *gpu)
{
  const ss_job *job = world->job;
  const bool one_axis = job->workload->parallelism.tensor == SS_TENSOR_1D;
  const ss_group groups[] = {SS_GROUP_CONTEXT_INNER, one_axis ? SS_GROUP_CONTEXT : SS_GROUP_TENSOR_2};
  const ss_holders all = {gpu, job->context, job->context / job->placement.cp_inner};
  ss_status status = SS_OK;
  for (int across = 0; across < 2; ++across) {
    const ss_group group = groups[across];
    const int64_t count = across == 1 ? job->placement.cp_inner : all.copies;
    for (int64_t i = 0; status == SS_OK && i < count; ++i) {
      const int64_t size = ss_placement_sharers(all, across == 1, i, gpu + job->context);
      status = ss_group_routes_add(world, &world->methods[group], replica->route[group], gpu + job->context, size);
    }
  }
  return status;
}

static ss_status make_calls(const ss_world *world, ss_stage_replica *replica, int32_t *scratch)
{
  const ss_job *job = world->job;
  for (int group = 0; group < SS_GROUPS; ++group)
    if ((replica->route[group] = ss_group_routes_create(&world->methods[group])) == NULL) return SS_ERROR_MEMORY;
  ss_status status = SS_OK;
  for (int64_t cp = 0; status == SS_OK && cp < job->context; ++cp) {
    ss_placement_tensor_group(&job->placement, (ss_coordinates){0, cp, replica->dp, replica->stage}, scratch);
    status = ss_group_routes_add(world, &world->methods[SS_GROUP_TENSOR], replica->route[SS_GROUP_TENSOR], scratch,
                                 job->tensor);
    if (status == SS_OK && ss_has_tower(job->workload)) status = add_tower(world, replica, scratch);
  }
  for (int64_t tp = 0; status == SS_OK && tp < job->tensor; ++tp) {
    ss_placement_context_group(&job->placement, (ss_coordinates){tp, 0, replica->dp, replica->stage}, scratch);
    status = add_sequence(world, replica, scratch);
  }
  const int64_t count = ss_placement_stage_group(&job->placement, replica->stage, replica->dp, scratch);
  if (status != SS_OK) return status;
  return ss_group_routes_add(world, &world->methods[SS_GROUP_REPLICA], replica->route[SS_GROUP_REPLICA], scratch,
                             count);
}

static int64_t gpu_of(const ss_world *world, int64_t stage, int64_t replica, int64_t member)
{
  const int64_t tp = world->job->tensor;
  return ss_placement_gpu(&world->job->placement, (ss_coordinates){member % tp, member / tp, replica, stage});
}

/* One flow per rank, to the rank at the same place of another stage. */
static ss_status make_way(const ss_world *world, const ss_stage_replica *replica, ss_message_way *way)
{
  ss_route *route = &way->route;
  route->flow = malloc((size_t)world->width * sizeof *route->flow);
  if (route->flow == NULL) return SS_ERROR_MEMORY;
  route->capacity = world->width;
  for (int64_t member = 0; member < world->width; ++member) {
    const ss_flow flow = ss_flow_message(world->job->machine, gpu_of(world, replica->stage, replica->dp, member),
                                         gpu_of(world, way->stage, replica->dp, member));
    route->flow[route->count++] = flow;
    way->crossing += flow.fabric;
  }
  return SS_OK;
}

/* The ways to all stages that the chunks of a stage send to. */
static ss_status make_messages(const ss_world *world, ss_stage_replica *replica, ss_pass side)
{
  ss_status status = SS_OK;
  for (int64_t chunk = 0; status == SS_OK && chunk < world->job->chunks; ++chunk) {
    ss_chunk receiver;
    ss_message_way *way = replica->outbox[side].way, *const end = way + SS_WAYS;
    if (!ss_job_receiver(world->job, (ss_chunk){replica->stage, chunk}, side, &receiver)) continue;
    if (receiver.stage == replica->stage) continue;
    while (way < end && way->route.count > 0 && way->stage != receiver.stage) ++way;
    SS_ASSERT(way < end);
    way->stage = receiver.stage;
    if (way->route.count == 0) status = make_way(world, replica, way);
  }
  return status;
}

static ss_status make_replicas(ss_world *world, int32_t *scratch)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < world->replica_count; ++i) {
    status = make_calls(world, &world->replica[i], scratch);
    for (int side = 0; status == SS_OK && side < SS_SIDES; ++side)
      status = make_messages(world, &world->replica[i], (ss_pass)side);
  }
  return status;
}

/* Adds the groups of ranks that share a copy of some weights, or of those that have the same place in all copies.
 * `holders` [count] of these weights, and as many more for scratch. */
static ss_status add_holders(const ss_world *world, ss_dp_group *dp_group, ss_data_group group, int32_t *holders,
                             int64_t count)
{
  int32_t *scratch = holders + count;
  const int64_t copies = world->job->placement.copies;
  const bool of_copies = group >= SS_DATA_DENSE_COPIES;
  const int64_t groups = of_copies ? count / copies : copies;
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < groups; ++i) {
    const int64_t size = ss_placement_sharers((ss_holders){holders, count, copies}, of_copies, i, scratch);
    status = ss_group_routes_add(world, &world->data_methods[group], dp_group->route[group], scratch, size);
  }
  return status;
}

/* Groups that hold the same experts are shared out over those of dense weights: replicas wait for all of them. */
static ss_status make_data_group(const ss_world *world, ss_dp_group *dp_group, ss_data_group group, int32_t *scratch)
{
  const bool dense = group == SS_DATA_DENSE || group == SS_DATA_DENSE_COPIES;
  const ss_weights weights = dense ? SS_WEIGHTS_DENSE : SS_WEIGHTS_EXPERT;
  const int64_t groups = ss_groups_of_holders(world->job, weights);
  ss_status status = SS_OK;
  for (int64_t i = dp_group->shard; status == SS_OK && i < groups; i += world->shards)
    status = add_holders(world, dp_group, group, scratch,
                         ss_groups_holders(world->job, dp_group->stage, weights, i, scratch));
  return status;
}

/* Where a stage shares the groups of another one, its own are empty. */
static ss_status make_dp_group(const ss_world *world, ss_dp_group *dp_group, int32_t *scratch)
{
  const bool own = world->stage[dp_group->stage].home == &world->stage[dp_group->stage];
  ss_status status = SS_OK;
  for (int group = 0; status == SS_OK && group < SS_DATA_GROUPS; ++group) {
    dp_group->route[group] = ss_group_routes_create(&world->data_methods[group]);
    if (dp_group->route[group] == NULL) return SS_ERROR_MEMORY;
    if (own) status = make_data_group(world, dp_group, (ss_data_group)group, scratch);
  }
  return status;
}

/* The ranks at the same place of the stages that share a table. */
static ss_status make_tie(const ss_world *world, int64_t replica)
{
  ss_tie *tie = &world->tie[replica];
  const ss_tables *tables = &world->job->tables;
  ss_status status = SS_OK;
  for (int64_t member = 0; status == SS_OK && member < world->width; ++member) {
    int32_t gpu[SS_TABLES_MAX];
    for (int64_t i = 0; i < tables->count; ++i) gpu[i] = (int32_t)gpu_of(world, tables->stage[i], replica, member);
    status =
        ss_route_add(&tie->route, world->job->machine, &world->job->network, tie->transfer.method, gpu, tables->count);
  }
  return status;
}

static ss_status make_groups(ss_world *world)
{
  const ss_job *job = world->job;
  int32_t *scratch = malloc(2 * (size_t)ss_groups_ranks_max(job) * sizeof *scratch);
  ss_status status = scratch != NULL ? make_replicas(world, scratch) : SS_ERROR_MEMORY;
  for (int64_t i = 0; status == SS_OK && i < job->stages * world->shards; ++i)
    status = make_dp_group(world, &world->dp_group[i], scratch);
  if (status == SS_OK) status = ss_expert_groups_make_routes(world, scratch);
  for (int64_t i = 0; status == SS_OK && i < world->ties; ++i) status = make_tie(world, i);
  free(scratch);
  return status;
}

static void add_owner(ss_world *world, ss_route_owner owner)
{
  if (owner.route->count == 0) return;
  if (world->owner != NULL) world->owner[world->owners] = owner;
  world->owners++;
}

static void add_routes(ss_world *world, ss_route_owner owner, const ss_method_list *methods)
{
  for (int64_t i = 0; i < methods->count; ++i) {
    ss_route_owner one = owner;
    one.use = owner.use * SS_METHOD_COUNT + i;
    one.route = &owner.route[i];
    add_owner(world, one);
  }
}

/* Lists who has routes; without a list, only counts them. */
static void add_owners(ss_world *world)
{
  world->owners = 0;
  for (int64_t i = 0; i < world->replica_count; ++i) {
    ss_stage_replica *replica = &world->replica[i];
    for (int group = 0; group < SS_GROUPS; ++group)
      add_routes(world, (ss_route_owner){SS_TRANSFER_CALL, i, group, replica->route[group]}, &world->methods[group]);
    for (int side = 0; side < SS_SIDES; ++side)
      for (int way = 0; way < SS_WAYS; ++way)
        add_owner(world, (ss_route_owner){SS_TRANSFER_MESSAGE, i, side + SS_SIDES * way,
                                          &replica->outbox[side].way[way].route});
  }
  for (int64_t i = 0; i < world->job->stages * world->shards; ++i)
    for (int group = 0; group < SS_DATA_GROUPS; ++group)
      add_routes(world, (ss_route_owner){SS_TRANSFER_DATA, i, group, world->dp_group[i].route[group]},
                 &world->data_methods[group]);
  for (int64_t i = 0; i < world->job->stages * world->expert_groups; ++i)
    for (int group = 0; group < SS_GROUPS; ++group)
      if (world->expert[i].route[group] != NULL)
        add_routes(world, (ss_route_owner){SS_TRANSFER_EXPERT, i, group, world->expert[i].route[group]},
                   &world->methods[group]);
  for (int64_t i = 0; i < world->ties; ++i)
    add_owner(world, (ss_route_owner){SS_TRANSFER_TIED, i, 0, &world->tie[i].route});
}

static ss_status list_owners(ss_world *world)
{
  add_owners(world);
  world->owner = malloc((size_t)(world->owners + 1) * sizeof *world->owner);
  if (world->owner == NULL) return SS_ERROR_MEMORY;
  add_owners(world);
  return SS_OK;
}

const ss_route *ss_routes_of_group(const ss_world *world, ss_group group, int64_t index)
{
  if (!ss_group_joins_replicas(group)) return index < world->replica_count ? world->replica[index].route[group] : NULL;
  const int64_t first = ss_world_first_meeting(world, group), count = ss_world_meetings(world, group);
  if (count == 0 || index >= world->job->stages * count) return NULL;
  return world->expert[index / count * world->expert_groups + first + index % count].route[group];
}

ss_status ss_routes_sort(const ss_world *world)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < world->owners; ++i) status = ss_route_sort(world->owner[i].route);
  return status;
}

bool ss_route_owner_is_of_layers(const ss_route_owner *owner)
{
  return owner->kind == SS_TRANSFER_CALL || owner->kind == SS_TRANSFER_EXPERT;
}

bool ss_route_owner_sends(const ss_world *world, const ss_route_owner *owner)
{
  return !ss_route_owner_is_of_layers(owner) || !world->computed[owner->use / SS_METHOD_COUNT];
}

/* The largest volume that a collective of a layer moves. */
static double largest_call_bytes(const ss_job *job)
{
  double largest_bytes = 0.0;
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    for (int pass = 0; pass < SS_PASSES; ++pass) {
      const ss_task_list *list = ss_job_tasks(job, (ss_block_kind)kind, (ss_pass)pass);
      for (int64_t i = 0; i < list->count; ++i)
        for (int64_t call = 0; call < list->task[i].calls; ++call)
          largest_bytes = fmax(largest_bytes, list->task[i].call[call].volume_bytes);
    }
  return largest_bytes;
}

static double stage_bytes(const ss_job *job, int64_t stage)
{
  double parameters = 0.0;
  for (int weights = 0; weights < SS_WEIGHTS; ++weights)
    parameters += ss_job_stage_parameters(job, stage, (ss_weights)weights);
  return ss_job_gradient_bytes(job) * parameters;
}

double ss_routes_largest_flow_bytes(const ss_job *job)
{
  double largest_bytes = largest_call_bytes(job);
  for (int cargo = 0; cargo < SS_CARGOS; ++cargo) largest_bytes = fmax(largest_bytes, job->message_bytes[cargo]);
  for (int64_t stage = 0; stage < job->stages; ++stage) largest_bytes = fmax(largest_bytes, stage_bytes(job, stage));
  return largest_bytes;
}

ss_status ss_routes_make(ss_world *world)
{
  list_call_methods(world);
  list_data_methods(world);
  const ss_status status = make_groups(world);
  return status == SS_OK ? list_owners(world) : status;
}

static bool is_method(ss_method a, ss_method b)
{
  return a.kind == b.kind && a.algorithm == b.algorithm;
}

static bool are_methods(const ss_method_list *a, const ss_method_list *b, int lists)
{
  bool alike = true;
  for (int i = 0; alike && i < lists; ++i) {
    alike = a[i].count == b[i].count;
    for (int64_t m = 0; alike && m < a[i].count; ++m)
      alike = is_method(a[i].method[m], b[i].method[m]) && a[i].top_k[m].experts == b[i].top_k[m].experts &&
              a[i].top_k[m].choices == b[i].top_k[m].choices;
  }
  return alike;
}

/* Which of several groups is the slowest depends on the network. */
static bool have_one_span(const ss_world *world)
{
  bool one = true;
  for (int64_t i = 0; one && i < world->owners; ++i) one = !world->owner[i].route->uneven;
  return one;
}

bool ss_routes_stay(ss_world *world, bool as_late)
{
  ss_method_list methods[SS_GROUPS], data_methods[SS_DATA_GROUPS];
  memcpy(methods, world->methods, sizeof methods);
  memcpy(data_methods, world->data_methods, sizeof data_methods);
  memset(world->methods, 0, sizeof world->methods);
  memset(world->data_methods, 0, sizeof world->data_methods);
  list_call_methods(world);
  list_data_methods(world);
  const bool stay =
      are_methods(methods, world->methods, SS_GROUPS) && are_methods(data_methods, world->data_methods, SS_DATA_GROUPS);
  memcpy(world->methods, methods, sizeof methods); /* which have routes */
  memcpy(world->data_methods, data_methods, sizeof data_methods);
  const bool tied = world->ties == 0 || is_method(ss_method_of_tie(world->job), world->tie[0].transfer.method);
  return stay && tied && (as_late || have_one_span(world));
}

void ss_routes_free(ss_world *world)
{
  free(world->owner);
  for (int64_t i = 0; world->replica != NULL && i < world->replica_count; ++i) {
    for (int group = 0; group < SS_GROUPS; ++group)
      ss_group_routes_free(world->replica[i].route[group], &world->methods[group]);
    for (int side = 0; side < SS_SIDES; ++side)
      for (int way = 0; way < SS_WAYS; ++way) ss_route_free(&world->replica[i].outbox[side].way[way].route);
  }
  for (int64_t i = 0; world->dp_group != NULL && i < world->job->stages * world->shards; ++i)
    for (int group = 0; group < SS_DATA_GROUPS; ++group)
      ss_group_routes_free(world->dp_group[i].route[group], &world->data_methods[group]);
  for (int64_t i = 0; world->expert != NULL && i < world->job->stages * world->expert_groups; ++i)
    for (int group = 0; group < SS_GROUPS; ++group)
      ss_group_routes_free(world->expert[i].route[group], &world->methods[group]);
  for (int64_t i = 0; world->tie != NULL && i < world->ties; ++i) ss_route_free(&world->tie[i].route);
}
