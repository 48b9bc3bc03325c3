/* Fused attention and the output layer in 8 bits (training.attention-type, training.output-type): what they run on,
 * what quantises what they read, and what is kept. */
#include "tests/support/blocks.hpp"

extern "C" {
#include "model/block/mixer/attention_core.h"
}

using namespace stepsim;

namespace
{

constexpr double e = 1024, l = 512, v = 1000;

/* Eight heads of 128 on four of keys and values: queries of l e elements, keys and values of l e together. */
ss_workload grouped(ss_precision precision)
{
  ss_workload workload = make_workload();
  workload.model.kv_heads = 4;
  workload.model.vocabulary = static_cast<int64_t>(v);
  workload.training.precision = precision;
  return workload;
}

ss_workload attends(ss_precision precision)
{
  ss_workload workload = grouped(precision);
  workload.training.attention_type = SS_AS_OPERANDS;
  return workload;
}

/* A block on a machine that knows the efficiency of products in fp8, so that what quantises is kernels of its own. */
BlockPointer built(const ss_workload &workload, ss_block_kind kind = SS_BLOCK_LAYER)
{
  BlockPointer block = std::make_unique<OwnedBlock>();
  ss_machine machine = make_machine({});
  machine.fp8_efficiency = {1, {1}, {0.5}};
  ss_block_clear(block.get(), kind, block->tasks);
  ss_block_build(&workload, SS_COST_CALIBRATED, &machine, block.get());
  return block;
}

/* What attention in 8 bits adds to a pass. */
double added(ss_precision precision, ss_pass pass, ss_activity activity)
{
  return bytes(*built(attends(precision)), pass, activity) - bytes(*built(grouped(precision)), pass, activity);
}

} /* namespace */

/* Products take 4 bits in NVFP4, attention 8, with scales from the values themselves. */
TEST(AttentionFormat, TakesEightBitsBesideProductsOfFour)
{
  for (const ss_pass pass : {SS_PASS_FORWARD, SS_PASS_BACKWARD})
    for (const ss_activity activity : {SS_OP_CAST, SS_OP_AMAX})
      EXPECT_DOUBLE_EQ(added(SS_PRECISION_NVFP4, pass, activity), added(SS_PRECISION_FP8_CURRENT, pass, activity));
}

/* Of 2 l e queries, keys and values, 2 bytes are read and written once in fp8, twice with a scale of a byte for 32 in
 * MXFP8; likewise of l e gradients of the output. Where the scale is of the tensor its largest value is sought; where
 * it is an old one, the output and the gradients of queries, keys and values come in 1 byte, of which 2 are made. */
TEST(AttentionFormat, OthersQuantise)
{
  const double scaled = 2 * (1 + 1.0 / 32);
  EXPECT_DOUBLE_EQ(added(SS_PRECISION_MXFP8, SS_PASS_FORWARD, SS_OP_CAST), (2 + scaled) * 2 * l * e);
  EXPECT_DOUBLE_EQ(added(SS_PRECISION_MXFP8, SS_PASS_BACKWARD, SS_OP_CAST), (2 + scaled) * l * e);
  EXPECT_DOUBLE_EQ(added(SS_PRECISION_MXFP8, SS_PASS_FORWARD, SS_OP_AMAX), 0);
  EXPECT_DOUBLE_EQ(added(SS_PRECISION_FP8_CURRENT, SS_PASS_FORWARD, SS_OP_CAST), 3 * 2 * l * e);
  EXPECT_DOUBLE_EQ(added(SS_PRECISION_FP8_CURRENT, SS_PASS_BACKWARD, SS_OP_CAST), 3 * l * e);
  EXPECT_DOUBLE_EQ(added(SS_PRECISION_FP8_CURRENT, SS_PASS_FORWARD, SS_OP_AMAX), 2 * 2 * l * e);
  EXPECT_DOUBLE_EQ(added(SS_PRECISION_FP8_CURRENT, SS_PASS_BACKWARD, SS_OP_AMAX), 2 * l * e);
  EXPECT_DOUBLE_EQ(added(SS_PRECISION_FP8, SS_PASS_FORWARD, SS_OP_CAST), 3 * 2 * l * e + 3 * l * e);
  EXPECT_DOUBLE_EQ(added(SS_PRECISION_FP8, SS_PASS_BACKWARD, SS_OP_CAST), 3 * l * e + 3 * 2 * l * e);
  EXPECT_DOUBLE_EQ(added(SS_PRECISION_FP8, SS_PASS_FORWARD, SS_OP_AMAX), 0);
}

