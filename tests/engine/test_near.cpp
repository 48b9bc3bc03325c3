/* Replays that take flows for others are close to exact ones, and say what they took for others. */
#include <cmath>

#include "tests/support/tight_jobs.hpp"

extern "C" {
#include "sim/engine/setup/fold.h"
}

using namespace stepsim;

namespace
{

#if defined(__SANITIZE_ADDRESS__)
constexpr int kJobs = 30;
#else
constexpr int kJobs = 200;
#endif

ss_replay_result replayed(const Job &job, ss_fold fold)
{
  ss_replay_options options = {};
  options.fold = fold;
  return job.replay(options);
}

/* Tight, or with a slow GPU, or both. */
ss_machine uneven_machine(std::mt19937 &random, int index, int64_t gpus)
{
  ss_machine machine = index % 2 == 0 ? tight_machine(random, index) : able_machine(random_platform(random));
  const double speed = std::uniform_real_distribution<>(0.3, 0.99)(random);
  const auto gpu = static_cast<int>(random() % static_cast<unsigned>(gpus));
  if (index % 4 != 0) std::snprintf(machine.gpu_speed, sizeof machine.gpu_speed, "%d:%g", gpu, speed);
  return machine;
}

/* Groups of eight ranks lie across racks of six in two ways (6 + 2 and 4 + 4), so that messages share NICs with more or
 * less of their exchanges, and across racks of ten in four. */
Job grouped_job(int racks, int rack_gpus, const std::string &topology, double fabric_bytes_per_s = 25e9)
{
  ss_workload w = make_workload();
  w.model.experts = 16;
  w.model.top_k = 2;
  w.model.expert_ffn = 512;
  w.parallelism.pp = 2;
  w.parallelism.ep = 8;
  w.parallelism.dp = racks * rack_gpus / 2;
  w.training.global_batch = 6 * w.parallelism.dp;
  w.schedule.pipeline = SS_PIPELINE_1F1B;
  PlatformSpec spec;
  spec.gpus = racks * rack_gpus;
  spec.domain = spec.nics = rack_gpus;
  spec.topology = topology;
  spec.fabric_bytes_per_s = fabric_bytes_per_s;
  return {w, make_machine(spec)};
}

double apart(const ss_replay_result &near, const ss_replay_result &exact)
{
  return std::abs(near.breakdown.iteration_s / exact.breakdown.iteration_s - 1);
}

/* Leaf switches have half of the links that their racks of ten have. */
const char *const kShortLinks = "topology=\"FAT_TREE\" topo_parameters=\"2;10,8;1,4;1,1\"";

} // namespace

/* Where nothing is taken for others, they are exact, else nearly so, and mostly no further off than they say. */
TEST(Near, IsExactOrSaysThatItIsNot)
{
  std::mt19937 random(2711 + seed);
  int presumed = 0, said = 0;
  for (int i = 0; i < kJobs; ++i) {
    const ss_workload workload = wide_workload(random);
    const Job job(workload, uneven_machine(random, i, ss_workload_gpus(&workload)), SS_COST_CALIBRATED);
    SCOPED_TRACE(testing::Message() << "job " << i);
    const ss_replay_result near = replayed(job, SS_FOLD_NEAR), all = replayed(job, SS_FOLD_EXACT);
    EXPECT_EQ(all.shortcuts.presumed.flows, 0);
    EXPECT_EQ(near.flows, all.flows);
    if (near.shortcuts.presumed.flows == 0) {
      if (apart(near, all) > 1e-9) {
        EXPECT_LE(apart(near, all), rounding_of(job, SS_FLOWS_SHARED));
      }
    } else {
      ++presumed;
      EXPECT_GT(near.shortcuts.presumed.ahead_s, 0);
      EXPECT_LT(apart(near, all), 0.01);
      said += apart(near, all) <= near.shortcuts.presumed.ahead_s / near.breakdown.iteration_s;
    }
  }
  EXPECT_GE(presumed, kJobs / 50);
  EXPECT_GE(6 * said, 5 * presumed);
}

/* An exact replay tells the replicas of a group apart by that; but they wait for each other in each pass, and one of
 * them stands for all. */
TEST(Near, MessagesTellNoReplicasOfAnExpertGroupApart)
{
  const Job job = grouped_job(8, 6, "");
  const ss_replay_result near = replayed(job, SS_FOLD_NEAR), exact = replayed(job, SS_FOLD_EXACT);
  EXPECT_EQ(near.simulated_stage_replicas, 2 * 2);
  EXPECT_GE(exact.simulated_stage_replicas, 2 * near.simulated_stage_replicas);
  EXPECT_LT(apart(near, exact), 1e-9);
  EXPECT_EQ(near.flows, exact.flows);
}

/* Nor on short links. */
TEST(Near, NorDoTheyOnShortLinks)
{
  const Job job = grouped_job(8, 10, kShortLinks, 200e9);
  const ss_replay_result near = replayed(job, SS_FOLD_NEAR), exact = replayed(job, SS_FOLD_EXACT);
  EXPECT_LE(2 * near.simulated_stage_replicas, exact.simulated_stage_replicas);
  EXPECT_LE(apart(near, exact), near.shortcuts.presumed.ahead_s / near.breakdown.iteration_s);
  EXPECT_EQ(near.flows, exact.flows);
}

/* Where messages meet exchanges for long enough that it counts whether they are in step, nothing is taken for others in
 * a job that is not large. */
TEST(Near, IsExactWhereItMightBeFarOff)
{
  const Job job = grouped_job(8, 10, kShortLinks);
  const ss_replay_result near = replayed(job, SS_FOLD_NEAR), exact = replayed(job, SS_FOLD_EXACT);
  EXPECT_EQ(near.shortcuts.presumed.flows, 0);
  EXPECT_EQ(near.shortcuts.presumed.ahead_s, 0);
  EXPECT_LT(apart(near, exact), 1e-9);
  EXPECT_EQ(near.flows, exact.flows);
}

/* A large job is replayed nearly, a smaller one exactly, unless it is said how. */
TEST(Near, IsForLargeJobs)
{
  ss_workload w = make_workload();
  w.parallelism.pp = 4;
  for (const int64_t replicas : {499, 500}) {
    w.parallelism.dp = w.training.global_batch = replicas;
    PlatformSpec spec;
    spec.gpus = static_cast<int>(4 * replicas);
    const Job job(w, make_machine(spec));
    EXPECT_EQ(ss_fold_is_near(job.get(), SS_FOLD_AUTO), 4 * replicas >= SS_FOLD_REPLICAS_NEAR);
    EXPECT_TRUE(ss_fold_is_near(job.get(), SS_FOLD_NEAR));
    for (const ss_fold fold : {SS_FOLD_EXACT, SS_FOLD_FLAT, SS_FOLD_NONE})
      EXPECT_FALSE(ss_fold_is_near(job.get(), fold));
  }
}
