/* What a step of the optimizer takes: states by their types, and Muon. The small transformer has eight layers of 12 e e
 * + 10 e parameters with e = 1024, of which qkv (e x 3e), projection (e x e), fc1 and fc2 (e x 4e) are matrices. */
#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/estimate/estimate.h"
#include "model/plan/muon.h"
#include "model/plan/optimizer.h"
}

using namespace stepsim;

namespace
{

constexpr double e = 1024, matrices = 8 * 12 * e * e, others = 8 * 10 * e, n = matrices + others;
constexpr double hbm_bytes_per_s = 0.85 * 1555e9, flop_per_s = 0.8 * 312e12;

ss_workload replicas(int dp)
{
  ss_workload workload = make_workload();
  workload.parallelism.dp = dp;
  workload.training.global_batch = dp;
  return workload;
}

ss_machine machine_of_64()
{
  PlatformSpec spec;
  spec.gpus = 64;
  ss_machine machine = make_machine(spec);
  machine.launch_overhead_s = 0;
  machine.fp8_flop_per_s = machine.mxfp8_flop_per_s = machine.nvfp4_flop_per_s = 2 * machine.matrix_flop_per_s;
  return machine;
}

double step_s(const ss_workload &workload)
{
  const Job job(workload, machine_of_64(), SS_COST_CALIBRATED);
  return ss_job_optimizer(job.get(), 0).optimizer_s;
}

double state_bytes(const ss_workload &workload)
{
  const Job job(workload, machine_of_64(), SS_COST_CALIBRATED);
  return ss_estimate_stage_memory(job.get(), 0).optimizer_bytes;
}

} /* namespace */

/* Master weight and two moments. A step reads and writes them, reads the gradient of 4 bytes twice and writes 2 bytes,
 * which it also reads where the master weight is what fp32 has beyond them, or where there is none. */
TEST(States, TypesOfWeightsAndMoments)
{
  struct Case {
    ss_master master;
    ss_moment_type moments;
    double kept, moved;
  };
  const std::vector<Case> cases = {
      {SS_MASTER_FP32, SS_MOMENTS_FP32, 12, 8 + 24 + 2},      {SS_MASTER_FP32, SS_MOMENTS_16BIT, 8, 8 + 16 + 2},
      {SS_MASTER_FP32, SS_MOMENTS_FP8, 6, 8 + 12 + 2},        {SS_MASTER_16BIT, SS_MOMENTS_FP32, 10, 8 + 20 + 2 + 2},
      {SS_MASTER_16BIT, SS_MOMENTS_16BIT, 6, 8 + 12 + 2 + 2}, {SS_MASTER_NONE, SS_MOMENTS_16BIT, 4, 8 + 8 + 2 + 2},
  };
  for (const Case &c : cases) {
    ss_workload workload = replicas(1);
    workload.training.master_weights = c.master;
    workload.training.moments = c.moments;
    EXPECT_DOUBLE_EQ(state_bytes(workload), c.kept * n);
    expect_close(step_s(workload), c.moved * n / hbm_bytes_per_s, 1e-12);
  }
}

/* In kernels of its own: norm 4, clipped 4 + 4, Adam 16 + 12, weight to 16 bits 4 + 2 bytes of each parameter in the
 * shard of a rank, and the sums of all gradients cleared, 4. Those of experts are scaled, 4 + 4, where fewer ranks hold
 * these than other weights: all four without expert parallelism, two of them with ep 2. */
TEST(States, SumsOfGradients)
{
  ss_workload workload = replicas(4);
  workload.model.experts = 4;
  workload.model.top_k = 2;
  workload.model.expert_ffn = 1024;
  workload.training.optimizer_step = SS_STEP_SEPARATE;
  for (const int ep : {1, 2}) {
    workload.parallelism.ep = ep;
    const Job job(workload, machine_of_64(), SS_COST_CALIBRATED);
    const double dense = ss_job_trained_parameters(job.get(), 0, SS_WEIGHTS_DENSE);
    const double experts = ss_job_trained_parameters(job.get(), 0, SS_WEIGHTS_EXPERT);
    EXPECT_GT(experts, 0);
    const double bytes = (46.0 / 4 + 4) * dense + (46.0 * ep / 4 + (ep > 1 ? 12 : 4)) * experts;
    expect_close(ss_job_optimizer(job.get(), 0).optimizer_s, bytes / hbm_bytes_per_s, 1e-9);
  }
}

/* A step in several kernels copies 16-bit gradients of what it steps to fp32, 4 bytes each, when activations are gone:
 * it needs more only where there are few of these. */
