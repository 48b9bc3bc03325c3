/* A job: how the model is laid over stages and chunks, what its parts move, how long its tasks take; by hand. */
#include <string>

#include "tests/support/fixtures.hpp"

using namespace stepsim;

namespace
{

/* Blocks of a chunk: > entry, e embedding, l layer, L layer with experts, h output layer, < exit; G and V
 * where ranks agree on gradients and values; k behind a layer that
 * does not recompute; 0 to 5 layers of a model with kinds; then the layers' numbers. */
std::string blocks(const ss_job *job, int64_t stage, int64_t index = 0)
{
  static const char *const letters[] = {">",  "p", "v",  "vk", "w",  "wk", "P",  "e",  "G",  "l", "lk", "L",
                                        "Lk", "0", "0k", "1",  "1k", "2",  "2k", "3",  "3k", "4", "4k", "5",
                                        "5k", "6", "6k", "7",  "7k", "n",  "m",  "mk", "V",  "h", "<"};
  const ss_chunk chunk = {stage, index};
  std::string kinds, layers;
  for (int64_t i = 0; i < ss_job_block_count(job, chunk); ++i) {
    kinds += letters[ss_job_block_kind(job, chunk, i)];
    const int64_t layer = ss_job_block_layer(job, chunk, i);
    if (layer >= 0) layers += " " + std::to_string(layer);
  }
  return kinds + layers;
}

ss_workload pipelined(int64_t stages)
{
  ss_workload w = make_workload();
  w.parallelism.pp = stages;
  w.training.global_batch = 8;
  return w;
}

ss_machine machine_with_a_tier()
{
  ss_machine machine = make_machine({});
  machine.offload_bytes = 1e12;
  machine.offload_bytes_per_s = 50e9;
  machine.launch_overhead_s = 0;
  return machine;
}

/* A task of a product with two collectives. */
ss_task product_with(const ss_overlap &overlap)
{
  ss_task task = {};
  task.computes = true;
  task.kernel = {SS_ENGINE_MATRIX, 1e12, 1e6, 0, SS_ACCESS_FRAMEWORK, {}, 0};
  task.calls = 2;
  task.call[0] = {SS_GROUP_TENSOR, SS_ALL_GATHER, 400e6};
  task.call[1] = {SS_GROUP_CONTEXT, SS_BROADCAST, 100e6};
  task.overlap = overlap;
  return task;
}

} /* namespace */

TEST(Layout, EndsAndUnevenStages)
{
  ss_workload w = pipelined(4);
  w.model.vocabulary = 32000;
  EXPECT_EQ(blocks(Job(w, make_machine({})).get(), 0), "ll 0 1"); /* sc24 has layers only */
  const Job even(w, make_machine({}), SS_COST_CALIBRATED);
  EXPECT_EQ(blocks(even.get(), 0), "ell 0 1");
  EXPECT_EQ(blocks(even.get(), 3), "llh 6 7");
  w.parallelism.dp = 2;
  w.training.precision = SS_PRECISION_FP8;
  ss_machine fp8 = make_machine({});
  fp8.fp8_flop_per_s = 2 * fp8.matrix_flop_per_s;
  EXPECT_EQ(blocks(Job(w, fp8).get(), 0), "ll 0 1"); /* sc24 */
  EXPECT_EQ(blocks(Job(w, fp8, SS_COST_CALIBRATED).get(), 3), "GllVh 6 7");
  w.parallelism.dp = 1;
  w.training.precision = SS_PRECISION_BF16;
  w.parallelism.last_stage_layers = 2;
  w.model.layers = 11;
  const Job last(w, make_machine({}), SS_COST_CALIBRATED);
  EXPECT_EQ(blocks(last.get(), 2), "lll 6 7 8");
  EXPECT_EQ(blocks(last.get(), 3), "llh 9 10");
  w.parallelism.first_stage_layers = 1;
  const Job both(w, make_machine({}), SS_COST_CALIBRATED);
  EXPECT_EQ(blocks(both.get(), 0), "el 0");
  EXPECT_EQ(blocks(both.get(), 1), "llll 1 2 3 4");
}

