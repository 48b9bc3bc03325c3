/* What is simulated once stands for all that does the same; and flows that are alone need no simulator. */
#include <cmath>

#include "tests/support/random_jobs.hpp"

extern "C" {
#include "sim/engine/setup/symmetry.h"
}

using namespace stepsim;

namespace
{

/* Sanitizers have every simulated flow run on threads. */
#if defined(__SANITIZE_ADDRESS__)
constexpr int kFoldedJobs = 20, kCollectiveJobs = 6;
#else
constexpr int kFoldedJobs = 120, kCollectiveJobs = 60;
#endif

ss_replay_result replay(const Job &job, ss_fold fold, ss_flow_mode flows)
{
  ss_replay_options options = {};
  options.fold = fold;
  options.flows = flows;
  return job.replay(options);
}

/* Random jobs on fabrics with and without contention. */
struct Matrix {
  std::mt19937 random;
  ss_machine machine(int index)
  {
    static const char *const fabrics[] = {
        "",
        "topology=\"FAT_TREE\" topo_parameters=\"2;8,%d;1,8;1,1\"",
        "topology=\"FAT_TREE\" topo_parameters=\"2;8,%d;1,2;1,1\"",
        "topology=\"FAT_TREE\" topo_parameters=\"2;16,%d;1,4;1,2\"",
        "topology=\"TORUS\" topo_parameters=\"%d,4,2\"",
    };
    PlatformSpec spec = random_platform(random);
    const int nics = spec.gpus / spec.domain * spec.nics, divisors[] = {1, 8, 8, 16, 8};
    char text[128];
    std::snprintf(text, sizeof text, fabrics[index % 5], nics / divisors[index % 5]);
    spec.topology = text;
    return able_machine(spec);
  }
};

} // namespace

TEST(Fold, EqualsTheWholeOnRandomJobs)
{
  Matrix matrix = {std::mt19937(20260501 + seed)};
  int folded = 0;
  for (int i = 0; i < kFoldedJobs; ++i) {
    const ss_machine machine = matrix.machine(i);
    const Job job(random_workload(matrix.random), machine, SS_COST_CALIBRATED);
    SCOPED_TRACE(testing::Message() << "job " << i);
    const ss_flow_mode flows = i % 2 == 0 ? SS_FLOWS_SHARED : SS_FLOWS_ALL;
    const ss_replay_result some = replay(job, SS_FOLD_AUTO, flows), all = replay(job, SS_FOLD_NONE, flows);
    expect_close(some.breakdown.iteration_s, all.breakdown.iteration_s, 1e-9);
    EXPECT_EQ(some.flows, all.flows);
    expect_close(some.fabric_bytes + 1, all.fabric_bytes + 1, 1e-9);
    EXPECT_EQ(all.simulated_stage_replicas, all.stage_replicas);
    folded += some.simulated_stage_replicas < some.stage_replicas;
  }
  EXPECT_GT(folded, kFoldedJobs / 2);
}

/* Links are listed under the name of the first of those that are alike, folded or not: a ring of two GPUs goes out of
 * the first one and into the second one first. */
TEST(Fold, NamesTheSameLinks)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = 2;
  workload.parallelism.dp = 4;
  workload.training.global_batch = 4;
  const Job job(workload, make_machine({}));
  const ss_replay_result some = replay(job, SS_FOLD_AUTO, SS_FLOWS_ALL), all = replay(job, SS_FOLD_NONE, SS_FLOWS_ALL);
  ASSERT_EQ(some.links.count, all.links.count);
  EXPECT_LT(some.simulated_stage_replicas, some.stage_replicas);
  for (int64_t i = 0; i < all.links.count; ++i) {
    EXPECT_STREQ(some.links.link[i].name, all.links.link[i].name);
    EXPECT_EQ(some.links.link[i].alike, all.links.link[i].alike);
    expect_close(some.links.link[i].bytes, all.links.link[i].bytes, 1e-9);
  }
}

TEST(Lone, EqualsTheSimulatorOnRandomJobs)
{
  Matrix matrix = {std::mt19937(7 + seed)};
  for (int i = 0; i < kCollectiveJobs; ++i) {
    const ss_machine machine = matrix.machine(i);
    const Job job(random_workload(matrix.random), machine, SS_COST_CALIBRATED);
    SCOPED_TRACE(testing::Message() << "job " << i);
    const ss_replay_result lone = replay(job, SS_FOLD_NONE, SS_FLOWS_ALL),
                           simulated = replay(job, SS_FOLD_NONE, SS_FLOWS_SIMULATED);
    const double apart = std::abs(lone.breakdown.iteration_s / simulated.breakdown.iteration_s - 1);
    if (apart > 1e-9) {
      EXPECT_LE(apart, rounding_of(job, SS_FLOWS_ALL));
    }
    EXPECT_EQ(lone.flows, simulated.flows);
  }
}
