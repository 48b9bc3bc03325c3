/* What runs beside products of a layer, and what context parallelism exchanges, against numbers derived by hand. */
#include "tests/support/blocks.hpp"

using namespace stepsim;

namespace
{

constexpr double e = 1024, l = 512;

} /* namespace */

/* Four pieces, or one per rank of the ring: the first is there already, the last stays. */
TEST(Block, TensorOverlap)
{
  ss_workload workload = tensor_parallel(8);
  workload.schedule.overlap_tp = SS_TP_OVERLAP_RING;
  const BlockPointer ring = build(workload);
  EXPECT_EQ(names(*ring, SS_PASS_FORWARD),
            "norm 1, qkv | all-gather, flash attention, projection | reduce-scatter, bias + dropout + add, "
            "norm 2, fc1 | all-gather, bias + activation, fc2 | reduce-scatter, bias + dropout + add");
  const ss_overlap gather = find(*ring, SS_PASS_FORWARD, SS_OP_QKV).overlap;
  EXPECT_FALSE(gather.kernel_first);
  EXPECT_EQ(gather.kernel_pieces, 8);
  EXPECT_EQ(gather.call_pieces, 7);
  EXPECT_EQ(gather.lag, 1);
  EXPECT_TRUE(gather.one_ring);
  const ss_overlap scatter = find(*ring, SS_PASS_FORWARD, SS_OP_FC2).overlap;
  EXPECT_TRUE(scatter.kernel_first);
  EXPECT_EQ(scatter.call_pieces, 7);
  EXPECT_EQ(scatter.lag, 0);
  EXPECT_FALSE(find(*ring, SS_PASS_BACKWARD, SS_OP_FC2).overlap.kernel_first);
  EXPECT_TRUE(find(*ring, SS_PASS_BACKWARD, SS_OP_FC1).overlap.kernel_first);

  workload.schedule.overlap_tp = SS_TP_OVERLAP_PIPE;
  const ss_overlap pipe = find(*build(workload), SS_PASS_FORWARD, SS_OP_FC2).overlap;
  EXPECT_TRUE(pipe.kernel_first);
  EXPECT_EQ(pipe.kernel_pieces, 4);
  EXPECT_EQ(pipe.call_pieces, 4);
  EXPECT_EQ(pipe.lag, 0);
  EXPECT_FALSE(pipe.one_ring);
  workload.parallelism.sequence_parallel = SS_NO;
  EXPECT_EQ(calls(*build(workload), SS_PASS_FORWARD), "all-reduce all-reduce ");
  EXPECT_EQ(find(*build(workload), SS_PASS_FORWARD, SS_OP_QKV).overlap.kernel_pieces, 0);
}

/* What is reduced of the gradient of an input is so beside the gradient of the weights, while what was kept in shards
 * is gathered beside the gradient of the input; by itself, where weights wait, and where there is one kernel for both.
 * Row-parallel products gather and reduce before and after. */
TEST(Block, TensorOverlapOfBackward)
{
  ss_workload workload = tensor_parallel(8);
  workload.schedule.overlap_tp = SS_TP_OVERLAP_BACKWARD;
  EXPECT_EQ(names(*build(workload), SS_PASS_FORWARD),
            "norm 1, all-gather, qkv, flash attention, projection, reduce-scatter, bias + dropout + add, "
            "norm 2, all-gather, fc1, bias + activation, fc2, reduce-scatter, bias + dropout + add");
  EXPECT_EQ(names(*build(workload), SS_PASS_BACKWARD),
            "bias + dropout + add, all-gather, fc2, fc2, bias + activation, fc1 | all-gather, fc1 | reduce-scatter, "
            "norm 2, bias + dropout + add, all-gather, projection, projection, flash attention, qkv | all-gather, "
            "qkv | reduce-scatter, norm 1");
  const ss_task weights = find(*build(workload), SS_PASS_BACKWARD, SS_OP_FC1, 1);
  EXPECT_EQ(weights.role, SS_ROLE_WEIGHTS);
  EXPECT_DOUBLE_EQ(weights.call[0].volume_bytes, 2 * l * e);
  EXPECT_EQ(weights.overlap.kernel_pieces, 1);

  workload.schedule.pipeline = SS_PIPELINE_ZERO_BUBBLE_1;
  const BlockPointer split = build(workload);
  EXPECT_EQ(names(*split, SS_PASS_BACKWARD).find("fc1, reduce-scatter, norm 2"),
            std::string("bias + dropout + add, all-gather, fc2, bias + activation, ").size());
  EXPECT_EQ(names(*split, SS_PASS_WEIGHT), "fc2, fc1 | all-gather, projection, qkv | all-gather");

  workload.schedule.pipeline = SS_PIPELINE_1F1B;
  workload.parallelism.sequence_parallel = SS_NO;
  EXPECT_EQ(names(*build(workload), SS_PASS_BACKWARD).find("fc1, fc1 | all-reduce, norm 2"),
            std::string("bias + dropout + add, fc2, fc2, bias + activation, ").size());
  const std::string with = names(*build(workload, SS_BLOCK_LAYER, SS_COST_SC24), SS_PASS_BACKWARD);
  workload.schedule.overlap_tp = SS_TP_OVERLAP_NONE;
  EXPECT_EQ(with, names(*build(workload, SS_BLOCK_LAYER, SS_COST_SC24), SS_PASS_BACKWARD));
}

