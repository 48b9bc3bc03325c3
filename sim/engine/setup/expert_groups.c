#include "sim/engine/setup/expert_groups.h"

#include <stdlib.h>

#include "model/input/workload.h"
#include "model/plan/placement_groups.h"
#include "sim/engine/core/calls.h"
#include "sim/engine/setup/group_routes.h"

/* The axes along which ranks meet within a layer. */
static const struct {
  ss_expert_axis axis;
  ss_group group;
} meetings[] = {{SS_EXPERT_AXIS_EP, SS_GROUP_EXPERT}, {SS_EXPERT_AXIS_TP, SS_GROUP_EXPERT_TENSOR}};

#define MEETINGS (sizeof meetings / sizeof meetings[0])

/* Of the replicas known to meet, the first: each leads to an earlier one. */
static int64_t first_met(const int64_t *leads, int64_t replica)
{
  while (leads[replica] != replica) replica = leads[replica];
  return replica;
}

/* The replicas of the ranks of a group meet. */
static void join(const ss_world *world, const int32_t *rank, int64_t count)
{
  int64_t *leads = world->expert_group_of;
  for (int64_t i = 1; i < count; ++i) {
    const int64_t a = first_met(leads, rank[0] / world->width), b = first_met(leads, rank[i] / world->width);
    leads[a > b ? a : b] = a < b ? a : b;
  }
}

static void join_all(const ss_world *world, int32_t *rank)
{
  const ss_expert_ranks *experts = &world->job->placement.experts;
  for (size_t i = 0; i < MEETINGS; ++i)
    for (int64_t group = 0; group < ss_expert_group_count(experts, meetings[i].axis); ++group) {
      ss_expert_group_ranks(experts, meetings[i].axis, group, rank);
      join(world, rank, experts->size[meetings[i].axis]);
    }
}

/* Numbers the groups in the order of their first replicas: those that lead nowhere else. */
static void number(ss_world *world)
{
  int64_t *group_of = world->expert_group_of;
  for (int64_t i = 0; i < world->job->replicas; ++i) {
    const int64_t first = group_of[i];
    group_of[i] = first == i ? world->expert_groups++ : group_of[first];
  }
}

static ss_status find_experts(ss_world *world)
{
  const int64_t replicas = world->job->replicas;
  world->expert_group_of = malloc((size_t)replicas * sizeof *world->expert_group_of);
  int32_t *rank = malloc((size_t)(replicas * world->width) * sizeof *rank);
  if (world->expert_group_of != NULL && rank != NULL) {
    for (int64_t i = 0; i < replicas; ++i) world->expert_group_of[i] = i;
    join_all(world, rank);
    number(world);
  }
  free(rank);
  return world->expert_groups > 0 ? SS_OK : SS_ERROR_MEMORY;
}

ss_status ss_expert_groups_find(ss_world *world)
{
  const ss_status status = world->job->workload->model.experts > 0 ? find_experts(world) : SS_OK;
  world->all_meet = world->job->layout.agrees_on_scales;
  world->expert_groups += world->all_meet ? 1 : 0;
  return status;
}

void ss_expert_groups_init(ss_world *world)
{
  for (int64_t i = 0; world->expert_groups > 0 && i < world->job->stages * world->expert_groups; ++i) {
    ss_expert_group *group = &world->expert[i];
    *group = (ss_expert_group){.stage = i / world->expert_groups, .index = i % world->expert_groups, .twin = group};
    for (int meeting = 0; meeting < SS_MEETINGS; ++meeting) group->transfer[meeting] = ss_expert_transfer(world, group);
  }
}

static bool has_member(const ss_expert_group *group, const ss_stage_replica *replica)
{
  bool found = false;
  for (int64_t i = 0; i < group->members; ++i) found = found || group->member[i] == replica;
  return found;
}

/* Calls `add` for each group that each replica of a stage is in. */
static void visit(const ss_world *world, int64_t stage, void (*add)(ss_expert_group *group, ss_stage_replica *replica))
{
  ss_expert_group *groups = &world->expert[stage * world->expert_groups];
  for (int64_t dp = 0; dp < world->job->replicas; ++dp) {
    ss_stage_replica *replica = ss_world_replica(world, stage, dp);
    if (world->expert_group_of != NULL) add(&groups[world->expert_group_of[dp]], replica);
    if (world->all_meet) add(&groups[world->expert_groups - 1], replica);
  }
}

