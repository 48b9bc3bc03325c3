#include "model/profile/measurement.h"

static void add(ss_job_groups *groups, ss_kernel_class kind, int64_t size, int64_t stride)
{
  if (size <= 1) return;
  SS_ASSERT(groups->count < SS_JOB_GROUPS);
  groups->kind[groups->count] = kind;
  groups->shape[groups->count++] = (ss_group_shape){size, stride};
}

/* How far ranks are apart along an axis of expert layers. */
static int64_t expert_stride(const ss_expert_ranks *experts, ss_expert_axis axis)
{
  for (int i = 0; i < SS_EXPERT_DIGITS; ++i)
    if (experts->digit[i].axis == axis && experts->digit[i].size > 1) return experts->digit[i].stride;
  return 0;
}

/* Ranks are numbered tp + TP (cp + CP (dp + DP pp)). Along the sequence they hold the same weights, but for those of a
 * second tensor-parallel axis. */
ss_job_groups ss_job_groups_of(const ss_job *job)
{
  const ss_placement *at = &job->placement;
  const ss_expert_ranks *experts = &at->experts;
  const int64_t tensor = at->tp, sequence = at->cp, stage = tensor * sequence * at->dp;
  ss_job_groups groups = {.count = 0};
  add(&groups, SS_CLASS_TENSOR, tensor, 1);
  add(&groups, at->cp_splits_weights ? SS_CLASS_TENSOR : SS_CLASS_CONTEXT, sequence, tensor);
  add(&groups, SS_CLASS_DATA, at->dp, tensor * sequence);
  if (!at->cp_splits_weights && sequence > 1 && at->dp > 1) add(&groups, SS_CLASS_DATA, sequence * at->dp, tensor);
  add(&groups, SS_CLASS_PIPELINE, at->pp, stage);
  add(&groups, SS_CLASS_EXPERT, experts->size[SS_EXPERT_AXIS_EP], expert_stride(experts, SS_EXPERT_AXIS_EP));
  if (experts->size[SS_EXPERT_AXIS_EP] > 1)
    add(&groups, SS_CLASS_DATA, experts->size[SS_EXPERT_AXIS_DP], expert_stride(experts, SS_EXPERT_AXIS_DP));
  return groups;
}

/* The class of all groups that are alike; SS_CLASS_COUNT where none is, or they are of several. */
static ss_kernel_class only(const ss_job_groups *groups, ss_group_shape like, bool with_stride)
{
  ss_kernel_class found = SS_CLASS_COUNT;
  for (int64_t i = 0; i < groups->count; ++i) {
    const ss_group_shape shape = groups->shape[i];
    if (like.size > 0 && shape.size != like.size) continue;
    if (with_stride && shape.stride != like.stride) continue;
    if (found != SS_CLASS_COUNT && found != groups->kind[i]) return SS_CLASS_COUNT;
    found = groups->kind[i];
  }
  return found;
}

ss_kernel_class ss_job_groups_class(const ss_job_groups *groups, ss_group_shape like)
{
  ss_kernel_class found = like.stride > 0 ? only(groups, like, true) : SS_CLASS_COUNT;
  if (found == SS_CLASS_COUNT) found = only(groups, like, false);
  return found != SS_CLASS_COUNT ? found : SS_CLASS_COLLECTIVE;
}