/* Chunk c of stage s is part 2 c + s of four; messages go on to the next part, gradients back. */
TEST(Layout, ChunksTakeTurns)
{
  ss_workload w = pipelined(2);
  w.model.vocabulary = 32000;
  w.schedule.pipeline = SS_PIPELINE_INTERLEAVED;
  w.parallelism.interleave = 2;
  const Job job(w, make_machine({}), SS_COST_CALIBRATED);
  EXPECT_EQ(blocks(job.get(), 0, 0), "ell 0 1");
  EXPECT_EQ(blocks(job.get(), 1, 0), "ll 2 3");
  EXPECT_EQ(blocks(job.get(), 0, 1), "ll 4 5");
  EXPECT_EQ(blocks(job.get(), 1, 1), "llh 6 7");
  ss_chunk other = {-1, -1};
  EXPECT_TRUE(ss_job_receiver(job.get(), {1, 0}, SS_PASS_FORWARD, &other));
  EXPECT_EQ(other.stage, 0);
  EXPECT_EQ(other.index, 1);
  EXPECT_TRUE(ss_job_receiver(job.get(), {0, 1}, SS_PASS_BACKWARD, &other));
  EXPECT_EQ(other.stage, 1);
  EXPECT_EQ(other.index, 0);
  EXPECT_TRUE(ss_job_sender(job.get(), {0, 0}, SS_PASS_BACKWARD, &other));
  EXPECT_EQ(other.stage, 1);
  EXPECT_EQ(other.index, 0);
  EXPECT_FALSE(ss_job_sender(job.get(), {0, 0}, SS_PASS_FORWARD, &other));
  EXPECT_FALSE(ss_job_receiver(job.get(), {1, 1}, SS_PASS_FORWARD, &other));
  EXPECT_FALSE(ss_job_receiver(job.get(), {0, 0}, SS_PASS_WEIGHT, &other));
  EXPECT_EQ(ss_job_block_at(job.get(), {0, 0}, SS_PASS_FORWARD, 0), 0);
  EXPECT_EQ(ss_job_block_at(job.get(), {0, 0}, SS_PASS_BACKWARD, 0), 2);
}

TEST(Layout, KindsOfLayers)
{
  ss_workload w = pipelined(2);
  w.model.experts = 4;
  w.model.dense_layers = 2;
  w.training.recompute = SS_RECOMPUTE_FULL;
  EXPECT_EQ(blocks(Job(w, make_machine({})).get(), 0), "llLL 0 1 2 3");
  w.training.recompute_layers = 1;
  const Job some(w, make_machine({}));
  EXPECT_EQ(blocks(some.get(), 0), "llkLkLk 0 1 2 3");
  EXPECT_EQ(blocks(some.get(), 1), "LLkLkLk 4 5 6 7");
  EXPECT_EQ(some->block[SS_BLOCK_HEAD].list[SS_PASS_FORWARD].count, 0); /* does not occur, is not built */
  w.training.recompute = SS_RECOMPUTE_NONE;
  w.training.recompute_layers = SS_DERIVED;
  EXPECT_EQ(blocks(Job(w, make_machine({})).get(), 1), "LLLL 4 5 6 7");
}

/* 2 b l e bytes, a share of it where ranks hold shares or only send them; these gather what comes in. */
TEST(Layout, MessagesAreWholeOrShared)
{
  ss_workload w = pipelined(2);
  w.parallelism.tp = 4;
  const double whole_bytes = 2.0 * 512 * 1024;
  EXPECT_DOUBLE_EQ(Job(w, make_machine({}))->message_bytes[SS_CARGO_STATES], whole_bytes / 4);
  w.parallelism.sequence_parallel = SS_NO;
  EXPECT_DOUBLE_EQ(Job(w, make_machine({}))->message_bytes[SS_CARGO_STATES], whole_bytes);
  w.parallelism.cp = 2;
  EXPECT_DOUBLE_EQ(Job(w, make_machine({}))->message_bytes[SS_CARGO_STATES], whole_bytes / 2);
  w.schedule.pipeline_rs_ag = SS_YES;
  const Job shared(w, make_machine({}));
  EXPECT_DOUBLE_EQ(shared->message_bytes[SS_CARGO_STATES], whole_bytes / 8);
  EXPECT_EQ(blocks(shared.get(), 0), "llll< 0 1 2 3");
  EXPECT_EQ(blocks(shared.get(), 1), ">llll 4 5 6 7");
}

