/* Blocks as lists of tasks, against numbers derived by hand. The small transformer of the fixtures has 8 heads, hidden
 * e = 1024, f = 4096 and l = 512 tokens; with SwiGLU it is given the sizes that a test needs. */
#include "tests/support/blocks.hpp"

using namespace stepsim;

namespace
{

constexpr double e = 1024, f = 4096, l = 512;

} /* namespace */

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
  const double h = 12288;
  for (ss_cost cost : {SS_COST_CALIBRATED, SS_COST_SC24}) {
    const BlockPointer block = build(workload, SS_BLOCK_LAYER, cost);
    EXPECT_DOUBLE_EQ(block->parameters[SS_WEIGHTS_DENSE], (12 * h * h + 4 * h) / 4 + 6 * h);
    EXPECT_EQ(block->parameters[SS_WEIGHTS_EXPERT], 0);
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
  EXPECT_DOUBLE_EQ(build(workload)->parameters[SS_WEIGHTS_DENSE],
                   4096.0 * 6144 + 4096.0 * 4096 + 3 * 4096.0 * 14336 + 2 * 4096);
}

/* arXiv 2205.05198 equations 1 to 4: bytes kept of a layer are s b h (34 + 5 a s / h) on one GPU; (10 + 24/t + 5 a s /
 * (h t)) with tensor parallelism, (34 + 5 a s / h) / t with sequence parallelism, 34 / t with selective recomputation,
 * 2 / t with full. Fusing kernels changes nothing of that. What recomputation makes again is there while it runs. */
TEST(Block, ActivationsFollowKorthikanti)
{
  ss_workload workload = make_workload();
  workload.training.attention = SS_ATTENTION_UNFUSED;
  const double s = 512, h = 1024, a = 8, sbh = s * h, all = 34 + 5 * a * s / h;
  const auto kept = [&](int tp, ss_switch sequence_parallel, ss_recompute recompute) {
    workload.parallelism.tp = tp;
    workload.parallelism.sequence_parallel = sequence_parallel;
    workload.training.recompute = recompute;
    return build(workload);
  };
  for (ss_switch fused : {SS_YES, SS_NO}) {
    workload.training.fused = fused;
    EXPECT_DOUBLE_EQ(kept(1, SS_YES, SS_RECOMPUTE_NONE)->stored_bytes, sbh * all);
    EXPECT_DOUBLE_EQ(kept(4, SS_NO, SS_RECOMPUTE_NONE)->stored_bytes, sbh * (10 + 24 / 4.0 + 5 * a * s / (h * 4)));
    EXPECT_DOUBLE_EQ(kept(4, SS_YES, SS_RECOMPUTE_NONE)->stored_bytes, sbh * all / 4);
    EXPECT_DOUBLE_EQ(kept(4, SS_YES, SS_RECOMPUTE_SELECTIVE)->stored_bytes, sbh * 34 / 4);
    EXPECT_DOUBLE_EQ(kept(4, SS_YES, SS_RECOMPUTE_SELECTIVE)->working_bytes, sbh * (all - 34) / 4);
    EXPECT_DOUBLE_EQ(kept(4, SS_YES, SS_RECOMPUTE_FULL)->stored_bytes, sbh * 2 / 4);
    EXPECT_DOUBLE_EQ(kept(4, SS_YES, SS_RECOMPUTE_FULL)->working_bytes, sbh * all / 4);
  }
  /* kept gathered, the inputs of qkv and fc1 are 2 sbh each, not a fourth of it */
  workload.parallelism.tp_redo = SS_NO;
  EXPECT_DOUBLE_EQ(kept(4, SS_YES, SS_RECOMPUTE_NONE)->stored_bytes, sbh * (all / 4 + 2 * 2 * 3 / 4.0));
  /* and a layer that is told to keep everything does */
  workload.training.recompute = SS_RECOMPUTE_FULL;
  EXPECT_DOUBLE_EQ(build(workload, SS_BLOCK_LAYER_KEPT)->stored_bytes, sbh * (all / 4 + 2 * 2 * 3 / 4.0));
  EXPECT_EQ(build(workload, SS_BLOCK_LAYER_KEPT)->working_bytes, 0);
}

/* Collectives of a layer: four of 2 b l e bytes each way with sequence parallelism, and two more where the inputs of
 * products are kept in shards; two all-reduces without. */
