/* Random jobs whose collectives share NICs: the closed form beside the replay. */
#include "tests/support/alike.hpp"
#include "tests/support/random_jobs.hpp"

using namespace stepsim;

namespace
{

#if defined(__SANITIZE_ADDRESS__)
constexpr int kCases = 50; /* what takes seconds would take minutes */
#else
constexpr int kCases = 1000;
#endif

/* One stage whose layers communicate between domains, as do its replicas, beside one another. */
ss_workload random_sharing_stage(std::mt19937 &random)
{
  for (;;) {
    ss_workload w = random_workload(random);
    w.parallelism.pp = w.parallelism.interleave = 1;
    w.parallelism.tp = pick(random, {8, 16});
    w.parallelism.dp = pick(random, {2, 4});
    w.parallelism.sharding =
        pick(random, {SS_SHARDING_NONE, SS_SHARDING_OPTIMIZER, SS_SHARDING_GRADIENTS, SS_SHARDING_PARAMETERS});
    w.schedule.overlap_dp = SS_YES;
    w.schedule.overlap_tp = SS_TP_OVERLAP_NONE;
    w.training.global_batch = w.parallelism.dp * w.training.micro_batch * pick(random, {1, 3});
    w.placement.segment = SS_DERIVED; /* that was of another number of GPUs */
    if (ss_workload_gpus(&w) <= 64 && ss_workload_check(&w, nullptr) == SS_OK) return w;
  }
}

} // namespace

/* Where data-parallel collectives meet those of layers on NICs, and nothing else is shared, the replay is longer than
 * the closed form of a job in which they have NICs of their own, and the closed form that knows of it comes close. */
TEST(Random, SharedNicsBringTheClosedFormToTheReplay)
{
  std::mt19937 random(31 + seed);
  PlatformSpec spec;
  spec.gpus = 64;
  double sum = 0, sum_alone = 0, worst = 0;
  int compared = 0;
  for (int i = 0; i < kCases; ++i) {
    const ss_workload workload = random_sharing_stage(random);
    spec.domain = spec.nics = pick(random, {4, 8});
    const ss_machine machine = able_machine(spec);
    const Job job(workload, machine, SS_COST_CALIBRATED), own(workload, machine, SS_COST_CALIBRATED, own_links());
    const double closed_s = ss_estimate_time(job.get()).iteration_s, alone_s = ss_estimate_time(own.get()).iteration_s;
    if (!groups_lie_alike(job) || closed_s < alone_s * 1.001) continue;
    const double replay_s = job.replay().breakdown.iteration_s, error = closed_s / replay_s - 1;
    sum += std::abs(error);
    sum_alone += std::abs(alone_s / replay_s - 1);
    worst = std::max(worst, std::abs(error));
    ++compared;
  }
  EXPECT_GT(compared, kCases / 30);
  EXPECT_LT(sum / compared, 0.015); /* 0.6 %, and 3.3 % with NICs of their own */
  EXPECT_LT(sum, sum_alone / 3);
  EXPECT_LT(worst, 0.15);
}