/* Transformer Engine: rings gather, reductions of forward are pipelined in 4 pieces, the others run whole beside the
 * gradients of weights. The output layer is the framework's. */
TEST(Block, TensorOverlapByUserBuffers)
{
  ss_workload workload = tensor_parallel(8);
  workload.model.vocabulary = 32000;
  workload.schedule.overlap_tp = SS_TP_OVERLAP_USER_BUFFERS;
  const BlockPointer block = build(workload);
  EXPECT_EQ(names(*block, SS_PASS_BACKWARD),
            "bias + dropout + add, fc2 | all-gather, fc2, bias + activation, fc1 | all-gather, fc1 | reduce-scatter, "
            "norm 2, bias + dropout + add, projection | all-gather, projection, flash attention, qkv | all-gather, "
            "qkv | reduce-scatter, norm 1");
  EXPECT_TRUE(find(*block, SS_PASS_FORWARD, SS_OP_FC1).overlap.one_ring);
  EXPECT_EQ(find(*block, SS_PASS_FORWARD, SS_OP_FC2).overlap.call_pieces, 4);
  EXPECT_TRUE(find(*block, SS_PASS_BACKWARD, SS_OP_FC2).overlap.one_ring);
  EXPECT_EQ(find(*block, SS_PASS_BACKWARD, SS_OP_FC1, 1).overlap.kernel_pieces, 1);
  const BlockPointer head = build(workload, SS_BLOCK_HEAD);
  EXPECT_EQ(names(*head, SS_PASS_FORWARD), "final norm, all-gather, output product, cross entropy, all-reduce");
  EXPECT_EQ(names(*head, SS_PASS_BACKWARD),
            "cross entropy, output product | all-gather, output product | reduce-scatter, final norm");
}

/* Context parallel 4: a fourth of the tokens everywhere, attention on all keys. Keys and values of l tokens are 4 l e
 * bytes; a ring carries them beside attention, and their gradients, too, on the way back. */
TEST(Block, ContextParallel)
{
  ss_workload workload = make_workload();
  const BlockPointer alone = build(workload);
  workload.parallelism.cp = 4;
  BlockPointer block = build(workload);
  const ss_task forward = find(*block, SS_PASS_FORWARD, SS_OP_ATTENTION);
  ASSERT_EQ(forward.calls, 1);
  EXPECT_EQ(forward.call[0].group, SS_GROUP_CONTEXT);
  EXPECT_DOUBLE_EQ(forward.call[0].volume_bytes, 4 * l * e);
  EXPECT_EQ(forward.overlap.kernel_pieces, 4);
  EXPECT_EQ(forward.overlap.call_pieces, 3);
  EXPECT_EQ(forward.overlap.lag, 1);
  EXPECT_TRUE(forward.overlap.one_ring);
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_BACKWARD, SS_OP_ATTENTION).call[0].volume_bytes, 8 * l * e);
  const double whole_flop = find(*alone, SS_PASS_FORWARD, SS_OP_ATTENTION).kernel.flop;
  EXPECT_DOUBLE_EQ(forward.kernel.flop, whole_flop / 4);
  EXPECT_DOUBLE_EQ(block->stored_bytes, alone->stored_bytes / 4);
  EXPECT_DOUBLE_EQ(block->parameters[SS_WEIGHTS_DENSE], alone->parameters[SS_WEIGHTS_DENSE]);

  /* the last of four ranks in order computes 3 1/2 of the 4 parts of its logits, not 2 */
  workload.parallelism.cp_balance = SS_NO;
  EXPECT_DOUBLE_EQ(find(*build(workload), SS_PASS_FORWARD, SS_OP_ATTENTION).kernel.flop, whole_flop / 4 * 3.5 / 2);

  workload.parallelism.cp_exchange = SS_CP_GATHER;
  block = build(workload);
  EXPECT_EQ(calls(*block, SS_PASS_FORWARD), "all-gather ");
  EXPECT_EQ(calls(*block, SS_PASS_BACKWARD), "all-gather reduce-scatter ");
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_BACKWARD, SS_COMM_REDUCE_SCATTER).call[0].volume_bytes, 4 * l * e);
}

