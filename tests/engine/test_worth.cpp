/* How often it is worth it to start a replay again. */
#include <cstdint>
#include <memory>

#include "tests/support/fixtures.hpp"

extern "C" {
#include "sim/engine/setup/fold.h"
#include "sim/engine/worth.h"
}

using namespace stepsim;

namespace
{

/* 4 stages of 4 blocks, ranks of 2 tensor-parallel ones, replicas of 32 micro-batches: each stage replica has 32
 * forward and 32 backward passes. */
ss_workload workload(int replicas)
{
  ss_workload w = make_workload();
  w.model.layers = 16;
  w.parallelism.tp = 2;
  w.parallelism.pp = 4;
  w.parallelism.dp = replicas;
  w.training.micro_batch = 1;
  w.training.global_batch = 32 * replicas;
  return w;
}

class Worth : public testing::Test
{
protected:
  void set_replicas(int replicas)
  {
    PlatformSpec spec;
    spec.gpus = 8 * replicas;
    job = std::make_unique<Job>(workload(replicas), make_machine(spec), SS_COST_CALIBRATED);
    world.job = job->get();
    world.replica_count = world.job->stages * world.job->replicas;
    world.width = 2;
  }
  std::unique_ptr<Job> job;
  ss_world world{};
};

/* 128 replicas have 512 stage replicas, 1,024 ranks. To put one rank together takes as long as to play 64 blocks: all
 * of them 65,536. All passes, 512 * 64 of 4 blocks, are 131,072 blocks, which is twice as long; with those of 128 stage
 * replicas only, half as long. */
TEST_F(Worth, PassesTakeSoManyTimesWhatItTakesToPutThemTogether)
{
  set_replicas(128);
  EXPECT_DOUBLE_EQ(ss_worth_set_ups(&world, INT64_C(512) * 64), 2.0);
  EXPECT_DOUBLE_EQ(ss_worth_set_ups(&world, INT64_C(128) * 64), 0.5);
}

/* A pass that is one run is one block, not four. */
TEST_F(Worth, PassesOfOneRunTakeLess)
{
  set_replicas(128);
  world.whole_passes = true;
  EXPECT_DOUBLE_EQ(ss_worth_set_ups(&world, INT64_C(512) * 64), 0.5);
}

/* Two attempts, and three for each time that it takes to put a replay together which all passes take: 3 * 2; of half of
 * the stage replicas, as many as are left with all links, 3 * 1. Passes that are one run take 0.5 times that; ten
 * attempts for each, 10 * 0.5. */
TEST_F(Worth, LargeJobsStartAgainAsOftenAsThatTakesNoLonger)
{
  set_replicas(128);
  ASSERT_EQ(world.replica_count, SS_FOLD_REPLICAS_LARGE);
  EXPECT_EQ(ss_worth_attempts(&world, 0), 2 + 6);
  EXPECT_EQ(ss_worth_attempts(&world, 512), 2 + 6);
  EXPECT_EQ(ss_worth_attempts(&world, 256), 2 + 3);
  EXPECT_EQ(ss_worth_attempts(&world, 1), 2);
  world.whole_passes = true;
  EXPECT_EQ(ss_worth_attempts(&world, 0), 2 + 5);
}

TEST_F(Worth, SmallJobsStartAgainAsOftenAsTheyLearn)
{
  set_replicas(127);
  EXPECT_EQ(ss_worth_attempts(&world, 0), INT64_MAX);
}

} /* namespace */
