/* Whether the groups of a job lie alike over domains. */
#ifndef STEPSIM_TESTS_SUPPORT_ALIKE_HPP
#define STEPSIM_TESTS_SUPPORT_ALIKE_HPP

#include <vector>

#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/block/amax.h"
#include "model/input/tower.h"
#include "model/plan/groups.h"
}

namespace stepsim
{

/* Looks at every group of a kind, in the stages of a job one by one. */
class GroupsOfAJob
{
public:
  explicit GroupsOfAJob(const ss_job *job)
      : job_(job), p_(&job->placement), gpu_(static_cast<size_t>(ss_groups_ranks_max(job))), sharer_(gpu_.size())
  {
  }

  /* Each lies as the slowest of its kind, which the closed form takes for all of them, and so do messages. */
  bool lie_alike()
  {
    for (int64_t stage = 0; stage < job_->stages; ++stage) {
      look_at_layers(stage);
      look_at_experts(stage);
      look_at_scales(stage);
      look_at_holders(stage, SS_WEIGHTS_DENSE, job_->data_span[SS_DATA_DENSE], job_->data_span[SS_DATA_DENSE_COPIES]);
      look_at_holders(stage, SS_WEIGHTS_EXPERT, job_->data_span[SS_DATA_EXPERT],
                      job_->data_span[SS_DATA_EXPERT_COPIES]);
      for (int64_t to = 0; to < job_->stages; ++to) look_at_messages(stage, to);
    }
    return alike_;
  }

private:
  void look(std::vector<int32_t> &gpu, int64_t count, const ss_span &slowest)
  {
    const ss_span span = ss_span_of(gpu.data(), count, p_->domain_size, &p_->lattice);
    alike_ = alike_ && span.size == slowest.size && ss_span_is_like(span, slowest);
  }

  void look_at_sharers(int64_t count, int64_t copies, const ss_span &inside, const ss_span &across)
  {
    const ss_holders all = {gpu_.data(), count, copies};
    for (int64_t i = 0; i < copies; ++i) look(sharer_, ss_placement_sharers(all, false, i, sharer_.data()), inside);
    for (int64_t i = 0; i < count / copies && copies > 1; ++i)
      look(sharer_, ss_placement_sharers(all, true, i, sharer_.data()), across);
  }

  void look_at_layers(int64_t stage)
  {
    const ss_span *span = job_->span;
    for (ss_coordinates at = {0, 0, 0, stage}; at.dp < p_->dp; ++at.dp) {
      for (at.cp = 0; at.cp < p_->cp && p_->tp > 1; ++at.cp) {
        ss_placement_tensor_group(p_, at, gpu_.data());
        look_at_tower(ss_tower_tp(job_->workload));
        look(gpu_, p_->tp, span[SS_GROUP_TENSOR]);
      }
      at.cp = 0;
      for (at.tp = 0; at.tp < p_->tp && p_->cp > 1; ++at.tp) {
        ss_placement_context_group(p_, at, gpu_.data());
        const bool outer = p_->cp > p_->cp_inner;
        look_at_sharers(p_->cp, p_->cp / p_->cp_inner, p_->cp_inner > 1 ? span[SS_GROUP_CONTEXT_INNER] : alone_,
                        outer ? span[SS_GROUP_CONTEXT] : alone_);
      }
      at.tp = 0;
    }
  }

  /* Of a tensor-parallel group, in `gpu_`: ranks that split a vision tower, and those with the same part of it. */
  void look_at_tower(int64_t split)
  {
    if (!ss_has_tower(job_->workload)) return;
    look_at_sharers(p_->tp, p_->tp / split, job_->span[SS_GROUP_VISION], job_->span[SS_GROUP_VISION_COPIES]);
  }

  /* Those that agree on scales. */
  void look_at_scales(int64_t stage)
  {
    if (ss_amax_ranks(job_->workload) == 1) return;
    const bool all = job_->workload->training.amax_reduction == SS_AMAX_ALL;
    for (int64_t replica = all ? -1 : 0; replica < (all ? 0 : p_->dp); ++replica)
      look(gpu_, ss_placement_stage_group(p_, stage, replica, gpu_.data()),
           job_->span[all ? SS_GROUP_STAGE : SS_GROUP_REPLICA]);
  }

  void look_at_experts(int64_t stage)
  {
    const ss_expert_ranks *ranks = &p_->experts;
    if (job_->workload->model.experts == 0) return;
    for (const auto &[axis, group] :
         {std::pair(SS_EXPERT_AXIS_EP, SS_GROUP_EXPERT), std::pair(SS_EXPERT_AXIS_TP, SS_GROUP_EXPERT_TENSOR)})
      for (int64_t i = 0; ranks->size[axis] > 1 && i < ss_expert_group_count(ranks, axis); ++i) {
        ss_placement_expert_group(p_, stage, axis, i, gpu_.data());
        look(gpu_, ranks->size[axis], job_->span[group]);
      }
  }

  void look_at_holders(int64_t stage, ss_weights weights, const ss_span *inside, const ss_span *across)
  {
    for (int64_t i = 0; i < ss_groups_of_holders(job_, weights); ++i)
      look_at_sharers(ss_groups_holders(job_, stage, weights, i, gpu_.data()), p_->copies, inside[stage],
                      across[stage]);
  }

  /* Those of all ranks, and, as stages with copies of the same weights do the same, those of the other copies. */
  void look_at_messages(int64_t from, int64_t to)
  {
    const size_t ranks = static_cast<size_t>(job_->tensor * job_->context * job_->replicas),
                 first = static_cast<size_t>(from) * ranks, other = static_cast<size_t>(to) * ranks;
    for (int64_t copy = 0; copy < p_->model_copies; ++copy)
      alike_ = alike_ &&
               ss_placement_crosses(p_, from, to) == ss_placement_crosses(p_, mirrored(from, copy), mirrored(to, copy));
    const auto crosses = [&](size_t i) {
      return p_->gpu[first + i] / p_->domain_size != p_->gpu[other + i] / p_->domain_size;
    };
    for (size_t i = 1; i < ranks; ++i) alike_ = alike_ && crosses(i) == crosses(0);
  }

  /* Of two copies, the stage at the other end of the pipeline. */
  int64_t mirrored(int64_t stage, int64_t copy) const
  {
    return copy == 0 ? stage : job_->stages - 1 - stage;
  }

  const ss_job *job_;
  const ss_placement *p_;
  std::vector<int32_t> gpu_, sharer_;
  const ss_span alone_ = {1, 1, 1, {}, {}};
  bool alike_ = true;
};

inline bool groups_lie_alike(const Job &job)
{
  return GroupsOfAJob(job.get()).lie_alike();
}

} /* namespace stepsim */

#endif
