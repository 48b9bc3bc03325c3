/* Attention that comes in pieces, one for the keys of each context-parallel rank, with sums of them in kernels of their
 * own (parallelism.cp-sums, schedule.overlap-cp), against numbers derived by hand. */
#include "tests/support/blocks.hpp"

using namespace stepsim;

namespace
{

constexpr double e = 1024, l = 512;

/* Each of four ranks has l / 4 tokens of all eight heads. */
ss_workload over_four(ss_cp_exchange exchange, ss_switch beside = SS_YES)
{
  ss_workload workload = make_workload();
  workload.parallelism.cp = 4;
  workload.parallelism.cp_exchange = exchange;
  workload.parallelism.cp_sums = SS_CP_SUMS_FP32;
  workload.schedule.overlap_cp = beside;
  return workload;
}

} /* namespace */

/* Keys and values of l tokens are 4 l e bytes in 16 bits. They are gathered beside the first of four pieces of
 * attention; backward, their gradients in fp32, 8 l e bytes, take four steps of which a gather has three: 8 l e 4/3. */
TEST(ContextPieces, GatherBesideTheFirst)
{
  const BlockPointer block = build(over_four(SS_CP_GATHER));
  const ss_task forward = find(*block, SS_PASS_FORWARD, SS_OP_ATTENTION);
  ASSERT_EQ(forward.calls, 1);
  EXPECT_EQ(forward.call[0].kind, SS_ALL_GATHER);
  EXPECT_DOUBLE_EQ(forward.call[0].volume_bytes, 4 * l * e);
  EXPECT_FALSE(forward.overlap.kernel_first);
  EXPECT_EQ(forward.overlap.kernel_pieces, 4);
  EXPECT_EQ(forward.overlap.call_pieces, 1);
  EXPECT_EQ(forward.overlap.lag, 1);
  const ss_task backward = find(*block, SS_PASS_BACKWARD, SS_OP_ATTENTION);
  ASSERT_EQ(backward.calls, 2);
  EXPECT_DOUBLE_EQ(backward.call[0].volume_bytes, 4 * l * e);
  EXPECT_DOUBLE_EQ(backward.call[1].volume_bytes, 8 * l * e * 4 / 3);
  EXPECT_TRUE(backward.overlap.kernel_first);
  EXPECT_EQ(backward.overlap.kernel_pieces, 4);
  EXPECT_EQ(backward.overlap.call_pieces, 4);
}

/* A ring's steps are beside the pieces with what came before, as without sums of their own. */
TEST(ContextPieces, RingBesideThoseBefore)
{
  const ss_overlap forward = find(*build(over_four(SS_CP_RING)), SS_PASS_FORWARD, SS_OP_ATTENTION).overlap;
  EXPECT_EQ(forward.kernel_pieces, 4);
  EXPECT_EQ(forward.call_pieces, 3);
  EXPECT_EQ(forward.lag, 1);
  EXPECT_TRUE(forward.one_ring);
}

/* Waited for at once, all of it is ahead of attention or behind it, and attention is a kernel alone. */
TEST(ContextPieces, NothingBeside)
{
  const BlockPointer block = build(over_four(SS_CP_GATHER, SS_NO));
  EXPECT_EQ(names(*block, SS_PASS_FORWARD),
            "norm 1, qkv, copy, all-gather, flash attention, sum of pieces, projection, bias + dropout + add, "
            "norm 2, fc1, bias + activation, fc2, bias + dropout + add");
  EXPECT_EQ(calls(*block, SS_PASS_BACKWARD), "all-gather all-gather ");
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_BACKWARD, SS_COMM_ALL_GATHER, 0).call[0].volume_bytes, 4 * l * e);
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_BACKWARD, SS_COMM_ALL_GATHER, 1).call[0].volume_bytes, 8 * l * e * 4 / 3);
  EXPECT_EQ(find(*block, SS_PASS_FORWARD, SS_OP_ATTENTION).calls, 0);
  ss_workload kernel = over_four(SS_CP_RING, SS_NO);
  kernel.parallelism.cp_sums = SS_CP_SUMS_KERNEL;
  EXPECT_EQ(calls(*build(kernel), SS_PASS_FORWARD), "all-gather ");
  EXPECT_EQ(calls(*build(kernel), SS_PASS_BACKWARD), "all-gather all-gather ");
  EXPECT_DOUBLE_EQ(find(*build(kernel), SS_PASS_BACKWARD, SS_COMM_ALL_GATHER, 1).call[0].volume_bytes, 4 * l * e);
}

