/* Replays of pipelines on the network simulator against what the theory says. */
#include "tests/support/fixtures.hpp"

using namespace stepsim;

namespace
{

ss_workload make_pipeline(ss_pipeline pipeline, int stages, int micro_batches)
{
  ss_workload workload = make_workload();
  workload.parallelism.pp = stages;
  workload.training.global_batch = micro_batches;
  workload.schedule.pipeline = pipeline;
  return workload;
}

} // namespace

/* P equal stages, M micro-batches, nothing but compute: the first micro-batch needs P (tf + tb), every other one more
 * tf + tb, for GPipe and 1F1B alike, eager or not. */
TEST(Pipeline, TakesMPlusPMinusOneSteps)
{
  const ss_machine machine = make_machine(instant_messages());
  for (ss_pipeline pipeline : {SS_PIPELINE_GPIPE, SS_PIPELINE_1F1B, SS_PIPELINE_EAGER_1F1B})
    for (int stages : {1, 2, 4, 8})
      for (int micro_batches : {1, 2, 5, 16}) {
        if (ss_schedule_of(pipeline)->needs_stages && stages == 1) continue;
        ss_workload workload = make_pipeline(pipeline, stages, micro_batches);
        workload.model.layers = 800;
        const Job job(workload, machine);
        const double step_s = 800.0 / stages * (job.layer_s(SS_PASS_FORWARD) + job.layer_s(SS_PASS_BACKWARD));
        const ss_breakdown parts = job.replay().breakdown;
        expect_close(parts.iteration_s, (micro_batches + stages - 1) * step_s, 1e-9);
        expect_close(parts.iteration_s, ss_estimate_time(job.get()).iteration_s, 1e-9);
        if (stages > 1) expect_close(parts.bubble_s, (stages - 1) * step_s, 1e-8);
      }
}

/* Two stages, one micro-batch: forward, message, forward, backward, message, backward. */
TEST(Pipeline, MessagesAreOnTheCriticalPath)
{
  const ss_machine machine = make_machine({});
  ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 2, 1);
  const Job job(workload, machine);
  /* 2 bytes x 512 tokens x 1024 inside a domain: 300 GB/s x 0.7 and 2.5 us */
  const double message_s = 2.5e-6 + 2.0 * 512 * 1024 / (0.7 * 300e9);
  const double compute_s = 8 * (job.layer_s(SS_PASS_FORWARD) + job.layer_s(SS_PASS_BACKWARD));
  expect_close(job.replay().breakdown.iteration_s, compute_s + 2 * message_s, 1e-9);
}

/* Ranks 0 and 1 of stage 0 on GPUs 0 and 1, those of stage 1 on GPUs 2 and 4, where domains have 4: the message of the
 * first stays inside, 10 us and 120 us for its bytes; that of the second crosses, 50 us and 100 us. Each has its own
 * start-up: a stage has both after 150 us, and if NVLink takes 180 us, after 190 us. The closed form counts what
 * crosses. */
TEST(Pipeline, EachRankHasItsOwnStartUp)
{
  PlatformSpec spec;
  const double bytes = 2.0 * 512 * 1024;
  spec.nvlink_latency_s = 10e-6;
  spec.fabric_latency_s = 50e-6;
  spec.fabric_bytes_per_s = bytes / 100e-6 / 0.7;
  const int32_t gpus[] = {0, 1, 2, 4};
  ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 2, 1);
  workload.parallelism.tp = 2;
  workload.parallelism.sequence_parallel = SS_NO;
  for (double nvlink_s : {120e-6, 180e-6}) {
    spec.nvlink_bytes_per_s = bytes / nvlink_s / 0.7;
    const Job job(workload, make_machine(spec), SS_COST_CALIBRATED, {}, gpus);
    const double message_s = std::max(10e-6 + nvlink_s, 150e-6);
    ss_replay_options alone = {};
    alone.private_links = true;
    for (const ss_breakdown &parts : {job.replay().breakdown, job.replay_all_flows().breakdown})
      expect_close(parts.pp_comm_s, 2 * message_s, 1e-9);
    expect_close(job.replay(alone).breakdown.pp_comm_s, 2 * message_s, 1e-9);
    const bool crosses = ss_placement_crosses(&job->placement, 0, 1);
    if (nvlink_s < 150e-6) expect_close(ss_job_hop_s(job.get(), crosses, SS_CARGO_STATES), message_s, 1e-9);
  }
}