TEST(Block, CollectivesOfALayer)
{
  ss_workload workload = tensor_parallel(4);
  const auto volumes = [&](ss_pass pass) {
    const BlockPointer block = build(workload);
    for (const ss_task &task : tasks(*block, pass))
      for (int64_t i = 0; i < task.calls; ++i) {
        EXPECT_EQ(task.call[i].group, SS_GROUP_TENSOR);
        EXPECT_DOUBLE_EQ(task.call[i].volume_bytes, 2 * l * e);
      }
    return calls(*block, pass);
  };
  EXPECT_EQ(volumes(SS_PASS_FORWARD), "all-gather reduce-scatter all-gather reduce-scatter ");
  EXPECT_EQ(volumes(SS_PASS_BACKWARD), "all-gather all-gather reduce-scatter all-gather all-gather reduce-scatter ");
  workload.parallelism.tp_redo = SS_NO;
  EXPECT_EQ(volumes(SS_PASS_FORWARD), "all-gather reduce-scatter all-gather reduce-scatter ");
  EXPECT_EQ(volumes(SS_PASS_BACKWARD), "all-gather reduce-scatter all-gather reduce-scatter ");
  workload.parallelism.sequence_parallel = SS_NO;
  EXPECT_EQ(volumes(SS_PASS_FORWARD), "all-reduce all-reduce ");
  EXPECT_EQ(volumes(SS_PASS_BACKWARD), "all-reduce all-reduce ");
  workload.training.recompute = SS_RECOMPUTE_FULL;
  EXPECT_EQ(volumes(SS_PASS_BACKWARD), "all-reduce all-reduce all-reduce all-reduce ");
  workload.parallelism.tp = 1;
  EXPECT_EQ(volumes(SS_PASS_FORWARD), "");
}

/* A product of (2 x 3) and (3 x 4): 2 x 4 x (2 x 3 - 1) flop, 2 (6 + 8 + 12) bytes. */
TEST(Operation, ProductCountsMultipliesAndAdds)
{
  ss_product size = {};
  size.activity = SS_OP_FC1;
  size.tokens = 2;
  size.in = 3;
  size.out = 4;
  const ss_operation product = ss_operation_product(&size);
  EXPECT_DOUBLE_EQ(product.forward.kernel.flop, 40);
  EXPECT_DOUBLE_EQ(product.forward.kernel.hbm_bytes, 52);
  /* dX = dY W' : 2 x 3 x (2 x 4 - 1); dW = X' dY : 3 x 4 x (2 x 2 - 1) */
  EXPECT_DOUBLE_EQ(product.backward.kernel.flop, 42);
  EXPECT_DOUBLE_EQ(product.weight.kernel.flop, 36);
  EXPECT_DOUBLE_EQ(product.backward.kernel.hbm_bytes + product.weight.kernel.hbm_bytes, 2 * 2 * (6 + 8 + 12));
  EXPECT_DOUBLE_EQ(product.stored_bytes, 12);
  EXPECT_DOUBLE_EQ(product.gradient_bytes, 16);
  /* fp8: operands of 1 byte, results of 2 */
  size.precision = SS_PRECISION_FP8;
  const ss_operation small = ss_operation_product(&size);
  EXPECT_EQ(small.forward.kernel.engine, SS_ENGINE_FP8);
  EXPECT_DOUBLE_EQ(small.forward.kernel.hbm_bytes, 6 + 12 + 2 * 8);
  EXPECT_DOUBLE_EQ(small.weight.kernel.hbm_bytes, 6 + 8 + 2 * 12);
  EXPECT_DOUBLE_EQ(small.stored_bytes, 6);
}

/* Layers compute their products in fp8; attention, router and output layer do not. */
TEST(Block, Fp8IsForProductsOfLayers)
{
  ss_workload workload = mixture();
  workload.model.vocabulary = 32000;
  const double kept = build(workload)->stored_bytes;
  workload.training.precision = SS_PRECISION_FP8;
  const BlockPointer layer = build(workload), experts = build(workload, SS_BLOCK_EXPERT);
  EXPECT_EQ(find(*layer, SS_PASS_FORWARD, SS_OP_QKV).kernel.engine, SS_ENGINE_FP8);
  EXPECT_EQ(find(*layer, SS_PASS_BACKWARD, SS_OP_FC2).kernel.engine, SS_ENGINE_FP8);
  EXPECT_EQ(find(*layer, SS_PASS_FORWARD, SS_OP_ATTENTION).kernel.engine, SS_ENGINE_MATRIX);
  EXPECT_EQ(find(*experts, SS_PASS_FORWARD, SS_OP_EXPERT_FC1).kernel.engine, SS_ENGINE_FP8);
  EXPECT_EQ(find(*experts, SS_PASS_FORWARD, SS_OP_ROUTER).kernel.engine, SS_ENGINE_MATRIX);
  EXPECT_EQ(find(*build(workload, SS_BLOCK_HEAD), SS_PASS_FORWARD, SS_OP_OUTPUT).kernel.engine, SS_ENGINE_MATRIX);
  /* inputs of qkv, projection, fc1 and fc2 in one byte less; the output of attention is there in two, too */
  EXPECT_DOUBLE_EQ(kept - layer->stored_bytes, l * (e + e + e + f) - 2 * l * e);
}