TEST(States, CopiesOfGradients)
{
  ss_workload workload = replicas(1);
  workload.training.optimizer_step = SS_STEP_SEPARATE;
  EXPECT_EQ(state_bytes(workload), 12 * n); /* gradients have 32 bits */
  workload.training.gradients = SS_GRADIENTS_16BIT;
  const auto memory_with = [&](int64_t sequences) {
    workload.training.micro_batch = workload.training.global_batch = sequences;
    const Job job(workload, machine_of_64(), SS_COST_CALIBRATED);
    return ss_estimate_stage_memory(job.get(), 0);
  };
  const ss_memory few = memory_with(1), many = memory_with(4);
  EXPECT_LT(few.activations_bytes, 4 * n);
  EXPECT_EQ(few.optimizer_bytes + few.activations_bytes, (12 + 4) * n);
  EXPECT_GT(many.activations_bytes, 4 * n);
  EXPECT_EQ(many.optimizer_bytes, 12 * n);
}

/* Kernels over lists of tensors make the roots of all second moments before they use them; tensor by tensor there is
 * never more than one. */
TEST(States, RootsOfSecondMoments)
{
  ss_workload workload = replicas(1);
  const auto step_bytes = [&](ss_optimizer_step step, ss_cost cost = SS_COST_CALIBRATED) {
    workload.training.optimizer_step = step;
    const Job job(workload, machine_of_64(), cost);
    return ss_job_step_bytes(job.get(), 0);
  };
  EXPECT_EQ(step_bytes(SS_STEP_SEPARATE), 0);
  EXPECT_EQ(step_bytes(SS_STEP_FOREACH), 4 * n);
  EXPECT_EQ(step_bytes(SS_STEP_TENSORS), 0);
  EXPECT_EQ(step_bytes(SS_STEP_FOREACH, SS_COST_SC24), 0); /* as published: as copies of gradients, not counted */
}

/* Weights of 2 bytes are read once, twice where the largest is looked for, and written: in one copy of 1 byte,
 * which products read in either order, so that ranks that gather it have nothing to do; in two copies of a byte and a
 * scale of 1 byte for 32 values, or 4 for 128 x 128, or of half a byte and 1 for 16. */
TEST(States, QuantiseWeightsOnce)
{
  struct Case {
    ss_precision precision;
    ss_held_as weights_type;
    double bytes;
  };
  const double block = 1 + 4.0 / (128 * 128), scaled = 1 + 1.0 / 32, half = 0.5 + 1.0 / 16;
  const std::vector<Case> cases = {
      {SS_PRECISION_FP8, SS_AS_16BIT, 2 + 1},
      {SS_PRECISION_FP8_CURRENT, SS_AS_16BIT, 4 + 1},
      {SS_PRECISION_FP8_CURRENT, SS_AS_OPERANDS, 0},
      {SS_PRECISION_FP8_BLOCK, SS_AS_16BIT, 2 + 2 * block},
      {SS_PRECISION_MXFP8, SS_AS_16BIT, 2 + 2 * scaled},
      {SS_PRECISION_MXFP8, SS_AS_OPERANDS, 2 + 2 * scaled},
      {SS_PRECISION_NVFP4, SS_AS_16BIT, 4 + 2 * half},
  };
  for (const int micro_batches : {1, 4})
    for (const Case &c : cases) {
      ss_workload workload = replicas(1);
      workload.training.global_batch = micro_batches;
      const double before_s = step_s(workload);
      workload.training.precision = c.precision;
      workload.training.weights_type = c.weights_type;
      expect_close(step_s(workload) - before_s, c.bytes * n / hbm_bytes_per_s, 1e-9);
    }
}

/* Five steps of 4 m m n + 2 m m m flop with m = e and n = 3e, e, 4e, 4e: 5 (48 + 8) e e e for each layer. Of a matrix
 * the master weight and one moment are kept: the step moves 8 + 16 + 2 bytes. The largest is there twice while it is
 * worked on, and so is its product with itself: 2 bytes x 2 (4 e e + e e), less than the activations that were there
 * before. */
TEST(Muon, OrthogonalisesMatrices)
{
  ss_workload workload = replicas(1);
  workload.training.optimizer = SS_OPTIMIZER_MUON;
  const double flop = 8 * 5 * 56 * e * e * e;
  expect_close(step_s(workload), (26 * matrices + 34 * others) / hbm_bytes_per_s + flop / flop_per_s, 1e-9);
  EXPECT_DOUBLE_EQ(state_bytes(workload), 8 * matrices + 12 * others);
  const Job job(workload, machine_of_64(), SS_COST_CALIBRATED);
  EXPECT_DOUBLE_EQ(ss_job_step_bytes(job.get(), 0), 20 * e * e);
}

/* Two ranks share all of it; 64 ranks have less than a matrix each, so that the longest, of 5 (16 + 2) e e e flop, is
 * what one has to do. */
TEST(Muon, RanksStepWholeMatrices)
{
  ss_workload workload = replicas(2);
  workload.training.optimizer = SS_OPTIMIZER_MUON;
  const double flop = 8 * 5 * 56 * e * e * e;
  expect_close(step_s(workload), (26 * matrices + 34 * others) / 2 / hbm_bytes_per_s + flop / 2 / flop_per_s, 1e-9);
  workload = replicas(64);
  workload.training.optimizer = SS_OPTIMIZER_MUON;
  expect_close(step_s(workload),
               (26 * 4 * e * e + 34 * others / 64) / hbm_bytes_per_s + 5 * 18 * e * e * e / flop_per_s, 1e-9);
  EXPECT_DOUBLE_EQ(state_bytes(workload), 8 * 4 * e * e + 12 * others / 64);
  workload.parallelism.sharding = SS_SHARDING_NONE;
  expect_close(step_s(workload), (26 * matrices + 34 * others) / hbm_bytes_per_s + flop / flop_per_s, 1e-9);
}

