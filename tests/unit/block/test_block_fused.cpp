/* What fusing element-wise kernels changes of a block: tasks, bytes and activations. */
#include "tests/support/blocks.hpp"

using namespace stepsim;

namespace
{

constexpr double e = 1024, f = 4096, l = 512;

} /* namespace */

/* Element-wise operations as a chain, as kernels of their own, and as arXiv 2410.00273 lists them. */
TEST(Block, FusedAndNot)
{
  ss_workload workload = make_workload();
  workload.training.attention = SS_ATTENTION_UNFUSED;
  EXPECT_EQ(names(*build(workload), SS_PASS_FORWARD),
            "norm 1, qkv, attention logits, softmax, attention dropout, attend, projection, bias + dropout + add, "
            "norm 2, fc1, bias + activation, fc2, bias + dropout + add");
  workload.training.fused = SS_NO;
  EXPECT_EQ(names(*build(workload), SS_PASS_FORWARD),
            "norm 1, qkv, attention logits, scale + mask, softmax, attention dropout, attend, projection, "
            "projection bias, dropout 2, residual add, "
            "norm 2, fc1, fc1 bias, activation, fc2, fc2 bias, dropout 3, residual add");
  workload.training.attention = SS_ATTENTION_FLASH;
  const BlockPointer published = build(workload, SS_BLOCK_LAYER, SS_COST_SC24);
  EXPECT_EQ(names(*published, SS_PASS_FORWARD),
            "norm 1, qkv, flash attention, projection, projection bias, dropout 2, "
            "norm 2, fc1, fc1 bias, activation, dropout 1, fc2, fc2 bias, dropout 3");
  EXPECT_EQ(published->list[SS_PASS_BACKWARD].count, published->list[SS_PASS_FORWARD].count);
  /* a sum reads two tensors and writes one */
  EXPECT_DOUBLE_EQ(find(*build(workload), SS_PASS_FORWARD, SS_OP_ADD).kernel.hbm_bytes, 3 * 2 * l * e);
}

/* What kernels keep of the feed-forward part, in elements of l f, as autograd of PyTorch has it:
 *   GELU     fused (Megatron-LM, GeLUFunction): the input, 2 bytes; apart: the bias keeps nothing, GELU its input, 2
 *   SwiGLU   fused (Megatron-LM, SwiGLUFunction): both halves of the input, 4; apart: SiLU its input, a view of both
 *            halves, 4, and the product the SiLU, 2 (the other half is there)
 * and fc2 its own input, 2, either way. A fused SwiGLU reads two tensors and writes one, backward it reads three and
 * writes two. Apart, SiLU reads one and writes one, the product reads two and writes one; backward each of three
 * gradients reads two and writes one, and two are copied into one tensor: 3 * 3 + 4. */
TEST(Block, WhatFusedActivationsKeep)
{
  ss_workload workload = make_workload();
  const auto kept = [&](ss_switch fused) {
    workload.training.fused = fused;
    return build(workload)->stored_bytes;
  };
  EXPECT_DOUBLE_EQ(kept(SS_NO), kept(SS_YES));
  const double element_wise = kept(SS_YES);
  workload.model.mlp = SS_MLP_SWIGLU;
  EXPECT_DOUBLE_EQ(kept(SS_YES) - element_wise, 2 * l * f);
  EXPECT_DOUBLE_EQ(kept(SS_NO) - kept(SS_YES), 2 * l * f + 2 * 4 * l * e); /* and of two norms: below */
  const auto bytes = [&](ss_pass pass) {
    double sum = find(*build(workload), pass, SS_OP_ACTIVATION).kernel.hbm_bytes;
    if (workload.training.fused == SS_NO) sum += find(*build(workload), pass, SS_OP_GATE).kernel.hbm_bytes;
    return sum / (2 * l * f);
  };
  workload.training.fused = SS_NO;
  EXPECT_DOUBLE_EQ(bytes(SS_PASS_FORWARD), 5);
  EXPECT_DOUBLE_EQ(bytes(SS_PASS_BACKWARD), 13);
  workload.training.fused = SS_YES;
  EXPECT_DOUBLE_EQ(bytes(SS_PASS_FORWARD), 3);
  EXPECT_DOUBLE_EQ(bytes(SS_PASS_BACKWARD), 5);
}

