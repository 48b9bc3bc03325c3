/* The analytic layer against numbers derived by hand. */
#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/operation.h"
#include "model/schedule.h"
}

using namespace stepsim;

/* GPT-3 175B, tensor parallel 4: parameters of a layer are 12 e^2 + 13 e without the qkv bias' 3 e, split over 4 but
 * for the norms and the two biases of width e: (12 e^2 + f) / 4 + 6 e with f = 4 e. */
TEST(Block, ParametersOfALayer)
{
  ss_workload workload = make_workload();
  workload.model.hidden = 12288;
  workload.model.ffn = workload.model.head_size = 0;
  workload.model.heads = 96;
  workload.model.kv_heads = 0;
  workload.parallelism.tp = 4;
  ss_workload_derive(&workload);
  for (ss_cost cost : {SS_COST_CALIBRATED, SS_COST_SC24}) {
    ss_block block;
    ss_block_build(&workload, cost, 4.0, SS_BLOCK_LAYER, &block);
    const double e = 12288;
    EXPECT_DOUBLE_EQ(block.parameters, (12 * e * e + 4 * e) / 4 + 6 * e);
  }
}

/* Llama 3 8B: 4096 x (4096 + 2 x 1024) + 4096^2 + 3 x 4096 x 14336 and two norms of width 4096. */
TEST(Block, GroupedQueriesAndSwiglu)
{
  ss_workload workload = make_workload();
  workload.model.hidden = 4096;
  workload.model.heads = 32;
  workload.model.kv_heads = 8;
  workload.model.head_size = 128;
  workload.model.ffn = 14336;
  workload.model.mlp = SS_MLP_SWIGLU;
  ss_block block;
  ss_block_build(&workload, SS_COST_CALIBRATED, 4.0, SS_BLOCK_LAYER, &block);
  EXPECT_DOUBLE_EQ(block.parameters, 4096.0 * 6144 + 4096.0 * 4096 + 3 * 4096.0 * 14336 + 2 * 4096);
}

/* arXiv 2205.05198 equations 1 to 4: bytes kept of a layer are s b h (34 + 5 a s / h) on one GPU; (10 + 24/t + 5 a s /
 * (h t)) with tensor parallelism, (34 + 5 a s / h) / t with sequence parallelism, 34 / t with selective recomputation,
 * 2 / t with full. */
TEST(Block, ActivationsFollowKorthikanti)
{
  ss_workload workload = make_workload();
  workload.training.attention = SS_ATTENTION_UNFUSED;
  const double s = 512, h = 1024, a = 8, sbh = s * h;
  const auto stored = [&](int tp, ss_switch sequence_parallel, ss_recompute recompute) {
    workload.parallelism.tp = tp;
    workload.parallelism.sequence_parallel = sequence_parallel;
    workload.training.recompute = recompute;
    ss_block block;
    ss_block_build(&workload, SS_COST_CALIBRATED, 4.0, SS_BLOCK_LAYER, &block);
    return block.stored_bytes;
  };
  EXPECT_DOUBLE_EQ(stored(1, SS_YES, SS_RECOMPUTE_NONE), sbh * (34 + 5 * a * s / h));
  EXPECT_DOUBLE_EQ(stored(4, SS_NO, SS_RECOMPUTE_NONE), sbh * (10 + 24 / 4.0 + 5 * a * s / (h * 4)));
  EXPECT_DOUBLE_EQ(stored(4, SS_YES, SS_RECOMPUTE_NONE), sbh * (34 + 5 * a * s / h) / 4);
  EXPECT_DOUBLE_EQ(stored(4, SS_YES, SS_RECOMPUTE_SELECTIVE), sbh * 34 / 4);
  EXPECT_DOUBLE_EQ(stored(4, SS_YES, SS_RECOMPUTE_FULL), sbh * 2 / 4);
}

