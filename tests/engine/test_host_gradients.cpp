/* Gradients that go to the host beside backward, and a step that waits for the last of them. */
#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/estimate/estimate.h"
#include "model/plan/optimizer.h"
}

using namespace stepsim;

namespace
{

ss_workload stepped_by_host(int dp, int micro_batches)
{
  ss_workload w = make_workload();
  w.parallelism.dp = dp;
  w.training.global_batch = dp * micro_batches;
  w.parallelism.sharding = SS_SHARDING_GRADIENTS;
  w.training.offload_optimizer = SS_YES;
  w.training.offload_step = SS_OFFLOAD_STEP_HOST;
  return w;
}

ss_machine machine_with_link(double bytes_per_s)
{
  ss_machine machine = make_machine({});
  machine.offload_bytes = 1e12;
  machine.offload_bytes_per_s = bytes_per_s;
  return machine;
}

} /* namespace */

/* 4 bytes of each parameter of a layer take the link longer than the layer's backward pass takes: all of them go
 * without a gap from the end of the first one on, of all micro-batches, and the step begins behind the last. */
TEST(HostGradients, GradientsOnASlowLink)
{
  for (const int micro_batches : {1, 2, 3, 50}) {
    const Job job(stepped_by_host(1, micro_batches), machine_with_link(1e9), SS_COST_CALIBRATED);
    const double down_s = 4 * job->block[SS_BLOCK_LAYER].parameters[SS_WEIGHTS_DENSE] / 1e9;
    const double first_s = 8 * job.layer_s(SS_PASS_FORWARD) + job.layer_s(SS_PASS_BACKWARD);
    const double step_s = ss_optimizer_time_sum(ss_job_optimizer(job.get(), 0));
    const ss_breakdown parts = job.replay().breakdown;
    expect_close(parts.iteration_s, first_s + micro_batches * 8 * down_s + step_s, 1e-9);
    expect_close(ss_estimate_time(job.get()).iteration_s, parts.iteration_s, 1e-9);
    expect_close(ss_breakdown_sum(&parts), parts.iteration_s, 1e-9);
  }
}

/* On a fast link only those of the last layer are not beside a pass. */
TEST(HostGradients, GradientsOnAFastLink)
{
  const Job job(stepped_by_host(1, 3), machine_with_link(400e9), SS_COST_CALIBRATED);
  const double down_s = 4 * job->block[SS_BLOCK_LAYER].parameters[SS_WEIGHTS_DENSE] / 400e9;
  ASSERT_LT(down_s, job.layer_s(SS_PASS_BACKWARD));
  const double step_s = ss_optimizer_time_sum(ss_job_optimizer(job.get(), 0));
  const double passes_s = 3 * 8 * (job.layer_s(SS_PASS_FORWARD) + job.layer_s(SS_PASS_BACKWARD));
  expect_close(job.replay().breakdown.iteration_s, passes_s + down_s + step_s, 1e-9);
  expect_close(ss_estimate_time(job.get()).iteration_s, passes_s + down_s + step_s, 1e-9);
}

/* Each rank sends its shard, a quarter. */
TEST(HostGradients, ShardsOfGradients)
{
  const Job job(stepped_by_host(4, 2), machine_with_link(1e9), SS_COST_CALIBRATED);
  EXPECT_DOUBLE_EQ(job->offload.write_bytes[SS_BLOCK_LAYER][SS_PASS_BACKWARD],
                   job->block[SS_BLOCK_LAYER].parameters[SS_WEIGHTS_DENSE]);
  expect_close(ss_estimate_time(job.get()).iteration_s, job.replay().breakdown.iteration_s, 1e-9);
}

/* Stages, where a split backward completes gradients in weight passes, and gradients beside activations on their way.
 */
TEST(HostGradients, StagesAgree)
{
  for (const ss_pipeline pipeline : {SS_PIPELINE_GPIPE, SS_PIPELINE_1F1B, SS_PIPELINE_ZERO_BUBBLE_1})
    for (const ss_switch activations : {SS_NO, SS_YES})
      for (const double link : {1e9, 5e9, 50e9}) {
        ss_workload w = stepped_by_host(1, 8);
        w.parallelism.pp = 2;
        w.schedule.pipeline = pipeline;
        w.training.offload_activations = activations;
        if (ss_workload_check(&w, nullptr) != SS_OK) continue;
        const Job job(w, machine_with_link(link), SS_COST_CALIBRATED);
        SCOPED_TRACE(testing::Message() << pipeline << " " << activations << " " << link);
        expect_close(ss_estimate_time(job.get()).iteration_s, job.replay().breakdown.iteration_s, 1e-6);
      }
}