/* Biases by themselves: that of queries, keys and values reads and writes 3 e for a token, and each gradient is one
 * more read, of 3 e, f, and twice e. SwiGLU comes without biases. */
TEST(Block, BiasesByThemselves)
{
  ss_workload workload = make_workload();
  const auto bytes = [&](ss_pass pass, ss_activity activity, int which = 0) {
    return find(*build(workload), pass, activity, which).kernel.hbm_bytes;
  };
  const double gelu = bytes(SS_PASS_BACKWARD, SS_OP_BIAS_ACTIVATION);
  const double add = bytes(SS_PASS_BACKWARD, SS_OP_BIAS_DROPOUT_ADD);
  EXPECT_EQ(names(*build(workload), SS_PASS_FORWARD).find("qkv bias"), std::string::npos);
  workload.training.biases = SS_BIASES_SEPARATE;
  EXPECT_DOUBLE_EQ(bytes(SS_PASS_FORWARD, SS_OP_QKV_BIAS), 2 * 2 * 3 * l * e);
  EXPECT_DOUBLE_EQ(bytes(SS_PASS_BACKWARD, SS_OP_QKV_BIAS), 2 * 3 * l * e);
  EXPECT_DOUBLE_EQ(bytes(SS_PASS_BACKWARD, SS_OP_BIAS_ACTIVATION), gelu + 2 * l * f);
  for (const int which : {0, 1})
    EXPECT_DOUBLE_EQ(bytes(SS_PASS_BACKWARD, SS_OP_BIAS_DROPOUT_ADD, which), add + 2 * l * e);
  workload.model.mlp = SS_MLP_SWIGLU;
  EXPECT_EQ(names(*build(workload), SS_PASS_FORWARD).find("qkv bias"), std::string::npos);
}

/* RMSNorm and rotary embedding of PyTorch without a compiler, bytes an element (operation.h). Of norms forward
 * 6 + 8 + 4 + 8 + 6 + 4, backward 8 + 4 + 6 + 8 + 16 + 4 + 28 + 12 + 6; kept 4 + 2 where one kernel keeps 2. Of the
 * rotary embedding 6 + 8 + 6 both ways. */
TEST(Block, NormsAndRotaryAsChains)
{
  ss_workload workload = make_workload();
  workload.model.mlp = SS_MLP_SWIGLU;
  const auto bytes = [&](ss_pass pass, ss_activity activity) {
    return find(*build(workload), pass, activity).kernel.hbm_bytes;
  };
  const double rotary = bytes(SS_PASS_FORWARD, SS_OP_ROTARY) / 4;
  EXPECT_EQ(bytes(SS_PASS_BACKWARD, SS_OP_ROTARY), 4 * rotary);
  workload.training.rotary = SS_ROTARY_COMPLEX; /* which no compiler fuses */
  EXPECT_DOUBLE_EQ(bytes(SS_PASS_FORWARD, SS_OP_ROTARY), 20 * rotary);
  EXPECT_DOUBLE_EQ(bytes(SS_PASS_BACKWARD, SS_OP_ROTARY), 20 * rotary);
  workload.training.rotary = SS_ROTARY_FUSED;
  workload.training.fused = SS_NO;
  EXPECT_DOUBLE_EQ(bytes(SS_PASS_FORWARD, SS_OP_NORM_1), 36 * l * e);
  EXPECT_DOUBLE_EQ(bytes(SS_PASS_BACKWARD, SS_OP_NORM_1), 92 * l * e);
  EXPECT_DOUBLE_EQ(bytes(SS_PASS_FORWARD, SS_OP_ROTARY), 20 * rotary);
  EXPECT_DOUBLE_EQ(bytes(SS_PASS_BACKWARD, SS_OP_ROTARY), 20 * rotary);
  workload.training.norms = SS_NORMS_FUSED; /* RMSNorm, too, from 2.9 on: as with a compiler */
  const double norm = bytes(SS_PASS_FORWARD, SS_OP_NORM_1);
  workload.training.fused = SS_YES;
  EXPECT_DOUBLE_EQ(bytes(SS_PASS_FORWARD, SS_OP_NORM_1), norm);
  workload.training.fused = SS_NO;
  workload.training.norms = SS_NORMS_FRAMEWORK;
  workload.model.mlp = SS_MLP_GELU; /* LayerNorm is one kernel of PyTorch */
  EXPECT_LT(bytes(SS_PASS_FORWARD, SS_OP_NORM_1), 5 * l * e);
}

