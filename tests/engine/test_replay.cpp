/* Properties of a replay as a whole. */
#include <map>
#include <utility>

#include "tests/support/attributes.hpp"
#include "tests/support/timelines.hpp"

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
    "topology=\"HYPERX\" topo_parameters=\"4,4;1;2\"",
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

/* Slices by stage and track, of a job with one rank on each stage. */
using Counts = std::map<std::pair<int64_t, ss_stream>, int>;

/* In a V of 4 stages, activations of m micro-batches go down 0, 1, 2, 3 and back, gradients the other way round. Stages
 * 1 and 2 receive from both sides, the way back on a track of its own; a slice of each never meets another one. */
TEST(Replay, MessagesFromBothSidesHaveTracksOfTheirOwn)
{
  constexpr int kMicroBatches = 12;
  ss_workload workload = make_workload();
  workload.parallelism.pp = 4;
  workload.schedule.pipeline = SS_PIPELINE_V_HALF;
  workload.training.global_batch = kMicroBatches;
  Counts counts;
  ss_timeline timeline = silent_timeline(&counts);
  timeline.begin = [](void *self, const ss_slice *slice) {
    ++(*static_cast<Counts *>(self))[{slice->rank, slice->stream}];
  };
  (void)replay_heard(Job(workload, make_machine({}), SS_COST_CALIBRATED), timeline);
  for (int64_t stage = 0; stage < 4; ++stage) {
    const int from_before = stage > 0 ? kMicroBatches : 0, from_behind = stage < 3 ? kMicroBatches : 0;
    const auto received = [&](ss_stream stream) { return counts[std::make_pair(stage, stream)]; };
    EXPECT_EQ(received(SS_STREAM_RECEIVE_ACTIVATIONS), from_before) << stage;
    EXPECT_EQ(received(SS_STREAM_RECEIVE_ACTIVATIONS_OTHER), from_behind) << stage;
    EXPECT_EQ(received(SS_STREAM_RECEIVE_GRADIENTS), from_behind) << stage;
    EXPECT_EQ(received(SS_STREAM_RECEIVE_GRADIENTS_OTHER), from_before) << stage;
  }
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

/* What an observer has heard. */
struct Heard {
  int passes_begun = 0, passes_ended = 0, waits_begun = 0, waits_ended = 0, transfers_begun = 0, transfers_ended = 0;
  int pauses = 0, optimizers = 0;
  int64_t last_transfer = -1;
};

Heard &heard(void *self)
{
  return *static_cast<Heard *>(self);
}

ss_observer make_observer(Heard *told)
{
  ss_observer observer = {};
  observer.self = told;
  observer.pass_begin = [](void *self, const ss_stage_replica *) { heard(self).passes_begun++; };
  observer.pass_end = [](void *self, const ss_stage_replica *) { heard(self).passes_ended++; };
  observer.wait_begin = [](void *self, const ss_stage_replica *) { heard(self).waits_begun++; };
  observer.wait_end = [](void *self, const ss_stage_replica *) { heard(self).waits_ended++; };
  observer.transfer_begin = [](void *self, const ss_transfer *) { heard(self).transfers_begun++; };
  observer.transfer_end = [](void *self, const ss_transfer *transfer) {
    heard(self).transfers_ended++;
    EXPECT_EQ(transfer->ended.transfer, heard(self).last_transfer + 1); /* numbered as they arrive */
    heard(self).last_transfer = transfer->ended.transfer;
  };
  observer.paused = [](void *self, const ss_stage_replica *, const ss_pause *pause) {
    heard(self).pauses++;
    EXPECT_LE(pause->transfer, heard(self).last_transfer);
  };
  observer.optimizer_begin = [](void *self, const ss_stage_replica *, double) { heard(self).optimizers++; };
  return observer;
}

/* Two stages, four micro-batches: 16 passes, 4 messages each way. Stage 1 waits for its first activations, and stage 0
 * for gradients. What begins ends; the last wait of each stage is for its optimizer step. Two who listen hear the same.
 */
TEST(Replay, ObserversHearEverythingOnce)
{
  ss_workload workload = make_workload();
  workload.parallelism.pp = 2;
  workload.training.global_batch = 4;
  const Job job(workload, make_machine({}));
  ss_replay_options options = {};
  options.private_links = true;
  ss_common common = {};
  ss_links links = {};
  ss_world world;
  ASSERT_EQ(ss_world_init(&world, &common, job.get(), &options, {&links, nullptr, nullptr}, nullptr), SS_OK);
  Heard told[2];
  const ss_observer observers[2] = {make_observer(&told[0]), make_observer(&told[1])};
  world.observers = {2, {&observers[0], &observers[1]}};
  ASSERT_EQ(ss_world_run(&world, nullptr), SS_OK);
  for (const Heard &each : told) {
    EXPECT_EQ(each.passes_begun, 16);
    EXPECT_EQ(each.passes_ended, 16);
    EXPECT_EQ(each.transfers_begun, 8);
    EXPECT_EQ(each.transfers_ended, 8);
    EXPECT_EQ(each.last_transfer, 7);
    EXPECT_EQ(each.waits_begun, each.waits_ended);
    EXPECT_GE(each.pauses, 2);
    EXPECT_EQ(each.optimizers, 2);
  }
  ss_world_free(&world);
  ss_event_queue_free(&common.queue);
}

/* Two stages of `tp` ranks each in domains of 4 GPUs: whether nothing slows their kernels, so that passes are runs. */
static bool passes_are_whole(int tp, double nvlink_cost, double fabric_cost)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = tp;
  workload.parallelism.pp = 2;
  workload.training.global_batch = 2;
  ss_machine machine = make_machine({});
  machine.nvlink_compute_cost = nvlink_cost;
  machine.fabric_compute_cost = fabric_cost;
  const Job job(workload, machine);
  ss_replay_options options = {};
  options.private_links = true;
  ss_common common = {};
  ss_links links = {};
  ss_world world;
  EXPECT_EQ(ss_world_init(&world, &common, job.get(), &options, {&links, nullptr, nullptr}, nullptr), SS_OK);
  const bool whole = world.watched.whole_passes;
  ss_world_free(&world);
  return whole;
}