/* Collectives of a layer: four of 2 b l e bytes each way with sequence parallelism, two all-reduces without. */
TEST(Block, CollectivesOfALayer)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = 4;
  const auto volumes = [&](bool backward) {
    ss_block block;
    ss_block_build(&workload, SS_COST_CALIBRATED, 4.0, SS_BLOCK_LAYER, &block);
    const ss_task_list &list = backward ? block.backward : block.forward;
    std::string kinds;
    for (int64_t i = 0; i < list.count; ++i)
      if (list.task[i].collective) {
        EXPECT_DOUBLE_EQ(list.task[i].volume_bytes, 2.0 * 512 * 1024);
        kinds += std::string(ss_activity_name(list.task[i].activity)) + " ";
      }
    return kinds;
  };
  EXPECT_EQ(volumes(false), "all-gather reduce-scatter all-gather reduce-scatter ");
  EXPECT_EQ(volumes(true), "all-gather reduce-scatter all-gather reduce-scatter ");
  workload.parallelism.sequence_parallel = SS_NO;
  EXPECT_EQ(volumes(false), "all-reduce all-reduce ");
  EXPECT_EQ(volumes(true), "all-reduce all-reduce ");
  workload.training.recompute = SS_RECOMPUTE_FULL;
  EXPECT_EQ(volumes(true), "all-reduce all-reduce all-reduce all-reduce ");
  workload.parallelism.tp = 1;
  EXPECT_EQ(volumes(false), "");
}

/* A product of (2 x 3) and (3 x 4): 2 x 4 x (2 x 3 - 1) flop, 2 (6 + 8 + 12) bytes. */
TEST(Operation, LinearCountsMultipliesAndAdds)
{
  const ss_operation linear = ss_operation_linear(SS_OP_FC1, 2, 3, 4, 2);
  EXPECT_DOUBLE_EQ(linear.forward.flop, 40);
  EXPECT_DOUBLE_EQ(linear.forward.hbm_bytes, 52);
  /* dX = dY W' : 2 x 3 x (2 x 4 - 1); dW = X' dY : 3 x 4 x (2 x 2 - 1) */
  EXPECT_DOUBLE_EQ(linear.backward.flop, 42 + 36);
  EXPECT_DOUBLE_EQ(linear.stored_bytes, 12);
}

/* 1 Gflop at 312 Tflop/s x 0.8 and 20 us; 1 GB at 1555 GB/s takes longer, and the excess is memory time. */
TEST(Cost, Sc24IsTheRoofline)
{
  const ss_machine machine = make_machine({});
  const ss_duration fast = ss_kernel_duration(&machine, SS_COST_SC24, true, 1e12, 1e6);
  EXPECT_DOUBLE_EQ(fast.compute_s, 20e-6 + 1e12 / (0.8 * 312e12));
  EXPECT_EQ(fast.memory_s, 0);
  const ss_duration slow = ss_kernel_duration(&machine, SS_COST_SC24, false, 1e9, 1e9);
  EXPECT_DOUBLE_EQ(slow.compute_s, 20e-6 + 1e9 / (0.8 * 78e12));
  EXPECT_DOUBLE_EQ(slow.compute_s + slow.memory_s, 1e9 / 1555e9);
}

/* Efficiency 0.2 at 1 Gf and 0.8 at 1 Tf: half way in the logarithm, at 10^10.5, it is 0.5. */
TEST(Cost, CalibratedFollowsTheCurve)
{
  ss_machine machine = make_machine({});
  machine.matrix_efficiency = {2, {1e9, 1e12}, {0.2, 0.8}};
  machine.launch_overhead_s = 3e-6;
  const double flop = std::pow(10, 10.5);
  const ss_duration middle = ss_kernel_duration(&machine, SS_COST_CALIBRATED, true, flop, 0);
  expect_close(middle.compute_s, flop / (0.5 * 312e12), 1e-12);
  EXPECT_DOUBLE_EQ(middle.launch_s, 3e-6);
  EXPECT_DOUBLE_EQ(ss_curve_value(&machine.matrix_efficiency, 1), 0.2);
  EXPECT_DOUBLE_EQ(ss_curve_value(&machine.matrix_efficiency, 1e15), 0.8);
}

/* 1F1B on 4 stages with 6 micro-batches, stage 1: two forward, then pairs, then two backward. */
TEST(Schedule, OneForwardOneBackward)
{
  std::string order;
  for (int i = 0; i < 12; ++i) {
    const ss_work work = ss_schedule_work(SS_PIPELINE_1F1B, 1, 4, 6, i);
    order += (work.backward ? "B" : "F") + std::to_string(work.micro_batch) + " ";
  }
  EXPECT_EQ(order, "F0 F1 F2 B0 F3 B1 F4 B2 F5 B3 B4 B5 ");
}

