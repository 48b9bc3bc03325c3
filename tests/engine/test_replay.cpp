/* Properties of a replay as a whole. */
#include "tests/support/attributes.hpp"
#include "tests/support/fixtures.hpp"

extern "C" {
#include "sim/engine/core/run.h"
#include "sim/engine/core/stage_replica.h"
#include "sim/engine/setup/world_setup.h"
}

using namespace stepsim;

namespace
{

ss_workload make_three_dimensional()
{
  ss_workload workload = make_workload();
  workload.model.vocabulary = 32000;
  workload.parallelism.tp = 2;
  workload.parallelism.dp = 4;
  workload.parallelism.pp = 4;
  workload.training.global_batch = 4 * 12;
  return workload;
}

PlatformSpec with_topology(const char *topology)
{
  PlatformSpec spec;
  spec.gpus = 32;
  spec.topology = topology;
  return spec;
}

const char *const kTopologies[] = {
    "",
    "topology=\"FAT_TREE\" topo_parameters=\"2;8,4;1,4;1,1\"",
    "topology=\"TORUS\" topo_parameters=\"4,4,2\"",
    "topology=\"DRAGONFLY\" topo_parameters=\"2,1;2,1;4,1;2\"",
};

} // namespace

/* The shortcut for collectives that have their links to themselves changes nothing. */
TEST(Replay, SharedFlowsEqualAllFlows)
{
  for (const char *topology : kTopologies)
    for (const char *split : {"tp=2,dp=1,pp=2", "tp=2,dp=2", "tp=1,dp=4"}) {
      ss_workload workload = make_three_dimensional();
      std::snprintf(workload.placement.domain, sizeof workload.placement.domain, "%s", split);
      const Job job(workload, make_machine(with_topology(topology)), SS_COST_CALIBRATED);
      SCOPED_TRACE(testing::Message() << topology << " " << split);
      expect_close(job.replay_all_flows().breakdown.iteration_s, job.replay().breakdown.iteration_s, 1e-9);
    }
  ss_workload alone = make_three_dimensional();
  alone.parallelism.tp = 4;
  alone.parallelism.dp = 2;
  const Job job(alone, make_machine(with_topology(kTopologies[1])), SS_COST_CALIBRATED);
  const ss_replay_result all = job.replay_all_flows(), shared = job.replay();
  EXPECT_GT(all.flows, 2 * shared.flows); /* here the shortcut does apply */
  expect_close(all.breakdown.iteration_s, shared.breakdown.iteration_s, 1e-9);
}

TEST(Replay, PartsAddUp)
{
  for (const char *topology : kTopologies)
    for (ss_sharding sharding : all_of<ss_sharding>) {
      ss_workload workload = make_three_dimensional();
      workload.parallelism.sharding = sharding;
      const Job job(workload, make_machine(with_topology(topology)), SS_COST_CALIBRATED);
      const ss_breakdown simulation = job.replay().breakdown, estimate = ss_estimate_time(job.get());
      expect_close(ss_breakdown_sum(&simulation), simulation.iteration_s, 1e-12);
      expect_close(ss_breakdown_sum(&estimate), estimate.iteration_s, 1e-12);
    }
}

/* The causes add up to the difference, and without a network the replay knows no contention. */
TEST(Replay, CausesAddUpToTheDifference)
{
  const Job job(make_three_dimensional(), make_machine(with_topology(kTopologies[2])), SS_COST_CALIBRATED);
  const double simulation_s = job.replay().breakdown.iteration_s;
  ss_explanation why = {};
  ss_error error = {};
  const ss_replay_options options = {};
  ASSERT_EQ(ss_explain(job.get(), &options, simulation_s, &why, &error), SS_OK);
  const double sum_s = why.contention_s + why.latency_s + why.stages_s + why.overlap_s + why.schedule_s;
  EXPECT_NEAR(sum_s, simulation_s - ss_estimate_time(job.get()).iteration_s, 1e-12);
  EXPECT_GT(why.contention_s, 0);
  EXPECT_NEAR(why.schedule_s, 0, 1e-9 * simulation_s); /* equal stages without messages: the theory is exact */
}

TEST(Replay, IsDeterministic)
{
  const Job job(make_three_dimensional(), make_machine(with_topology(kTopologies[3])), SS_COST_CALIBRATED);
  const ss_replay_result first = job.replay(), second = job.replay();
  EXPECT_EQ(memcmp(&first.breakdown, &second.breakdown, sizeof first.breakdown), 0);
}

/* On a fabric without shared links the network simulator gives the computed times. */
TEST(Replay, PrivateLinksEqualAFabricWithoutContention)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = 4;
  workload.parallelism.pp = 4;
  workload.training.global_batch = 8;
  const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
  ss_replay_options options = {};
  options.private_links = true;
  expect_close(job.replay().breakdown.iteration_s, job.replay(options).breakdown.iteration_s, 1e-9);
}

/* What goes wrong in the simulation ends its process, not this one. */
TEST(Replay, EngineFailureIsAnError)
{
  const Job job(make_workload(), make_machine({}));
  ss_timeline fails = {};
  fails.open = [](void *, const ss_timeline_job *) { std::abort(); };
  ss_replay_options options = {};
  options.timelines = &fails;
  options.timeline_count = 1;
  ss_replay_result result = {};
  ss_error error = {};
  EXPECT_EQ(ss_replay(job.get(), &options, &result, &error), SS_ERROR_ENGINE);
  EXPECT_NE(std::string(error.message).find("the network simulation"), std::string::npos) << error.message;
}

/* A stage that never starts leaves its neighbours waiting, and the error says who waits for what. */
TEST(Replay, DeadlockIsNamed)
{
  ss_workload workload = make_workload();
  workload.parallelism.pp = 2;
  workload.training.global_batch = 2;
  const Job job(workload, make_machine({}));
  ss_replay_options options = {};
  options.private_links = true;
  ss_common common = {};
  ss_links links = {};
  ss_world world;
  ss_error error = {};
  ASSERT_EQ(ss_world_init(&world, &common, job.get(), &options, &links, &error), SS_OK);
  ss_world_replica(&world, 0, 0)->pass = 2 * job->micro_batches; /* claims to be done with all its passes */
  EXPECT_EQ(ss_world_run(&world, &error), SS_ERROR_DEADLOCK);
  EXPECT_STREQ(
      error.message,
      "deadlock at 0.000000000 s; stage replicas that never end: 1; stage 1 of replica 0 waits for a message from a "
      "neighbouring stage at micro-batch 0");
  ss_world_free(&world);
  ss_event_queue_free(&common.queue);
}
