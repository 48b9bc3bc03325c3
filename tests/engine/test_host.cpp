/* Jobs whose host launches each kernel: closed form and replay against times worked out by hand. */
#include <cmath>
#include <string>

#include "tests/support/timelines.hpp"

using namespace stepsim;

namespace
{

constexpr int64_t kLayers = 8, kMicroBatches = 6;

/* One GPU. Forward of a layer is launched in 11 pieces: 2 norms, 2 kernels for q, k and v with their bias, 1 for
 * attention, 3 other products, activation, and 2 additions of bias and residual. Backward begins with one launch. */
constexpr int kForwardLaunches = 11;

/* Of the first tasks of a pass, a norm and bias + dropout + add: the GPU starts when all are done. */
constexpr int kFirstForward = 1, kFirstBackward = 4;

ss_workload launched(ss_host host)
{
  ss_workload w = make_workload();
  w.training.host = host;
  w.training.global_batch = kMicroBatches;
  return w;
}

ss_machine machine_of(double forward_s, double backward_s, double collective_s = 0)
{
  PlatformSpec spec;
  spec.gpus = 4;
  spec.domain = 4;
  ss_machine machine = make_machine(spec);
  machine.host_forward_s = forward_s;
  machine.host_backward_s = backward_s;
  machine.host_collective_s = collective_s;
  return machine;
}

/* The iteration by closed form and replay, which agree. */
ss_breakdown breakdown_of(const ss_workload &workload, const ss_machine &machine)
{
  const Job job(workload, machine, SS_COST_CALIBRATED);
  const ss_breakdown closed = ss_estimate_time(job.get()), replayed = job.replay().breakdown;
  expect_close(replayed.iteration_s, closed.iteration_s, 1e-9);
  EXPECT_NEAR(replayed.host_s, closed.host_s, 1e-9 * closed.iteration_s);
  expect_close(ss_breakdown_sum(&closed), closed.iteration_s, 1e-9);
  return replayed;
}

/* Of the last task of a pass through a layer. */
double last_task_s(const Job &job, ss_pass pass)
{
  const ss_task_list *tasks = ss_job_tasks(job.get(), SS_BLOCK_LAYER, pass);
  return ss_duration_sum(ss_job_task_duration(job.get(), SS_BLOCK_LAYER, pass, &tasks->task[tasks->count - 1]));
}

/* 8 layers of 12.6 million parameters are stepped in lists of 320 x 65,536: 5 kernels to the norm, and 5 behind it,
 * once it is known. Where launches take longer than kernels, what the GPU runs beside them is all but the last of
 * either; and what it had left of the passes, `left_s`, when the host came to the step. */
constexpr double kLists = 5;

double waited_for_step_s(double launch_s, double optimizer_s, double left_s)
{
  return 2 * kLists * launch_s - (1 - 1 / kLists) * optimizer_s - left_s;
}

double launches_of(const Job &job, ss_pass pass)
{
  const ss_task_list *tasks = ss_job_tasks(job.get(), SS_BLOCK_LAYER, pass);
  double sum = 0;
  for (int64_t i = 0; i < tasks->count; ++i)
    sum += static_cast<double>(ss_launch_count(tasks->task[i].activity, pass == SS_PASS_BACKWARD));
  return sum;
}

} /* namespace */

/* Launches of 1 ms are longer than any kernel here: a pass takes its launches and its last kernel. */
TEST(Host, SetsThePaceOfAPass)
{
  const ss_machine machine = machine_of(1e-3, 1e-3);
  const Job job(launched(SS_HOST_EAGER_TIMED), machine, SS_COST_CALIBRATED);
  EXPECT_EQ(launches_of(job, SS_PASS_FORWARD), kForwardLaunches);
  const double forward_s = kLayers * kForwardLaunches * 1e-3 + last_task_s(job, SS_PASS_FORWARD);
  const double backward_s =
      static_cast<double>(kLayers) * launches_of(job, SS_PASS_BACKWARD) * 1e-3 + last_task_s(job, SS_PASS_BACKWARD);
  const ss_breakdown parts = breakdown_of(launched(SS_HOST_EAGER_TIMED), machine);
  const double step_s = waited_for_step_s(1e-3, parts.optimizer_s, last_task_s(job, SS_PASS_BACKWARD));
  expect_close(parts.iteration_s - parts.optimizer_s, kMicroBatches * (forward_s + backward_s) + step_s, 1e-9);
  expect_close(parts.host_s, parts.iteration_s - breakdown_of(launched(SS_HOST_GRAPHS), machine).iteration_s, 1e-9);
}