/* Backward seeks the largest gradient of the output, then quantises it; forward likewise ahead of the kernel. */
TEST(AttentionFormat, InOrder)
{
  const BlockPointer block = built(attends(SS_PRECISION_FP8_CURRENT));
  EXPECT_NE(names(*block, SS_PASS_FORWARD).find("largest value, quantise, flash attention, largest value"),
            std::string::npos);
  EXPECT_NE(names(*block, SS_PASS_BACKWARD).find("largest value, quantise, flash attention, largest value"),
            std::string::npos);
}

/* Of queries, keys and values 1 byte is kept in place of 2, in MXFP8 33/32 twice. The output stays in 16 bits, but with
 * old scales, where it is in 1 byte, also where the projection keeps it in 16 bits. */
TEST(AttentionFormat, Keeps)
{
  const auto more = [](ss_precision precision) {
    return built(attends(precision))->stored_bytes - built(grouped(precision))->stored_bytes;
  };
  EXPECT_DOUBLE_EQ(more(SS_PRECISION_MXFP8), (2 * 33.0 / 32 - 2) * 2 * l * e);
  EXPECT_DOUBLE_EQ(more(SS_PRECISION_FP8_CURRENT), -2 * l * e);
  EXPECT_DOUBLE_EQ(more(SS_PRECISION_FP8), -2 * l * e - l * e);
  EXPECT_DOUBLE_EQ(more(SS_PRECISION_FP8_WGRAD16), -2 * l * e + l * e);
}

/* Where the core is computed again, queries, keys and values are its inputs, in 16 bits, and what is made of them is
 * not kept. */
TEST(AttentionFormat, CoreMadeAgain)
{
  ss_workload workload = attends(SS_PRECISION_MXFP8), plain = grouped(SS_PRECISION_MXFP8);
  workload.training.recompute = plain.training.recompute = SS_RECOMPUTE_SELECTIVE;
  workload.training.recompute_modules = plain.training.recompute_modules = SS_WORD_BIT(SS_RECOMPUTE_CORE_ATTN);
  EXPECT_DOUBLE_EQ(built(workload)->stored_bytes, built(plain)->stored_bytes);
  const double again =
      bytes(*built(workload), SS_PASS_BACKWARD, SS_OP_CAST) - bytes(*built(plain), SS_PASS_BACKWARD, SS_OP_CAST);
  EXPECT_DOUBLE_EQ(again, (2 + 2 * 33.0 / 32) * 3 * l * e);
}

/* The units are those of the format and of latent attention where the machine knows them; else latent attention has
 * what other attention reaches, and 8 bits what 16 do; else the kernel is a product. */
TEST(AttentionFormat, Units)
{
  ss_machine machine = make_machine({});
  EXPECT_EQ(ss_engine_known(&machine, SS_ENGINE_MXFP8_LATENT_BACKWARD), SS_ENGINE_MATRIX);
  machine.attention_backward = {1, {1}, {0.4}};
  EXPECT_EQ(ss_engine_known(&machine, SS_ENGINE_MXFP8_LATENT_BACKWARD), SS_ENGINE_ATTENTION_BACKWARD);
  EXPECT_EQ(ss_engine_known(&machine, SS_ENGINE_FP8_ATTENTION_BACKWARD), SS_ENGINE_ATTENTION_BACKWARD);
  machine.mxfp8_attention_backward = {1, {1}, {0.3}};
  EXPECT_EQ(ss_engine_known(&machine, SS_ENGINE_MXFP8_ATTENTION_BACKWARD), SS_ENGINE_MXFP8_ATTENTION_BACKWARD);
  EXPECT_EQ(ss_engine_known(&machine, SS_ENGINE_MXFP8_LATENT_BACKWARD), SS_ENGINE_ATTENTION_BACKWARD);
  machine.latent_backward = {1, {1}, {0.35}};
  EXPECT_EQ(ss_engine_known(&machine, SS_ENGINE_MXFP8_LATENT_BACKWARD), SS_ENGINE_LATENT_BACKWARD);
  EXPECT_EQ(ss_engine_known(&machine, SS_ENGINE_FP8), SS_ENGINE_FP8); /* products keep their peak */
}