/* Heads for tokens, over 4 ranks: 3 l/4 e elements go out, l/4 e come back, both ways; each rank computes two of eight
 * heads on all tokens, in order or not, and keeps as much as with a ring. With half as many key/value heads, each as
 * many fewer keys and values. */
TEST(Block, ContextParallelByHeads)
{
  ss_workload workload = make_workload();
  const double whole_flop = find(*build(workload), SS_PASS_FORWARD, SS_OP_ATTENTION).kernel.flop;
  workload.parallelism.cp = 4;
  const double ring_bytes = build(workload)->stored_bytes;
  workload.parallelism.cp_exchange = SS_CP_ALL_TO_ALL;
  workload.parallelism.cp_balance = SS_NO;
  const BlockPointer block = build(workload);
  EXPECT_EQ(names(*block, SS_PASS_FORWARD),
            "norm 1, qkv, all-to-all, flash attention, all-to-all, projection, bias + dropout + add, "
            "norm 2, fc1, bias + activation, fc2, bias + dropout + add");
  EXPECT_EQ(calls(*block, SS_PASS_BACKWARD), "all-to-all all-to-all ");
  for (ss_pass pass : {SS_PASS_FORWARD, SS_PASS_BACKWARD})
    for (int nth : {0, 1}) {
      const ss_call call = find(*block, pass, SS_COMM_ALL_TO_ALL, nth).call[0];
      EXPECT_EQ(call.group, SS_GROUP_CONTEXT);
      EXPECT_DOUBLE_EQ(call.volume_bytes, ((nth == 0) == (pass == SS_PASS_FORWARD) ? 3 : 1) * 2 * l / 4 * e);
    }
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_FORWARD, SS_OP_ATTENTION).kernel.flop, whole_flop / 4);
  EXPECT_DOUBLE_EQ(block->stored_bytes, ring_bytes);
  workload.model.kv_heads = 4;
  EXPECT_DOUBLE_EQ(find(*build(workload), SS_PASS_FORWARD, SS_COMM_ALL_TO_ALL).call[0].volume_bytes, 2 * 2 * l / 4 * e);
  workload.training.attention = SS_ATTENTION_UNFUSED;
  EXPECT_EQ(calls(*build(workload), SS_PASS_FORWARD), "all-to-all all-to-all ");
}

/* User buffers over 8 ranks. Forward they reduce 2 l e bytes in 4 pieces, or 7 of 8, behind which a kernel reads as
 * many as all and writes an eighth; in 8 bits half in 4 pieces, and as much as in 16 in a ring. What runs beside the
 * gradients of weights is reduced in 16 bits. */
TEST(Block, ReductionsOfUserBuffers)
{
  ss_workload workload = tensor_parallel(8);
  workload.training.precision = SS_PRECISION_FP8;
  workload.schedule.overlap_tp = SS_TP_OVERLAP_USER_BUFFERS;
  const ss_task pipe = find(*build(workload), SS_PASS_FORWARD, SS_OP_FC2);
  EXPECT_EQ(pipe.overlap.kernel_pieces, 4);
  EXPECT_DOUBLE_EQ(pipe.call[0].volume_bytes, 2 * l * e);

  workload.schedule.tp_reduction = SS_TP_REDUCTION_RING;
  const BlockPointer ring = build(workload);
  EXPECT_EQ(find(*ring, SS_PASS_FORWARD, SS_OP_FC2).overlap.kernel_pieces, 8);
  EXPECT_EQ(find(*ring, SS_PASS_FORWARD, SS_OP_FC2).overlap.call_pieces, 7);
  for (int nth : {0, 1})
    EXPECT_DOUBLE_EQ(find(*ring, SS_PASS_FORWARD, SS_OP_PIECE_SUM, nth).kernel.hbm_bytes, 2 * l * e * 9 / 8);
  EXPECT_EQ(names(*ring, SS_PASS_BACKWARD).find("sum of pieces"), std::string::npos);

  workload.training.reduce_type = SS_AS_OPERANDS;
  EXPECT_DOUBLE_EQ(find(*build(workload), SS_PASS_FORWARD, SS_OP_FC2).call[0].volume_bytes, 2 * l * e);
  workload.schedule.tp_reduction = SS_TP_REDUCTION_PIPE;
  const BlockPointer bytes = build(workload);
  EXPECT_DOUBLE_EQ(find(*bytes, SS_PASS_FORWARD, SS_OP_PROJECTION).call[0].volume_bytes, l * e);
  EXPECT_DOUBLE_EQ(find(*bytes, SS_PASS_FORWARD, SS_OP_FC2).call[0].volume_bytes, l * e);
  EXPECT_DOUBLE_EQ(find(*bytes, SS_PASS_BACKWARD, SS_OP_FC1, 1).call[0].volume_bytes, 2 * l * e);
}

