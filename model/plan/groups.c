#include "model/plan/groups.h"

#include <stdlib.h>

#include "model/block/amax.h"
#include "model/block/feed_forward/expert.h"
#include "model/collective/algorithm.h"
#include "model/input/tower.h"
#include "model/input/workload.h"
#include "model/plan/nic_counts.h"
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

/* The search for the slowest group of each kind, stage by stage: where GPUs share NICs, all groups of a stage are
 * counted before any is looked at. Kinds of data-parallel groups follow those of layers. */
typedef struct finder {
  ss_job *job;
  int64_t stage;
  int32_t *gpu;          /* [twice ss_groups_ranks_max] a group, and as much for scratch */
  ss_nic_counts *shared; /* NULL: no NIC is shared */
  bool counts;           /* groups are only counted */
} finder;

enum { KINDS = SS_GROUPS + SS_DATA_GROUPS };

static ss_span *slot_of(const finder *f, int kind)
{
  return kind < SS_GROUPS ? &f->job->span[kind] : &f->job->data_span[kind - SS_GROUPS][f->stage];
}

/* Keeps the slower of two groups, by the collectives that such a group has. */
static void keep_slower_of(const finder *f, int kind, unsigned kinds, int32_t *gpu, int64_t size)
{
  const ss_job *job = f->job;
  ss_span *slowest = slot_of(f, kind);
  ss_span span = ss_span_of(gpu, size, job->placement.domain_size, &job->network.lattice);
  if (f->counts) {
    ss_nic_counts_add(f->shared, kind, gpu, span);
    return;
  }
  if (f->shared != NULL) span.nic = ss_nic_counts_most(f->shared, kind, gpu, span);
  const bool same = ss_span_is_same(span, *slowest);
  if (!same && probe_s(job, kinds, span) > probe_s(job, kinds, *slowest)) *slowest = span;
}