/* A share of the peak in MXFP8: 0.25 of 1248 Tflop/s, whatever products sustain. */
TEST(AttentionFormat, ShareOfItsPeak)
{
  ss_machine machine = make_machine({});
  machine.mxfp8_flop_per_s = 1248e12;
  machine.matrix_sustained = 0.5;
  machine.attention_forward = {1, {1}, {0.4}};
  machine.mxfp8_attention_forward = {1, {1}, {0.25}};
  const ss_workload workload = attends(SS_PRECISION_MXFP8);
  OwnedBlock block;
  ss_block_clear(&block, SS_BLOCK_LAYER, block.tasks);
  ss_block_build(&workload, SS_COST_CALIBRATED, &machine, &block);
  const ss_kernel kernel = find(block, SS_PASS_FORWARD, SS_OP_ATTENTION).kernel;
  EXPECT_EQ(kernel.engine, SS_ENGINE_MXFP8_ATTENTION_FORWARD);
  expect_close(ss_kernel_duration(&machine, SS_COST_CALIBRATED, &kernel).compute_s, kernel.flop / (0.25 * 1248e12),
               1e-12);
}

/* Published costs know of 16 bits only. */
TEST(AttentionFormat, NotAsPublished)
{
  const BlockPointer block = build(attends(SS_PRECISION_MXFP8), SS_BLOCK_LAYER, SS_COST_SC24),
                     plain = build(grouped(SS_PRECISION_MXFP8), SS_BLOCK_LAYER, SS_COST_SC24);
  EXPECT_EQ(block->stored_bytes, plain->stored_bytes);
  EXPECT_EQ(names(*block, SS_PASS_FORWARD), names(*plain, SS_PASS_FORWARD));
}

/* Three products of l e v in the format; what they read is quantised, tokens of l e and gradients of l v, and tokens
 * are kept in 33/32 bytes in place of 2. */
TEST(OutputFormat, ProductsOfLayers)
{
  ss_workload workload = grouped(SS_PRECISION_MXFP8);
  const BlockPointer plain = built(workload, SS_BLOCK_HEAD);
  workload.training.output_type = SS_AS_OPERANDS;
  const BlockPointer head = built(workload, SS_BLOCK_HEAD);
  const double scaled = 33.0 / 32;
  EXPECT_EQ(find(*plain, SS_PASS_FORWARD, SS_OP_OUTPUT).kernel.engine, SS_ENGINE_MATRIX);
  EXPECT_EQ(find(*head, SS_PASS_FORWARD, SS_OP_OUTPUT).kernel.engine, SS_ENGINE_MXFP8);
  EXPECT_EQ(find(*head, SS_PASS_BACKWARD, SS_OP_OUTPUT, 0).kernel.engine, SS_ENGINE_MXFP8);
  EXPECT_EQ(find(*head, SS_PASS_BACKWARD, SS_OP_OUTPUT, 1).kernel.engine, SS_ENGINE_MXFP8);
  EXPECT_DOUBLE_EQ(find(*head, SS_PASS_FORWARD, SS_OP_OUTPUT).kernel.hbm_bytes, scaled * (l * e + e * v) + 2 * l * v);
  EXPECT_DOUBLE_EQ(bytes(*head, SS_PASS_FORWARD, SS_OP_CAST), (2 + 2 * scaled) * l * e);
  EXPECT_DOUBLE_EQ(bytes(*head, SS_PASS_BACKWARD, SS_OP_CAST), (2 + 2 * scaled) * l * v);
  EXPECT_DOUBLE_EQ(plain->stored_bytes - head->stored_bytes, (2 - scaled) * l * e);
  EXPECT_EQ(names(*built(workload, SS_BLOCK_EMBEDDING), SS_PASS_FORWARD),
            names(*built(grouped(SS_PRECISION_MXFP8), SS_BLOCK_EMBEDDING), SS_PASS_FORWARD));
}
