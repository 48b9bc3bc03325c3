/* Recipes of reduced precision: formats, copies, kernels and messages of a layer of the small transformer, which has e
 * = 1024, f = 4096 and l = 512 tokens. Its linear layers are qkv (e x 3e), projection (e x e), fc1 (e x f) and fc2 (f x
 * e). */
#include "tests/support/blocks.hpp"

extern "C" {
#include "model/block/amax.h"
#include "model/block/recipe.h"
}

using namespace stepsim;

namespace
{

constexpr double e = 1024, f = 4096, l = 512;

ss_workload in(ss_precision precision, int tp = 1)
{
  ss_workload workload = tensor_parallel(tp);
  workload.training.precision = precision;
  return workload;
}

/* Kernels of an activity in a pass, and the bytes that they move. */
struct Sum {
  int kernels;
  double bytes;
};

Sum sum_of(const ss_block &block, ss_pass pass, ss_activity activity)
{
  Sum sum = {0, 0.0};
  for (const ss_task &task : tasks(block, pass)) {
    if (task.activity != activity) continue;
    ++sum.kernels;
    sum.bytes += task.kernel.hbm_bytes;
  }
  return sum;
}

int reductions_of_4_bytes(const ss_block &block, ss_pass pass)
{
  int count = 0;
  for (const ss_task &task : tasks(block, pass))
    for (int64_t i = 0; i < task.calls; ++i)
      count += task.call[i].kind == SS_ALL_REDUCE && task.call[i].volume_bytes == 4.0;
  return count;
}

} /* namespace */

/* With its share of a scale: 4 bytes for 128 or 128 x 128 values, 1 for 32, 1 for 16. */
TEST(Formats, BytesOfAValue)
{
  const auto row = [](ss_format format) { return *ss_format_row_of(format); };
  EXPECT_EQ(row(SS_FORMAT_16BIT).activation_bytes, 2);
  EXPECT_EQ(row(SS_FORMAT_FP8).activation_bytes, 1);
  EXPECT_EQ(row(SS_FORMAT_FP8_BLOCK).activation_bytes, 1 + 1.0 / 32);
  EXPECT_EQ(row(SS_FORMAT_FP8_BLOCK).weight_bytes, 1 + 1.0 / 4096);
  EXPECT_EQ(row(SS_FORMAT_MXFP8).activation_bytes, 33.0 / 32);
  EXPECT_EQ(row(SS_FORMAT_NVFP4).weight_bytes, 0.5625);
}

/* 8 layers in 2 chunks of 2 stages: 2 a chunk, with 4 products of 3 and 2 tensors, 4 bytes each. Of 8 experts on 4
 * ranks 2 products each, and of shared ones 2, latent attention 5. */
TEST(Agreement, Bytes)
{
  ss_workload workload = in(SS_PRECISION_FP8, 2);
  workload.parallelism.dp = 3;
  workload.parallelism.pp = workload.parallelism.interleave = 2;
  workload.schedule.pipeline = SS_PIPELINE_INTERLEAVED;
  EXPECT_EQ(ss_amax_ranks(&workload), 6);
  EXPECT_EQ(ss_amax_bytes(&workload, false), 4 * 3 * 4 * 2);
  EXPECT_EQ(ss_amax_bytes(&workload, true), 4 * 2 * 4 * 2);
  workload.training.amax_reduction = SS_AMAX_TENSOR;
  EXPECT_EQ(ss_amax_ranks(&workload), 2);
  workload.model.experts = 8;
  workload.parallelism.ep = 4;
  workload.model.shared_experts = 1;
  workload.model.kv_rank = workload.model.q_rank = 64;
  EXPECT_EQ(ss_amax_bytes(&workload, true), 4 * 2 * (5 + 2 + 2 * 2) * 2);
  for (const ss_precision precision : {SS_PRECISION_BF16, SS_PRECISION_FP8_CURRENT, SS_PRECISION_MXFP8}) {
    workload.training.precision = precision;
    EXPECT_EQ(ss_amax_ranks(&workload), 1);
  }
}