/* What a pass does with the gradient of fc1's e x f weights: bytes per weight of the product, beside its operands of
 * l (e + f) elements, and of the kernel that adds to the sum; -1 where there is none. */
struct Summed {
  double product, sum;
};

Summed summed(const ss_block &block, ss_pass pass)
{
  const std::vector<ss_task> list = tasks(block, pass);
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].activity != SS_OP_FC1 || list[i].role != SS_ROLE_WEIGHTS) continue;
    const bool own = i + 1 < list.size() && list[i + 1].activity == SS_OP_GRADIENT_SUM;
    return {(list[i].kernel.hbm_bytes - 2 * l * (e + f)) / (e * f), own ? list[i + 1].kernel.hbm_bytes / (e * f) : -1};
  }
  ADD_FAILURE() << "no gradient of the weights of fc1";
  return {};
}

/* Added to the sum by the product itself: it is read and written, 4 + 4 bytes in fp32, 2 + 2 in 16 bits. By a kernel of
 * its own: the product writes 2, and the kernel reads these, too. Where gradients leave in every pass, the product, or
 * a kernel, writes what is reduced, and there is no kernel where that is what the product has written anyway. */
TEST(Block, GradientsAreSummedOverMicroBatches)
{
  struct Case {
    ss_accumulation accumulation;
    ss_gradients gradients;
    ss_sharding sharding;
    double product, sum;
  };
  const std::vector<Case> cases = {
      {SS_ACCUMULATION_FUSED, SS_GRADIENTS_FP32, SS_SHARDING_OPTIMIZER, 8, -1},
      {SS_ACCUMULATION_FUSED, SS_GRADIENTS_16BIT, SS_SHARDING_OPTIMIZER, 4, -1},
      {SS_ACCUMULATION_SEPARATE, SS_GRADIENTS_FP32, SS_SHARDING_OPTIMIZER, 2, 10},
      {SS_ACCUMULATION_SEPARATE, SS_GRADIENTS_16BIT, SS_SHARDING_NONE, 2, 6},
      {SS_ACCUMULATION_FUSED, SS_GRADIENTS_FP32, SS_SHARDING_PARAMETERS, 4, -1},
      {SS_ACCUMULATION_FUSED, SS_GRADIENTS_16BIT, SS_SHARDING_GRADIENTS, 2, -1},
      {SS_ACCUMULATION_SEPARATE, SS_GRADIENTS_FP32, SS_SHARDING_GRADIENTS, 2, 6},
      {SS_ACCUMULATION_SEPARATE, SS_GRADIENTS_16BIT, SS_SHARDING_PARAMETERS, 2, -1},
  };
  ss_workload workload = make_workload();
  workload.parallelism.dp = 2;
  for (const Case &c : cases)
    for (ss_pipeline pipeline : {SS_PIPELINE_1F1B, SS_PIPELINE_ZERO_BUBBLE_1}) {
      workload.training.gradient_accumulation = c.accumulation;
      workload.training.gradients = c.gradients;
      workload.parallelism.sharding = c.sharding;
      workload.schedule.pipeline = pipeline;
      const BlockPointer block = build(workload);
      const Summed found = summed(*block, pipeline == SS_PIPELINE_1F1B ? SS_PASS_BACKWARD : SS_PASS_WEIGHT);
      EXPECT_DOUBLE_EQ(found.product, c.product);
      EXPECT_DOUBLE_EQ(found.sum, c.sum);
    }
  /* what is there once is sharded by nobody */
  workload.parallelism.dp = 1;
  workload.schedule.pipeline = SS_PIPELINE_1F1B;
  EXPECT_DOUBLE_EQ(summed(*build(workload), SS_PASS_BACKWARD).sum, 6);
}

/* The gradient of the embedding is a table of its own, written and added whatever products do; that of panels is
 * reduced before it is added; arXiv 2410.00273 adds nothing up. */