/* Stages of 4 ranks send over the fabric, two of 2 ranks inside a domain. */
TEST(Replay, KernelsAreEventsWhereMessagesSlowThem)
{
  EXPECT_TRUE(passes_are_whole(4, 0.15, 0.0));
  EXPECT_FALSE(passes_are_whole(4, 0.0, 0.15));
  EXPECT_FALSE(passes_are_whole(2, 0.15, 0.0));
  EXPECT_TRUE(passes_are_whole(2, 0.0, 0.15));
}

/* Two stages of 4 ranks, where NVLink slows the kernels beside collectives: the breakdown of the replica that takes
 * longest, with live tasks that nothing touches as parts of runs or played by themselves, and how many of the latter.
 */
static ss_replay_result play_steps(ss_tp_overlap overlap, bool settles, int64_t *live)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = 4;
  workload.parallelism.pp = 2;
  workload.parallelism.sequence_parallel = overlap == SS_TP_OVERLAP_BACKWARD ? SS_NO : SS_YES;
  workload.training.global_batch = 4;
  workload.schedule.overlap_tp = overlap;
  ss_machine machine = make_machine({});
  machine.nvlink_compute_cost = 0.3;
  const Job job(workload, machine, SS_COST_CALIBRATED);
  ss_replay_options options = {};
  options.private_links = true;
  ss_common common = {};
  common.tie_s = 1e-15;
  ss_links links = {};
  ss_world world;
  ss_error error = {};
  EXPECT_EQ(ss_world_init(&world, &common, job.get(), &options, {&links, nullptr, nullptr}, &error), SS_OK);
  *live = 0;
  for (int64_t i = 0; i < world.replica_count; ++i) {
    EXPECT_EQ(world.replica[i].steps, &world.settled);
    if (!settles) world.replica[i].steps = &world.watched;
  }
  const ss_step_set *steps = settles ? &world.settled : &world.watched;
  for (const auto &kind : steps->list)
    for (const ss_step_list &list : kind)
      for (int64_t i = 0; i < list.count; ++i) *live += list.step[i].live;
  EXPECT_EQ(ss_world_run(&world, &error), SS_OK) << error.message;
  const ss_replay_result result = world.result;
  ss_world_free(&world);
  ss_event_queue_free(&common.queue);
  return result;
}

/* Collectives that nothing can delay cost the kernels beside them the same, whether they are events or not. */
TEST(Replay, SettledTasksTakeWhatTheyTakeAsEvents)
{
  for (const ss_tp_overlap overlap : {SS_TP_OVERLAP_BACKWARD, SS_TP_OVERLAP_PIPE, SS_TP_OVERLAP_RING}) {
    int64_t settled_live, watched_live;
    const ss_replay_result settled = play_steps(overlap, true, &settled_live);
    const ss_replay_result watched = play_steps(overlap, false, &watched_live);
    EXPECT_EQ(settled_live, 0);
    EXPECT_GT(watched_live, 0);
    EXPECT_GT(watched.breakdown.other_s, 0.0); /* kernels are slowed down */
#define SS_SAME(field, ...) EXPECT_NEAR(settled.breakdown.field, watched.breakdown.field, 1e-12);
    SS_SAME(iteration_s)
    SS_SAME(compute_s)
    SS_SAME(tp_comm_s)
    SS_SAME(bubble_s)
    SS_SAME(other_s)
#undef SS_SAME
  }
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
  ASSERT_EQ(ss_world_init(&world, &common, job.get(), &options, {&links, nullptr, nullptr}, &error), SS_OK);
  ss_world_replica(&world, 0, 0)->pass = 2 * job->micro_batches; /* claims to be done with all its passes */
  EXPECT_EQ(ss_world_run(&world, &error), SS_ERROR_DEADLOCK);
  EXPECT_STREQ(
      error.message,
      "deadlock at 0.000000000 s; stage replicas that never end: 1; stage 1 of replica 0 waits for a message from a "
      "neighbouring stage at micro-batch 0");
  ss_world_free(&world);
  ss_event_queue_free(&common.queue);
}