/* dp 4, cp 2: all eight hold the same weights, of experts over two replicas only four. Summa splits them over tp2. */
TEST(Holders, ByKindOfWeights)
{
  ss_workload w = make_workload();
  w.parallelism.dp = 4;
  w.parallelism.cp = 2;
  w.parallelism.ep = 2;
  w.model.experts = 4;
  w.training.global_batch = 4;
  const Job job(w, make_machine({}));
  EXPECT_EQ(ss_job_holders(job.get(), SS_WEIGHTS_DENSE), 8);
  EXPECT_EQ(ss_job_holders(job.get(), SS_WEIGHTS_EXPERT), 4);
  EXPECT_EQ(job->data_span[SS_WEIGHTS_DENSE][0].size, 8);
  EXPECT_EQ(job->data_span[SS_WEIGHTS_DENSE][0].domains, 2);
  EXPECT_EQ(job->data_span[SS_WEIGHTS_EXPERT][0].size, 4);
  EXPECT_EQ(job->span[SS_GROUP_CONTEXT].size, 2);
  EXPECT_EQ(job->span[SS_GROUP_EXPERT].domains, 1);
  w.parallelism.expert_groups = SS_EXPERTS_ACROSS;
  EXPECT_EQ(Job(w, make_machine({}))->span[SS_GROUP_EXPERT].domains, 2);
  ss_workload summa = make_workload();
  summa.parallelism.tensor = SS_TENSOR_SUMMA;
  summa.parallelism.tp = summa.parallelism.tp2 = summa.parallelism.panels = 2;
  summa.parallelism.dp = 2;
  summa.training.global_batch = 2;
  EXPECT_EQ(ss_job_holders(Job(summa, make_machine({})).get(), SS_WEIGHTS_DENSE), 2);
}

TEST(DataPlan, BySharding)
{
  ss_workload w = make_workload();
  EXPECT_FALSE(Job(w, make_machine({}))->data.active);
  w.parallelism.cp = 2; /* context-parallel ranks reduce gradients, too */
  w.parallelism.sharding = SS_SHARDING_NONE;
  w.schedule.bucket = 25e6;
  const ss_data_plan none = Job(w, make_machine({}))->data;
  EXPECT_TRUE(none.active && !none.gathers_at_start && !none.gathers_each_pass && !none.reduces_each_pass);
  EXPECT_EQ(none.reduction, SS_ALL_REDUCE);
  EXPECT_EQ(none.reducing_pass, SS_PASS_BACKWARD);
  EXPECT_EQ(none.bucket_bytes, 25e6);
  w.schedule.bucket = 0;
  w.parallelism.sharding = SS_SHARDING_PARAMETERS;
  const ss_data_plan fsdp = Job(w, make_machine({}))->data;
  EXPECT_TRUE(!fsdp.gathers_at_start && fsdp.gathers_each_pass && fsdp.reduces_each_pass);
  EXPECT_EQ(fsdp.reduction, SS_REDUCE_SCATTER);
  w.parallelism.pp = 2;
  w.parallelism.sharding = SS_SHARDING_GRADIENTS;
  w.schedule.pipeline = SS_PIPELINE_ZERO_BUBBLE_1;
  const ss_data_plan split = Job(w, make_machine({}))->data;
  EXPECT_TRUE(split.gathers_at_start && !split.gathers_each_pass && split.reduces_each_pass);
  EXPECT_EQ(split.reducing_pass, SS_PASS_WEIGHT);
}

/* Weights of 2 bytes come for forward and backward; activations go after forward and come back for backward. */
TEST(OffloadPlan, WeightsAndActivations)
{
  ss_workload w = make_workload();
  EXPECT_FALSE(Job(w, machine_with_a_tier())->offload.active);
  w.training.offload_weights = SS_YES;
  w.training.offload_activations = SS_YES;
  const Job job(w, machine_with_a_tier());
  const double weight_bytes = 2 * job->block[SS_BLOCK_LAYER].parameters[SS_WEIGHTS_DENSE];
  const double stored_bytes = job->block[SS_BLOCK_LAYER].stored_bytes;
  EXPECT_TRUE(job->offload.active);
  EXPECT_EQ(job->offload.bytes_per_s, 50e9);
  EXPECT_DOUBLE_EQ(job->offload.read_bytes[SS_BLOCK_LAYER][SS_PASS_FORWARD], weight_bytes);
  EXPECT_DOUBLE_EQ(job->offload.read_bytes[SS_BLOCK_LAYER][SS_PASS_BACKWARD], weight_bytes + stored_bytes);
  EXPECT_EQ(job->offload.read_bytes[SS_BLOCK_LAYER][SS_PASS_WEIGHT], 0);
  EXPECT_DOUBLE_EQ(job->offload.write_bytes[SS_BLOCK_LAYER][SS_PASS_FORWARD], stored_bytes);
  EXPECT_EQ(job->offload.write_bytes[SS_BLOCK_LAYER][SS_PASS_BACKWARD], 0);
}