TEST(Block, WhatNoProductSums)
{
  ss_workload workload = make_workload();
  workload.model.vocabulary = 32000;
  workload.training.gradients = SS_GRADIENTS_FP32;
  const ss_task table = find(*build(workload, SS_BLOCK_EMBEDDING), SS_PASS_BACKWARD, SS_OP_GRADIENT_SUM);
  EXPECT_DOUBLE_EQ(table.kernel.hbm_bytes, (2 + 2 + 8) * 32000 * e);
  workload.training.gradient_accumulation = SS_ACCUMULATION_SEPARATE;
  EXPECT_EQ(names(*build(workload, SS_BLOCK_LAYER, SS_COST_SC24), SS_PASS_BACKWARD).find("gradient sum"),
            std::string::npos);
  workload = tensor_parallel(4);
  workload.training.gradients = SS_GRADIENTS_FP32;
  workload.parallelism.tp2 = 2;
  workload.parallelism.tensor = SS_TENSOR_SUMMA;
  workload.parallelism.panels = 8;
  const BlockPointer summa = build(workload);
  EXPECT_DOUBLE_EQ(find(*summa, SS_PASS_BACKWARD, SS_OP_GRADIENT_SUM).kernel.hbm_bytes, (2 + 8) * e * f / 8);
}

/* Backward and weight passes do together what backward does alone; all collectives stay with backward. */
TEST(Block, SplitBackward)
{
  ss_workload workload = tensor_parallel(2);
  for (ss_cost cost : {SS_COST_CALIBRATED, SS_COST_SC24})
    for (ss_switch experts : {SS_NO, SS_YES}) {
      if (experts == SS_YES) {
        workload.model.experts = 4;
        workload.model.expert_ffn = 2048;
      }
      const ss_block_kind kind = experts == SS_YES ? SS_BLOCK_EXPERT : SS_BLOCK_LAYER;
      workload.parallelism.tp_redo = SS_NO;
      workload.schedule.pipeline = SS_PIPELINE_1F1B;
      const BlockPointer whole = build(workload, kind, cost);
      workload.schedule.pipeline = SS_PIPELINE_ZERO_BUBBLE_1;
      const BlockPointer split = build(workload, kind, cost);
      EXPECT_EQ(whole->list[SS_PASS_WEIGHT].count, 0);
      EXPECT_DOUBLE_EQ(flop(*split, SS_PASS_BACKWARD) + flop(*split, SS_PASS_WEIGHT), flop(*whole, SS_PASS_BACKWARD));
      EXPECT_EQ(calls(*split, SS_PASS_BACKWARD), calls(*whole, SS_PASS_BACKWARD));
      EXPECT_EQ(calls(*split, SS_PASS_WEIGHT), "");
    }
  workload = make_workload();
  workload.schedule.pipeline = SS_PIPELINE_ZERO_BUBBLE_1;
  const BlockPointer split = build(workload);
  EXPECT_EQ(names(*split, SS_PASS_WEIGHT), "fc2, fc1, projection, qkv");
  /* qkv e -> 3 e, projection e -> e, fc1 e -> f, fc2 f -> e: their inputs and the gradients of their outputs */
  EXPECT_DOUBLE_EQ(split->deferred_bytes, 2 * l * (e + 3 * e + e + e + e + f + f + e));
}

/* The input that was kept in shards is gathered beside the kernel that needs it next but one: the gradient of that
 * input, or, where this is not free, the kernel before; with the weight pass split off, beside the weight kernel. */
TEST(Block, RedoGathersAgain)
{
  ss_workload workload = tensor_parallel(4);
  workload.schedule.overlap_tp = SS_TP_OVERLAP_NONE;
  BlockPointer block = build(workload);
  for (ss_activity activity : {SS_OP_FC1, SS_OP_QKV}) {
    const ss_task gradient = find(*block, SS_PASS_BACKWARD, activity);
    ASSERT_EQ(gradient.calls, 1);
    EXPECT_EQ(gradient.call[0].kind, SS_ALL_GATHER);
    EXPECT_DOUBLE_EQ(gradient.call[0].volume_bytes, 2 * l * e);
    EXPECT_EQ(gradient.overlap.kernel_pieces, 1);
    EXPECT_EQ(gradient.overlap.call_pieces, 1);
    EXPECT_EQ(gradient.overlap.lag, 1);
    EXPECT_EQ(find(*block, SS_PASS_BACKWARD, activity, 1).calls, 0);
  }
  workload.schedule.overlap_tp = SS_TP_OVERLAP_PIPE;
  EXPECT_EQ(names(*build(workload), SS_PASS_BACKWARD),
            "bias + dropout + add, fc2 | all-gather, fc2, bias + activation | all-gather, fc1 | reduce-scatter, fc1, "
            "norm 2, bias + dropout + add, projection | all-gather, projection, flash attention | all-gather, "
            "qkv | reduce-scatter, qkv, norm 1");
  workload.schedule.pipeline = SS_PIPELINE_ZERO_BUBBLE_2;
  block = build(workload);
  EXPECT_EQ(names(*block, SS_PASS_WEIGHT), "fc2, fc1 | all-gather, projection, qkv | all-gather");
  EXPECT_EQ(calls(*block, SS_PASS_BACKWARD), "all-gather reduce-scatter all-gather reduce-scatter ");
}