static void count_member(ss_expert_group *group, ss_stage_replica *replica)
{
  (void)replica;
  group->members++;
}

static void list_member(ss_expert_group *group, ss_stage_replica *replica)
{
  if (!has_member(group, replica)) group->member[group->members++] = replica;
}

/* Room for all replicas of each group of a stage. */
static ss_status allocate_members(const ss_world *world, int64_t stage)
{
  visit(world, stage, count_member);
  for (int64_t i = 0; i < world->expert_groups; ++i) {
    ss_expert_group *group = &world->expert[stage * world->expert_groups + i];
    group->member = calloc((size_t)group->members, sizeof *group->member);
    if (group->member == NULL) return SS_ERROR_MEMORY;
    group->members = 0;
  }
  return SS_OK;
}

ss_status ss_expert_groups_list_members(ss_world *world)
{
  for (int64_t stage = 0; world->expert_groups > 0 && stage < world->job->stages; ++stage) {
    if (allocate_members(world, stage) != SS_OK) return SS_ERROR_MEMORY;
    visit(world, stage, list_member);
  }
  return SS_OK;
}

/* Adds the groups of a stage along an axis, each to the replicas that it is in. */
static ss_status add_along(const ss_world *world, int64_t stage, size_t meeting, int32_t *scratch)
{
  const ss_placement *placement = &world->job->placement;
  const ss_expert_axis axis = meetings[meeting].axis;
  const ss_group kind = meetings[meeting].group;
  const int64_t size = placement->experts.size[axis], count = ss_expert_group_count(&placement->experts, axis);
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && world->methods[kind].count > 0 && i < count; ++i) {
    ss_expert_group_ranks(&placement->experts, axis, i, scratch);
    const int64_t replica = scratch[0] / world->width;
    ss_route *routes = world->expert[stage * world->expert_groups + world->expert_group_of[replica]].route[kind];
    ss_placement_expert_group(placement, stage, axis, i, scratch);
    status = ss_group_routes_add(world, &world->methods[kind], routes, scratch, size);
  }
  return status;
}

/* Makes room for the routes of all groups of a stage that meet for a kind of collectives. */
static ss_status create_routes(const ss_world *world, int64_t stage, ss_group kind)
{
  ss_expert_group *first = &world->expert[stage * world->expert_groups + ss_world_first_meeting(world, kind)];
  for (int64_t i = 0; i < ss_world_meetings(world, kind); ++i) {
    first[i].route[kind] = ss_group_routes_create(&world->methods[kind]);
    if (first[i].route[kind] == NULL) return SS_ERROR_MEMORY;
  }
  return SS_OK;
}

static ss_status add_experts(const ss_world *world, int64_t stage, int32_t *scratch)
{
  ss_status status = SS_OK;
  for (size_t j = 0; status == SS_OK && j < MEETINGS; ++j) {
    status = create_routes(world, stage, meetings[j].group);
    if (status == SS_OK) status = add_along(world, stage, j, scratch);
  }
  return status;
}

static ss_status add_all(const ss_world *world, int64_t stage, int32_t *scratch)
{
  const ss_status status = create_routes(world, stage, SS_GROUP_STAGE);
  if (status != SS_OK || !world->all_meet) return status;
  ss_route *routes = world->expert[(stage + 1) * world->expert_groups - 1].route[SS_GROUP_STAGE];
  const int64_t count = ss_placement_stage_group(&world->job->placement, stage, -1, scratch);
  return ss_group_routes_add(world, &world->methods[SS_GROUP_STAGE], routes, scratch, count);
}

ss_status ss_expert_groups_make_routes(const ss_world *world, int32_t *scratch)
{
  ss_status status = SS_OK;
  for (int64_t stage = 0; status == SS_OK && world->expert_groups > 0 && stage < world->job->stages; ++stage) {
    if (world->expert_group_of != NULL) status = add_experts(world, stage, scratch);
    if (status == SS_OK) status = add_all(world, stage, scratch);
  }
  return status;
}

void ss_expert_groups_free(ss_world *world)
{
  for (int64_t i = 0; world->expert != NULL && i < world->job->stages * world->expert_groups; ++i)
    free(world->expert[i].member);
  free(world->expert_group_of);
}
