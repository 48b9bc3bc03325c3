/* What mixes tokens in a layer otherwise than by attention, or beside it, as lists of tasks against numbers by hand. */
#include "tests/support/blocks.hpp"

extern "C" {
#include "model/block/mixer/state_space.h"
}

using namespace stepsim;

namespace
{

/* Of 4 heads of 64 elements, a state of 32 in 2 groups, chunks of 128 tokens. */
ss_workload with_states(ss_mixer mixer)
{
  ss_workload workload = make_workload();
  workload.model.mixer = mixer;
  workload.model.feed_forward = SS_FEED_FORWARD_NONE;
  workload.model.mlp = SS_MLP_SWIGLU;
  workload.model.state_heads = 4;
  workload.model.state_head_size = 64;
  workload.model.state_size = 32;
  workload.model.state_groups = 2;
  workload.model.state_chunk = 128;
  return workload;
}

constexpr double e = 1024, l = 512;

/* What a scan computes of a token: forward so much, backward twice that and `again`. */
void expect_scan(const ss_workload &workload, const ss_block &block, double forward, double again)
{
  EXPECT_DOUBLE_EQ(ss_state_scan_flop(&workload, 1.0), forward);
  EXPECT_DOUBLE_EQ(find(block, SS_PASS_FORWARD, SS_OP_SCAN).kernel.flop, l * forward);
  EXPECT_DOUBLE_EQ(find(block, SS_PASS_BACKWARD, SS_OP_SCAN).kernel.flop, l * (2 * forward + again));
}

double exchanged_bytes(const ss_block &block)
{
  double bytes = 0;
  for (const ss_task &task : tasks(block, SS_PASS_FORWARD))
    for (int64_t i = 0; i < task.calls; ++i)
      if (task.call[i].kind == SS_ALL_TO_ALL) bytes += task.call[i].volume_bytes;
  return bytes;
}

} /* namespace */

/* Parameters of a Mamba-2 mixer with H heads of P, G groups of N: the input product e (2 H P + 2 G N + H), a
 * convolution of 4 with a bias over H P + 2 G N channels, 3 H of the scan, norms of e and H P, the output product H P
 * e. The scan of a token, in pairs of a product and a sum: within a chunk of Q tokens Q N G scores and Q H P outputs,
 * then N H P into the state and N H P out of it. Backward has two gradients of each, and scores and states once more.
 */
TEST(Mixers, Mamba)
{
  const ss_workload workload = with_states(SS_MIXER_MAMBA);
  const BlockPointer block = build(workload);
  const double inner = 4 * 64, groups = 2 * 32, states = 32 * inner, scores = 128 * groups;
  const double in = e * (2 * inner + 2 * groups + 4), channels = inner + 2 * groups;
  EXPECT_DOUBLE_EQ(block->parameters[SS_WEIGHTS_DENSE], in + 5 * channels + 3 * 4 + e + inner + inner * e);
  EXPECT_DOUBLE_EQ(ss_state_product_parameters(&workload, 1.0), in + inner * e);
  const double forward = 2 * (scores + 128 * inner + 2 * states);
  expect_scan(workload, *block, forward, 2 * (scores + states));
  EXPECT_EQ(names(*block, SS_PASS_FORWARD),
            "norm 1, mixer in, convolution, scan, gated norm, mixer out, bias + dropout + add");
}

/* Mamba-1 with C channels, states of N and steps of rank e / 16 = 64: e 2 C in, a convolution of 4 with a bias over C,
 * C (64 + 2 N) down and 64 C up with a norm between them; C N decays, C skip connections and C biases of steps; a norm
 * of e, C e out. For each channel and state 9 flop of a token forward, 21 backward. On two ranks, each has half of the
 * channels, and the sums of what these say of steps and states. */