/* Two axes: weights as with tp alone; SUMMA splits them over both, and so every activation between the products. */
TEST(Block, TwoAxes)
{
  ss_workload workload = tensor_parallel(4);
  const double shared = build(workload)->parameters[SS_WEIGHTS_DENSE];
  workload.parallelism.tp2 = 2;
  workload.parallelism.tensor = SS_TENSOR_2D;
  const BlockPointer flat = build(workload);
  EXPECT_DOUBLE_EQ(flat->parameters[SS_WEIGHTS_DENSE], shared);
  /* keys and values of 2 heads: 2 x 2 l e / 4 bytes */
  const ss_call keys = find(*flat, SS_PASS_FORWARD, SS_COMM_ALL_GATHER, 1).call[0];
  EXPECT_EQ(keys.group, SS_GROUP_TENSOR_2);
  EXPECT_DOUBLE_EQ(keys.volume_bytes, 4 * l * e / 4);

  workload.parallelism.tensor = SS_TENSOR_SUMMA;
  workload.parallelism.panels = 8;
  const BlockPointer summa = build(workload);
  EXPECT_DOUBLE_EQ(summa->parameters[SS_WEIGHTS_DENSE], 12 * e * e / 8 + (f + 6 * e) / 4);
  const ss_task fc1 = find(*summa, SS_PASS_FORWARD, SS_OP_FC1);
  EXPECT_DOUBLE_EQ(fc1.kernel.flop, 2 * (l / 2) * e * (f / 4));
  EXPECT_DOUBLE_EQ(fc1.kernel.hbm_bytes, 2 * ((l / 2) * e + e * (f / 4) + 8 * (l / 2) * (f / 4)));
  ASSERT_EQ(fc1.calls, 2);
  EXPECT_EQ(fc1.call[0].group, SS_GROUP_TENSOR);
  EXPECT_DOUBLE_EQ(fc1.call[0].volume_bytes, 2 * (l / 2) * e);
  EXPECT_EQ(fc1.call[1].group, SS_GROUP_TENSOR_2);
  EXPECT_DOUBLE_EQ(fc1.call[1].volume_bytes, 2 * e * (f / 4));
  EXPECT_EQ(fc1.overlap.kernel_pieces, 8);
  EXPECT_EQ(fc1.overlap.call_pieces, 8);
  EXPECT_EQ(find(*build(workload, SS_BLOCK_LAYER, SS_COST_SC24), SS_PASS_FORWARD, SS_OP_FC1).overlap.call_pieces, 9);
  EXPECT_EQ(find(*summa, SS_PASS_BACKWARD, SS_OP_FC1).calls, 4);
  workload.schedule.pipeline = SS_PIPELINE_ZERO_BUBBLE_1; /* the panels of a product go with it */
  const BlockPointer split = build(workload);
  for (const ss_pass pass : {SS_PASS_BACKWARD, SS_PASS_WEIGHT}) {
    EXPECT_EQ(find(*split, pass, SS_OP_FC1).calls, 2);
    EXPECT_EQ(find(*split, pass, SS_OP_FC1).overlap.kernel_pieces, 8);
  }
  EXPECT_EQ(calls(*split, SS_PASS_WEIGHT).find("all-reduce"), std::string::npos); /* statistics of norms */
  const ss_call statistics = find(*summa, SS_PASS_FORWARD, SS_COMM_ALL_REDUCE).call[0];
  EXPECT_DOUBLE_EQ(statistics.volume_bytes, 4 * l / 2);
}

/* 8 experts of 2048 on 4 expert-parallel ranks, top 2, SwiGLU: each rank holds 2 experts of 3 e x 2048 and the router
 * of 8 e; it computes 2 l rows (as many as it sends), half as many again where it is the fullest. */
