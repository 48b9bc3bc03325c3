#include "model/plan/groups.h"

#include <stdlib.h>

#include "model/block/amax.h"
#include "model/block/feed_forward/expert.h"
#include "model/collective/algorithm.h"
#include "model/input/tower.h"
#include "model/input/workload.h"
#include "model/plan/placement_groups.h"
#include "model/plan/stage_hops.h"

/* What collectives of some kinds take, a gigabyte each. */
static double probe_s(const ss_job *job, unsigned kinds, ss_span span)
{
  const double volume_bytes = 1e9;
  double sum_s = 0.0;
  for (int i = 0; i < SS_COLLECTIVE_COUNT; ++i) {
    const ss_collective kind = (ss_collective)i;
    if ((kinds & SS_KIND_BIT(kind)) == 0) continue;
    sum_s += ss_comm_time_sum(ss_collective_time(&job->network, kind, span, volume_bytes));
  }
  return sum_s;
}

/* Keeps the slower of two groups, by the collectives that such a group has. */
static void keep_slower_of(const ss_job *job, ss_span *slowest, unsigned kinds, int32_t *gpu, int64_t size)
{
  const ss_span span = ss_span_of(gpu, size, job->placement.domain_size, &job->network.lattice);
  const bool same = span.size == slowest->size && ss_span_is_like(span, *slowest);
  if (!same && probe_s(job, kinds, span) > probe_s(job, kinds, *slowest)) *slowest = span;
}

static void keep_slower(const ss_job *job, ss_span *slowest, ss_collective kind, int32_t *gpu, int64_t size)
{
  keep_slower_of(job, slowest, SS_KIND_BIT(kind), gpu, size);
}

/* What is shared out is gathered and reduced, and what each rank has whole is reduced for all: which of two groups is
 * slower depends on the algorithms of these. */
static unsigned kinds_where(bool is_shared_out)
{
  return is_shared_out ? SS_KIND_BIT(SS_ALL_GATHER) | SS_KIND_BIT(SS_REDUCE_SCATTER) : SS_KIND_BIT(SS_ALL_REDUCE);
}

static unsigned kinds_of_products(const ss_workload *workload)
{
  const bool summa = workload->parallelism.tensor == SS_TENSOR_SUMMA;
  return kinds_where(summa || workload->parallelism.sequence_parallel == SS_YES);
}