/* Experts are matrices, too, of the ranks that hold the same ones: 8 of 2 x (e x 2e) parameters for each layer. */
TEST(Muon, ExpertsAreMatrices)
{
  ss_workload workload = make_workload();
  workload.model.experts = 8;
  workload.model.expert_ffn = 2 * 1024;
  workload.training.optimizer = SS_OPTIMIZER_MUON;
  const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
  const ss_muon muon = ss_muon_of(job.get(), 0);
  EXPECT_DOUBLE_EQ(muon.parameters[SS_WEIGHTS_EXPERT], 8 * 8 * 4 * e * e);
  EXPECT_DOUBLE_EQ(muon.parameters[SS_WEIGHTS_DENSE], 8 * (4 * e * e + 8 * e)); /* attention and router */
}

/* Two tensor-parallel ranks have e x 3e/2 of qkv, e/2 x e of the projection, e x 2e of fc1 and 2e x e of fc2: 4 m m n +
 * 2 m m m is 8, 5/4, 10 and 10 e e e. Of all of it these are 14, 6, 18 and 18. With the side that is not cut as m they
 * are 8, 4, 10 and 10. */
TEST(Muon, StepsWhatTensorParallelRanksHaveCut)
{
  ss_workload workload = replicas(1);
  workload.parallelism.tp = 2;
  workload.training.optimizer = SS_OPTIMIZER_MUON;
  const auto muon_with = [&](ss_muon_tp_mode mode) {
    workload.training.muon_tp_mode = mode;
    const Job job(workload, machine_of_64(), SS_COST_CALIBRATED);
    return ss_muon_of(job.get(), 0);
  };
  const double each_s = 8 * 5 * e * e * e / flop_per_s;
  const ss_muon blocks = muon_with(SS_MUON_BLOCKWISE), whole = muon_with(SS_MUON_DUPLICATED),
                shares = muon_with(SS_MUON_DISTRIBUTED);
  expect_close(blocks.orthogonalise_s, 29.25 * each_s, 1e-9);
  expect_close(whole.orthogonalise_s, 56 * each_s, 1e-9);
  expect_close(shares.orthogonalise_s, 32 * each_s, 1e-9);
  EXPECT_DOUBLE_EQ(blocks.working_bytes, 2 * 2 * (2 * e * e + e * e));
  EXPECT_DOUBLE_EQ(whole.working_bytes, 2 * 2 * (4 * e * e + e * e) + 2 * 4 * 4 * e * e);
  EXPECT_DOUBLE_EQ(shares.working_bytes, blocks.working_bytes);
}

/* Gathers of 4 bytes of each parameter, or for each of the four matrices five sums of e x e numbers and one of the
 * norm; they are part of the iteration. */
TEST(Muon, ExchangesWhatTensorParallelRanksHaveCut)
{
  ss_workload workload = replicas(1);
  workload.parallelism.tp = 2;
  workload.training.optimizer = SS_OPTIMIZER_MUON;
  const Job blocks(workload, machine_of_64(), SS_COST_CALIBRATED);
  const auto call_s = [&](ss_collective kind, double bytes) {
    return ss_comm_time_sum(ss_collective_time(&blocks->network, kind, blocks->span[SS_GROUP_TENSOR], bytes));
  };
  EXPECT_EQ(ss_job_optimizer(blocks.get(), 0).exchange_s, 0);
  const double gathers_s = 8 * (call_s(SS_ALL_GATHER, 12 * e * e) + call_s(SS_ALL_GATHER, 4 * e * e) +
                                2 * call_s(SS_ALL_GATHER, 16 * e * e));
  const double sums_s = 8 * 4 * (5 * call_s(SS_ALL_REDUCE, 2 * e * e) + call_s(SS_ALL_REDUCE, 4));
  for (const ss_muon_tp_mode mode : {SS_MUON_DUPLICATED, SS_MUON_DISTRIBUTED}) {
    workload.training.muon_tp_mode = mode;
    const Job job(workload, machine_of_64(), SS_COST_CALIBRATED);
    const ss_optimizer_time step = ss_job_optimizer(job.get(), 0);
    expect_close(step.exchange_s, mode == SS_MUON_DUPLICATED ? gathers_s : sums_s, 1e-9);
    const ss_breakdown closed = ss_estimate_time(job.get()), before = ss_estimate_time(blocks.get());
    expect_close(closed.tp_comm_s, before.tp_comm_s + step.exchange_s, 1e-9);
    expect_close(closed.iteration_s - before.iteration_s,
                 ss_optimizer_time_sum(step) - ss_optimizer_time_sum(ss_job_optimizer(blocks.get(), 0)), 1e-6);
  }
}
