/* Ranks that agree on scales, in replays of a tiny platform. */
#include <vector>

#include "tests/support/alike.hpp"

extern "C" {
#include "model/block/amax.h"
}

using namespace stepsim;

namespace
{

/* M = 4 micro-batches through P = 2 stages of tp x cp x dp = 2 x 1 x 2 ranks, all on a domain of 8 GPUs. */
ss_workload delayed(ss_amax_reduction reduction)
{
  ss_workload workload = make_workload();
  workload.training.precision = SS_PRECISION_FP8;
  workload.training.amax_reduction = reduction;
  workload.training.global_batch = 8;
  workload.parallelism.tp = workload.parallelism.pp = workload.parallelism.dp = 2;
  workload.schedule.overlap_dp = SS_NO; /* no reduction of gradients runs beside the last one */
  return workload;
}

ss_machine fp8_machine(int domain)
{
  ss_machine machine = make_machine([&] {
    PlatformSpec spec;
    spec.gpus = 8;
    spec.domain = spec.nics = domain;
    return spec;
  }());
  machine.fp8_flop_per_s = 2 * machine.matrix_flop_per_s;
  return machine;
}

/* A ring of n ranks inside a domain: n - 1 steps of 2.5 us without protocols, and the bytes 2 (n - 1) / n times. */
double ring_s(double ranks, double bytes)
{
  return (ranks - 1) * (2.5e-6 + 2 * bytes / ranks / (0.7 * 300e9));
}

} // namespace

/* Every step of the pipeline takes two all-reduces longer: M + P - 1 of them. 4 layers a stage have 16 products: of
 * 3 and 2 tensors, 4 bytes each. */
TEST(Agreement, TakesItsTimeInEveryPass)
{
  const Job none(delayed(SS_AMAX_NONE), fp8_machine(8), SS_COST_CALIBRATED);
  for (const ss_amax_reduction reduction : {SS_AMAX_ALL, SS_AMAX_TENSOR}) {
    const Job job(delayed(reduction), fp8_machine(8), SS_COST_CALIBRATED);
    const double ranks = reduction == SS_AMAX_ALL ? 4 : 2;
    const double more_s = (4 + 2 - 1) * (ring_s(ranks, 4 * 3 * 16) + ring_s(ranks, 4 * 2 * 16));
    const double estimate_s = ss_estimate_time(job.get()).iteration_s;
    expect_close(estimate_s - ss_estimate_time(none.get()).iteration_s, more_s, 1e-6);
    expect_close(job.replay().breakdown.iteration_s - none.replay().breakdown.iteration_s, more_s, 1e-6);
  }
}

/* Micro-batches of unlike documents: where replicas agree on scales, each pass takes as long as the slowest of them has
 * it, and else an iteration as long as the slowest. Attention is made to take most of the time. */
TEST(Agreement, LetsReplicasWaitInEveryPass)
{
  double iteration_s[2];
  for (const ss_amax_reduction reduction : {SS_AMAX_ALL, SS_AMAX_TENSOR}) {
    ss_workload workload = delayed(reduction);
    workload.model.sequence = 65536;
    workload.training.documents = SS_DOCUMENTS_EXPONENTIAL;
    workload.training.document_mean = 16384;
    const Job job(workload, fp8_machine(8), SS_COST_CALIBRATED);
    iteration_s[reduction] = job.replay().breakdown.iteration_s;
  }
  const double calls_s = (4 + 2 - 1) * (ring_s(4, 4 * 3 * 16) + ring_s(4, 4 * 2 * 16));
  EXPECT_GT(iteration_s[SS_AMAX_ALL], 1.01 * iteration_s[SS_AMAX_TENSOR] + calls_s);
}

/* How much longer than the replay the closed form takes for one micro-batch through two stages on these GPUs. */
double slower_s(ss_workload workload, const std::vector<int32_t> &ranks)
{
  ss_machine machine = fp8_machine(4);
  machine.gpus = 16;
  workload.parallelism.tp = 1;
  workload.parallelism.dp = workload.training.global_batch = static_cast<int64_t>(ranks.size()) / 2;
  const Job job(workload, machine, SS_COST_CALIBRATED, {}, ranks.data());
  ss_replay_options options = {};
  options.private_links = true;
  const double apart_s = ss_estimate_time(job.get()).iteration_s - job.replay(options).breakdown.iteration_s;
  EXPECT_EQ(groups_lie_alike(job), std::abs(apart_s) < 1e-12);
  return apart_s;
}

/* Of two stages, the first has the slower groups, and is done last; all messages cross. In the replay, both all-reduces
 * of the second take their own time; the closed form has those of the first for both stages. Two ranks in two domains,
 * then in one: a step of 5 and of 2.5 us, all bytes over a NIC and over NVLink. Four ranks in two domains, 3 and 1,
 * then 2 and 2: as many steps, and 2 * 3 / 4 of the bytes over one NIC and over two, which only shows behind the sixth
 * digit of an iteration; whatever else is moved and launched meanwhile. */
TEST(Agreement, IsThatOfTheSlowestStageInTheClosedForm)
{
  const double bytes = 4 * (3 + 2) * 16, nic_s = bytes / (0.7 * 25e9), nvlink_s = bytes / (0.7 * 300e9);
  ss_workload workload = delayed(SS_AMAX_ALL);
  workload.schedule.all_reduce = SS_ALGORITHM_RING;
  EXPECT_NEAR(slower_s(workload, {0, 4, 8, 12}), 0, 1e-12);
  EXPECT_NEAR(slower_s(workload, {0, 4, 8, 9}), 2 * (5e-6 - 2.5e-6) + nic_s - nvlink_s, 1e-12);
  EXPECT_NEAR(slower_s(workload, {0, 1, 2, 4, 8, 9, 12, 13}), 2 * 0.75 * (nic_s - nic_s / 2), 1e-12);
}

/* What is folded is what it is unfolded, with experts in groups of their own, too; across domains. */
TEST(Agreement, Folds)
{
  for (const int experts : {0, 4}) {
    ss_workload workload = delayed(SS_AMAX_ALL);
    workload.model.experts = experts;
    workload.model.top_k = 2;
    workload.model.expert_ffn = 4096;
    workload.parallelism.ep = experts > 0 ? 2 : 1;
    const Job job(workload, fp8_machine(4), SS_COST_CALIBRATED);
    ss_replay_options all = {};
    all.fold = SS_FOLD_NONE;
    EXPECT_LT(job.replay().simulated_stage_replicas, job.replay().stage_replicas);
    expect_close(job.replay().breakdown.iteration_s, job.replay(all).breakdown.iteration_s, 1e-9);
  }
}