TEST(Block, Experts)
{
  ss_workload workload = mixture();
  workload.parallelism.ep = 4;
  const BlockPointer block = build(workload, SS_BLOCK_EXPERT);
  EXPECT_EQ(names(*block, SS_PASS_FORWARD),
            "norm 1, qkv, rotary embedding, flash attention, projection, bias + dropout + add, norm 2, router, top-k, "
            "permute, all-to-all, permute, expert fc1, expert activation, expert fc2, permute, all-to-all, unpermute, "
            "bias + dropout + add");
  EXPECT_DOUBLE_EQ(block->parameters[SS_WEIGHTS_EXPERT], 2 * 3 * e * 2048);
  EXPECT_DOUBLE_EQ(block->parameters[SS_WEIGHTS_DENSE], 4 * e * e + 2 * e + 8 * e);
  const ss_task fc1 = find(*block, SS_PASS_FORWARD, SS_OP_EXPERT_FC1);
  EXPECT_DOUBLE_EQ(fc1.kernel.flop, 2 * l * 4096 * (2 * e - 1));
  EXPECT_DOUBLE_EQ(fc1.kernel.hbm_bytes, 2 * (2 * l * e + 2 * l * 4096 + 2 * e * 4096));
  EXPECT_EQ(fc1.kernel.products, 2);
  const ss_call dispatch = find(*block, SS_PASS_FORWARD, SS_COMM_ALL_TO_ALL).call[0];
  EXPECT_EQ(dispatch.group, SS_GROUP_EXPERT);
  EXPECT_DOUBLE_EQ(dispatch.volume_bytes, 2 * l * 2 * e);
  EXPECT_EQ(calls(*block, SS_PASS_BACKWARD), "all-to-all all-to-all ");

  workload.training.imbalance = 1.5;
  const BlockPointer fullest = build(workload, SS_BLOCK_EXPERT);
  EXPECT_DOUBLE_EQ(find(*fullest, SS_PASS_FORWARD, SS_OP_EXPERT_FC1).kernel.flop, 1.5 * fc1.kernel.flop);
  EXPECT_DOUBLE_EQ(find(*fullest, SS_PASS_FORWARD, SS_COMM_ALL_TO_ALL).call[0].volume_bytes, 1.5 * 2 * l * 2 * e);
  workload.training.capacity_factor = 1.25;
  EXPECT_DOUBLE_EQ(find(*build(workload, SS_BLOCK_EXPERT), SS_PASS_FORWARD, SS_OP_EXPERT_FC1).kernel.flop,
                   1.25 * fc1.kernel.flop);
}

/* Experts of 512 in place of e (moe_layer.py of Megatron-LM): a product ahead of the dispatch and one behind the
 * combination, with weights that each rank has whole; all between has rows of 512. The first one reads what the router
 * keeps. Kept are, of the 2 l rows, inputs of experts and what the combination weighs, and l rows for the way back. */
TEST(Block, LatentExperts)
{
  ss_workload workload = mixture();
  workload.parallelism.ep = 4;
  const BlockPointer wide = build(workload, SS_BLOCK_EXPERT);
  workload.model.expert_latent = 512;
  const BlockPointer block = build(workload, SS_BLOCK_EXPERT);
  EXPECT_EQ(
      names(*block, SS_PASS_FORWARD),
      "norm 1, qkv, rotary embedding, flash attention, projection, bias + dropout + add, norm 2, router, top-k, "
      "latent down, permute, all-to-all, permute, expert fc1, expert activation, expert fc2, permute, all-to-all, "
      "unpermute, "
      "latent up, bias + dropout + add");
  EXPECT_DOUBLE_EQ(block->parameters[SS_WEIGHTS_EXPERT], 2 * 3 * 512 * 2048);
  EXPECT_DOUBLE_EQ(block->parameters[SS_WEIGHTS_DENSE], 4 * e * e + 2 * e + 8 * e + 2 * 512 * e);
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_FORWARD, SS_OP_LATENT_DOWN).kernel.flop, l * 512 * (2 * e - 1));
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_FORWARD, SS_OP_LATENT_UP).kernel.flop, l * e * (2 * 512 - 1));
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_FORWARD, SS_OP_EXPERT_FC1).kernel.flop, 2 * l * 4096 * (2 * 512 - 1));
  for (int i = 0; i < 2; ++i)
    EXPECT_DOUBLE_EQ(find(*block, SS_PASS_FORWARD, SS_COMM_ALL_TO_ALL, i).call[0].volume_bytes, 2 * l * 2 * 512);
  EXPECT_DOUBLE_EQ(wide->stored_bytes - block->stored_bytes, 2 * 2 * (2 * l) * (e - 512) - 2 * l * 512);

  workload.parallelism.tp = 2; /* l / 2 tokens of each rank, by all of the weights */
  const BlockPointer shards = build(workload, SS_BLOCK_EXPERT);
  EXPECT_DOUBLE_EQ(find(*shards, SS_PASS_FORWARD, SS_OP_LATENT_DOWN).kernel.flop, l / 2 * 512 * (2 * e - 1));
  EXPECT_EQ(find(*shards, SS_PASS_FORWARD, SS_OP_LATENT_DOWN).calls, 0);
}

/* The weights of the router: outputs of the experts, 2 l rows of e, are kept where they are multiplied by them, and
 * read once more backward. Where activations are, 2 l rows of 2048 in all, a fused kernel does it; else there is one
 * more, which keeps what it reads. */