TEST(Schedule, GpipeIsAllForwardThenAllBackward)
{
  std::string order;
  for (int i = 0; i < 6; ++i) {
    const ss_work work = ss_schedule_work(SS_PIPELINE_GPIPE, 1, 4, 3, i);
    order += (work.backward ? "B" : "F") + std::to_string(work.micro_batch) + " ";
  }
  EXPECT_EQ(order, "F0 F1 F2 B0 B1 B2 ");
}

/* Counting the order itself: every pass once, a backward after its forward, and never more in flight than promised. */
TEST(Schedule, InFlightIsWhatTheOrderHolds)
{
  for (ss_pipeline pipeline : {SS_PIPELINE_GPIPE, SS_PIPELINE_1F1B})
    for (int stages : {1, 2, 5})
      for (int stage = 0; stage < stages; ++stage)
        for (int m : {1, 3, 9}) {
          int64_t forward = 0, backward = 0, most = 0;
          for (int64_t i = 0; i < 2 * m; ++i) {
            const ss_work work = ss_schedule_work(pipeline, stage, stages, m, i);
            EXPECT_EQ(work.micro_batch, work.backward ? backward : forward);
            ++(work.backward ? backward : forward);
            EXPECT_LE(backward, forward);
            most = std::max(most, forward - backward);
          }
          EXPECT_EQ(forward, m);
          EXPECT_EQ(backward, m);
          EXPECT_EQ(most, ss_schedule_in_flight(pipeline, stage, stages, m));
          EXPECT_EQ(most, pipeline == SS_PIPELINE_GPIPE ? m : std::min(stages - stage, m));
        }
}

/* tp 2, dp 4, pp 2 on domains of 4: in the default order tp and two replicas share a domain, a stage apart is far. */
TEST(Placement, OrderAndDomainSplit)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = 2;
  workload.parallelism.dp = 4;
  workload.parallelism.pp = 2;
  workload.training.global_batch = 4;
  const ss_machine machine = make_machine({});
  const auto spans = [&](const char *order, const char *domain) {
    std::snprintf(workload.placement.order, sizeof workload.placement.order, "%s", order);
    std::snprintf(workload.placement.domain, sizeof workload.placement.domain, "%s", domain);
    const Job job(workload, machine);
    return std::to_string(job->tensor_span.per_domain) + " " + std::to_string(job->data_span[0].per_domain) + " " +
           std::to_string(job->slow_hops);
  };
  EXPECT_EQ(spans("tp,cp,dp,pp", ""), "2 2 1.000000");
  EXPECT_EQ(spans("tp,cp,pp,dp", ""), "2 1 0.000000");
  EXPECT_EQ(spans("dp,tp,cp,pp", ""), "1 4 1.000000");
  EXPECT_EQ(spans("tp,cp,dp,pp", "tp=2,dp=2,pp=1"), "2 2 1.000000");
  EXPECT_EQ(spans("tp,cp,dp,pp", "tp=1,dp=2,pp=2"), "1 2 0.000000");
  EXPECT_EQ(spans("tp,cp,dp,pp", "tp=2,pp=2"), "2 1 0.000000");
}

/* 4 stages, two of which share a domain: of 3 hops, P / nv_pp - 1 = 1 is slow. */
TEST(Placement, SlowHops)
{
  ss_workload workload = make_workload();
  workload.parallelism.pp = 4;
  workload.parallelism.dp = 2;
  workload.training.global_batch = 4;
  std::snprintf(workload.placement.domain, sizeof workload.placement.domain, "pp=2,dp=2");
  EXPECT_DOUBLE_EQ(Job(workload, make_machine({}))->slow_hops, 1.0 / 3);
}