/* Messages beside compute: in the steady state of 1F1B a stage never waits for its own message to leave. */
TEST(Pipeline, OverlappedMessagesCostNoMore)
{
  const ss_machine machine = make_machine({});
  for (int stages : {2, 4, 8}) {
    ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, stages, 16);
    const double blocking_s = Job(workload, machine).replay().breakdown.iteration_s;
    workload.schedule.overlap_pp = SS_YES;
    const ss_breakdown beside = Job(workload, machine).replay().breakdown;
    EXPECT_LT(beside.iteration_s, blocking_s);
  }
}

/* The pace is that of the slowest hop: 8 stages in domains of 4, so that one of 7 hops crosses the fabric; with many
 * micro-batches the stage before it needs tf + tb and its two messages, one of them over the fabric. */
TEST(Pipeline, SlowestHopSetsThePace)
{
  PlatformSpec spec;
  spec.fabric_bytes_per_s = 1e9;
  const ss_machine machine = make_machine(spec);
  const Job few(make_pipeline(SS_PIPELINE_1F1B, 8, 20), machine, SS_COST_CALIBRATED);
  const Job many(make_pipeline(SS_PIPELINE_1F1B, 8, 60), machine, SS_COST_CALIBRATED);
  const double bytes = 2.0 * 512 * 1024;
  const double slow_s = 5e-6 + bytes / (0.7 * 1e9), fast_s = 2.5e-6 + bytes / (0.7 * 300e9);
  const double period_s = few.layer_s(SS_PASS_FORWARD) + few.layer_s(SS_PASS_BACKWARD) + slow_s + fast_s;
  const auto more_s = [&](auto time_s) { return time_s(many) - time_s(few); };
  expect_close(more_s([](const Job &job) { return ss_estimate_time(job.get()).iteration_s; }), 40 * period_s, 1e-9);
  expect_close(more_s([](const Job &job) { return job.replay().breakdown.iteration_s; }), 40 * period_s, 1e-6);
}

/* Messages beside compute still take their time on the way in and out: forward and backward over P - 1 hops. */
TEST(Pipeline, OverlappedMessagesFillAndDrain)
{
  ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 4, 1);
  workload.schedule.overlap_pp = SS_YES;
  const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
  const double message_s = 2.5e-6 + 2.0 * 512 * 1024 / (0.7 * 300e9);
  const double expected_s = 8 * (job.layer_s(SS_PASS_FORWARD) + job.layer_s(SS_PASS_BACKWARD)) + 6 * message_s +
                            ss_job_optimizer(job.get(), 0).optimizer_s;
  expect_close(ss_estimate_time(job.get()).iteration_s, expected_s, 1e-9);
  expect_close(job.replay().breakdown.iteration_s, expected_s, 1e-9);
}

/* The order of work does not hide them: with 4 micro-batches on the first of 4 stages, the fifth goes in when the first
 * is back, 4 (f + b) and 6 messages later, and the ninth when the fifth is. Its 3 followers go in with it; the second
 * stage holds but 3: the last one goes on from there after another 3 (f + b) and 4 messages. Then it has its own way,
 * 4 (f + b) and 6 messages. */
TEST(Pipeline, OverlappedMessagesLengthenTheRoundTrip)
{
  ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 4, 12);
  workload.schedule.overlap_pp = SS_YES;
  const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
  const double message_s = 2.5e-6 + 2.0 * 512 * 1024 / (0.7 * 300e9);
  const double stage_s = 2 * (job.layer_s(SS_PASS_FORWARD) + job.layer_s(SS_PASS_BACKWARD));
  const double expected_s = 15 * stage_s + (2 * 6 + 4 + 6) * message_s + ss_job_optimizer(job.get(), 0).optimizer_s;
  expect_close(ss_estimate_time(job.get()).iteration_s, expected_s, 1e-9);
  expect_close(job.replay().breakdown.iteration_s, expected_s, 1e-9);
}