TEST(Mixers, Mamba1)
{
  ss_workload workload = with_states(SS_MIXER_MAMBA_1);
  workload.model.state_heads = 256;
  workload.model.state_size = 16;
  const BlockPointer block = build(workload);
  const double inner = 256, width = 64 + 2 * 16, products = e * 2 * inner + inner * width + 64 * inner + inner * e;
  const double split = products + 5 * inner + inner * 16 + 2 * inner;
  EXPECT_DOUBLE_EQ(block->parameters[SS_WEIGHTS_DENSE], split + width + e);
  EXPECT_DOUBLE_EQ(ss_state_product_parameters(&workload, 1.0), products);
  expect_scan(workload, *block, 9 * inner * 16, 3 * inner * 16);
  EXPECT_EQ(names(*block, SS_PASS_FORWARD),
            "norm 1, mixer in, convolution, x_proj, x_proj norms, dt_proj, scan, mixer out, bias + dropout + add");
  workload.parallelism.tp = 2;
  const BlockPointer half = build(workload);
  EXPECT_DOUBLE_EQ(half->parameters[SS_WEIGHTS_DENSE], split / 2 + width + e);
  EXPECT_EQ(names(*half, SS_PASS_FORWARD),
            "norm 1, all-gather, mixer in, convolution, x_proj, all-reduce, x_proj norms, dt_proj, scan, mixer out, "
            "reduce-scatter, bias + dropout + add");
  workload.model.state_rank = 32;
  EXPECT_DOUBLE_EQ(ss_state_product_parameters(&workload, 1.0), products - 2 * 32 * inner);
}

/* Attention of 8 heads, 4 e^2, and Mamba-2 as above beside it: one norm, one gather and one reduction for both, and the
 * input of both is kept once. 6 flop a token for each parameter of a product; logits 12 e l, scans three times. */
TEST(Mixers, AttentionBesideMamba)
{
  ss_workload workload = with_states(SS_MIXER_MAMBA);
  const double mamba = build(workload)->parameters[SS_WEIGHTS_DENSE] - e,
               products = ss_state_product_parameters(&workload, 1.0);
  const double scan = ss_state_scan_flop(&workload, 1.0);
  workload.model.mixer = SS_MIXER_HYBRID;
  EXPECT_DOUBLE_EQ(build(workload)->parameters[SS_WEIGHTS_DENSE], 4 * e * e + mamba + e);
  const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
  EXPECT_DOUBLE_EQ(ss_estimate_metrics(job.get(), 1.0).model_flop_per_iteration,
                   (double)workload.model.layers * l * (6 * (4 * e * e + products) + 12 * e * l + 3 * scan));
  workload.parallelism.tp = 2;
  EXPECT_EQ(names(*build(workload), SS_PASS_FORWARD),
            "norm 1, all-gather, qkv, rotary embedding, flash attention, projection, mixer in, convolution, scan, "
            "gated norm, mixer out, output sum, reduce-scatter, bias + dropout + add");
  EXPECT_EQ(calls(*build(workload), SS_PASS_BACKWARD), "all-gather all-gather reduce-scatter ");
}

/* Of a layer with both, forward one kernel sums what they write, backward one what they say of their input: so many
 * elements each, two read and one written; with a product each for queries, keys and values there are four terms, in
 * three kernels or one. Backward the mixer reads its input before attention does: it gathers it again, beside the
 * gradient of its own input, and attention has it then. */
TEST(Mixers, WhatIsBesideAttentionIsAddedToIt)
{
  ss_workload workload = with_states(SS_MIXER_HYBRID);
  const double elements = l * e;
  EXPECT_DOUBLE_EQ(find(*build(workload), SS_PASS_FORWARD, SS_OP_OUTPUT_SUM).kernel.hbm_bytes, 3 * 2 * elements);
  EXPECT_DOUBLE_EQ(find(*build(workload), SS_PASS_BACKWARD, SS_OP_INPUT_SUM).kernel.flop, elements);
  workload.training.projections = SS_PROJECTIONS_SEPARATE;
  EXPECT_DOUBLE_EQ(find(*build(workload), SS_PASS_BACKWARD, SS_OP_INPUT_SUM).kernel.flop, 3 * elements);
  workload.training.projections = SS_PROJECTIONS_FUSED;
  workload.parallelism.tp = 2;
  const BlockPointer block = build(workload);
  const ss_task in = find(*block, SS_PASS_BACKWARD, SS_OP_MIXER_IN);
  ASSERT_EQ(in.calls, 1);
  EXPECT_EQ(in.call[0].kind, SS_ALL_GATHER);
  EXPECT_DOUBLE_EQ(in.call[0].volume_bytes, 2 * elements);
  EXPECT_EQ(find(*block, SS_PASS_BACKWARD, SS_OP_QKV).calls, 0);
}