static void keep_slower(const finder *f, int kind, ss_collective collective, int32_t *gpu, int64_t size)
{
  keep_slower_of(f, kind, SS_KIND_BIT(collective), gpu, size);
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

/* The groups of a stage along an axis of expert layers. */
static void find_expert_span(const finder *f, ss_expert_axis axis, ss_collective collective, ss_group kind)
{
  const ss_placement *placement = &f->job->placement;
  const ss_expert_ranks *experts = &placement->experts;
  for (int64_t group = 0; experts->size[axis] > 1 && group < ss_expert_group_count(experts, axis); ++group) {
    ss_placement_expert_group(placement, f->stage, axis, group, f->gpu);
    keep_slower(f, (int)kind, collective, f->gpu, experts->size[axis]);
  }
}

/* Neighbours that exchange heads, and the ranks at the same place of all groups of them: all of `gpu` [cp] if each rank
 * is a group by itself. As much follows for scratch. */
static void find_context_spans(const finder *f)
{
  ss_job *job = f->job;
  int32_t *gpu = f->gpu;
  const int64_t size = job->placement.cp, inner = job->placement.cp_inner;
  const ss_holders all = {gpu, size, size / inner};
  const bool exchanges = job->workload->parallelism.cp_exchange == SS_CP_ALL_TO_ALL;
  int32_t *scratch = gpu + size;
  for (int64_t i = 0; i < all.copies && inner > 1; ++i)
    keep_slower(f, SS_GROUP_CONTEXT_INNER, SS_ALL_TO_ALL, scratch, ss_placement_sharers(all, false, i, scratch));
  for (int64_t i = 0; i < inner; ++i)
    keep_slower(f, SS_GROUP_CONTEXT, exchanges ? SS_ALL_TO_ALL : SS_ALL_GATHER, scratch,
                ss_placement_sharers(all, true, i, scratch));
  job->span[SS_GROUP_TENSOR_2] = job->span[SS_GROUP_CONTEXT];
}

/* Of a tensor-parallel group, `gpu` [tp], neighbours that split a vision tower, and the ranks at the same place of all
 * groups of them. As much follows for scratch. */
static void find_tower_spans(const finder *f)
{
  const ss_job *job = f->job;
  int32_t *gpu = f->gpu;
  const int64_t size = job->placement.tp, split = ss_tower_tp(job->workload);
  const ss_holders all = {gpu, size, size / split};
  for (int64_t i = 0; i < all.copies; ++i)
    keep_slower(f, SS_GROUP_VISION, SS_ALL_GATHER, gpu + size, ss_placement_sharers(all, false, i, gpu + size));
  for (int64_t i = 0; i < split; ++i)
    keep_slower(f, SS_GROUP_VISION_COPIES, SS_ALL_GATHER, gpu + size, ss_placement_sharers(all, true, i, gpu + size));
}

/* The groups that start with one rank. */
static void find_group_spans(const finder *f, ss_coordinates at)
{
  const ss_job *job = f->job;
  const ss_placement *placement = &job->placement;
  if (at.tp == 0 && placement->tp > 1) {
    ss_placement_tensor_group(placement, at, f->gpu);
    keep_slower_of(f, SS_GROUP_TENSOR, kinds_of_products(job->workload), f->gpu, placement->tp);
    if (ss_has_tower(job->workload)) find_tower_spans(f);
  }
  if (at.cp == 0 && placement->cp > 1) {
    ss_placement_context_group(placement, at, f->gpu);
    find_context_spans(f);
  }
}

/* All ranks of a stage, and those of each of its replicas. */
static void find_stage_spans(const finder *f)
{
  const ss_placement *placement = &f->job->placement;
  int64_t size = ss_placement_stage_group(placement, f->stage, -1, f->gpu);
  keep_slower(f, SS_GROUP_STAGE, SS_ALL_REDUCE, f->gpu, size);
  for (int64_t replica = 0; replica < f->job->replicas; ++replica) {
    size = ss_placement_stage_group(placement, f->stage, replica, f->gpu);
    keep_slower(f, SS_GROUP_REPLICA, SS_ALL_REDUCE, f->gpu, size);
  }
}

/* The groups that share the weights of these holders, which `gpu` has. As much follows for scratch. */
static void find_sharers(const finder *f, ss_weights weights, int64_t count)
{
  const int64_t copies = f->job->placement.copies, shards = count / copies;
  const unsigned kinds = kinds_of_weights(f->job->workload);
  int32_t *gpu = f->gpu;
  for (int64_t i = 0; i < copies; ++i) {
    const int64_t size = ss_placement_sharers((ss_holders){gpu, count, copies}, false, i, gpu + count);
    keep_slower_of(f, SS_GROUPS + (int)ss_data_group_of(weights, false), kinds, gpu + count, size);
  }
  for (int64_t i = 0; i < shards && copies > 1; ++i) {
    const int64_t size = ss_placement_sharers((ss_holders){gpu, count, copies}, true, i, gpu + count);
    keep_slower(f, SS_GROUPS + (int)ss_data_group_of(weights, true), SS_ALL_REDUCE, gpu + count, size);
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

static void find_data_spans(const finder *f)
{
  const ss_job *job = f->job;
  for (int class = 0; class < SS_WEIGHTS; ++class) {
    const ss_weights weights = (ss_weights) class;
    for (int64_t i = 0; i < ss_groups_of_holders(job, weights); ++i)
      find_sharers(f, weights, ss_groups_holders(job, f->stage, weights, i, f->gpu));
  }
}

/* The groups that meet within the expert layers of a stage. */
static void find_expert_spans(const finder *f)
{
  if (f->job->workload->model.experts == 0) return;
  find_expert_span(f, SS_EXPERT_AXIS_EP, ss_expert_exchange(f->job->workload), SS_GROUP_EXPERT);
  find_expert_span(f, SS_EXPERT_AXIS_TP, SS_ALL_GATHER, SS_GROUP_EXPERT_TENSOR);
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

/* The groups of all stages lie alike with one copy of the model. */
static void find_even_data_spans(ss_job *job, ss_data_group group)
{
  const bool copies = job->shape.schedule->layout->copies > 1;
  const ss_span together = ss_placement_even_data_span(&job->placement, group, true);
  ss_span *span = job->data_span[group];
  span[0] = together;
  job->data_alike[group] = copies ? 0 : job->stages;
  if (!copies) return;
  const ss_span apart = ss_placement_even_data_span(&job->placement, group, false);
  for (int64_t stage = 0; stage < job->stages; ++stage)
    span[stage] = copies_are_together(job, stage) ? together : apart;
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
  job->senders = job->placement.nic_gpus > 1 ? ss_placement_even_senders(&job->placement) : 1;
}

/* All groups of a stage. */
static void find_spans_of_stage(const finder *f)
{
  const ss_job *job = f->job;
  ss_coordinates at = {.pp = f->stage};
  for (at.dp = 0; at.dp < job->replicas; ++at.dp)
    for (at.cp = 0; at.cp < job->context; ++at.cp)
      for (at.tp = 0; at.tp < job->tensor; ++at.tp) find_group_spans(f, at);
  find_data_spans(f);
  find_expert_spans(f);
  if (ss_amax_ranks(job->workload) > 1) find_stage_spans(f);
}

/* Ranks of a stage whose messages to the next one leave their domain through the fullest NIC. */
static int64_t count_senders(const finder *f)
{
  const ss_placement *placement = &f->job->placement;
  const int64_t ranks = placement->tp * placement->cp * placement->dp, next = (f->stage + 1) % placement->pp;
  int64_t senders = 1;
  ss_nic_counts_clear(f->shared);
  for (int64_t i = 0; i < ranks; ++i) {
    const int32_t from = placement->gpu[f->stage * ranks + i], to = placement->gpu[next * ranks + i];
    const ss_span message = {
        .size = 1, .domains = from / placement->domain_size == to / placement->domain_size ? 1 : 2, .per_domain = 1};
    ss_nic_counts_add(f->shared, 0, &from, message);
    const ss_nic_share share = ss_nic_counts_most(f->shared, 0, &from, message);
    if (share.gpus > senders) senders = share.gpus;
  }
  return senders;
}

/* Counts what a stage has behind each NIC. */
static void count_shared(finder *f)
{
  const int64_t senders = count_senders(f);
  if (senders > f->job->senders) f->job->senders = senders;
  ss_nic_counts_clear(f->shared);
  f->counts = true;
  find_spans_of_stage(f);
  f->counts = false;
}

static void find_uneven_spans(finder *f)
{
  ss_job *job = f->job;
  for (int group = 0; group < SS_GROUPS; ++group) job->span[group] = alone;
  for (int group = 0; group < SS_DATA_GROUPS; ++group) job->data_alike[group] = 0;
  job->senders = 1;
  for (f->stage = 0; f->stage < job->stages; ++f->stage) {
    for (int group = 0; group < SS_DATA_GROUPS; ++group) job->data_span[group][f->stage] = alone;
    if (f->shared != NULL) count_shared(f);
    find_spans_of_stage(f);
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
  ss_nic_counts shared = {0};
  finder f = {.job = job, .gpu = malloc(2 * (size_t)ss_groups_ranks_max(job) * sizeof *f.gpu)};
  ss_status status = f.gpu != NULL ? SS_OK : SS_ERROR_MEMORY;
  if (status == SS_OK && job->placement.nic_gpus > 1) {
    f.shared = &shared;
    status = ss_nic_counts_init(&shared, job->machine, KINDS);
  }
  if (status == SS_OK) find_uneven_spans(&f);
  ss_nic_counts_free(&shared);
  free(f.gpu);
  return status;
}

bool ss_groups_repeat(const ss_job *job, int64_t stage)
{
  bool same = job->repeats[stage];
  for (int group = 0; group < SS_DATA_GROUPS && same; ++group) {
    const ss_span before = ss_job_data_span(job, (ss_data_group)group, stage - 1);
    const ss_span own = ss_job_data_span(job, (ss_data_group)group, stage);
    same = ss_span_is_same(before, own);
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