TEST(Block, WeightsOfTheRouter)
{
  ss_workload workload = mixture(), before = mixture();
  before.training.router_weights = SS_ROUTER_WEIGHTS_ACTIVATIONS;
  const BlockPointer outputs = build(workload, SS_BLOCK_EXPERT), activations = build(before, SS_BLOCK_EXPERT);
  EXPECT_EQ(names(*activations, SS_PASS_FORWARD), names(*outputs, SS_PASS_FORWARD));
  EXPECT_DOUBLE_EQ(outputs->stored_bytes - activations->stored_bytes, 2 * (2 * l) * e);
  EXPECT_DOUBLE_EQ(find(*outputs, SS_PASS_BACKWARD, SS_OP_UNPERMUTE).kernel.hbm_bytes, 2 * (2 * (2 * l) * e + l * e));
  EXPECT_DOUBLE_EQ(find(*activations, SS_PASS_BACKWARD, SS_OP_UNPERMUTE).kernel.hbm_bytes, 2 * ((2 * l) * e + l * e));
  workload.training.fused = before.training.fused = SS_NO;
  const BlockPointer apart = build(before, SS_BLOCK_EXPERT);
  EXPECT_DOUBLE_EQ(build(workload, SS_BLOCK_EXPERT)->stored_bytes - apart->stored_bytes,
                   2 * (2 * l) * e - 2 * (2 * l) * 2048);
  EXPECT_DOUBLE_EQ(find(*apart, SS_PASS_FORWARD, SS_OP_EXPERT_ACTIVATION, 1).kernel.hbm_bytes, 2 * 2 * (2 * l) * 2048);
}

/* With tensor parallelism each rank sends its own tokens, and computes a part of each expert on the tokens of all;
 * without sequence parallelism each sends all tokens. The work is the same. A shared expert is a layer's own. */
TEST(Block, ExpertsWithTensorParallelism)
{
  ss_workload workload = mixture();
  workload.parallelism.ep = workload.parallelism.tp = 2;
  workload.parallelism.tp_redo = SS_NO;
  const BlockPointer shards = build(workload, SS_BLOCK_EXPERT);
  EXPECT_EQ(calls(*shards, SS_PASS_FORWARD),
            "all-gather reduce-scatter all-to-all all-gather reduce-scatter all-to-all ");
  EXPECT_DOUBLE_EQ(find(*shards, SS_PASS_FORWARD, SS_COMM_ALL_TO_ALL).call[0].volume_bytes, l / 2 * 2 * 2 * e);
  EXPECT_DOUBLE_EQ(find(*shards, SS_PASS_FORWARD, SS_COMM_ALL_GATHER, 1).call[0].volume_bytes, 2 * l * 2 * e);
  EXPECT_DOUBLE_EQ(shards->parameters[SS_WEIGHTS_EXPERT], 4 * 3 * e * 2048 / 2);
  const double rows_flop = find(*shards, SS_PASS_FORWARD, SS_OP_EXPERT_FC1).kernel.flop;
  EXPECT_DOUBLE_EQ(rows_flop, 2 * l * 2048 * (2 * e - 1));
  workload.parallelism.sequence_parallel = SS_NO;
  const BlockPointer copies = build(workload, SS_BLOCK_EXPERT);
  EXPECT_EQ(calls(*copies, SS_PASS_FORWARD), "all-reduce all-to-all all-reduce all-to-all ");
  EXPECT_DOUBLE_EQ(find(*copies, SS_PASS_FORWARD, SS_COMM_ALL_TO_ALL).call[0].volume_bytes, l * 2 * 2 * e);
  EXPECT_DOUBLE_EQ(find(*copies, SS_PASS_FORWARD, SS_OP_EXPERT_FC1).kernel.flop, rows_flop);

  workload.model.shared_experts = 1;
  const BlockPointer shared = build(workload, SS_BLOCK_EXPERT);
  EXPECT_DOUBLE_EQ(shared->parameters[SS_WEIGHTS_DENSE] - copies->parameters[SS_WEIGHTS_DENSE], 3 * e * 2048 / 2);
  /* its first product reads what the router keeps: a product and a half more, 4 f' and 2 f' bytes a token */
  EXPECT_DOUBLE_EQ(shared->stored_bytes - copies->stored_bytes, l * (4 + 2) * 2048 / 2);
}

/* DeepSeek-V3, arXiv 2412.19437 section 4.2: 128 heads of 128 + 64, ranks 1536 and 512. Down and up for queries 7168 x
 * 1536 + 1536 x 24576, for keys and values 7168 x 576 + 512 x 32768, projection 16384 x 7168: 187.1 million, and norms
 * of 2 x 7168 + 1536 + 512. */