/* The projection of attention one way and the second product of the MLP the other: in 8 bits what is in 4 pieces, and
 * one sum of pieces, behind the ring. */
TEST(Block, ReductionsOfUserBuffersByProduct)
{
  ss_workload workload = tensor_parallel(8);
  workload.training.precision = SS_PRECISION_FP8;
  workload.training.reduce_type = SS_AS_OPERANDS;
  workload.schedule.overlap_tp = SS_TP_OVERLAP_USER_BUFFERS;
  for (const bool mlp_ring : {true, false}) {
    workload.schedule.tp_reduction = mlp_ring ? SS_TP_REDUCTION_MLP_RING : SS_TP_REDUCTION_MLP_PIPE;
    const BlockPointer block = build(workload);
    const ss_activity ring = mlp_ring ? SS_OP_FC2 : SS_OP_PROJECTION, pipe = mlp_ring ? SS_OP_PROJECTION : SS_OP_FC2;
    EXPECT_EQ(find(*block, SS_PASS_FORWARD, ring).overlap.kernel_pieces, 8);
    EXPECT_DOUBLE_EQ(find(*block, SS_PASS_FORWARD, ring).call[0].volume_bytes, 2 * l * e);
    EXPECT_EQ(find(*block, SS_PASS_FORWARD, pipe).overlap.kernel_pieces, 4);
    EXPECT_DOUBLE_EQ(find(*block, SS_PASS_FORWARD, pipe).call[0].volume_bytes, l * e);
    const std::string forward = names(*block, SS_PASS_FORWARD);
    EXPECT_EQ(forward.find("sum of pieces"), forward.rfind("sum of pieces"));
  }
}

/* Asynchronous tensor parallelism of PyTorch over 8 ranks. What a rank has of l tokens, 2 l e / 8 bytes, is copied
 * ahead of a gather; what came of 8 ranks is summed up behind a reduction: 2 l e bytes read, an eighth as many written.
 * The output layer is not compiled. */
TEST(Block, TensorOverlapBySymmetricMemory)
{
  ss_workload workload = tensor_parallel(8);
  workload.model.vocabulary = 32000;
  workload.parallelism.tp_redo = SS_NO;
  workload.schedule.overlap_tp = SS_TP_OVERLAP_SYMMETRIC;
  const BlockPointer block = build(workload);
  EXPECT_EQ(names(*block, SS_PASS_FORWARD),
            "norm 1, copy, qkv | all-gather, flash attention, projection | reduce-scatter, sum of pieces, "
            "bias + dropout + add, norm 2, copy, fc1 | all-gather, bias + activation, fc2 | reduce-scatter, "
            "sum of pieces, bias + dropout + add");
  EXPECT_EQ(names(*block, SS_PASS_BACKWARD),
            "bias + dropout + add, copy, fc2 | all-gather, fc2, bias + activation, fc1 | reduce-scatter, fc1, "
            "sum of pieces, norm 2, bias + dropout + add, copy, projection | all-gather, projection, flash attention, "
            "qkv | reduce-scatter, qkv, sum of pieces, norm 1");
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_FORWARD, SS_OP_COPY).kernel.hbm_bytes, 2 * 2 * l * e / 8);
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_FORWARD, SS_OP_PIECE_SUM).kernel.hbm_bytes, 2 * l * e * 9 / 8);
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_BACKWARD, SS_OP_PIECE_SUM).kernel.hbm_bytes, 2 * l * e * 9 / 8);
  EXPECT_EQ(find(*block, SS_PASS_FORWARD, SS_OP_FC2).overlap.kernel_pieces, 8);
  EXPECT_EQ(names(*build(workload, SS_BLOCK_HEAD), SS_PASS_FORWARD),
            "final norm, all-gather, output product, cross entropy, all-reduce");

  /* kernels that quantise rows are between a gather and its product, and quantise weights for each */
  workload.training.precision = SS_PRECISION_FP8_ROWS;
  EXPECT_EQ(names(*build(workload), SS_PASS_FORWARD),
            "norm 1, all-gather, quantise, quantise, qkv, flash attention, quantise, quantise, projection | "
            "reduce-scatter, sum of pieces, bias + dropout + add, norm 2, all-gather, quantise, quantise, fc1, "
            "bias + activation, quantise, quantise, fc2 | reduce-scatter, sum of pieces, bias + dropout + add");
}