/* 34 bytes of HBM a parameter at 0.85 of 1555 GB/s, or 12 each way at 50 GB/s, on half of the parameters. */
TEST(Optimizer, BoundByHbmOrTheSecondTier)
{
  ss_workload w = make_workload();
  w.parallelism.dp = 2;
  w.training.global_batch = 2;
  const double parameters = 8 * (12.0 * 1024 * 1024 + 10.0 * 1024) / 2;
  const double hbm_s = 34 * parameters / (0.85 * 1555e9);
  const Job kept(w, machine_with_a_tier(), SS_COST_CALIBRATED);
  EXPECT_DOUBLE_EQ(2 * parameters, ss_job_stage_parameters(kept.get(), 0, SS_WEIGHTS_DENSE));
  expect_close(ss_job_optimizer(kept.get(), 0).optimizer_s, hbm_s, 1e-12);
  EXPECT_EQ(ss_job_optimizer(kept.get(), 0).offload_s, 0);
  w.training.offload_optimizer = SS_YES;
  const Job offloaded(w, machine_with_a_tier(), SS_COST_CALIBRATED);
  expect_close(ss_job_optimizer(offloaded.get(), 0).optimizer_s, hbm_s, 1e-12);
  expect_close(ss_job_optimizer(offloaded.get(), 0).offload_s, 12 * parameters / 50e9 - hbm_s, 1e-12);
  EXPECT_EQ(ss_job_optimizer(Job(w, machine_with_a_tier()).get(), 0).optimizer_s, 0); /* sc24 has none */
}

/* Kernels of their own: gradient to fp32 in fp16 2 + 4, unscaled 4 + 4, norm 4, clipped 4 + 4, Adam 16 + 12, weight to
 * 16 bits 4 + 2 bytes a parameter, and the sum of gradients cleared, 2 or 4. Gradients in bf16 are not unscaled, those
 * in fp32 not copied. In one kernel gradients are read twice as they are, in 4 bytes or in 2, beside 12 + 12 of states
 * and the 2 of the weight. */
TEST(Optimizer, StepInKernelsOfItsOwn)
{
  ss_workload w = make_workload();
  const double parameters = 8 * (12.0 * 1024 * 1024 + 10.0 * 1024);
  const auto bytes = [&](ss_precision precision, ss_gradients gradients) {
    w.training.precision = precision;
    w.training.gradients = gradients;
    const Job job(w, machine_with_a_tier(), SS_COST_CALIBRATED);
    return ss_job_optimizer(job.get(), 0).optimizer_s * 0.85 * 1555e9 / parameters;
  };
  w.training.optimizer_step = SS_STEP_SEPARATE;
  expect_close(bytes(SS_PRECISION_FP16, SS_GRADIENTS_AUTO), 60 + 2, 1e-9);
  expect_close(bytes(SS_PRECISION_FP16, SS_GRADIENTS_FP32), 54 + 4, 1e-9);
  expect_close(bytes(SS_PRECISION_BF16, SS_GRADIENTS_16BIT), 52 + 2, 1e-9);
  expect_close(bytes(SS_PRECISION_BF16, SS_GRADIENTS_AUTO), 46 + 4, 1e-9);
  w.parallelism.sharding = SS_SHARDING_GRADIENTS; /* which keeps no sums */
  expect_close(bytes(SS_PRECISION_BF16, SS_GRADIENTS_AUTO), 46, 1e-9);
  w.parallelism.sharding = SS_SHARDING_NONE;
  /* the update in eight kernels: 8 + 12 + 8 + 12 + 8 + 8 + 8 + 16 in place of 16 + 12 */
  for (const ss_optimizer_step step : {SS_STEP_FOREACH, SS_STEP_TENSORS}) {
    w.training.optimizer_step = step;
    expect_close(bytes(SS_PRECISION_FP16, SS_GRADIENTS_AUTO), 60 - 28 + 80, 1e-9);
    expect_close(bytes(SS_PRECISION_BF16, SS_GRADIENTS_AUTO), 46 - 28 + 80, 1e-9);
  }
  w.training.optimizer_step = SS_STEP_FUSED;
  expect_close(bytes(SS_PRECISION_BF16, SS_GRADIENTS_AUTO), 34, 1e-9);
  expect_close(bytes(SS_PRECISION_FP16, SS_GRADIENTS_AUTO), 30, 1e-9);
}