TEST(Block, LatentAttention)
{
  ss_workload workload = make_workload();
  workload.model.hidden = 7168;
  workload.model.heads = workload.model.kv_heads = workload.model.head_size = 128;
  workload.model.rope_size = 64;
  workload.model.q_rank = 1536;
  workload.model.kv_rank = 512;
  workload.model.ffn = 18432;
  workload.model.mlp = SS_MLP_SWIGLU;
  const double down = 7168.0 * (1536 + 576), up = 1536.0 * 24576 + 512.0 * 32768, projection = 16384.0 * 7168;
  const double mlp = 3 * 7168.0 * 18432, norms = 2 * 7168 + 1536 + 512;
  EXPECT_NEAR((down + up + projection) / 1e6, 187.1, 0.01);
  const BlockPointer alone = build(workload);
  EXPECT_DOUBLE_EQ(alone->parameters[SS_WEIGHTS_DENSE], down + up + projection + mlp + norms);
  EXPECT_EQ(names(*alone, SS_PASS_FORWARD),
            "norm 1, q down, latent norm, q up, k/v down, latent norm, k/v up, rotary embedding, flash attention, "
            "projection, bias + dropout + add, norm 2, fc1, activation, fc2, bias + dropout + add");
  /* logits with 192 numbers per query and key, output with 128 */
  workload.model.causal = SS_NO;
  workload.training.attention = SS_ATTENTION_UNFUSED;
  const BlockPointer full = build(workload);
  EXPECT_DOUBLE_EQ(find(*full, SS_PASS_FORWARD, SS_OP_LOGITS).kernel.flop, 128 * l * l * (2 * 192 - 1));
  EXPECT_DOUBLE_EQ(find(*full, SS_PASS_FORWARD, SS_OP_ATTEND).kernel.flop, 128 * l * 128 * (2 * l - 1));
  /* the way down is there on every tensor-parallel rank */
  workload.parallelism.tp = 8;
  EXPECT_DOUBLE_EQ(build(workload)->parameters[SS_WEIGHTS_DENSE], down + norms + (up + projection + mlp) / 8);
}

/* Messages that each rank sends a share of are gathered where they arrive: 2 l e bytes. */
TEST(Block, MessagesAreGathered)
{
  ss_workload workload = tensor_parallel(4);
  workload.schedule.pipeline_rs_ag = SS_YES;
  EXPECT_EQ(calls(*build(workload, SS_BLOCK_ENTRY), SS_PASS_FORWARD), "");
  workload.parallelism.sequence_parallel = SS_NO;
  const BlockPointer entry = build(workload, SS_BLOCK_ENTRY), exit = build(workload, SS_BLOCK_EXIT);
  EXPECT_EQ(calls(*entry, SS_PASS_FORWARD), "all-gather ");
  EXPECT_EQ(calls(*entry, SS_PASS_BACKWARD), "");
  EXPECT_EQ(calls(*exit, SS_PASS_FORWARD), "");
  EXPECT_EQ(calls(*exit, SS_PASS_BACKWARD), "all-gather ");
  EXPECT_DOUBLE_EQ(find(*exit, SS_PASS_BACKWARD, SS_COMM_ALL_GATHER).call[0].volume_bytes, 2 * l * e);
  EXPECT_EQ(entry->stored_bytes + entry->parameters[SS_WEIGHTS_DENSE], 0);
}

/* Vocabulary of 32000 over 4 ranks: logits of 8000 in fp32, the norm's and the product's inputs in shards. */
TEST(Block, OutputLayer)
{
  ss_workload workload = tensor_parallel(4);
  workload.model.vocabulary = 32000;
  const BlockPointer head = build(workload, SS_BLOCK_HEAD), embedding = build(workload, SS_BLOCK_EMBEDDING);
  EXPECT_DOUBLE_EQ(head->logits_bytes, 4 * l * 8000);
  EXPECT_DOUBLE_EQ(head->stored_bytes, 4 * l * 8000 + 2 * 2 * l * e / 4);
  EXPECT_DOUBLE_EQ(head->parameters[SS_WEIGHTS_DENSE], 8000 * e + 2 * e);
  EXPECT_EQ(calls(*head, SS_PASS_FORWARD), "all-gather all-reduce ");
  EXPECT_DOUBLE_EQ(embedding->parameters[SS_WEIGHTS_DENSE], 8000 * e);
  EXPECT_EQ(calls(*embedding, SS_PASS_FORWARD), "reduce-scatter ");
  EXPECT_EQ(calls(*embedding, SS_PASS_BACKWARD), "all-gather ");
}