/* Experts of SwiGLU in MXFP8, l tokens with 2 choices, and f wide. Apart: the activation reads 2 x 2 and writes 2
 * bytes, its cast reads 2 and writes two copies of 1; fused, the first product writes these copies (and scales, 1/32
 * each). Backward the second product reads the 2 x 2 that the activation keeps and writes two copies of both halves,
 * but not the 2 of the activation's gradient. */
TEST(Block, ExpertsAsFusedProducts)
{
  ss_workload workload = make_workload();
  workload.model.mlp = SS_MLP_SWIGLU;
  workload.model.experts = 4;
  workload.model.top_k = 2;
  workload.model.expert_ffn = static_cast<int64_t>(f);
  workload.training.precision = SS_PRECISION_MXFP8;
  const BlockPointer apart = build(workload, SS_BLOCK_EXPERT);
  workload.training.expert_kernels = SS_EXPERT_KERNELS_FUSED;
  const BlockPointer fused = build(workload, SS_BLOCK_EXPERT);
  const std::string tail = ", unpermute, bias + dropout + add";
  const auto experts = [](const BlockPointer &block, ss_pass pass) {
    const std::string all = names(*block, pass);
    return all.substr(all.find("permute"));
  };
  EXPECT_EQ(experts(apart, SS_PASS_FORWARD),
            "permute, quantise, expert fc1, expert activation, quantise, expert fc2" + tail);
  EXPECT_EQ(experts(fused, SS_PASS_FORWARD), "permute, quantise, expert fc1, expert fc2" + tail);
  const double copy = 1 + 1.0 / 32, elements = 2 * l * f;
  const auto more = [&](ss_pass pass, ss_activity activity) {
    return find(*fused, pass, activity).kernel.hbm_bytes - find(*apart, pass, activity).kernel.hbm_bytes;
  };
  EXPECT_DOUBLE_EQ(more(SS_PASS_FORWARD, SS_OP_EXPERT_FC1), 2 * copy * elements);
  EXPECT_DOUBLE_EQ(more(SS_PASS_BACKWARD, SS_OP_EXPERT_FC2), (2 * 2 + 2 * 2 * copy - 2) * elements);
  EXPECT_DOUBLE_EQ(more(SS_PASS_FORWARD, SS_OP_EXPERT_FC2), 0);
  EXPECT_DOUBLE_EQ(fused->stored_bytes, apart->stored_bytes);
}

/* Computed again, the copy for the gradient of weights is written backward in place of forward, by the same kernels,
 * and not kept in between. */
TEST(Block, FusedExpertsActivateAgain)
{
  ss_workload workload = make_workload();
  workload.model.mlp = SS_MLP_SWIGLU;
  workload.model.experts = 4;
  workload.model.top_k = 2;
  workload.model.expert_ffn = static_cast<int64_t>(f);
  workload.training.precision = SS_PRECISION_MXFP8;
  workload.training.expert_kernels = SS_EXPERT_KERNELS_FUSED;
  const BlockPointer kept = build(workload, SS_BLOCK_EXPERT);
  workload.training.recompute = SS_RECOMPUTE_SELECTIVE;
  workload.training.recompute_modules = SS_WORD_BIT(SS_RECOMPUTE_MOE_ACT);
  const BlockPointer again = build(workload, SS_BLOCK_EXPERT);
  const double copy = 1 + 1.0 / 32, elements = 2 * l * f;
  const auto more = [&](ss_pass pass, ss_activity activity) {
    return find(*again, pass, activity).kernel.hbm_bytes - find(*kept, pass, activity).kernel.hbm_bytes;
  };
  EXPECT_EQ(names(*again, SS_PASS_FORWARD), names(*kept, SS_PASS_FORWARD));
  EXPECT_EQ(names(*again, SS_PASS_BACKWARD), names(*kept, SS_PASS_BACKWARD));
  EXPECT_DOUBLE_EQ(more(SS_PASS_FORWARD, SS_OP_EXPERT_FC1), -copy * elements);
  EXPECT_DOUBLE_EQ(more(SS_PASS_BACKWARD, SS_OP_EXPERT_FC2), copy * elements);
  EXPECT_DOUBLE_EQ(kept->stored_bytes - again->stored_bytes, copy * elements);
}
