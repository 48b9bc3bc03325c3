/* Pipelines with a layout: what uneven chunks take and hold, in closed form and replayed. */
#include "tests/support/layouts.hpp"

using namespace stepsim;

/* The same layers by other words are the same job. */
TEST(Layout, SaysTheSameInOtherWords)
{
  ss_workload workload = make_pipeline(10, 4, 1);
  workload.model.vocabulary = 32000;
  workload.parallelism.account_for_embedding = workload.parallelism.account_for_loss = SS_YES;
  const Job counted(workload, make_machine({}), SS_COST_CALIBRATED);
  workload.parallelism.account_for_embedding = workload.parallelism.account_for_loss = SS_NO;
  workload.parallelism.first_stage_layers = workload.parallelism.last_stage_layers = 2;
  const Job given(workload, make_machine({}), SS_COST_CALIBRATED);
  workload.parallelism.first_stage_layers = workload.parallelism.last_stage_layers = SS_DERIVED;
  set_layout(workload, "Ett|(ttt|)*2,ttL");
  const Job laid_out(workload, make_machine({}), SS_COST_CALIBRATED);
  const double iteration_s = ss_estimate_time(counted.get()).iteration_s;
  const double bytes = ss_estimate_memory(counted.get()).total_bytes;
  for (const Job *job : {&given, &laid_out}) {
    EXPECT_EQ(ss_estimate_time(job->get()).iteration_s, iteration_s);
    EXPECT_EQ(ss_estimate_memory(job->get()).total_bytes, bytes);
    EXPECT_EQ(job->replay().breakdown.iteration_s, counted.replay().breakdown.iteration_s);
  }
}

/* Two stages of two chunks, two micro-batches: all forward, then all backward. With 3, 1, 1 and 3 layers in the parts
 * and messages that take no time, in layers: the first stage runs part 0 until 3 and 6, the second one part 1 until 4
 * and 7, the first one part 2 until 7 and 8, the second one part 3 until 10 and 13. Backward is the same the other way
 * round. Each stage has 8 layers to run, so the bubble is 5. */
TEST(Layout, UnevenChunksTakeTheirTime)
{
  ss_workload workload = make_pipeline(8, 2, 2);
  workload.training.global_batch = 2;
  set_layout(workload, "Ettt|t|t|tttL");
  ss_what_if what_if = {};
  what_if.free_messages = what_if.no_latency = true;
  const Job job(workload, make_machine(instant_messages()), SS_COST_CALIBRATED, what_if);
  const double layer_s = job.layer_s(SS_PASS_FORWARD) + job.layer_s(SS_PASS_BACKWARD);
  const ss_breakdown parts = ss_estimate_time(job.get());
  expect_close(parts.iteration_s - parts.optimizer_s, 13 * layer_s, 1e-9);
  expect_close(parts.bubble_s, 5 * layer_s, 1e-9);
  ss_replay_options options = {};
  options.private_links = true;
  expect_close(job.replay(options).breakdown.iteration_s, parts.iteration_s, 1e-9);
}

/* The first of two stages with two chunks holds 2 + 2 + 1 micro-batches in chunks: three of the first chunk and two of
 * the second after the forward passes that come first, then four and one, as backward takes from the second chunk and
 * forward adds to the first. With three layers in the first chunk and one in the second that is 3 * 4 + 1. */
TEST(Layout, UnevenChunksHoldTheirLayers)
{
  ss_workload workload = make_pipeline(8, 2, 2);
  workload.training.global_batch = 8;
  set_layout(workload, "Ettt|t|t|tttL");
  const Job job(workload, make_machine({}), SS_COST_SC24);
  const ss_memory memory = ss_estimate_stage_memory(job.get(), 0);
  EXPECT_DOUBLE_EQ(memory.activations_bytes - memory.recompute_bytes, 13 * job->block[SS_BLOCK_LAYER].stored_bytes);
}

/* A chunk of nothing sends on what it receives: two layers on the first and the last of three stages, one micro-batch
 * that goes to and fro. */
TEST(Layout, AnEmptyStagePassesOn)
{
  ss_workload workload = make_pipeline(4, 3, 1);
  workload.training.global_batch = 1;
  set_layout(workload, "Ett||ttL");
  const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
  const double layer_s = job.layer_s(SS_PASS_FORWARD) + job.layer_s(SS_PASS_BACKWARD);
  const double hop_s = ss_job_hop_s(job.get(), false, SS_CARGO_STATES);
  const ss_breakdown parts = ss_estimate_time(job.get());
  expect_close(parts.iteration_s - parts.optimizer_s, 4 * layer_s + 4 * hop_s, 1e-9);
  expect_close(job.replay().breakdown.iteration_s, parts.iteration_s, 1e-9);
}
