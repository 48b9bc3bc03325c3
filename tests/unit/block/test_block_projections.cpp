/* Products that read the same tokens: one of all their widths, or one for each matrix (training.projections). */
#include "tests/support/blocks.hpp"

using namespace stepsim;

namespace
{

constexpr double e = 1024, l = 512;

/* Eight heads of 128 on four key/value heads, SwiGLU. */
ss_workload llama(ss_projections projections)
{
  ss_workload workload = make_workload();
  workload.training.dropout = SS_NO;
  workload.model.mlp = SS_MLP_SWIGLU;
  workload.model.kv_heads = 4;
  workload.training.projections = projections;
  return workload;
}

} /* namespace */

/* Three products in place of one and two in place of another have the same flop and parameters, and keep the same. Each
 * reads the tokens, and backward writes a gradient of them: a kernel reads those of three, or of two, and writes the
 * sum; without fusion two at a time. */
TEST(Projections, EachReadsTheTokens)
{
  const ss_workload one = llama(SS_PROJECTIONS_FUSED);
  ss_workload each = llama(SS_PROJECTIONS_SEPARATE);
  EXPECT_EQ(names(*build(each), SS_PASS_FORWARD),
            "norm 1, qkv, qkv, qkv, rotary embedding, flash attention, projection, bias + dropout + add, norm 2, fc1, "
            "fc1, activation, fc2, bias + dropout + add");
  EXPECT_DOUBLE_EQ(flop(*build(each), SS_PASS_FORWARD), flop(*build(one), SS_PASS_FORWARD));
  EXPECT_DOUBLE_EQ(build(each)->parameters[SS_WEIGHTS_DENSE], build(one)->parameters[SS_WEIGHTS_DENSE]);
  EXPECT_DOUBLE_EQ(build(each)->stored_bytes, build(one)->stored_bytes);
  EXPECT_DOUBLE_EQ(bytes(each, SS_PASS_FORWARD, SS_OP_QKV) - bytes(one, SS_PASS_FORWARD, SS_OP_QKV), 2 * 2 * l * e);
  EXPECT_DOUBLE_EQ(bytes(each, SS_PASS_FORWARD, SS_OP_FC1) - bytes(one, SS_PASS_FORWARD, SS_OP_FC1), 2 * l * e);
  EXPECT_DOUBLE_EQ(bytes(each, SS_PASS_BACKWARD, SS_OP_INPUT_SUM), 2 * (3 + 1) * l * e + 2 * (2 + 1) * l * e);
  each.training.fused = SS_NO;
  EXPECT_DOUBLE_EQ(bytes(each, SS_PASS_BACKWARD, SS_OP_INPUT_SUM), 2 * 2 * 3 * l * e + 2 * 3 * l * e);
}

/* Kernel by kernel, the gradients of gate and up-projection are joined (two read, two written) only where one product
 * made both. */
TEST(Projections, GradientsOfHalvesAreJoinedForOneProduct)
{
  ss_workload one = llama(SS_PROJECTIONS_FUSED), each = llama(SS_PROJECTIONS_SEPARATE);
  one.training.fused = each.training.fused = SS_NO;
  const double joined = bytes(one, SS_PASS_BACKWARD, SS_OP_ACTIVATION);
  EXPECT_DOUBLE_EQ(joined, 2 * (3 + 4) * l * 4 * e);
  EXPECT_DOUBLE_EQ(bytes(each, SS_PASS_BACKWARD, SS_OP_ACTIVATION), 2 * 3 * l * 4 * e);
}

/* Tensor-parallel ranks gather the tokens once, beside the first product where that overlaps, and reduce the sum of
 * their gradients, beside which nothing runs. */
TEST(Projections, TokensAreGatheredOnce)
{
  ss_workload workload = llama(SS_PROJECTIONS_SEPARATE);
  workload.parallelism.tp = 4;
  workload.parallelism.sequence_parallel = SS_YES;
  workload.parallelism.tp_redo = SS_NO;
  const std::string gathered = "norm 1, all-gather, qkv, qkv, qkv, rotary embedding";
  EXPECT_EQ(names(*build(workload), SS_PASS_FORWARD).substr(0, gathered.size()), gathered);
  const std::string plain = names(*build(workload), SS_PASS_BACKWARD);
  EXPECT_NE(plain.find("qkv, qkv, qkv, qkv, qkv, qkv, input gradient sum, reduce-scatter, norm 1"), std::string::npos)
      << plain;
  workload.schedule.overlap_tp = SS_TP_OVERLAP_RING;
  const std::string beside = "norm 1, qkv | all-gather, qkv, qkv, rotary embedding";
  EXPECT_EQ(names(*build(workload), SS_PASS_FORWARD).substr(0, beside.size()), beside);
  const std::string ring = names(*build(workload), SS_PASS_BACKWARD);
  EXPECT_NE(ring.find("qkv, qkv, qkv, qkv, qkv, qkv, input gradient sum, reduce-scatter, norm 1"), std::string::npos)
      << ring;
}

/* Tokens are quantised once; each gradient of an output is. */
TEST(Projections, TokensAreQuantisedOnce)
{
  const auto count = [](ss_projections projections, ss_pass pass) {
    ss_workload workload = llama(projections);
    workload.training.precision = SS_PRECISION_FP8_BLOCK;
    int casts = 0;
    for (const ss_task &task : tasks(*build(workload), pass)) casts += task.activity == SS_OP_CAST ? 1 : 0;
    return casts;
  };
  EXPECT_EQ(count(SS_PROJECTIONS_SEPARATE, SS_PASS_FORWARD), count(SS_PROJECTIONS_FUSED, SS_PASS_FORWARD));
  EXPECT_EQ(count(SS_PROJECTIONS_SEPARATE, SS_PASS_BACKWARD), count(SS_PROJECTIONS_FUSED, SS_PASS_BACKWARD) + 2 + 1);
}

/* Of two sequences, what four ranks gather of the tokens of attention and of the MLP, and what they reduce, is copied
 * once each (read and written, 2 bytes); keys and values of 4 heads are repeated for 8, of which a rank has a quarter,
 * and backward summed. In pieces, only gradients that are summed first are copied; of one sequence, nothing. */
TEST(Projections, TokensAreCopiedInOrder)
{
  ss_workload workload = llama(SS_PROJECTIONS_SEPARATE);
  workload.parallelism.tp = 4;
  workload.parallelism.sequence_parallel = SS_YES;
  workload.training.layout_copies = SS_YES;
  workload.training.micro_batch = 2;
  const double whole = 2 * 2 * 2 * l * e, repeated = 2 * 2 * 2 * l * (8 + 4) / 4 * 128;
  for (const ss_pass pass : {SS_PASS_FORWARD, SS_PASS_BACKWARD}) {
    workload.schedule.overlap_tp = SS_TP_OVERLAP_NONE;
    EXPECT_DOUBLE_EQ(bytes(workload, pass, SS_OP_COPY), 4 * whole + repeated);
    workload.schedule.overlap_tp = SS_TP_OVERLAP_RING;
    EXPECT_DOUBLE_EQ(bytes(workload, pass, SS_OP_COPY), (pass == SS_PASS_BACKWARD ? 2 * whole : 0) + repeated);
  }
  workload.training.micro_batch = 1;
  EXPECT_DOUBLE_EQ(bytes(workload, SS_PASS_BACKWARD, SS_OP_COPY), repeated / 2);
  workload.model.kv_heads = workload.model.heads;
  EXPECT_DOUBLE_EQ(bytes(workload, SS_PASS_FORWARD, SS_OP_COPY), 0);
}