/* With 2 groups on 2 x 2 ranks each has the B and C of a group whole. Tensor-parallel ranks share the groups out; the
 * two along the sequence repeat theirs before they exchange it: 2 x 2 N elements of a token more, and as many in the
 * convolution, whose parameters stay. Of 4 tensor-parallel ranks two make the same: e 2 x 2 N parameters and Q N 2
 * scores more. */
TEST(Mixers, RanksThatShareAGroupHaveItWhole)
{
  ss_workload workload = with_states(SS_MIXER_MAMBA);
  const double inner = 4 * 64, made = 2 * inner + 2 * 2 * 32 + 4, more = 2 * 2 * 32;
  workload.parallelism.tp = 2;
  const double parameters = build(workload)->parameters[SS_WEIGHTS_DENSE];
  const double channels = find(*build(workload), SS_PASS_FORWARD, SS_OP_CONVOLUTION).kernel.hbm_bytes / (4 * l);
  workload.parallelism.cp = 2;
  const BlockPointer shared = build(workload);
  EXPECT_DOUBLE_EQ(exchanged_bytes(*shared), l / 2 * 2 * (made + more + inner) / 2);
  EXPECT_DOUBLE_EQ(find(*shared, SS_PASS_FORWARD, SS_OP_CONVOLUTION).kernel.hbm_bytes,
                   4 * l / 2 * (channels + more / 2));
  EXPECT_DOUBLE_EQ(shared->parameters[SS_WEIGHTS_DENSE], parameters);
  EXPECT_DOUBLE_EQ(ss_state_product_parameters(&workload, 4) - ss_state_product_parameters(&workload, 1), e * more);
  EXPECT_DOUBLE_EQ(ss_state_scan_flop(&workload, 4) - ss_state_scan_flop(&workload, 1), 2.0 * 128 * 32 * 2);
  const double scores = 2 * 128 * 4 * 32, rest = 2 * (128 * inner + 2 * 32 * inner);
  EXPECT_DOUBLE_EQ(find(*shared, SS_PASS_FORWARD, SS_OP_SCAN).kernel.flop, l * (scores + rest) / 4);
}

/* Output products of mixers have the buffers of the second product of an MLP: in a ring of 8 pieces, or in 4. */
TEST(Mixers, OutputsAreReducedAsThoseOfAnMlp)
{
  ss_workload workload = with_states(SS_MIXER_MAMBA);
  workload.model.state_heads = workload.model.state_groups = workload.parallelism.tp = 8;
  workload.schedule.overlap_tp = SS_TP_OVERLAP_USER_BUFFERS;
  workload.schedule.tp_reduction = SS_TP_REDUCTION_MLP_RING;
  EXPECT_EQ(find(*build(workload), SS_PASS_FORWARD, SS_OP_MIXER_OUT).overlap.kernel_pieces, 8);
  workload.schedule.tp_reduction = SS_TP_REDUCTION_MLP_PIPE;
  EXPECT_EQ(find(*build(workload), SS_PASS_FORWARD, SS_OP_MIXER_OUT).overlap.kernel_pieces, 4);
}

/* Linear attention with G key heads of N and H value heads of P: e (2 G N + 2 H P + 2 H) in, a convolution of 4
 * tokens without a bias over 2 G N + H P channels, 2 H, norms of e and P, H P e out. */
