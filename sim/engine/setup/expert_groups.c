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

ss_status ss_expert_groups_find(ss_world *world)
{
  const int64_t replicas = world->job->replicas;
  if (world->job->workload->model.experts == 0) return SS_OK;
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

/* Room for all replicas of each group of a stage. */
static ss_status allocate_members(const ss_world *world, ss_expert_group *groups)
{
  for (int64_t dp = 0; dp < world->job->replicas; ++dp) groups[world->expert_group_of[dp]].members++;
  for (int64_t i = 0; i < world->expert_groups; ++i) {
    groups[i].member = calloc((size_t)groups[i].members, sizeof *groups[i].member);
    if (groups[i].member == NULL) return SS_ERROR_MEMORY;
    groups[i].members = 0;
  }
  return SS_OK;
}

ss_status ss_expert_groups_list_members(ss_world *world)
{
  for (int64_t stage = 0; world->expert_groups > 0 && stage < world->job->stages; ++stage) {
    ss_expert_group *groups = &world->expert[stage * world->expert_groups];
    if (allocate_members(world, groups) != SS_OK) return SS_ERROR_MEMORY;
    for (int64_t dp = 0; dp < world->job->replicas; ++dp) {
      ss_expert_group *group = &groups[world->expert_group_of[dp]];
      ss_stage_replica *replica = ss_world_replica(world, stage, dp);
      if (!has_member(group, replica)) group->member[group->members++] = replica;
    }
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

ss_status ss_expert_groups_make_routes(const ss_world *world, int32_t *scratch)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < world->job->stages * world->expert_groups; ++i)
    for (size_t j = 0; status == SS_OK && j < MEETINGS; ++j) {
      ss_route **routes = &world->expert[i].route[meetings[j].group];
      *routes = ss_group_routes_create(&world->methods[meetings[j].group]);
      if (*routes == NULL) status = SS_ERROR_MEMORY;
    }
  for (int64_t stage = 0; world->expert_groups > 0 && stage < world->job->stages; ++stage)
    for (size_t j = 0; status == SS_OK && j < MEETINGS; ++j) status = add_along(world, stage, j, scratch);
  return status;
}

void ss_expert_groups_free(ss_world *world)
{
  for (int64_t i = 0; world->expert != NULL && i < world->job->stages * world->expert_groups; ++i)
    free(world->expert[i].member);
  free(world->expert_group_of);
}