/* A rank has l / 4 e elements of outputs and of queries, twice as many of keys and values. Three sums of four pieces in
 * one kernel each: of outputs (2 + 2 + 4) + (4 + 2 + 4) + (4 + 2 + 2) = 26 bytes, of gradients of queries as many, of
 * those of keys and values (2 + 4) + 3 (4 + 2 + 4) + (4 + 2) = 42. */
TEST(ContextPieces, SumsAreKernels)
{
  ss_workload workload = over_four(SS_CP_GATHER);
  const double own = l / 4 * e;
  EXPECT_DOUBLE_EQ(bytes(workload, SS_PASS_FORWARD, SS_OP_PIECE_SUM), 26 * own);
  EXPECT_DOUBLE_EQ(bytes(workload, SS_PASS_BACKWARD, SS_OP_PIECE_SUM), 26 * own + 42 * 2 * own);
  EXPECT_DOUBLE_EQ(bytes(workload, SS_PASS_FORWARD, SS_OP_COPY), 4 * 2 * own);
  workload.parallelism.cp_exchange = SS_CP_RING; /* side by side ahead of each of three steps */
  EXPECT_DOUBLE_EQ(bytes(workload, SS_PASS_FORWARD, SS_OP_COPY), 3 * 4 * 2 * own);

  /* without fusion: four outputs to fp32 4 (2 + 4), three sums 3 (12 + 8 + 12), 4 + 2 = 126; zeros 4, 4 (4 + 2 + 4) and
   * 4 + 2 = 50; the same and four times side by side 4 (4 + 4) = 82; copies without gaps, and ahead of three steps */
  workload = over_four(SS_CP_GATHER);
  workload.training.fused = SS_NO;
  EXPECT_DOUBLE_EQ(bytes(workload, SS_PASS_FORWARD, SS_OP_PIECE_SUM), 126 * own);
  EXPECT_DOUBLE_EQ(bytes(workload, SS_PASS_BACKWARD, SS_OP_PIECE_SUM), 50 * own + 82 * 2 * own);
  EXPECT_DOUBLE_EQ(bytes(workload, SS_PASS_BACKWARD, SS_OP_COPY), 4 * 4 * 2 * own);
}

/* Two heads that share keys and values: half as much is exchanged, unless there is a copy for each head by then. */
TEST(ContextPieces, RepeatedKeysGoToOthers)
{
  ss_workload workload = over_four(SS_CP_GATHER);
  workload.model.kv_heads = 4;
  workload.training.projections = SS_PROJECTIONS_SEPARATE;
  EXPECT_DOUBLE_EQ(find(*build(workload), SS_PASS_FORWARD, SS_OP_ATTENTION).call[0].volume_bytes, 2 * l * e);
  workload.training.layout_copies = SS_YES;
  EXPECT_DOUBLE_EQ(find(*build(workload), SS_PASS_FORWARD, SS_OP_ATTENTION).call[0].volume_bytes, 4 * l * e);
}

/* One rank has nothing to sum up. */
TEST(ContextPieces, NoneOfOneRank)
{
  ss_workload workload = over_four(SS_CP_GATHER);
  workload.parallelism.cp = 1;
  EXPECT_EQ(names(*build(workload), SS_PASS_FORWARD), names(*build(make_workload()), SS_PASS_FORWARD));
  EXPECT_EQ(names(*build(workload), SS_PASS_BACKWARD), names(*build(make_workload()), SS_PASS_BACKWARD));
}
