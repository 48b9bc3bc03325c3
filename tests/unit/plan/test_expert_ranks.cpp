/* Expert layers number the ranks of a stage anew (parallel folding): groups, how they lie, what they hold and move,
 * against lists worked out by hand. */
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "tests/support/fixtures.hpp"

using namespace stepsim;

namespace
{

using Ranks = std::vector<int32_t>;

/* 16 ranks in a stage. */
ss_workload folded(int tp, int cp, int etp, int ep, ss_expert_groups groups = SS_EXPERTS_INSIDE)
{
  ss_workload w = make_workload();
  w.model.experts = 8;
  w.model.expert_ffn = 2048;
  w.parallelism.tp = tp;
  w.parallelism.cp = cp;
  w.parallelism.dp = 16 / (tp * cp);
  w.parallelism.etp = etp;
  w.parallelism.ep = ep;
  w.parallelism.expert_groups = groups;
  w.training.global_batch = w.parallelism.dp;
  return w;
}

Ranks group(const ss_workload &w, ss_expert_axis axis, int index)
{
  const ss_expert_ranks ranks = ss_expert_ranks_of(&w);
  Ranks rank((size_t)ranks.size[axis]);
  ss_expert_group_ranks(&ranks, axis, index, rank.data());
  return rank;
}

ss_machine machine_with(int domain)
{
  PlatformSpec spec;
  spec.gpus = 64;
  spec.domain = spec.nics = domain;
  return make_machine(spec);
}

double share_of(const ss_workload &w, ss_weights weights)
{
  return Job(w, machine_with(8))->block[SS_BLOCK_EXPERT].parameters[weights];
}

} // namespace

/* Default: the ranks of an expert are the tensor-parallel ones, and a group is of ranks tp apart. With etp 1 a group of
 * eight is eight neighbours, of four replicas. */