/* Values behind forward, gradients behind backward; of a stage, or of a replica of it. */
TEST(Agreement, IsAnAllReduce)
{
  ss_workload workload = in(SS_PRECISION_FP8, 2);
  for (const ss_amax_reduction reduction : {SS_AMAX_ALL, SS_AMAX_TENSOR}) {
    workload.training.amax_reduction = reduction;
    const BlockPointer values = build(workload, SS_BLOCK_AMAX_VALUES);
    const BlockPointer gradients = build(workload, SS_BLOCK_AMAX_GRADIENTS);
    EXPECT_EQ(calls(*values, SS_PASS_FORWARD) + calls(*gradients, SS_PASS_BACKWARD), "all-reduce all-reduce ");
    EXPECT_EQ(calls(*values, SS_PASS_BACKWARD) + calls(*gradients, SS_PASS_FORWARD), "");
    const ss_group group = reduction == SS_AMAX_ALL ? SS_GROUP_STAGE : SS_GROUP_REPLICA;
    EXPECT_EQ(tasks(*values, SS_PASS_FORWARD)[0].call[0].group, group);
  }
}

/* fc1: X of l x e, W of e x f, Y of l x f; results have 2 bytes. */
TEST(Recipe, ProductsTakeTheirFormat)
{
  struct Case {
    ss_precision precision;
    ss_engine engine, of_weights;
    double activation, weight;
  };
  const std::vector<Case> cases = {
      {SS_PRECISION_FP8_CURRENT, SS_ENGINE_FP8, SS_ENGINE_FP8, 1, 1},
      {SS_PRECISION_FP8_BLOCK, SS_ENGINE_FP8_BLOCK, SS_ENGINE_FP8_TILE, 1.03125, 1 + 1.0 / 4096},
      {SS_PRECISION_MXFP8, SS_ENGINE_MXFP8, SS_ENGINE_MXFP8, 1.03125, 1.03125},
      {SS_PRECISION_NVFP4, SS_ENGINE_NVFP4, SS_ENGINE_NVFP4, 0.5625, 0.5625},
  };
  for (const Case &c : cases) {
    SCOPED_TRACE(c.engine);
    const BlockPointer layer = build(in(c.precision));
    const ss_kernel forward = find(*layer, SS_PASS_FORWARD, SS_OP_FC1).kernel;
    const ss_kernel input = find(*layer, SS_PASS_BACKWARD, SS_OP_FC1, 0).kernel;
    const ss_kernel weights = find(*layer, SS_PASS_BACKWARD, SS_OP_FC1, 1).kernel;
    EXPECT_EQ(forward.engine, c.engine);
    EXPECT_EQ(input.engine, c.engine);
    EXPECT_EQ(weights.engine, c.of_weights);
    EXPECT_DOUBLE_EQ(forward.hbm_bytes, c.activation * l * e + c.weight * e * f + 2 * l * f);
    EXPECT_DOUBLE_EQ(input.hbm_bytes, c.activation * l * f + c.weight * e * f + 2 * l * e);
    /* the gradient of the weights is added to an fp32 sum */
    EXPECT_DOUBLE_EQ(weights.hbm_bytes, c.activation * l * (e + f) + 8 * e * f);
    EXPECT_EQ(find(*layer, SS_PASS_FORWARD, SS_OP_ATTENTION).kernel.engine, SS_ENGINE_MATRIX);
  }
}

/* Inputs of qkv, fc1 and fc2, e + e + f wide, are kept in the format of the gradient of the weights. The output of
 * flash attention stays in 16 bits; delayed scaling keeps it a second time, for the projection. */