/* Eager 1F1B hides them where 2 m is less than f + b: the first stage has 7 micro-batches to do in the 4 (f + b) and 6
 * messages of a round trip. Only the way in and out is left. */
TEST(Pipeline, EagerHidesTheRoundTrip)
{
  ss_workload workload = make_pipeline(SS_PIPELINE_EAGER_1F1B, 4, 12);
  workload.schedule.overlap_pp = SS_YES;
  const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
  const double message_s = 2.5e-6 + 2.0 * 512 * 1024 / (0.7 * 300e9);
  const double stage_s = 2 * (job.layer_s(SS_PASS_FORWARD) + job.layer_s(SS_PASS_BACKWARD));
  const double expected_s = 15 * stage_s + 6 * message_s + ss_job_optimizer(job.get(), 0).optimizer_s;
  EXPECT_LT(2 * message_s, stage_s);
  expect_close(ss_estimate_time(job.get()).iteration_s, expected_s, 1e-9);
  expect_close(job.replay().breakdown.iteration_s, expected_s, 1e-9);
}

/* 5 and 3 layers on 2 stages: with its one warm-up pass, the first stage of 1F1B waits 3 (f + b) - 5 f for its first
 * backward pass and 3 (f + b) - 5 b for its last one. Two passes take longer than 3 (f + b). */
TEST(Pipeline, EagerHasWorkMeanwhile)
{
  for (ss_pipeline pipeline : {SS_PIPELINE_1F1B, SS_PIPELINE_EAGER_1F1B}) {
    ss_workload workload = make_pipeline(pipeline, 2, 4);
    workload.parallelism.first_stage_layers = 5;
    const Job job(workload, make_machine(instant_messages()));
    const double f = job.layer_s(SS_PASS_FORWARD), b = job.layer_s(SS_PASS_BACKWARD);
    EXPECT_TRUE(3 * b > 2 * f && 3 * f > 2 * b && 3 * b < 7 * f && 3 * f < 7 * b);
    const double waits_s = pipeline == SS_PIPELINE_1F1B ? (3 * b - 2 * f) + (3 * f - 2 * b) : 0;
    const double expected_s = 4 * 5 * (f + b) + waits_s;
    expect_close(ss_estimate_time(job.get()).iteration_s, expected_s, 1e-8);
    expect_close(job.replay().breakdown.iteration_s, expected_s, 1e-8);
  }
}

/* Every tensor rank sends its share over its own NIC: 2 (P - 1) M messages of 2 b l e / tp bytes per tensor rank. */
TEST(Pipeline, BytesOnTheNetworkAreTheMessages)
{
  ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 4, 6);
  workload.parallelism.tp = 4;
  const Job job(workload, make_machine({}));
  const ss_replay_result result = job.replay();
  EXPECT_EQ(result.flows, 2 * 3 * 6 * 4);
  expect_close(result.fabric_bytes, 2 * 3 * 6 * (2.0 * 512 * 1024), 1e-12);
  EXPECT_EQ(result.nvlink_bytes, 0);
}

/* Two GPUs that share a NIC halve each other's bandwidth: tp 2 in a domain of two GPUs with one NIC. */
TEST(Pipeline, SharedNicIsContention)
{
  PlatformSpec spec;
  spec.gpus = 4;
  spec.domain = 2;
  spec.nics = 1;
  spec.fabric_latency_s = 0;
  ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 2, 1);
  workload.parallelism.tp = 2;
  const Job job(workload, make_machine(spec));
  ss_replay_options private_links = {};
  private_links.private_links = true;
  const double alone_s = job.replay(private_links).breakdown.iteration_s, shared_s = job.replay().breakdown.iteration_s;
  /* each direction carries two messages of 2 b l e / 2 bytes over one 25 GB/s x 0.7 NIC: one message's time more */
  const double message_s = 512.0 * 1024 / (0.7 * 25e9);
  EXPECT_NEAR(shared_s - alone_s, 2 * message_s, 1e-9 * shared_s);
  ss_explanation why = {};
  ss_error error = {};
  const ss_replay_options options = {};
  ASSERT_EQ(ss_explain(job.get(), &options, shared_s, &why, &error), SS_OK);
  EXPECT_NEAR(why.contention_s, 2 * message_s, 1e-9 * shared_s);
}
