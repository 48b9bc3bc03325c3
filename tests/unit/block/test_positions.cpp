/* Learned positions, a norm behind the embedding, rotary embedding and biases, as the model says them. 512 tokens, 8
 * heads of 128. */
#include "tests/support/blocks.hpp"

using namespace stepsim;

namespace
{

constexpr double l = 512, e = 1024, v = 32000, p = 2048;

ss_workload gpt()
{
  ss_workload workload = make_workload();
  workload.training.dropout = SS_NO;
  workload.model.mlp = SS_MLP_GELU;
  workload.model.vocabulary = static_cast<int64_t>(v);
  return workload;
}

} // namespace

/* A table of p vectors. Forward reads and writes the sums of tokens, and reads as many vectors as a sequence has;
 * backward reads gradients of all sequences and writes their sum. */
TEST(Positions, AreATableAndASum)
{
  ss_workload workload = gpt();
  workload.training.micro_batch = 2;
  const double plain = build(workload, SS_BLOCK_EMBEDDING)->parameters[SS_WEIGHTS_DENSE];
  workload.model.positions = static_cast<int64_t>(p);
  const BlockPointer ends = build(workload, SS_BLOCK_EMBEDDING);
  EXPECT_EQ(names(*ends, SS_PASS_FORWARD), "embedding lookup, positions");
  EXPECT_DOUBLE_EQ(ends->parameters[SS_WEIGHTS_DENSE] - plain, p * e);
  EXPECT_DOUBLE_EQ(bytes(*ends, SS_PASS_FORWARD, SS_OP_POSITIONS), 2 * (2 * 2 * l * e + l * e));
  EXPECT_DOUBLE_EQ(bytes(*ends, SS_PASS_BACKWARD, SS_OP_POSITIONS), 2 * (2 * l * e + l * e));
  EXPECT_DOUBLE_EQ(find(*ends, SS_PASS_FORWARD, SS_OP_POSITIONS).kernel.flop, 2 * l * e);
}

/* Ranks that share the sequence out need whole sums to add positions to: an all-reduce in place of a reduce-scatter,
 * and the gradients of all tokens gathered, as without. The table is whole on each. */
TEST(Positions, AreAddedToWholeSequences)
{
  ss_workload workload = gpt();
  workload.parallelism.tp = 2;
  workload.parallelism.sequence_parallel = SS_YES;
  EXPECT_EQ(names(*build(workload, SS_BLOCK_EMBEDDING), SS_PASS_FORWARD), "embedding lookup, reduce-scatter");
  workload.model.positions = static_cast<int64_t>(p);
  const BlockPointer ends = build(workload, SS_BLOCK_EMBEDDING);
  EXPECT_EQ(names(*ends, SS_PASS_FORWARD), "embedding lookup, all-reduce, positions");
  EXPECT_EQ(calls(*ends, SS_PASS_BACKWARD), "all-gather ");
  EXPECT_DOUBLE_EQ(find(*ends, SS_PASS_FORWARD, SS_COMM_ALL_REDUCE).call[0].volume_bytes, 2 * l * e);
  EXPECT_DOUBLE_EQ(ends->parameters[SS_WEIGHTS_DENSE], v * e / 2 + p * e);
  workload.parallelism.sequence_parallel = SS_NO;
  EXPECT_EQ(names(*build(workload, SS_BLOCK_EMBEDDING), SS_PASS_FORWARD), "embedding lookup, all-reduce, positions");
}

/* A LayerNorm, of two vectors, of what a rank has of the sequence. */
TEST(EmbeddingNorm, LiesBehindTheEmbedding)
{
  ss_workload workload = gpt();
  workload.parallelism.tp = 2;
  workload.parallelism.sequence_parallel = SS_YES;
  workload.model.embedding_norm = SS_YES;
  const BlockPointer ends = build(workload, SS_BLOCK_EMBEDDING);
  EXPECT_EQ(names(*ends, SS_PASS_FORWARD), "embedding lookup, reduce-scatter, norm of the embedding");
  EXPECT_DOUBLE_EQ(ends->parameters[SS_WEIGHTS_DENSE], v * e / 2 + 2 * e);
  EXPECT_DOUBLE_EQ(find(*ends, SS_PASS_FORWARD, SS_OP_EMBEDDING_NORM).kernel.flop, 9 * l / 2 * e);
}

/* The one kernel more is that of Llama's layers, of 16 heads of 128. */
TEST(Rotary, IsAsTheModelSays)
{
  ss_workload workload = gpt();
  EXPECT_EQ(names(*build(workload), SS_PASS_FORWARD).find("rotary"), std::string::npos);
  workload.model.rotary = SS_MODEL_ROTARY_YES;
  const double gelu = bytes(workload, SS_PASS_FORWARD, SS_OP_ROTARY);
  workload.model.mlp = SS_MLP_SWIGLU;
  workload.model.rotary = SS_MODEL_ROTARY_AUTO;
  EXPECT_DOUBLE_EQ(gelu, bytes(workload, SS_PASS_FORWARD, SS_OP_ROTARY));
  EXPECT_GT(gelu, 0.0);
  workload.model.rotary = SS_MODEL_ROTARY_NO;
  EXPECT_EQ(names(*build(workload), SS_PASS_FORWARD).find("rotary"), std::string::npos);
}

/* Of fc1 4 e, of both results e each; kernels by themselves where nothing is fused. */
TEST(Biases, AreAsTheModelSays)
{
  ss_workload workload = gpt();
  for (const ss_switch fused : {SS_YES, SS_NO}) {
    workload.training.fused = fused;
    workload.model.biases = SS_MODEL_BIASES_AUTO;
    const BlockPointer biased = build(workload);
    workload.model.biases = SS_MODEL_BIASES_NO;
    const BlockPointer plain = build(workload);
    EXPECT_DOUBLE_EQ(biased->parameters[SS_WEIGHTS_DENSE] - plain->parameters[SS_WEIGHTS_DENSE],
                     static_cast<double>(workload.model.ffn) + 2 * e);
    EXPECT_EQ(names(*plain, SS_PASS_FORWARD).find("fc1 bias"), std::string::npos);
    EXPECT_EQ(names(*plain, SS_PASS_FORWARD).find("projection bias"), std::string::npos);
    EXPECT_LT(flop(*plain, SS_PASS_FORWARD), flop(*biased, SS_PASS_FORWARD));
  }
}