TEST(Recipe, KeepsQuantisedInputs)
{
  const double whole = build(make_workload())->stored_bytes;
  const auto saved = [&](ss_precision precision) { return whole - build(in(precision))->stored_bytes; };
  const double inputs = l * (2 * e + f);
  EXPECT_DOUBLE_EQ(saved(SS_PRECISION_FP8), inputs - l * e);
  EXPECT_DOUBLE_EQ(saved(SS_PRECISION_FP8_CURRENT), inputs);
  EXPECT_DOUBLE_EQ(saved(SS_PRECISION_FP8_BLOCK), (2 - 1.03125) * inputs);
  EXPECT_DOUBLE_EQ(saved(SS_PRECISION_MXFP8), (2 - 1.03125) * inputs);
  EXPECT_DOUBLE_EQ(saved(SS_PRECISION_NVFP4), (2 - 0.5625) * inputs);
  EXPECT_DOUBLE_EQ(saved(SS_PRECISION_FP8_WGRAD16), 0);
}

/* Every operand is read in 2 bytes and written once for each of two products: inputs of l (3e + f) elements, gradients
 * of l (3e + e + f + e). Only delayed scaling has norms and activations do it. The largest value is sought where no
 * norm knows it: in the inputs of the projection and of fc2, and in all gradients. */
TEST(Recipe, CastsAreKernels)
{
  const double inputs = l * (3 * e + f), gradients = l * (5 * e + f);
  struct Case {
    ss_precision precision;
    int forward, backward, sought_forward, sought_backward;
    double forward_bytes, backward_bytes;
  };
  const std::vector<Case> cases = {
      {SS_PRECISION_BF16, 0, 0, 0, 0, 0, 0},
      {SS_PRECISION_FP8_CURRENT, 4, 4, 2, 4, 4 * inputs, 4 * gradients},
      {SS_PRECISION_FP8_BLOCK, 4, 4, 0, 0, 4.0625 * inputs, 4.0625 * gradients},
      {SS_PRECISION_MXFP8, 4, 4, 0, 0, 4.0625 * inputs, 4.0625 * gradients},
      {SS_PRECISION_NVFP4, 4, 4, 2, 4, 3.125 * inputs, 3.125 * gradients},
  };
  for (const Case &c : cases) {
    SCOPED_TRACE(c.precision);
    const BlockPointer layer = build(in(c.precision));
    const Sum forward = sum_of(*layer, SS_PASS_FORWARD, SS_OP_CAST),
              backward = sum_of(*layer, SS_PASS_BACKWARD, SS_OP_CAST);
    EXPECT_EQ(forward.kernels, c.forward);
    EXPECT_EQ(backward.kernels, c.backward);
    EXPECT_DOUBLE_EQ(forward.bytes, c.forward_bytes);
    EXPECT_DOUBLE_EQ(backward.bytes, c.backward_bytes);
    const Sum sought = sum_of(*layer, SS_PASS_FORWARD, SS_OP_AMAX);
    EXPECT_EQ(sought.kernels, c.sought_forward);
    EXPECT_DOUBLE_EQ(sought.bytes, c.sought_forward > 0 ? 2 * l * (e + f) : 0);
    EXPECT_EQ(sum_of(*layer, SS_PASS_BACKWARD, SS_OP_AMAX).kernels, c.sought_backward);
  }
}

/* With scales of rows, operands are kept in 2 bytes, and each is quantised for either product by itself: along rows in
 * one kernel, along columns backward, where another looks for the largest values first. So are weights, of which no
 * copy is kept. */