/* Without fusion, forward of a layer of Llama's kind is launched in 8 kernels for each of 2 norms in place of 1, 6 for
 * the rotary embedding of queries and keys in place of 1, and 2 for SwiGLU in place of 1: 20 more. Backward has 17 for
 * each norm in place of 5, 6 in place of 1, 2 in place of 1, and the sum of two gradients in place of 4 kernels at each
 * of 2 additions: 24 more. */
TEST(Host, LaunchesChains)
{
  const ss_machine machine = machine_of(1e-3, 1e-3);
  ss_workload fused = launched(SS_HOST_EAGER_TIMED);
  fused.model.mlp = SS_MLP_SWIGLU;
  fused.training.dropout = SS_NO;
  ss_workload chains = fused;
  chains.training.fused = SS_NO;
  const double longer_s = breakdown_of(chains, machine).iteration_s - breakdown_of(fused, machine).iteration_s;
  EXPECT_NEAR(longer_s, kMicroBatches * kLayers * (20 + 24) * 1e-3, kMicroBatches * 1e-3);
}

/* Launches of 10 ns are shorter than any kernel: the first kernel of a pass waits for its launch, where the host waits
 * for the GPU before. Where it does not, only the first of all does. So does the first one behind the norm. */
TEST(Host, IsHiddenBehindTheGpu)
{
  const ss_machine machine = machine_of(10e-9, 10e-9);
  const double graphs_s = breakdown_of(launched(SS_HOST_GRAPHS), machine).iteration_s;
  const double timed_s = breakdown_of(launched(SS_HOST_EAGER_TIMED), machine).iteration_s;
  const double ahead_s = breakdown_of(launched(SS_HOST_EAGER), machine).iteration_s;
  EXPECT_NEAR(timed_s - graphs_s, ((kFirstForward + kFirstBackward) * kMicroBatches + 1) * 10e-9, 1e-15);
  EXPECT_NEAR(ahead_s - graphs_s, (kFirstForward + 1) * 10e-9, 1e-15);
}

/* Two sums of each of 3 metrics are gathered from 4 GPUs behind a step: 24 tensors, which the host launches at 1 ms,
 * and copies to at the 10 us between two kernels. */
TEST(Host, GathersMetricsOfTheLoss)
{
  ss_machine machine = machine_of(1e-3, 1e-3);
  machine.launch_overhead_s = 10e-6;
  ss_workload workload = launched(SS_HOST_EAGER);
  workload.parallelism.dp = 4;
  workload.training.global_batch *= 4;
  const auto wait_s = [&] {
    const Job job(workload, machine, SS_COST_CALIBRATED);
    const ss_launches step = ss_job_step_launches(job.get(), 0, 1e-3);
    return step.lag_s;
  };
  const double without_s = wait_s();
  workload.training.loss_metrics = 3;
  expect_close(wait_s() - without_s, 24 * 1.01e-3, 1e-9);
}

/* Tensor by tensor: ahead of each the host waits for the GPU, which then waits for ten launches of 1 ms, of clipping,
 * eight operations and a copy. A layer has 12 tensors; of 4 ranks each has parts of 1 + 11/4 in the mean. */
TEST(Host, StepsTensorByTensor)
{
  ss_workload workload = launched(SS_HOST_EAGER);
  workload.training.optimizer_step = SS_STEP_TENSORS;
  const auto wait_s = [&](int dp, ss_sharding sharding) {
    workload.parallelism.dp = dp;
    workload.training.global_batch = kMicroBatches * dp;
    workload.parallelism.sharding = sharding;
    const Job job(workload, machine_of(1e-3, 1e-3), SS_COST_CALIBRATED);
    return ss_job_step_launches(job.get(), 0, 1e-9).lag_s;
  };
  expect_close(wait_s(1, SS_SHARDING_NONE), 10e-3 * 12 * kLayers, 1e-6);
  expect_close(wait_s(4, SS_SHARDING_PARAMETERS), 10e-3 * (1 + 11.0 / 4) * kLayers, 1e-6);
  workload.parallelism.fsdp = SS_FSDP_FLAT;
  expect_close(wait_s(4, SS_SHARDING_PARAMETERS), 10e-3 * (1 + 11.0 / 4) * kLayers, 1e-6);
}