/* tp 4, cp 2. Alone, collectives take their turn; beside the product only what sticks out counts, in proportion. */
TEST(TaskDuration, ExposesWhatSticksOut)
{
  ss_workload w = make_workload();
  w.parallelism.tp = 4;
  w.parallelism.cp = 2;
  const Job job(w, make_machine({}));
  const auto duration = [&](const ss_task &task) {
    return ss_job_task_duration(job.get(), SS_BLOCK_LAYER, SS_PASS_FORWARD, &task);
  };
  ss_task calls = product_with({});
  calls.computes = false;
  /* four ranks of a domain; the other of a pair is in another domain */
  const double gather_s = 300e6 / 210e9 + 3 * 2.5e-6, broadcast_s = 100e6 / 17.5e9 + 5e-6;
  EXPECT_DOUBLE_EQ(duration(calls).comm_s[SS_GROUP_TENSOR], gather_s);
  EXPECT_DOUBLE_EQ(duration(calls).comm_s[SS_GROUP_CONTEXT], broadcast_s);
  const double kernel_s = 20e-6 + 1e12 / (0.8 * 312e12);
  const ss_duration beside = duration(product_with({false, 1, 1, 1, false}));
  EXPECT_DOUBLE_EQ(beside.compute_s, kernel_s);
  const double both_s = gather_s + broadcast_s;
  expect_close(beside.comm_s[SS_GROUP_TENSOR], (both_s - kernel_s) * gather_s / both_s, 1e-12);
  expect_close(beside.comm_s[SS_GROUP_CONTEXT], (both_s - kernel_s) * broadcast_s / both_s, 1e-12);
}

/* A ring of four steps pays its start-up once, four panels pay it four times; both move the volume once. */
TEST(TaskDuration, PiecesOfACollective)
{
  ss_workload w = make_workload();
  w.parallelism.tp = 4;
  const Job job(w, make_machine({}));
  const auto piece = [&](const ss_task &task) {
    return ss_job_call_piece(job.get(), SS_BLOCK_LAYER, SS_PASS_FORWARD, &task, 0, job->span[SS_GROUP_TENSOR]);
  };
  const ss_task ring = product_with({false, 4, 3, 1, true}), panels = product_with({false, 4, 5, 0, false});
  EXPECT_DOUBLE_EQ(ss_task_call_bytes(&ring, 0), 400e6 / 3);
  EXPECT_DOUBLE_EQ(ss_task_call_bytes(&panels, 0), 400e6 / 4);
  EXPECT_DOUBLE_EQ(piece(ring).latency_s, 2.5e-6);
  EXPECT_DOUBLE_EQ(piece(ring).transfer_s, 100e6 / 210e9);
  EXPECT_DOUBLE_EQ(piece(panels).latency_s, 3 * 2.5e-6);
  EXPECT_DOUBLE_EQ(piece(panels).transfer_s, 75e6 / 210e9);
}

/* sc24 cuts the time of a kernel, the calibrated costs cut the kernel: each piece is launched, at its own efficiency.
 */
TEST(TaskDuration, PiecesOfAKernel)
{
  ss_machine machine = make_machine({});
  machine.matrix_efficiency = {2, {0.25e12, 1e12}, {0.4, 0.8}};
  machine.launch_overhead_s = 3e-6;
  const ss_task task = product_with({true, 4, 4, 0, false});
  const auto piece = [&](ss_cost cost) {
    return ss_job_kernel_piece(Job(make_workload(), machine, cost).get(), SS_BLOCK_LAYER, SS_PASS_FORWARD, &task);
  };
  EXPECT_DOUBLE_EQ(piece(SS_COST_SC24).compute_s, (20e-6 + 1e12 / (0.8 * 312e12)) / 4);
  EXPECT_DOUBLE_EQ(piece(SS_COST_CALIBRATED).compute_s, 0.25e12 / (0.4 * 312e12));
  EXPECT_DOUBLE_EQ(piece(SS_COST_CALIBRATED).launch_s, 3e-6);
}

/* The same work and weights in all, without ends, and the same on every stage. */
TEST(WhatIf, EqualStages)
{
  ss_workload w = pipelined(4);
  w.model.vocabulary = 51200;
  ss_what_if what_if = {};
  const Job job(w, make_machine({}), SS_COST_CALIBRATED);
  what_if.equal_stages = true;
  const Job equal(w, make_machine({}), SS_COST_CALIBRATED, what_if);
  EXPECT_EQ(blocks(equal.get(), 0), "ll 0 1");
  double parameters = 0;
  for (int64_t stage = 0; stage < 4; ++stage) parameters += ss_job_stage_parameters(job.get(), stage, SS_WEIGHTS_DENSE);
  expect_close(4 * ss_job_stage_parameters(equal.get(), 3, SS_WEIGHTS_DENSE), parameters, 1e-12);
  for (ss_pass pass : {SS_PASS_FORWARD, SS_PASS_BACKWARD}) {
    const double ends_s =
        ss_duration_sum(job->pass[SS_BLOCK_EMBEDDING][pass]) + ss_duration_sum(job->pass[SS_BLOCK_HEAD][pass]);
    expect_close(8 * equal.layer_s(pass), 8 * job.layer_s(pass) + ends_s, 1e-12);
  }
}