TEST(Mixers, LinearAttention)
{
  const ss_workload workload = with_states(SS_MIXER_LINEAR);
  const double inner = 4 * 64, keys = 2 * 32;
  const double in = e * (2 * keys + 2 * inner + 2 * 4), channels = 2 * keys + inner;
  EXPECT_DOUBLE_EQ(build(workload)->parameters[SS_WEIGHTS_DENSE], in + 4 * channels + 2 * 4 + e + 64 + inner * e);
}

/* Kimi Delta Attention: decays of H N channels and an output gate of H P through a rank of P each, steps of H heads
 * beside queries, keys and values in the product in; H and H N numbers of the decays. */
TEST(Mixers, DeltaAttention)
{
  const BlockPointer block = build(with_states(SS_MIXER_KDA));
  const double inner = 4 * 64, keys = 2 * 32, decays = 4 * 32;
  const double in = e * (2 * keys + inner + 4), low = e * 2 * 64 + 64 * (decays + inner);
  EXPECT_DOUBLE_EQ(block->parameters[SS_WEIGHTS_DENSE],
                   in + low + 4 * (2 * keys + inner) + 4 + decays + e + 64 + inner * e);
  EXPECT_EQ(names(*block, SS_PASS_FORWARD),
            "norm 1, mixer in, mixer in, mixer in, mixer in, scan, convolution, scan, gated norm, mixer out, "
            "bias + dropout + add");
}

/* Lightning attention with 4 heads of 64 whose keys have 32, of 2 kinds: queries and keys of G N, values and a gate of
 * H P in one product; a norm of H P and no other parameters. Of a token Q N H scores and Q H P outputs in a chunk, N H
 * P into the state and out of it; backward scores and states once more. */
TEST(Mixers, LightningAttention)
{
  const ss_workload workload = with_states(SS_MIXER_LIGHTNING);
  const BlockPointer block = build(workload);
  const double inner = 4 * 64, keys = 2 * 32, states = 32 * inner, scores = 128 * 4 * 32;
  EXPECT_DOUBLE_EQ(block->parameters[SS_WEIGHTS_DENSE], e * (2 * keys + 2 * inner) + inner + e + inner * e);
  const double forward = 2 * (scores + 128 * inner + 2 * states);
  expect_scan(workload, *block, forward, 2 * (scores + states));
  EXPECT_EQ(names(*block, SS_PASS_FORWARD),
            "norm 1, mixer in, activation, scan, gated norm, mixer out, bias + dropout + add");
}

/* A product of 3 e columns, a convolution of 4 tokens without a bias over e channels between two gates, one of e. */
TEST(Mixers, ShortConvolution)
{
  const BlockPointer block = build(with_states(SS_MIXER_CONVOLUTION));
  EXPECT_DOUBLE_EQ(block->parameters[SS_WEIGHTS_DENSE], e * 3 * e + 4 * e + e + e * e);
  EXPECT_EQ(names(*block, SS_PASS_FORWARD),
            "norm 1, mixer in, convolution, convolution, convolution, mixer out, bias + dropout + add");
}

/* Split over 2 ranks, each has half of the heads and their parameters; norms of the hidden size stay whole. */
TEST(Mixers, HeadsOfAStateAreSplitOverTensorRanks)
{
  ss_workload workload = with_states(SS_MIXER_MAMBA);
  const double all = build(workload)->parameters[SS_WEIGHTS_DENSE];
  workload.parallelism.tp = 2;
  EXPECT_DOUBLE_EQ(build(workload)->parameters[SS_WEIGHTS_DENSE], (all - e) / 2 + e);
  workload.parallelism.cp = 2;
  const BlockPointer exchanging = build(workload);
  EXPECT_EQ(names(*exchanging, SS_PASS_FORWARD),
            "norm 1, all-gather, mixer in, all-to-all, convolution, scan, gated norm, all-to-all, mixer out, "
            "reduce-scatter, bias + dropout + add");
}
