#include "model/graph/rank_groups.h"

#include <stdlib.h>

#include "model/input/tower.h"
#include "model/plan/groups.h"
#include "model/plan/placement_groups.h"

/* Where groups are gathered: GPUs, and the rank of each. */
typedef struct gathering {
  const ss_job *job;
  ss_rank_groups *groups;
  int64_t rank;
  int32_t *rank_of_gpu; /* [gpus] owned */
  int32_t *gpu, *part;  /* [ranks] owned */
} gathering;

static int by_number(const void *a, const void *b)
{
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* Keeps a group of GPUs, if the rank is one of it. The lowest rank and the kind name it. */
static ss_status keep(const gathering *g, int kind, const int32_t *gpu, int64_t count)
{
  ss_rank_group *group = &g->groups->group[kind];
  bool is_own = false;
  for (int64_t i = 0; i < count; ++i) is_own = is_own || g->rank_of_gpu[gpu[i]] == g->rank;
  if (!is_own || count < 1 || group->rank != NULL) return SS_OK;
  group->rank = malloc((size_t)count * sizeof *group->rank);
  if (group->rank == NULL) return SS_ERROR_MEMORY;
  group->count = count;
  for (int64_t i = 0; i < count; ++i) group->rank[i] = g->rank_of_gpu[gpu[i]];
  qsort(group->rank, (size_t)count, sizeof *group->rank, by_number);
  const ss_placement *placement = &g->job->placement;
  const int64_t ranks = placement->tp * placement->cp * placement->dp * placement->pp;
  group->name = (int64_t)kind * ranks + group->rank[0] + 1;
  return SS_OK;
}

/* Along the sequence: neighbours that exchange heads, and those at the same place of all of these. */
static ss_status keep_context(const gathering *g)
{
  const ss_placement *placement = &g->job->placement;
  const int64_t inner = placement->cp_inner > 1 ? placement->cp_inner : 1, cp = placement->cp;
  const int64_t block = g->groups->at.cp / inner, place = g->groups->at.cp % inner;
  ss_placement_context_group(placement, g->groups->at, g->gpu);
  ss_status status = keep(g, SS_GROUP_TENSOR_2, g->gpu, cp);
  if (status == SS_OK) status = keep(g, SS_GROUP_CONTEXT_INNER, g->gpu + block * inner, inner);
  for (int64_t i = 0; i < cp / inner; ++i) g->part[i] = g->gpu[i * inner + place];
  return status == SS_OK ? keep(g, SS_GROUP_CONTEXT, g->part, cp / inner) : status;
}

/* Of a tensor-parallel group, neighbours that split a vision tower, and those at the same place of all of these. */
static ss_status keep_tower(const gathering *g)
{
  const int64_t tp = g->job->placement.tp, split = ss_tower_tp(g->job->workload), at = g->groups->at.tp;
  const ss_holders all = {g->gpu, tp, tp / split};
  if (!ss_has_tower(g->job->workload)) return SS_OK;
  int64_t count = ss_placement_sharers(all, false, at / split, g->part);
  const ss_status status = keep(g, SS_GROUP_VISION, g->part, count);
  if (status != SS_OK) return status;
  count = ss_placement_sharers(all, true, at % split, g->part);
  return keep(g, SS_GROUP_VISION_COPIES, g->part, count);
}

static ss_status keep_experts(const gathering *g)
{
  static const struct {
    ss_group group;
    ss_expert_axis axis;
  } axes[] = {{SS_GROUP_EXPERT, SS_EXPERT_AXIS_EP}, {SS_GROUP_EXPERT_TENSOR, SS_EXPERT_AXIS_TP}};
  const ss_placement *placement = &g->job->placement;
  ss_status status = SS_OK;
  if (g->job->workload->model.experts == 0) return SS_OK;
  for (size_t i = 0; i < sizeof axes / sizeof axes[0]; ++i)
    for (int64_t j = 0; status == SS_OK && j < ss_expert_group_count(&placement->experts, axes[i].axis); ++j) {
      ss_placement_expert_group(placement, g->groups->at.pp, axes[i].axis, j, g->gpu);
      status = keep(g, (int)axes[i].group, g->gpu, placement->experts.size[axes[i].axis]);
    }
  return status;
}

static ss_status keep_stage(const gathering *g)
{
  const ss_coordinates *at = &g->groups->at;
  const ss_status status =
      keep(g, SS_GROUP_STAGE, g->gpu, ss_placement_stage_group(&g->job->placement, at->pp, -1, g->gpu));
  if (status != SS_OK) return status;
  return keep(g, SS_GROUP_REPLICA, g->gpu, ss_placement_stage_group(&g->job->placement, at->pp, at->dp, g->gpu));
}

/* Of the ranks that hold some weights, those that share a copy, and those at the same place of all copies. */
static ss_status keep_sharers(const gathering *g, ss_weights weights, int64_t count)
{
  const int64_t copies = g->job->placement.copies;
  const ss_holders holders = {g->gpu, count, copies};
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < copies; ++i)
    status = keep(g, SS_RANK_GROUPS_OF_DATA + (int)ss_data_group_of(weights, false), g->part,
                  ss_placement_sharers(holders, false, i, g->part));
  for (int64_t i = 0; status == SS_OK && copies > 1 && i < count / copies; ++i)
    status = keep(g, SS_RANK_GROUPS_OF_DATA + (int)ss_data_group_of(weights, true), g->part,
                  ss_placement_sharers(holders, true, i, g->part));
  return status;
}