/* Where each tensor is sharded by itself, a rank has some of all: with GELU of 12 of a layer, of a table, and of weight
 * and bias of the last norm with the matrix of the output layer, unless that is the table. SwiGLU has no biases; with
 * products for each matrix a layer has two norms and seven. */
TEST(Host, StepsSharesOfAllTensors)
{
  ss_workload workload = launched(SS_HOST_EAGER);
  workload.training.optimizer_step = SS_STEP_TENSORS;
  workload.parallelism.dp = 4;
  workload.training.global_batch = kMicroBatches * 4;
  workload.parallelism.sharding = SS_SHARDING_PARAMETERS;
  workload.parallelism.fsdp = SS_FSDP_PER_PARAMETER;
  const auto tensors = [&] {
    const Job job(workload, machine_of(1e-3, 1e-3), SS_COST_CALIBRATED);
    return ss_job_step_launches(job.get(), 0, 1e-9).lag_s / 10e-3;
  };
  expect_close(tensors(), 12 * kLayers, 1e-6);
  workload.model.vocabulary = 1024;
  expect_close(tensors(), 12 * kLayers + 1 + 3, 1e-6);
  workload.model.tied_embeddings = SS_YES;
  expect_close(tensors(), 12 * kLayers + 1 + 2, 1e-6);
  workload.parallelism.fsdp = SS_FSDP_FLAT; /* 2.75 and 1 and 1.25 */
  expect_close(tensors(), std::ceil((1 + 11.0 / 4) * kLayers + 1 + 1.25), 1e-6);
  workload.parallelism.fsdp = SS_FSDP_PER_PARAMETER;
  workload.model.vocabulary = 0;
  workload.model.tied_embeddings = SS_NO;
  workload.model.mlp = SS_MLP_SWIGLU;
  workload.training.projections = SS_PROJECTIONS_SEPARATE;
  expect_close(tensors(), 9 * kLayers, 1e-6);
}

/* Experts are sharded over those that hold the same: with all four ranks in one expert-parallel group, none is. Each
 * has one of four, whose two matrices have biases; beside the router, of which and of two norms, the products around
 * attention and their biases, flat shards are a quarter: 1 + 9/4 and 4. */
TEST(Host, StepsExpertsByTheirShards)
{
  ss_workload workload = launched(SS_HOST_EAGER);
  workload.training.optimizer_step = SS_STEP_TENSORS;
  workload.parallelism.dp = workload.parallelism.ep = 4;
  workload.training.global_batch = kMicroBatches * 4;
  workload.parallelism.sharding = SS_SHARDING_PARAMETERS;
  workload.parallelism.fsdp = SS_FSDP_FLAT;
  workload.model.experts = 4;
  workload.model.top_k = 1;
  workload.model.expert_ffn = workload.model.ffn;
  const auto tensors = [&] {
    const Job job(workload, machine_of(1e-3, 1e-3), SS_COST_CALIBRATED);
    return ss_job_step_launches(job.get(), 0, 1e-9).lag_s / 10e-3;
  };
  expect_close(tensors(), std::ceil((1 + 9.0 / 4 + 4) * kLayers), 1e-6);
  workload.model.experts = 8; /* two each, by kernels of their own, and then by one */
  expect_close(tensors(), std::ceil((1 + 9.0 / 4 + 8) * kLayers), 1e-6);
  workload.training.expert_kernels = SS_EXPERT_KERNELS_GROUPED;
  expect_close(tensors(), std::ceil((1 + 9.0 / 4 + 4) * kLayers), 1e-6);
}

/* Forward waits for launches of 1 ms, backward is launched in next to no time. A host that waits for the GPU before
 * each pass has both behind one another. One that runs ahead launches forward of the next micro-batch during backward
 * of this one, which is shorter: what is left is all it launches, the last kernel of forward, and the last backward
 * pass. */