TEST(Recipe, RowsAndColumnsHaveScales)
{
  const double inputs = l * (3 * e + f), gradients = l * (5 * e + f), weights = 4 * e * e + 2 * e * f;
  const BlockPointer layer = build(in(SS_PRECISION_FP8_ROWS));
  const Sum forward = sum_of(*layer, SS_PASS_FORWARD, SS_OP_CAST),
            backward = sum_of(*layer, SS_PASS_BACKWARD, SS_OP_CAST);
  EXPECT_EQ(forward.kernels, 4 + 4);
  EXPECT_DOUBLE_EQ(forward.bytes, (2 + 1) * (inputs + weights));
  EXPECT_EQ(backward.kernels, 4 + 2 * 4 + 4);
  EXPECT_DOUBLE_EQ(backward.bytes, (2 + 1) * (inputs + weights) + 2 * (2 + 1) * gradients);
  EXPECT_EQ(sum_of(*layer, SS_PASS_FORWARD, SS_OP_AMAX).kernels, 0);
  EXPECT_EQ(sum_of(*layer, SS_PASS_BACKWARD, SS_OP_AMAX).kernels, 4 + 4 + 4);
  EXPECT_DOUBLE_EQ(sum_of(*layer, SS_PASS_BACKWARD, SS_OP_AMAX).bytes, 2 * (inputs + gradients + weights));
  const ss_machine machine = make_machine({});
  EXPECT_EQ(ss_recipe_weight_copies_bytes(ss_recipe_of(SS_PRECISION_FP8_ROWS), &machine), 0);
  EXPECT_DOUBLE_EQ(layer->stored_bytes, build(make_workload())->stored_bytes);
  EXPECT_EQ(find(*layer, SS_PASS_FORWARD, SS_OP_FC1).kernel.engine, SS_ENGINE_FP8);
}

/* fp8_wgrad=False: forward and the gradients of inputs take 8 bits, and a cast writes one copy. */
TEST(Recipe, WeightGradientsIn16Bits)
{
  ss_product size = {};
  size.tokens = 3;
  size.in = 2;
  size.out = 4;
  size.precision = SS_PRECISION_FP8_WGRAD16;
  const ss_operation product = ss_operation_product(&size);
  EXPECT_EQ(product.forward.kernel.engine, SS_ENGINE_FP8);
  EXPECT_EQ(product.backward.kernel.engine, SS_ENGINE_FP8);
  EXPECT_EQ(product.weight.kernel.engine, SS_ENGINE_MATRIX);
  EXPECT_DOUBLE_EQ(product.weight.kernel.hbm_bytes, 2 * (6 + 12 + 8));
  EXPECT_DOUBLE_EQ(product.stored_bytes, 12);
  EXPECT_DOUBLE_EQ(ss_operation_cast_input(&size).forward.kernel.hbm_bytes, (2 + 1) * 6);
}

/* Four ranks quantise their own l / 4 tokens: qkv and fc1 gather l x e of them forward, and again for the gradients of
 * their weights; projection and fc2 gather gradients of l x e backward, in both copies where blocks of one direction
 * have scales. Ranks agree on the scale of a tensor before they quantise what they gather. */
