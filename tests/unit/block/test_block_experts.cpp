/* Experts that several ranks share: who gathers their tokens, and in which format. */
#include "tests/support/blocks.hpp"

using namespace stepsim;

namespace
{

constexpr double e = 1024, l = 512;
constexpr double value_bytes = 1 + 1.0 / 32; /* of MXFP8, with its part of a scale */

/* Four tensor-parallel ranks share each expert, on two expert-parallel ranks. */
ss_workload shared_out(ss_tp_overlap overlap)
{
  ss_workload workload = mixture();
  workload.parallelism.tp = 4;
  workload.parallelism.dp = 2;
  workload.parallelism.ep = 2;
  workload.parallelism.sequence_parallel = SS_YES;
  workload.training.precision = SS_PRECISION_MXFP8;
  workload.training.gather_type = SS_AS_OPERANDS;
  workload.training.dropout = SS_NO;
  workload.schedule.overlap_tp = overlap;
  return workload;
}

std::string after(const std::string &text, const std::string &first)
{
  const size_t at = text.find(first);
  return at == std::string::npos ? "" : text.substr(at);
}

} /* namespace */

/* The dispatcher gathers what has arrived and reduces what comes out, and backward the reverse, whatever products of
 * attention do beside their own collectives. */
TEST(SharedExperts, NothingRunsBesideTheirCollectives)
{
  for (ss_tp_overlap overlap :
       {SS_TP_OVERLAP_NONE, SS_TP_OVERLAP_BACKWARD, SS_TP_OVERLAP_RING, SS_TP_OVERLAP_USER_BUFFERS}) {
    const BlockPointer block = build(shared_out(overlap), SS_BLOCK_EXPERT);
    EXPECT_EQ(after(names(*block, SS_PASS_FORWARD), "permute"),
              "permute, all-to-all, permute, all-gather, quantise, expert fc1, expert activation, quantise, expert "
              "fc2, reduce-scatter, permute, all-to-all, unpermute, bias + dropout + add");
    const std::string backward = names(*block, SS_PASS_BACKWARD);
    EXPECT_NE(backward.find("all-to-all, permute, all-gather, quantise, expert fc2, expert fc2, expert activation, "
                            "quantise, expert fc1, expert fc1, reduce-scatter, permute, all-to-all"),
              std::string::npos)
        << backward;
  }
}

/* Ranks quantise tokens of attention before they gather them. To experts each sends 2 of its 128, and
 * 4 l / 2 arrive in 16 bits at the four, which quantise all of them. */
TEST(SharedExperts, TokensAreGatheredAsTheyCame)
{
  const BlockPointer block = build(shared_out(SS_TP_OVERLAP_NONE), SS_BLOCK_EXPERT);
  const double rows = 2 * l;
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_FORWARD, SS_COMM_ALL_GATHER, 0).call[0].volume_bytes, value_bytes * l * e);
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_FORWARD, SS_COMM_ALL_GATHER, 1).call[0].volume_bytes, 2.0 * rows * e);
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_BACKWARD, SS_COMM_ALL_GATHER, 0).call[0].volume_bytes, 2.0 * rows * e);
  /* read in 16 bits; written for the product, and for the gradient of its weights */
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_BACKWARD, SS_OP_CAST, 0).kernel.hbm_bytes, (2 + 2 * value_bytes) * rows * e);
}

/* Products keep all that they read, where those of attention may gather it again. */
TEST(SharedExperts, GatheredTokensAreKept)
{
  ss_workload workload = shared_out(SS_TP_OVERLAP_NONE);
  const double again = build(workload, SS_BLOCK_EXPERT)->stored_bytes;
  workload.parallelism.tp_redo = SS_NO;
  const double kept = build(workload, SS_BLOCK_EXPERT)->stored_bytes;
  EXPECT_DOUBLE_EQ(kept - again, 0.75 * value_bytes * l * e); /* of qkv alone */
}

/* The experts of a rank in one kernel fill the GPU together, those in kernels of their own each by itself. */
TEST(Experts, OneKernelFillsTheGpu)
{
  ss_workload workload = mixture();
  const auto fc1 = [&] { return find(*build(workload, SS_BLOCK_EXPERT), SS_PASS_FORWARD, SS_OP_EXPERT_FC1); };
  const ss_task each = fc1();
  workload.training.expert_kernels = SS_EXPERT_KERNELS_GROUPED;
  const ss_task grouped = fc1();
  EXPECT_EQ(each.kernel.products, each.matrices);
  EXPECT_EQ(grouped.kernel.products, 1);
  EXPECT_EQ(grouped.matrices, each.matrices);
  EXPECT_DOUBLE_EQ(grouped.kernel.flop, each.kernel.flop);
}

/* 8 experts beside 4 that compute nothing: of 3 choices 2 compute in the mean. The router has 12 columns and keeps as
 * many scores; a kernel adds up what the others give back, backward their gradients; the rest is as with top 2. */
TEST(Experts, SomeComputeNothing)
{
  ss_workload workload = mixture();
  workload.parallelism.ep = 4;
  const BlockPointer plain = build(workload, SS_BLOCK_EXPERT);
  workload.model.top_k = 3;
  workload.model.zero_experts = 4;
  const BlockPointer block = build(workload, SS_BLOCK_EXPERT);
  EXPECT_EQ(after(names(*block, SS_PASS_FORWARD), "permute"),
            "permute, all-to-all, permute, expert fc1, expert activation, expert fc2, permute, all-to-all, unpermute, "
            "residual add, bias + dropout + add");
  EXPECT_DOUBLE_EQ(block->parameters[SS_WEIGHTS_DENSE] - plain->parameters[SS_WEIGHTS_DENSE], 4 * e);
  EXPECT_DOUBLE_EQ(block->parameters[SS_WEIGHTS_EXPERT], plain->parameters[SS_WEIGHTS_EXPERT]);
  for (const ss_activity activity : {SS_OP_EXPERT_FC1, SS_OP_EXPERT_FC2})
    EXPECT_DOUBLE_EQ(find(*block, SS_PASS_FORWARD, activity).kernel.flop,
                     find(*plain, SS_PASS_FORWARD, activity).kernel.flop);
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_FORWARD, SS_COMM_ALL_TO_ALL).call[0].volume_bytes, 2 * l * 2 * e);
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_FORWARD, SS_OP_ROUTER).kernel.flop, l * 12 * (2 * e - 1));
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_FORWARD, SS_OP_ADD).kernel.hbm_bytes, 3 * 2 * l * e);
}