TEST(Host, RunsAheadUntilItWaits)
{
  const ss_machine machine = machine_of(1e-3, 10e-9);
  const Job job(launched(SS_HOST_EAGER), machine, SS_COST_CALIBRATED);
  const double forward_s = kLayers * kForwardLaunches * 1e-3, end_s = last_task_s(job, SS_PASS_FORWARD);
  const double backward_s = kLayers * job.layer_s(SS_PASS_BACKWARD);
  const double backward_launches_s = static_cast<double>(kLayers) * launches_of(job, SS_PASS_BACKWARD) * 10e-9;
  const ss_breakdown timed = breakdown_of(launched(SS_HOST_EAGER_TIMED), machine);
  const double begin_s = kFirstBackward * 10e-9, left_s = backward_s - backward_launches_s;
  expect_close(timed.iteration_s - timed.optimizer_s,
               kMicroBatches * (forward_s + end_s + begin_s + backward_s) +
                   waited_for_step_s(1e-3, timed.optimizer_s, begin_s + left_s),
               1e-9);
  const ss_breakdown ahead = breakdown_of(launched(SS_HOST_EAGER), machine);
  expect_close(ahead.iteration_s - ahead.optimizer_s,
               kMicroBatches * forward_s + (kMicroBatches - 1) * backward_launches_s + end_s + backward_s +
                   waited_for_step_s(1e-3, ahead.optimizer_s, end_s + left_s),
               1e-9);
}

/* A GPU at 1/10,000 of its speed takes more than 5 ms for its shortest kernel, a norm of 1 MiB each way: launches of 1
 * ms are hidden as those of 10 ns are behind one of full speed. */
TEST(Host, IsHiddenBehindASlowGpu)
{
  ss_machine machine = machine_of(1e-3, 1e-3);
  std::snprintf(machine.gpu_speed, sizeof machine.gpu_speed, "0:0.0001");
  const auto replayed_s = [&](ss_host host) {
    return Job(launched(host), machine, SS_COST_CALIBRATED).replay().breakdown.iteration_s;
  };
  const double timed_s = replayed_s(SS_HOST_EAGER_TIMED) - replayed_s(SS_HOST_GRAPHS);
  EXPECT_NEAR(timed_s, ((kFirstForward + kFirstBackward) * kMicroBatches + 1) * 1e-3, 1e-9);
}

/* A queue of 1,024 launches, of which forward has 11 of 3 us in a layer and backward some of 1 us. */
TEST(Host, HasAQueue)
{
  const Job job(launched(SS_HOST_EAGER), machine_of(3e-6, 1e-6), SS_COST_CALIBRATED);
  const double backward = launches_of(job, SS_PASS_BACKWARD);
  expect_close(job->host.ahead_s, 1024 * (kForwardLaunches * 3e-6 + backward * 1e-6) / (kForwardLaunches + backward),
               1e-12);
}

/* On two stages that exchange messages between passes, the host waits before each pass, whatever the word is. */
TEST(Host, WaitsWhereStagesExchangeMessages)
{
  ss_workload workload = launched(SS_HOST_EAGER);
  workload.parallelism.pp = 2;
  ss_workload timed = workload;
  timed.training.host = SS_HOST_EAGER_TIMED;
  const ss_machine machine = machine_of(200e-6, 20e-6);
  expect_close(breakdown_of(workload, machine).iteration_s, breakdown_of(timed, machine).iteration_s, 1e-12);
}

/* Two all-reduces forward and two backward in each layer, of two ranks, whose launches the host adds. */
TEST(Host, LaunchesCollectives)
{
  ss_workload workload = launched(SS_HOST_EAGER_TIMED);
  workload.parallelism.tp = 2;
  workload.parallelism.sequence_parallel = SS_NO;
  const double without_s = breakdown_of(workload, machine_of(1e-3, 1e-3)).iteration_s;
  const double with_s = breakdown_of(workload, machine_of(1e-3, 1e-3, 1e-3)).iteration_s;
  expect_close(with_s - without_s, kMicroBatches * kLayers * 4 * 1e-3, 1e-9);
}

/* Of two stages, one sends a micro-batch on behind forward and gets its gradients back. Where launches take longer than
 * kernels, the launch of either message begins when those of the pass are done, and the last kernel runs beside it. */
TEST(Host, LaunchesMessages)
{
  ss_workload workload = launched(SS_HOST_EAGER);
  workload.parallelism.pp = 2;
  workload.training.global_batch = 1;
  const Job job(workload, machine_of(1e-3, 1e-3), SS_COST_CALIBRATED);
  const double ends_s = last_task_s(job, SS_PASS_FORWARD) + last_task_s(job, SS_PASS_BACKWARD);
  const double without_s = breakdown_of(workload, machine_of(1e-3, 1e-3)).iteration_s;
  const double with_s = breakdown_of(workload, machine_of(1e-3, 1e-3, 5e-3)).iteration_s;
  expect_close(with_s - without_s, 2 * 5e-3 - ends_s, 1e-9);
}

