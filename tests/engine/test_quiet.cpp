/* Quiet passes, beside which nothing moves on NVLink (sim/engine/setup/quiet.h): they are what events come to. */
#include "tests/support/fixtures.hpp"

extern "C" {
#include "sim/engine/core/stage_replica.h"
#include "sim/engine/play.h"
#include "sim/engine/setup/world_setup.h"
}

using namespace stepsim;

namespace
{

ss_replay_result replay(const Job &job, ss_flow_mode flows, ss_fold fold = SS_FOLD_NONE)
{
  ss_replay_options options = {};
  options.fold = fold;
  options.flows = flows;
  return job.replay(options);
}

/* Two stages, each a domain: four replicas of two ranks, whose data-parallel rings go through NVLink as their
 * tensor-parallel collectives do, and whose messages go through NICs. */
Job two_domains(int micro_batches, double nvlink_compute_cost)
{
  PlatformSpec spec;
  spec.gpus = 16;
  spec.domain = spec.nics = 8;
  ss_workload w = make_workload();
  w.parallelism.tp = 2;
  w.parallelism.pp = 2;
  w.parallelism.dp = 4;
  w.parallelism.sharding = SS_SHARDING_OPTIMIZER;
  w.training.global_batch = 4 * micro_batches;
  ss_machine machine = make_machine(spec);
  machine.nvlink_compute_cost = nvlink_compute_cost;
  return Job(w, machine, SS_COST_CALIBRATED);
}

void expect_same_links(const ss_busy_links &a, const ss_busy_links &b)
{
  ASSERT_EQ(a.count, b.count);
  for (int64_t i = 0; i < a.count; ++i) {
    EXPECT_STREQ(a.link[i].name, b.link[i].name);
    EXPECT_EQ(a.link[i].alike, b.link[i].alike);
    expect_close(a.link[i].bytes, b.link[i].bytes, 1e-12);
    expect_close(a.link[i].peak, b.link[i].peak, 1e-9);
  }
}

} // namespace

/* Passes of all replicas may be quiet, with runs of their own, but with all flows on the network. */
TEST(Quiet, IsFound)
{
  const Job job = two_domains(2, 0.2);
  for (const ss_flow_mode flows : {SS_FLOWS_SHARED, SS_FLOWS_ALL}) {
    ss_replay_options options = {};
    options.fold = SS_FOLD_NONE;
    options.flows = flows;
    ss_common common = {};
    ss_links links = {};
    ss_headroom headroom = {};
    ss_presumption presumption = {};
    ss_known_links known = {};
    headroom.crowded = &known.crowded;
    presumption.known = &known.marks;
    ss_world world;
    ASSERT_EQ(ss_links_init(&links, job->machine, nullptr), SS_OK);
    ASSERT_EQ(ss_world_init(&world, &common, job.get(), &options, {&links, &headroom, &presumption}, nullptr), SS_OK);
    EXPECT_FALSE(world.settled.whole_passes);
    EXPECT_EQ(world.legs.count > 0, flows == SS_FLOWS_SHARED);
    for (int64_t i = 0; i < world.replica_count; ++i)
      EXPECT_EQ(world.replica[i].may_be_quiet, flows == SS_FLOWS_SHARED);
    ss_world_free(&world);
    ss_headroom_free(&headroom);
    ss_presumption_free(&presumption);
    ss_links_free(&links);
    ss_event_queue_free(&common.queue);
  }
}

/* With all flows on the network, no pass is quiet. Times are the same to the last bit; sums of parts are rounded
 * otherwise. */
TEST(Quiet, IsWhatEventsComeTo)
{
  for (int micro_batches : {1, 2, 8})
    for (double cost : {0.0, 0.2}) {
      SCOPED_TRACE(testing::Message() << micro_batches << " micro-batches, cost " << cost);
      const Job job = two_domains(micro_batches, cost);
      const ss_replay_result quiet = replay(job, SS_FLOWS_SHARED), events = replay(job, SS_FLOWS_ALL);
      EXPECT_EQ(quiet.breakdown.iteration_s, events.breakdown.iteration_s);
      EXPECT_EQ(quiet.flows, events.flows);
      expect_close(quiet.nvlink_bytes, events.nvlink_bytes, 1e-12);
      expect_close(quiet.breakdown.tp_comm_s, events.breakdown.tp_comm_s, 1e-12);
      expect_close(quiet.breakdown.compute_s, events.breakdown.compute_s, 1e-12);
      expect_close(quiet.exposed.latency_s, events.exposed.latency_s, 1e-9);
      expect_close(quiet.exposed.bandwidth_s, events.exposed.bandwidth_s, 1e-9);
      expect_same_links(quiet.links, events.links);
    }
}

/* Each stands for those that it is folded with. */
TEST(Quiet, StandsForOthers)
{
  const Job job = two_domains(4, 0.2);
  const ss_replay_result folded = replay(job, SS_FLOWS_SHARED, SS_FOLD_AUTO), all = replay(job, SS_FLOWS_SHARED);
  EXPECT_LT(folded.simulated_stage_replicas, all.simulated_stage_replicas);
  expect_close(folded.breakdown.iteration_s, all.breakdown.iteration_s, 1e-12);
  EXPECT_EQ(folded.flows, all.flows);
  expect_close(folded.nvlink_bytes, all.nvlink_bytes, 1e-12);
}