TEST(ExpertRanks, GroupsOfNeighbours)
{
  EXPECT_EQ(group(folded(2, 1, SS_DERIVED, 8), SS_EXPERT_AXIS_EP, 1), (Ranks{1, 3, 5, 7, 9, 11, 13, 15}));
  EXPECT_EQ(group(folded(2, 1, SS_DERIVED, 8), SS_EXPERT_AXIS_TP, 3), (Ranks{6, 7}));
  EXPECT_EQ(group(folded(2, 1, 1, 8), SS_EXPERT_AXIS_EP, 1), (Ranks{8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(group(folded(2, 1, 1, 8), SS_EXPERT_AXIS_DP, 3), (Ranks{3, 11}));
  EXPECT_EQ(group(folded(2, 1, 4, 2), SS_EXPERT_AXIS_TP, 1), (Ranks{4, 5, 6, 7}));
  EXPECT_EQ(group(folded(2, 1, 4, 2), SS_EXPERT_AXIS_EP, 1), (Ranks{1, 5}));
  EXPECT_EQ(group(folded(2, 1, 4, 2), SS_EXPERT_AXIS_EP, 4), (Ranks{8, 12}));
}

/* tp 2, cp 2, dp 4, ep 2. Inside: ranks of the sequence exchange. Replicas: ranks of equal place in replicas {0, 1} and
 * {2, 3}. Across: those of replicas {0, 2} and {1, 3}. The others hold the same. */
TEST(ExpertRanks, ThreeNumberings)
{
  const auto of = [](ss_expert_groups groups, ss_expert_axis axis, int index) {
    return group(folded(2, 2, SS_DERIVED, 2, groups), axis, index);
  };
  EXPECT_EQ(of(SS_EXPERTS_INSIDE, SS_EXPERT_AXIS_EP, 2), (Ranks{4, 6}));
  EXPECT_EQ(of(SS_EXPERTS_INSIDE, SS_EXPERT_AXIS_DP, 2), (Ranks{2, 6, 10, 14}));
  EXPECT_EQ(of(SS_EXPERTS_REPLICAS, SS_EXPERT_AXIS_EP, 2), (Ranks{2, 6}));
  EXPECT_EQ(of(SS_EXPERTS_REPLICAS, SS_EXPERT_AXIS_DP, 2), (Ranks{4, 6, 12, 14}));
  EXPECT_EQ(of(SS_EXPERTS_ACROSS, SS_EXPERT_AXIS_EP, 2), (Ranks{2, 10}));
  EXPECT_EQ(of(SS_EXPERTS_ACROSS, SS_EXPERT_AXIS_DP, 2), (Ranks{8, 10, 12, 14}));
}

/* Without ranks along the sequence, neighbouring replicas are neighbouring ranks. */
TEST(ExpertRanks, ReplicasAreInsideWithoutContext)
{
  for (int index = 0; index < 4; ++index)
    EXPECT_EQ(group(folded(2, 1, SS_DERIVED, 4, SS_EXPERTS_REPLICAS), SS_EXPERT_AXIS_EP, index),
              group(folded(2, 1, SS_DERIVED, 4), SS_EXPERT_AXIS_EP, index));
}

/* The groups along each axis have every rank once, and ranks of two groups of different axes meet at most once. */
TEST(ExpertRanks, GroupsCoverAStage)
{
  for (int etp : {1, 2, 4})
    for (int ep : {1, 2, 4})
      for (ss_expert_groups groups : {SS_EXPERTS_INSIDE, SS_EXPERTS_ACROSS, SS_EXPERTS_REPLICAS})
        for (int axis = 0; axis < SS_EXPERT_AXES; ++axis) {
          const ss_workload w = folded(2, 1, etp, ep, groups);
          const ss_expert_ranks ranks = ss_expert_ranks_of(&w);
          std::set<int32_t> seen;
          for (int i = 0; i < ss_expert_group_count(&ranks, (ss_expert_axis)axis); ++i) {
            const Ranks rank = group(w, (ss_expert_axis)axis, i);
            seen.insert(rank.begin(), rank.end());
          }
          EXPECT_EQ(seen.size(), 16u);
        }
}

/* Where domains are alike, how groups lie is computed; where GPUs are listed, it is counted. Both say the same. */
TEST(ExpertRanks, ComputedSpansAreThoseThatAreCounted)
{
  const ss_coordinates splits[] = {{2, 1, 2, 2}, {2, 2, 2, 1}, {1, 2, 4, 1}, {2, 1, 4, 1}, {1, 1, 4, 2}};
  for (int etp : {1, 2, 4, 8})
    for (int ep : {2, 4, 8})
      for (ss_expert_groups groups : {SS_EXPERTS_INSIDE, SS_EXPERTS_ACROSS, SS_EXPERTS_REPLICAS})
        for (const ss_coordinates &in : splits) {
          ss_workload w = folded(2, 2, etp, ep, groups);
          w.parallelism.pp = 2;
          if (ss_workload_check(&w, nullptr) != SS_OK) continue;
          std::snprintf(w.placement.domain, sizeof w.placement.domain, "tp=%d,cp=%d,dp=%d,pp=%d", (int)in.tp,
                        (int)in.cp, (int)in.dp, (int)in.pp);
          const Job job(w, machine_with(8));
          ASSERT_TRUE(job->placement.even);
          for (int axis = 0; axis < SS_EXPERT_AXES; ++axis) {
            const ss_span computed = ss_placement_even_expert_span(&job->placement, (ss_expert_axis)axis);
            for (int i = 0; i < ss_expert_group_count(&job->placement.experts, (ss_expert_axis)axis); ++i) {
              Ranks gpu(16);
              ss_placement_expert_group(&job->placement, 1, (ss_expert_axis)axis, i, gpu.data());
              const ss_span counted = ss_span_of(gpu.data(), computed.size, 8, &job->placement.lattice);
              EXPECT_EQ(counted.domains, computed.domains);
              EXPECT_EQ(counted.per_domain, computed.per_domain);
            }
          }
        }
}

/* A group of eight with tp 2 on domains of eight GPUs: in one domain with etp 1, over two with etp 2. Three ranks of a
 * replica and groups of two do not divide one another: GPUs are listed. */
TEST(ExpertRanks, HowGroupsLie)
{
  EXPECT_EQ(Job(folded(2, 1, 1, 8), machine_with(8))->span[SS_GROUP_EXPERT].domains, 1);
  EXPECT_EQ(Job(folded(2, 1, SS_DERIVED, 8), machine_with(8))->span[SS_GROUP_EXPERT].domains, 2);
  EXPECT_EQ(Job(folded(1, 1, 4, 2), machine_with(2))->span[SS_GROUP_EXPERT_TENSOR].domains, 2);
  ss_workload w = folded(1, 1, 1, 2);
  w.model.sequence = 3 * 512;
  w.parallelism.cp = 3;
  w.parallelism.dp = 4;
  w.training.global_batch = 4;
  std::snprintf(w.placement.domain, sizeof w.placement.domain, "cp=3,dp=1");
  const Job uneven(w, machine_with(3));
  EXPECT_FALSE(uneven->placement.even);
  EXPECT_EQ(uneven->span[SS_GROUP_EXPERT].domains, 2); /* ranks 2 and 3 */
}

/* 8 experts of 3 e 2048 parameters: on ep 4 a rank has two, with etp 2 half of each. Attention is split by tp alone.
 * Experts' gradients are reduced over edp = 16 / (etp ep), all others over 16 / tp. */
TEST(ExpertRanks, WhatARankHolds)
{
  ss_workload w = folded(4, 1, 2, 4);
  w.model.mlp = SS_MLP_SWIGLU;
  const double e = (double)w.model.hidden;
  EXPECT_DOUBLE_EQ(share_of(w, SS_WEIGHTS_EXPERT), 2 * 3 * e * 2048 / 2);
  const Job job(w, machine_with(8));
  EXPECT_EQ(ss_job_holders(job.get(), SS_WEIGHTS_EXPERT), 2);
  EXPECT_EQ(ss_job_holders(job.get(), SS_WEIGHTS_DENSE), 4);
  EXPECT_EQ(job->data_span[SS_WEIGHTS_EXPERT][0].size, 2);
  w.parallelism.etp = 1;
  EXPECT_DOUBLE_EQ(share_of(w, SS_WEIGHTS_EXPERT), 2 * 3 * e * 2048);
  const double dense = share_of(w, SS_WEIGHTS_DENSE);
  w.parallelism.etp = SS_DERIVED;
  EXPECT_DOUBLE_EQ(share_of(w, SS_WEIGHTS_EXPERT), 2 * 3 * e * 2048 / 4);
  EXPECT_DOUBLE_EQ(share_of(w, SS_WEIGHTS_DENSE), dense);
}

/* tp 4 with sequence parallelism: a rank has l / 4 tokens and sends each to two experts. With etp 1 it computes as many
 * rows, whole; with etp 2 those of two ranks, gathered, half of each product; with etp 4 those of four. The work is the
 * same, and what is gathered grows. */
TEST(ExpertRanks, WhatARankMovesAndComputes)
{
  const double l = 2048, e = 12288;
  for (int etp : {1, 2, 4}) {
    ss_workload w = folded(4, 1, etp, 4);
    w.model.top_k = 2;
    w.model.sequence = (int64_t)l;
    w.model.hidden = (int64_t)e;
    w.model.heads = w.model.kv_heads = 96;
    w.model.head_size = 128;
    w.parallelism.tp_redo = SS_NO;
    const Job job(w, machine_with(8), SS_COST_CALIBRATED);
    const ss_task_list *forward = &job->block[SS_BLOCK_EXPERT].list[SS_PASS_FORWARD];
    double sent = 0, gathered = 0, flop = 0;
    for (int64_t i = 0; i < forward->count; ++i) {
      const ss_task &task = forward->task[i];
      if (task.computes && task.activity == SS_OP_EXPERT_FC2) flop = task.kernel.flop;
      for (int64_t c = 0; c < task.calls; ++c) {
        if (task.call[c].group == SS_GROUP_EXPERT) sent += task.call[c].volume_bytes;
        if (task.call[c].group == SS_GROUP_EXPERT_TENSOR && task.call[c].kind == SS_ALL_GATHER)
          gathered += task.call[c].volume_bytes;
      }
    }
    const double rows = l / 4 * 2;
    EXPECT_DOUBLE_EQ(sent, 2 * 2 * rows * e);
    EXPECT_DOUBLE_EQ(gathered, etp == 2 ? 2 * 2 * rows * e : 0);
    EXPECT_DOUBLE_EQ(flop, rows * etp * e * (2 * 2048 / etp - 1));
  }
}