/* A host that is ahead of the GPU has launched a message long before its pass is over; it waits for the GPU before each
 * pass then, and launches nothing behind the last one. */
TEST(Host, LaunchesMessagesAhead)
{
  ss_workload workload = launched(SS_HOST_EAGER);
  workload.parallelism.pp = 2;
  const double without_s = breakdown_of(workload, machine_of(10e-9, 10e-9)).iteration_s;
  expect_close(breakdown_of(workload, machine_of(10e-9, 10e-9, 10e-9)).iteration_s, without_s, 1e-12);
}

/* Launches take longer than kernels and collectives. Each layer is reduced behind its backward pass, gradients in the
 * last micro-batch only, shards of them in all: all but the last kernel of a pass come later by the launches behind the
 * layers before, and the last launch begins when those of the pass are done, while its last kernel runs; but in the
 * last pass, where the step is what comes later. */
TEST(Host, LaunchesReductions)
{
  for (const ss_sharding sharding : {SS_SHARDING_NONE, SS_SHARDING_PARAMETERS}) {
    ss_workload workload = launched(SS_HOST_EAGER_TIMED);
    workload.parallelism.dp = 2;
    workload.parallelism.sharding = sharding;
    workload.training.global_batch = 2 * kMicroBatches;
    workload.schedule.overlap_dp = SS_YES;
    const Job job(workload, machine_of(1e-3, 1e-3), SS_COST_CALIBRATED);
    const double end_s = last_task_s(job, SS_PASS_BACKWARD);
    const double without_s = breakdown_of(workload, machine_of(1e-3, 1e-3)).iteration_s;
    const double with_s = breakdown_of(workload, machine_of(1e-3, 1e-3, 5e-3)).iteration_s;
    const int64_t passes = sharding == SS_SHARDING_PARAMETERS ? kMicroBatches : 1;
    expect_close(with_s - without_s, static_cast<double>(passes) * (kLayers * 5e-3 - end_s) + end_s, 1e-9);
  }
}

/* Neither CUDA graphs nor costs that are those of a paper know a host. */
TEST(Host, IsNotThere)
{
  EXPECT_EQ(breakdown_of(launched(SS_HOST_GRAPHS), machine_of(1e-3, 1e-3)).host_s, 0);
  const Job job(launched(SS_HOST_EAGER), machine_of(1e-3, 1e-3), SS_COST_SC24);
  EXPECT_EQ(ss_estimate_time(job.get()).host_s, 0);
  EXPECT_EQ(job.replay().breakdown.host_s, 0);
}

/* The critical path blames the host for what the parts say. */
TEST(Host, IsOnTheCriticalPath)
{
  ss_workload workload = launched(SS_HOST_EAGER_TIMED);
  workload.parallelism.dp = 2;
  workload.training.global_batch *= 2;
  const Job job(workload, machine_of(200e-6, 20e-6), SS_COST_CALIBRATED);
  const ss_replay_result result = job.replay();
  EXPECT_GT(result.breakdown.host_s, 0);
  expect_close(result.path.host_s, result.breakdown.host_s, 1e-9);
}

/* A timeline is told that nothing comes before what the host launches next, which rounding must not undo. */
TEST(Host, LaunchesNothingBeforeWhatItHasLaunched)
{
  struct Heard {
    double launched_s = 0;
    int slices = 0, early = 0;
  } heard;
  ss_timeline timeline = silent_timeline(&heard);
  timeline.begin = [](void *self, const ss_slice *slice) {
    auto *of = static_cast<Heard *>(self);
    if (slice->stream != SS_STREAM_HOST || slice->rank != 0) return;
    of->slices++;
    of->early += slice->time_s < of->launched_s;
  };
  timeline.end = [](void *self, int64_t rank, ss_stream stream, double time_s) {
    if (stream == SS_STREAM_HOST && rank == 0) static_cast<Heard *>(self)->launched_s = time_s;
  };
  for (double noise : {0.0, 0.1}) {
    ss_workload workload = launched(SS_HOST_EAGER);
    workload.training.global_batch = 32;
    ss_machine machine = machine_of(7.1e-6, 13.3e-6);
    machine.kernel_noise = noise;
    heard = {};
    (void)replay_heard(Job(workload, machine, SS_COST_CALIBRATED), timeline);
    EXPECT_GT(heard.slices, 32 * 2 * kLayers);
    EXPECT_EQ(heard.early, 0);
  }
}