TEST(Recipe, TensorParallelRanksGatherOperands)
{
  struct Case {
    ss_precision precision;
    double gathered, again, gradient;
    int agreements;
  };
  const std::vector<Case> cases = {
      {SS_PRECISION_FP8, 1, 1, 1, 0},
      {SS_PRECISION_FP8_WGRAD16, 1, 2, 2, 0},
      {SS_PRECISION_FP8_CURRENT, 1, 1, 1, 2},
      {SS_PRECISION_MXFP8, 1.03125, 1.03125, 2.0625, 0},
      {SS_PRECISION_NVFP4, 0.5625, 0.5625, 1.125, 2},
  };
  for (const Case &c : cases) {
    SCOPED_TRACE(c.precision);
    ss_workload workload = in(c.precision, 4);
    const auto gathered = [&](ss_pass pass) {
      double bytes = 0;
      for (const ss_task &task : tasks(*build(workload), pass))
        for (int64_t i = 0; i < task.calls; ++i)
          if (task.call[i].kind == SS_ALL_GATHER) bytes += task.call[i].volume_bytes;
      return bytes;
    };
    EXPECT_DOUBLE_EQ(gathered(SS_PASS_FORWARD), 2 * 2 * l * e);
    EXPECT_DOUBLE_EQ(gathered(SS_PASS_BACKWARD), 4 * 2 * l * e);
    workload.training.gather_type = SS_AS_OPERANDS;
    EXPECT_DOUBLE_EQ(gathered(SS_PASS_FORWARD), 2 * c.gathered * l * e);
    EXPECT_DOUBLE_EQ(gathered(SS_PASS_BACKWARD), 2 * (c.again + c.gradient) * l * e);
    const BlockPointer layer = build(workload);
    EXPECT_EQ(reductions_of_4_bytes(*layer, SS_PASS_FORWARD), c.agreements);
    EXPECT_EQ(reductions_of_4_bytes(*layer, SS_PASS_BACKWARD), c.agreements);
  }
  /* mxfp8: of qkv and fc1 a quarter of the tokens, of projection and fc2 all tokens of a quarter of the width */
  ss_workload workload = in(SS_PRECISION_MXFP8, 4);
  workload.training.gather_type = SS_AS_OPERANDS;
  EXPECT_DOUBLE_EQ(sum_of(*build(workload), SS_PASS_FORWARD, SS_OP_CAST).bytes, 4.0625 * l * (3 * e + f) / 4);
  EXPECT_DOUBLE_EQ(sum_of(*build(workload), SS_PASS_BACKWARD, SS_OP_CAST).bytes, 4.0625 * l * (5 * e + f) / 4);
}

/* Four ranks quantise their shares of what qkv and fc1 read, and of the gradients of projection and fc2, along rows
 * alone; backward four kernels transpose what is gathered, l x e, reading and writing 1 byte. What a rank has whole, of
 * a quarter of the width, is written in both copies. */
TEST(Recipe, GatheredOperandsAreTransposed)
{
  ss_workload workload = in(SS_PRECISION_FP8_CURRENT, 4);
  const double before = sum_of(*build(workload), SS_PASS_BACKWARD, SS_OP_COPY).bytes;
  workload.training.gather_type = SS_AS_OPERANDS;
  const BlockPointer layer = build(workload);
  EXPECT_DOUBLE_EQ(sum_of(*layer, SS_PASS_FORWARD, SS_OP_CAST).bytes, l / 4 * (3 * 2 * e + 4 * (e + f)));
  EXPECT_DOUBLE_EQ(sum_of(*layer, SS_PASS_BACKWARD, SS_OP_CAST).bytes, l / 4 * (3 * 2 * e + 4 * (3 * e + f)));
  const Sum transposed = sum_of(*layer, SS_PASS_BACKWARD, SS_OP_COPY);
  EXPECT_EQ(transposed.kernels, 4);
  EXPECT_DOUBLE_EQ(transposed.bytes - before, 4 * (1 + 1) * l * e);
}

/* Tensor cores that have MXFP8 read 8 bits in either order: one copy of every operand and no transposes, but of those
 * with scales of blocks both copies. */