static ss_status keep_holders(const gathering *g)
{
  ss_status status = SS_OK;
  for (int class = 0; class < SS_WEIGHTS; ++class) {
    const ss_weights weights = (ss_weights) class;
    for (int64_t i = 0; status == SS_OK && i < ss_groups_of_holders(g->job, weights); ++i)
      status = keep_sharers(g, weights, ss_groups_holders(g->job, g->groups->at.pp, weights, i, g->gpu));
  }
  return status;
}

/* The ranks at the same place of all stages that have the table. */
static ss_status keep_tied(const gathering *g)
{
  const ss_job *job = g->job;
  int64_t count = 0;
  ss_coordinates at = g->groups->at;
  for (at.pp = 0; at.pp < job->stages; ++at.pp)
    if (ss_job_ties(job, at.pp)) g->gpu[count++] = (int32_t)ss_placement_gpu(&job->placement, at);
  return keep(g, SS_RANK_GROUP_TIED, g->gpu, count);
}

static ss_status gather(const gathering *g)
{
  const ss_placement *placement = &g->job->placement;
  ss_placement_tensor_group(placement, g->groups->at, g->gpu);
  ss_status status = keep(g, SS_GROUP_TENSOR, g->gpu, placement->tp);
  if (status == SS_OK) status = keep_tower(g);
  if (status == SS_OK) status = keep_context(g);
  if (status == SS_OK) status = keep_experts(g);
  if (status == SS_OK) status = keep_stage(g);
  if (status == SS_OK) status = keep_holders(g);
  return status == SS_OK ? keep_tied(g) : status;
}

static ss_coordinates coordinates_of(const ss_placement *placement, int64_t rank)
{
  const int64_t tp = rank % placement->tp, rest = rank / placement->tp;
  const int64_t cp = rest % placement->cp, outer = rest / placement->cp;
  return (ss_coordinates){.tp = tp, .cp = cp, .dp = outer % placement->dp, .pp = outer / placement->dp};
}

ss_status ss_rank_groups_init(ss_rank_groups *groups, const ss_job *job, int64_t rank, ss_error *error)
{
  const ss_placement *placement = &job->placement;
  const int64_t ranks = placement->tp * placement->cp * placement->dp * placement->pp, gpus = job->machine->gpus;
  *groups = (ss_rank_groups){.at = coordinates_of(placement, rank)};
  gathering g = {.job = job,
                 .groups = groups,
                 .rank = rank,
                 .rank_of_gpu = calloc((size_t)gpus, sizeof *g.rank_of_gpu),
                 .gpu = calloc(2 * (size_t)ranks, sizeof *g.gpu),
                 .part = calloc(2 * (size_t)ranks, sizeof *g.part)};
  ss_status status = g.rank_of_gpu != NULL && g.gpu != NULL && g.part != NULL ? SS_OK : SS_ERROR_MEMORY;
  for (int64_t i = 0; status == SS_OK && i < ranks; ++i) g.rank_of_gpu[placement->gpu[i]] = (int32_t)i;
  if (status == SS_OK) status = gather(&g);
  free(g.rank_of_gpu);
  free(g.gpu);
  free(g.part);
  return status == SS_OK ? SS_OK : ss_error_set(error, status, NULL, 0, "out of memory for the groups of a rank");
}

void ss_rank_groups_free(ss_rank_groups *groups)
{
  for (int i = 0; i < SS_RANK_GROUPS; ++i) free(groups->group[i].rank);
  *groups = (ss_rank_groups){.at = {0, 0, 0, 0}};
}
