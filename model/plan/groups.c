#include "model/plan/groups.h"

#include <stdlib.h>

#include "model/input/workload.h"
#include "model/plan/placement_groups.h"
#include "model/plan/stage_hops.h"

/* Keeps the slower of two groups, by a collective of a gigabyte. */
static void keep_slower(const ss_job *job, ss_span *slowest, ss_collective kind, int32_t *gpu, int64_t size)
{
  const double volume_bytes = 1e9;
  const ss_span span = ss_span_of(gpu, size, job->placement.domain_size);
  const double slowest_s = ss_comm_time_sum(ss_collective_time(&job->network, kind, *slowest, volume_bytes));
  const double span_s = ss_comm_time_sum(ss_collective_time(&job->network, kind, span, volume_bytes));
  if (span_s > slowest_s) *slowest = span;
}

/* The groups of a stage along an axis of expert layers; `slowest` is replaced by what is slower. */
static void find_expert_span(ss_job *job, int64_t stage, ss_expert_axis axis, ss_collective kind, ss_span *slowest,
                             int32_t *gpu)
{
  const ss_expert_ranks *experts = &job->placement.experts;
  for (int64_t group = 0; experts->size[axis] > 1 && group < ss_expert_group_count(experts, axis); ++group) {
    ss_placement_expert_group(&job->placement, stage, axis, group, gpu);
    keep_slower(job, slowest, kind, gpu, experts->size[axis]);
  }
}

/* The groups that start with one rank. */
static void find_group_spans(ss_job *job, ss_coordinates at, int32_t *gpu)
{
  const ss_placement *placement = &job->placement;
  if (at.tp == 0 && placement->tp > 1) {
    ss_placement_tensor_group(placement, at, gpu);
    keep_slower(job, &job->span[SS_GROUP_TENSOR], SS_ALL_GATHER, gpu, placement->tp);
  }
  if (at.cp == 0 && placement->cp > 1) {
    ss_placement_context_group(placement, at, gpu);
    const bool exchanges = job->workload->parallelism.cp_exchange == SS_CP_ALL_TO_ALL;
    keep_slower(job, &job->span[SS_GROUP_CONTEXT], exchanges ? SS_ALL_TO_ALL : SS_ALL_GATHER, gpu, placement->cp);
    job->span[SS_GROUP_TENSOR_2] = job->span[SS_GROUP_CONTEXT];
  }
}

static void find_data_spans(ss_job *job, int64_t stage, int32_t *gpu)
{
  const ss_placement *placement = &job->placement;
  for (int64_t shard = 0; shard < ss_placement_shards(placement); ++shard) {
    const int64_t dense = ss_placement_data_group(placement, stage, shard, gpu);
    keep_slower(job, &job->data_span[SS_WEIGHTS_DENSE][stage], SS_ALL_GATHER, gpu, dense);
  }
}

/* The groups of the expert layers of a stage. */
static void find_expert_spans(ss_job *job, int64_t stage, int32_t *gpu)
{
  ss_span *const span = job->span, *const data = &job->data_span[SS_WEIGHTS_EXPERT][stage];
  if (job->workload->model.experts == 0) return;
  find_expert_span(job, stage, SS_EXPERT_AXIS_EP, SS_ALL_TO_ALL, &span[SS_GROUP_EXPERT], gpu);
  find_expert_span(job, stage, SS_EXPERT_AXIS_TP, SS_ALL_GATHER, &span[SS_GROUP_EXPERT_TENSOR], gpu);
  find_expert_span(job, stage, SS_EXPERT_AXIS_DP, SS_ALL_GATHER, data, gpu);
}

static const ss_span alone = {.size = 1, .domains = 1, .per_domain = 1};

/* Where all groups of a kind lie alike. */
static void find_even_spans(ss_job *job)
{
  const ss_axes holders = {.cp = !job->placement.cp_splits_weights, .dp = true};
  const bool experts = job->workload->model.experts > 0;
  job->span[SS_GROUP_TENSOR] = ss_placement_even_span(&job->placement, (ss_axes){.tp = true});
  job->span[SS_GROUP_CONTEXT] = ss_placement_even_span(&job->placement, (ss_axes){.cp = true});
  job->span[SS_GROUP_TENSOR_2] = job->span[SS_GROUP_CONTEXT];
  job->span[SS_GROUP_EXPERT] = experts ? ss_placement_even_expert_span(&job->placement, SS_EXPERT_AXIS_EP) : alone;
  job->span[SS_GROUP_EXPERT_TENSOR] =
      experts ? ss_placement_even_expert_span(&job->placement, SS_EXPERT_AXIS_TP) : alone;
  const ss_span dense = ss_placement_even_span(&job->placement, holders);
  const ss_span expert = experts ? ss_placement_even_expert_span(&job->placement, SS_EXPERT_AXIS_DP) : alone;
  for (int64_t stage = 0; stage < job->stages; ++stage) {
    job->data_span[SS_WEIGHTS_DENSE][stage] = dense;
    job->data_span[SS_WEIGHTS_EXPERT][stage] = expert;
  }
}

/* `gpu` has room for the ranks of a stage. */
static void find_uneven_spans(ss_job *job, int32_t *gpu)
{
  for (int group = 0; group < SS_GROUPS; ++group) job->span[group] = alone;
  ss_coordinates at;
  for (at.pp = 0; at.pp < job->stages; ++at.pp) {
    for (at.dp = 0; at.dp < job->replicas; ++at.dp)
      for (at.cp = 0; at.cp < job->context; ++at.cp)
        for (at.tp = 0; at.tp < job->tensor; ++at.tp) find_group_spans(job, at, gpu);
    for (int weights = 0; weights < SS_WEIGHTS; ++weights) job->data_span[weights][at.pp] = alone;
    find_data_spans(job, at.pp, gpu);
    find_expert_spans(job, at.pp, gpu);
  }
}

ss_status ss_groups_find(ss_job *job)
{
  if (ss_cost_traits_of(job->options.cost).mean_messages)
    job->slow_hops = ss_placement_slow_hops(&job->placement, &job->shape);
  if (job->placement.even) {
    find_even_spans(job);
    return SS_OK;
  }
  const size_t stage_ranks = (size_t)(job->tensor * job->context * job->replicas);
  int32_t *gpu = malloc(stage_ranks * sizeof *gpu);
  if (gpu == NULL) return SS_ERROR_MEMORY;
  find_uneven_spans(job, gpu);
  free(gpu);
  return SS_OK;
}

ss_status ss_groups_init(ss_job *job, int64_t stages_max)
{
  for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
    job->data_span[weights] = malloc((size_t)stages_max * sizeof *job->data_span[weights]);
    if (job->data_span[weights] == NULL) return SS_ERROR_MEMORY;
  }
  return ss_groups_find(job);
}

void ss_groups_free(ss_job *job)
{
  for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
    free(job->data_span[weights]);
    job->data_span[weights] = NULL;
  }
}