static unsigned kinds_of_weights(const ss_workload *workload)
{
  return kinds_where(workload->parallelism.sharding != SS_SHARDING_NONE);
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

/* Neighbours that exchange heads, and the ranks at the same place of all groups of them: all of `gpu` [cp] if each rank
 * is a group by itself. As much follows for scratch. */
static void find_context_spans(ss_job *job, int32_t *gpu)
{
  const int64_t size = job->placement.cp, inner = job->placement.cp_inner;
  const ss_holders all = {gpu, size, size / inner};
  const bool exchanges = job->workload->parallelism.cp_exchange == SS_CP_ALL_TO_ALL;
  int32_t *scratch = gpu + size;
  for (int64_t i = 0; i < all.copies && inner > 1; ++i)
    keep_slower(job, &job->span[SS_GROUP_CONTEXT_INNER], SS_ALL_TO_ALL, scratch,
                ss_placement_sharers(all, false, i, scratch));
  for (int64_t i = 0; i < inner; ++i)
    keep_slower(job, &job->span[SS_GROUP_CONTEXT], exchanges ? SS_ALL_TO_ALL : SS_ALL_GATHER, scratch,
                ss_placement_sharers(all, true, i, scratch));
  job->span[SS_GROUP_TENSOR_2] = job->span[SS_GROUP_CONTEXT];
}

/* Of a tensor-parallel group, `gpu` [tp], neighbours that split a vision tower, and the ranks at the same place of all
 * groups of them. As much follows for scratch. */
static void find_tower_spans(ss_job *job, int32_t *gpu)
{
  const int64_t size = job->placement.tp, split = ss_tower_tp(job->workload);
  const ss_holders all = {gpu, size, size / split};
  for (int64_t i = 0; i < all.copies; ++i)
    keep_slower(job, &job->span[SS_GROUP_VISION], SS_ALL_GATHER, gpu + size,
                ss_placement_sharers(all, false, i, gpu + size));
  for (int64_t i = 0; i < split; ++i)
    keep_slower(job, &job->span[SS_GROUP_VISION_COPIES], SS_ALL_GATHER, gpu + size,
                ss_placement_sharers(all, true, i, gpu + size));
}

/* The groups that start with one rank. */
static void find_group_spans(ss_job *job, ss_coordinates at, int32_t *gpu)
{
  const ss_placement *placement = &job->placement;
  if (at.tp == 0 && placement->tp > 1) {
    ss_placement_tensor_group(placement, at, gpu);
    keep_slower_of(job, &job->span[SS_GROUP_TENSOR], kinds_of_products(job->workload), gpu, placement->tp);
    if (ss_has_tower(job->workload)) find_tower_spans(job, gpu);
  }
  if (at.cp == 0 && placement->cp > 1) {
    ss_placement_context_group(placement, at, gpu);
    find_context_spans(job, gpu);
  }
}

/* All ranks of a stage, and those of each of its replicas. */
static void find_stage_spans(ss_job *job, int64_t stage, int32_t *gpu)
{
  int64_t size = ss_placement_stage_group(&job->placement, stage, -1, gpu);
  keep_slower(job, &job->span[SS_GROUP_STAGE], SS_ALL_REDUCE, gpu, size);
  for (int64_t replica = 0; replica < job->replicas; ++replica) {
    size = ss_placement_stage_group(&job->placement, stage, replica, gpu);
    keep_slower(job, &job->span[SS_GROUP_REPLICA], SS_ALL_REDUCE, gpu, size);
  }
}

/* Keeps the slowest of the groups that share the weights of these holders, in `gpu`, where as much follows for scratch.
 */
static void find_sharers(ss_job *job, int64_t stage, ss_weights weights, int32_t *gpu, int64_t count)
{
  const int64_t copies = job->placement.copies, shards = count / copies;
  const unsigned kinds = kinds_of_weights(job->workload);
  for (int64_t i = 0; i < copies; ++i) {
    const int64_t size = ss_placement_sharers((ss_holders){gpu, count, copies}, false, i, gpu + count);
    keep_slower_of(job, &job->data_span[ss_data_group_of(weights, false)][stage], kinds, gpu + count, size);
  }
  for (int64_t i = 0; i < shards && copies > 1; ++i) {
    const int64_t size = ss_placement_sharers((ss_holders){gpu, count, copies}, true, i, gpu + count);
    keep_slower(job, &job->data_span[ss_data_group_of(weights, true)][stage], SS_ALL_REDUCE, gpu + count, size);
  }
}

int64_t ss_groups_ranks_max(const ss_job *job)
{
  return job->shape.schedule->layout->copies * job->tensor * job->context * job->replicas;
}

int64_t ss_groups_of_holders(const ss_job *job, ss_weights weights)
{
  if (weights == SS_WEIGHTS_DENSE) return ss_placement_shards(&job->placement);
  return job->workload->model.experts > 0 ? ss_expert_group_count(&job->placement.experts, SS_EXPERT_AXIS_DP) : 0;
}

int64_t ss_groups_holders(const ss_job *job, int64_t stage, ss_weights weights, int64_t index, int32_t *gpu)
{
  const ss_placement *placement = &job->placement;
  const int64_t copies = job->shape.schedule->layout->copies, on_stage = ss_job_holders(job, weights) / copies;
  for (int64_t copy = 0; copy < copies; ++copy, gpu += on_stage) {
    const int64_t holder = ss_schedule_holder(&job->shape, stage, copy);
    if (weights == SS_WEIGHTS_DENSE)
      (void)ss_placement_data_group(placement, holder, index, gpu);
    else
      ss_placement_expert_group(placement, holder, SS_EXPERT_AXIS_DP, index, gpu);
  }
  return copies * on_stage;
}

static void find_data_spans(ss_job *job, int64_t stage, int32_t *gpu)
{
  for (int class = 0; class < SS_WEIGHTS; ++class) {
    const ss_weights weights = (ss_weights) class;
    for (int64_t i = 0; i < ss_groups_of_holders(job, weights); ++i)
      find_sharers(job, stage, weights, gpu, ss_groups_holders(job, stage, weights, i, gpu));
  }
}

/* The groups that meet within the expert layers of a stage. */
static void find_expert_spans(ss_job *job, int64_t stage, int32_t *gpu)
{
  ss_span *const span = job->span;
  if (job->workload->model.experts == 0) return;
  const ss_collective exchange = ss_expert_exchange(job->workload);
  find_expert_span(job, stage, SS_EXPERT_AXIS_EP, exchange, &span[SS_GROUP_EXPERT], gpu);
  find_expert_span(job, stage, SS_EXPERT_AXIS_TP, SS_ALL_GATHER, &span[SS_GROUP_EXPERT_TENSOR], gpu);
}

static const ss_span alone = {.size = 1, .domains = 1, .per_domain = 1};

/* The copies of what is on a stage are in one domain. */
static bool copies_are_together(const ss_job *job, int64_t stage)
{
  bool together = true;
  for (int64_t copy = 0; copy < job->shape.schedule->layout->copies; ++copy)
    together = together && !ss_placement_crosses(&job->placement, stage, ss_schedule_holder(&job->shape, stage, copy));
  return together;
}

/* The groups of all stages lie alike. Most of them did so for the job before. */
static void fill_data_spans(ss_job *job, ss_data_group group, ss_span alike)
{
  ss_span *span = job->data_span[group];
  const bool same = span[0].size == alike.size && ss_span_is_like(span[0], alike);
  int64_t stage = same ? job->data_alike[group] : 0;
  if (stage >= job->stages) return;
  for (; stage < job->stages; ++stage) span[stage] = alike;
  job->data_alike[group] = job->stages;
}

/* They do with one copy of the model. */
static void find_even_data_spans(ss_job *job, ss_data_group group)
{
  const bool copies = job->shape.schedule->layout->copies > 1;
  const ss_span together = ss_placement_even_data_span(&job->placement, group, true);
  fill_data_spans(job, group, together);
  if (!copies) return;
  const ss_span apart = ss_placement_even_data_span(&job->placement, group, false);
  ss_span *span = job->data_span[group];
  job->data_alike[group] = 0;
  for (int64_t stage = 0; stage < job->stages; ++stage)
    if (!copies_are_together(job, stage)) span[stage] = apart;
}

/* Where all groups of a kind lie alike. Those that no job of this model has stay as they are at first. */
static void find_even_spans(ss_job *job)
{
  const bool experts = job->workload->model.experts > 0, tower = ss_has_tower(job->workload);
  const int64_t tensor = job->placement.tp, split = ss_tower_tp(job->workload);
  job->span[SS_GROUP_TENSOR] = ss_placement_even_tensor_span(&job->placement, tensor, 1);
  job->span[SS_GROUP_VISION] = tower ? ss_placement_even_tensor_span(&job->placement, split, 1) : alone;
  job->span[SS_GROUP_VISION_COPIES] =
      tower ? ss_placement_even_tensor_span(&job->placement, tensor / split, split) : alone;
  job->span[SS_GROUP_CONTEXT] = ss_placement_even_context_span(&job->placement, false);
  job->span[SS_GROUP_CONTEXT_INNER] = ss_placement_even_context_span(&job->placement, true);
  job->span[SS_GROUP_TENSOR_2] = job->span[SS_GROUP_CONTEXT];
  job->span[SS_GROUP_EXPERT] = experts ? ss_placement_even_expert_span(&job->placement, SS_EXPERT_AXIS_EP) : alone;
  job->span[SS_GROUP_EXPERT_TENSOR] =
      experts ? ss_placement_even_expert_span(&job->placement, SS_EXPERT_AXIS_TP) : alone;
  const bool agrees = ss_amax_ranks(job->workload) > 1;
  job->span[SS_GROUP_REPLICA] = agrees ? ss_placement_even_stage_span(&job->placement, true) : alone;
  job->span[SS_GROUP_STAGE] = agrees ? ss_placement_even_stage_span(&job->placement, false) : alone;
  for (int group = 0; group < SS_DATA_GROUPS; ++group)
    if (experts || group == SS_DATA_DENSE || group == SS_DATA_DENSE_COPIES)
      find_even_data_spans(job, (ss_data_group)group);
}

/* `gpu` has room for the ranks of a stage and of the copies of what it has, twice. */
static void find_uneven_spans(ss_job *job, int32_t *gpu)
{
  for (int group = 0; group < SS_GROUPS; ++group) job->span[group] = alone;
  for (int group = 0; group < SS_DATA_GROUPS; ++group) job->data_alike[group] = 0;
  ss_coordinates at;
  for (at.pp = 0; at.pp < job->stages; ++at.pp) {
    for (at.dp = 0; at.dp < job->replicas; ++at.dp)
      for (at.cp = 0; at.cp < job->context; ++at.cp)
        for (at.tp = 0; at.tp < job->tensor; ++at.tp) find_group_spans(job, at, gpu);
    for (int group = 0; group < SS_DATA_GROUPS; ++group) job->data_span[group][at.pp] = alone;
    find_data_spans(job, at.pp, gpu);
    find_expert_spans(job, at.pp, gpu);
    if (ss_amax_ranks(job->workload) > 1) find_stage_spans(job, at.pp, gpu);
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
  int32_t *gpu = malloc(2 * (size_t)ss_groups_ranks_max(job) * sizeof *gpu);
  if (gpu == NULL) return SS_ERROR_MEMORY;
  find_uneven_spans(job, gpu);
  free(gpu);
  return SS_OK;
}

bool ss_groups_repeat(const ss_job *job, int64_t stage)
{
  bool same = job->repeats[stage];
  for (int group = 0; group < SS_DATA_GROUPS && same; ++group) {
    const ss_span *span = &job->data_span[group][stage - 1];
    same = span[0].size == span[1].size && ss_span_is_like(span[0], span[1]);
  }
  return same;
}

ss_status ss_groups_init(ss_job *job, int64_t stages_max)
{
  for (int group = 0; group < SS_DATA_GROUPS; ++group) {
    job->data_span[group] = malloc((size_t)stages_max * sizeof *job->data_span[group]);
    if (job->data_span[group] == NULL) return SS_ERROR_MEMORY;
    for (int64_t stage = 0; stage < stages_max; ++stage) job->data_span[group][stage] = alone;
  }
  return ss_groups_find(job);
}

void ss_groups_free(ss_job *job)
{
  for (int group = 0; group < SS_DATA_GROUPS; ++group) {
    free(job->data_span[group]);
    job->data_span[group] = NULL;
  }
}