/* arXiv 2104.04473: 72 B s L h^2 (1 + s / 6h + V / 12 L h) flop in forward and backward, without recomputation. */
TEST(Metrics, ModelFlop)
{
  ss_workload workload = make_workload();
  workload.model.vocabulary = 51200;
  workload.training.recompute = SS_RECOMPUTE_FULL;
  workload.model.causal = SS_NO;
  workload.training.tokens = 512e6;
  const Job job(workload, make_machine({}));
  const ss_metrics metrics = ss_estimate_metrics(job.get(), 2.0);
  const double h = 1024, s = 512, L = 8, V = 51200;
  expect_close(metrics.model_flop_per_iteration, 72 * s * L * h * h * (1 + s / (6 * h) + V / (12 * L * h)), 1e-12);
  expect_close(metrics.mfu, metrics.model_flop_per_iteration / (2 * 312e12), 1e-12);
  /* the layers' forward pass once more: a third of their share */
  const double layers = 72 * s * L * h * h * (1 + s / (6 * h));
  expect_close(metrics.hfu, (metrics.model_flop_per_iteration + layers / 3) / (2 * 312e12), 1e-12);
  /* flash attention recomputes nothing that selective recomputation would */
  workload.training.recompute = SS_RECOMPUTE_SELECTIVE;
  const Job selective(workload, make_machine({}));
  expect_close(ss_estimate_metrics(selective.get(), 2.0).hfu, metrics.mfu, 1e-12);
  /* and skips half of causal attention, the part s / 6h of the flop: so much less runs than the model counts */
  workload.model.causal = SS_YES;
  const Job causal(workload, make_machine({}), SS_COST_CALIBRATED);
  const double attention = 72 * s * L * h * h * (s / (6 * h));
  expect_close(ss_estimate_metrics(causal.get(), 2.0).mfu, metrics.mfu, 1e-12);
  expect_close(ss_estimate_metrics(causal.get(), 2.0).hfu, metrics.mfu - attention / 2 / (2 * 312e12), 1e-12);
  expect_close(metrics.tokens_per_s_per_gpu, 256, 1e-12);
  expect_close(metrics.days, 1e6 * 2 / 86400, 1e-12); /* 512e6 tokens are a million iterations of 512 */
}

/* 16 bytes a parameter in fp16 with everything on every replica; bf16 keeps gradients in fp32; shards divide by dp. */
TEST(Memory, BytesPerParameterBySharding)
{
  ss_workload workload = make_workload();
  workload.parallelism.dp = 4;
  workload.training.global_batch = 4;
  const ss_machine machine = make_machine({});
  const auto bytes_per_parameter = [&](ss_precision precision, ss_sharding sharding) {
    workload.training.precision = precision;
    workload.parallelism.sharding = sharding;
    const Job job(workload, machine, SS_COST_CALIBRATED);
    const ss_memory memory = ss_estimate_memory(job.get());
    return (memory.total_bytes - memory.activations_bytes) / ss_job_stage_parameters(job.get(), 0);
  };
  EXPECT_DOUBLE_EQ(bytes_per_parameter(SS_PRECISION_FP16, SS_SHARDING_NONE), 2 + 2 + 12);
  EXPECT_DOUBLE_EQ(bytes_per_parameter(SS_PRECISION_BF16, SS_SHARDING_NONE), 2 + 4 + 12);
  EXPECT_DOUBLE_EQ(bytes_per_parameter(SS_PRECISION_BF16, SS_SHARDING_OPTIMIZER), 2 + 4 + 12 / 4.0);
  EXPECT_DOUBLE_EQ(bytes_per_parameter(SS_PRECISION_BF16, SS_SHARDING_GRADIENTS), 2 + (4 + 12) / 4.0);
  /* two of the eight layers are gathered at once */
  EXPECT_DOUBLE_EQ(bytes_per_parameter(SS_PRECISION_BF16, SS_SHARDING_PARAMETERS), (2 + 4 + 12) / 4.0 + 2 * 2 / 8.0);
}

/* Each code has a text of its own; texts that do not fit are cut. */
TEST(Error, EveryStatusHasAText)
{
  for (int code = 0; code < SS_STATUS_COUNT; ++code) EXPECT_STRNE(ss_status_text((ss_status)code), "unknown status");
  EXPECT_STREQ(ss_status_text(SS_STATUS_COUNT), "unknown status");
  ss_error error = {};
  const std::string longer(2 * SS_MESSAGE_SIZE, 'x');
  EXPECT_EQ(ss_error_set(&error, SS_ERROR_INPUT, "file", 3, "%s", longer.c_str()), SS_ERROR_INPUT);
  EXPECT_EQ(std::string(error.message).size(), (size_t)SS_MESSAGE_SIZE - 1);
  EXPECT_EQ(ss_error_set(nullptr, SS_ERROR_MEMORY, nullptr, 0, "-"), SS_ERROR_MEMORY);
}