TEST(Recipe, EitherOrderIsOneCopy)
{
  ss_machine machine = make_machine({});
  machine.fp8_flop_per_s = machine.mxfp8_flop_per_s = 2 * machine.matrix_flop_per_s;
  for (const ss_held_as gathered : {SS_AS_16BIT, SS_AS_OPERANDS})
    for (const int tp : {1, 4}) {
      ss_workload workload = in(SS_PRECISION_FP8_CURRENT, tp);
      workload.training.gather_type = gathered;
      const double own = gathered == SS_AS_OPERANDS ? tp : 1.0; /* of what is gathered, the share of a rank */
      const BlockPointer layer = build_on(machine, workload);
      EXPECT_DOUBLE_EQ(sum_of(*layer, SS_PASS_FORWARD, SS_OP_CAST).bytes, 3 * l * (2 * e / own + (e + f) / tp));
      EXPECT_DOUBLE_EQ(sum_of(*layer, SS_PASS_BACKWARD, SS_OP_CAST).bytes, 3 * l * (2 * e / own + (3 * e + f) / tp));
      EXPECT_EQ(sum_of(*layer, SS_PASS_BACKWARD, SS_OP_COPY).kernels, 0);
    }
  EXPECT_DOUBLE_EQ(sum_of(*build_on(machine, in(SS_PRECISION_MXFP8)), SS_PASS_FORWARD, SS_OP_CAST).bytes,
                   4.0625 * l * (3 * e + f));
  const ss_recipe *recipe = ss_recipe_of(SS_PRECISION_FP8_CURRENT);
  EXPECT_EQ(ss_recipe_weight_copies_bytes(recipe, &machine), 1);
  machine.mxfp8_flop_per_s = 0;
  EXPECT_EQ(ss_recipe_weight_copies_bytes(recipe, &machine), 2);
}

/* User buffers carry no scales of blocks: forward two gathers of them for qkv and fc1, of l x e / 32 bytes, and
 * backward those of what the gradients of weights read again, and of the gradients that projection and fc2 gather. What
 * is left of these beside products are values, and the scales of the other copy of gradients. Whole tensors have one
 * scale. */
TEST(Recipe, UserBuffersGatherScalesBefore)
{
  ss_workload workload = in(SS_PRECISION_MXFP8, 4);
  workload.training.gather_type = SS_AS_OPERANDS;
  workload.schedule.overlap_tp = SS_TP_OVERLAP_USER_BUFFERS;
  std::vector<double> alone, beside;
  for (const ss_pass pass : {SS_PASS_FORWARD, SS_PASS_BACKWARD})
    for (const ss_task &task : tasks(*build(workload), pass))
      for (int64_t i = 0; i < task.calls; ++i)
        if (task.call[i].kind == SS_ALL_GATHER)
          (task.kernel.flop > 0 ? beside : alone).push_back(task.call[i].volume_bytes / (l * e));
  EXPECT_EQ(alone, std::vector<double>(6, 1.0 / 32));
  std::sort(beside.begin(), beside.end());
  EXPECT_EQ(beside, (std::vector<double>{1, 1, 1, 1, 2 + 1.0 / 32, 2 + 1.0 / 32}));
  workload.training.precision = SS_PRECISION_FP8_CURRENT;
  EXPECT_EQ(names(*build(workload), SS_PASS_FORWARD).find(", all-gather"), std::string::npos);
}

/* Norms of cuDNN write MXFP8, in place of a kernel behind them, but do not look for the largest value of a tensor; what
 * latent attention and experts read is written by norms of their own, which write 16 bits. */
TEST(Recipe, NormsOfCudnn)
{
  ss_workload workload = in(SS_PRECISION_MXFP8, 1);
  const auto count = [&](ss_activity activity) {
    int sum = 0;
    for (const ss_task &task : tasks(*build(workload), SS_PASS_FORWARD)) sum += task.activity == activity;
    return sum;
  };
  EXPECT_EQ(count(SS_OP_CAST), 4);
  workload.training.norms = SS_NORMS_CUDNN;
  EXPECT_EQ(count(SS_OP_CAST), 2);
  for (const ss_task &task : tasks(*build(workload), SS_PASS_FORWARD))
    EXPECT_EQ(task.kernel.access == SS_ACCESS_CUDNN_NORM,
              task.activity == SS_OP_NORM_1 || task.activity == SS_OP_NORM_2);
  workload.training.precision = SS_PRECISION_FP8_CURRENT;
  EXPECT_EQ(count(SS_OP_CAST), 4);
  EXPECT_EQ(count(SS_OP_AMAX), 4);
  workload.training.norms = SS_NORMS_FRAMEWORK;
  EXPECT_EQ(count(SS_OP_AMAX), 2);
}
