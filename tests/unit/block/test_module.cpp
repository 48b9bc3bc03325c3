/* Multi-token-prediction modules as lists of tasks, against numbers derived by hand. */
#include "tests/support/blocks.hpp"

using namespace stepsim;

namespace
{

constexpr double e = 1024, l = 512, v = 32000;

ss_workload make_predicting(int64_t modules)
{
  ss_workload workload = make_workload();
  workload.model.vocabulary = 32000;
  workload.model.mtp_modules = modules;
  return workload;
}

double parameters_of(const ss_block &block)
{
  return block.parameters[SS_WEIGHTS_DENSE] + block.parameters[SS_WEIGHTS_EXPERT];
}

} /* namespace */

/* DeepSeek-V3 (arXiv 2412.19437 section 4.2). A layer: latent attention 7168 (1536 + 512 + 64) + 1536 x 128 x 192 + 512
 * x 128 x 256 + 128^2 x 7168 with norms of 1536 and 512; 257 experts of 3 x 7168 x 2048 and a router of 7168 x 256; two
 * norms. The module has three norms and 2 x 7168^2 more: 11.6 billion, the "11.5B unique parameters" of the released
 * model; with embedding and output layer, 0.9 billion each, its 14 billion of weights. */
TEST(Module, ParametersOfDeepSeekV3)
{
  ss_workload workload = make_predicting(1);
  workload.model.hidden = 7168;
  workload.model.heads = workload.model.kv_heads = 128;
  workload.model.head_size = 128;
  workload.model.q_rank = 1536;
  workload.model.kv_rank = 512;
  workload.model.rope_size = 64;
  workload.model.mlp = SS_MLP_SWIGLU;
  workload.model.vocabulary = 129280;
  workload.model.experts = 256;
  workload.model.top_k = 8;
  workload.model.expert_ffn = 2048;
  workload.model.shared_experts = 1;
  const double h = 7168, attention = h * (1536 + 512 + 64) + 1536 * 128 * 192 + 512 * 128 * 256 + 128 * 128 * h + 2048;
  const double layer = attention + 257 * 3 * h * 2048 + h * 256 + 2 * h;
  EXPECT_DOUBLE_EQ(parameters_of(*build(workload, SS_BLOCK_EXPERT)), layer);
  EXPECT_DOUBLE_EQ(parameters_of(*build(workload, SS_BLOCK_MODULE)), layer + 3 * h + 2 * h * h);
  EXPECT_DOUBLE_EQ(layer + 3 * h + 2 * h * h, 11610067968.0);
  EXPECT_DOUBLE_EQ(parameters_of(*build(workload, SS_BLOCK_NEXT)), 129280 * h);
  EXPECT_DOUBLE_EQ(parameters_of(*build(workload, SS_BLOCK_HEAD)), 129280 * h + h);
}

/* Two modules look up twice in one table, or in that of the embedding; the output layer makes three products with one
 * matrix. */
TEST(Module, SharesTheEndsOfTheModel)
{
  ss_workload workload = make_predicting(2);
  workload.model.mlp = SS_MLP_SWIGLU;
  const BlockPointer next = build(workload, SS_BLOCK_NEXT), head = build(workload, SS_BLOCK_HEAD);
  EXPECT_DOUBLE_EQ(parameters_of(*next), v * e);
  EXPECT_DOUBLE_EQ(parameters_of(*head), v * e + e);
  EXPECT_EQ(names(*next, SS_PASS_FORWARD), "embedding lookup, dropout 1, embedding lookup, dropout 1");
  EXPECT_EQ(names(*head, SS_PASS_FORWARD), "final norm, output product, cross entropy, output product, cross entropy, "
                                           "output product, cross entropy");
  EXPECT_DOUBLE_EQ(head->logits_bytes, 3 * 4 * l * v);
  workload.model.mtp_modules = 0;
  const BlockPointer plain = build(workload, SS_BLOCK_HEAD);
  const double norm = find(*plain, SS_PASS_FORWARD, SS_OP_FINAL_NORM).kernel.flop;
  EXPECT_DOUBLE_EQ(flop(*head, SS_PASS_FORWARD) - norm, 3 * (flop(*plain, SS_PASS_FORWARD) - norm));
}

/* Beside what its layer has: 2 l 2e e for the product, less l e, as first terms are not added; each gradient likewise.
 */
TEST(Module, MergesTwoStates)
{
  const ss_workload workload = make_predicting(1);
  const BlockPointer module = build(workload, SS_BLOCK_MODULE), layer = build(workload);
  const ss_task merger = find(*module, SS_PASS_FORWARD, SS_OP_MERGER);
  EXPECT_DOUBLE_EQ(merger.kernel.flop, 4 * l * e * e - l * e);
  EXPECT_EQ(names(*module, SS_PASS_FORWARD), "norm of next tokens, norm of states, concatenation, merger, " +
                                                 names(*layer, SS_PASS_FORWARD) + ", final norm");
  EXPECT_DOUBLE_EQ(parameters_of(*module) - parameters_of(*layer), 2 * e * e + 3 * 2 * e);
}

/* Kept: what three norms read, 2 l e bytes each, and what the product reads, twice as wide. With full recomputation the
 * two states that the module starts with. */
TEST(Module, KeepsTwoStates)
{
  ss_workload workload = make_predicting(1);
  const double kept = build(workload, SS_BLOCK_MODULE)->stored_bytes;
  EXPECT_DOUBLE_EQ(kept - build(workload)->stored_bytes, (3 + 2) * 2 * l * e);
  workload.training.recompute = SS_RECOMPUTE_FULL;
  EXPECT_DOUBLE_EQ(build(workload, SS_BLOCK_MODULE)->stored_bytes, 2 * 2 * l * e);
  EXPECT_DOUBLE_EQ(build(workload, SS_BLOCK_MODULE)->working_bytes, kept);
  EXPECT_DOUBLE_EQ(build(workload, SS_BLOCK_MODULE_KEPT)->stored_bytes, kept);
}

/* Each of two ranks computes half of the columns of the product: they are gathered, 2 l e bytes. With sequence
 * parallelism both operands are gathered before it, and each rank keeps its tokens of the result: the way back gathers
 * their gradients, and reduces those of the operands, 2 l 2e bytes. */
TEST(Module, GathersTheColumnsOfTheMerger)
{
  ss_workload workload = make_predicting(1);
  workload.parallelism.tp = 2;
  workload.parallelism.sequence_parallel = workload.parallelism.tp_redo = SS_NO;
  const auto volumes = [&](ss_pass pass) {
    std::vector<double> found;
    const BlockPointer module = build(workload, SS_BLOCK_MODULE), layer = build(workload);
    const auto all = [&](const ss_block &block) {
      std::vector<double> bytes;
      for (const ss_task &task : tasks(block, pass))
        for (int64_t i = 0; i < task.calls; ++i) bytes.push_back(task.call[i].volume_bytes);
      return bytes;
    };
    const std::vector<double> own = all(*module), inner = all(*layer);
    const auto more = static_cast<std::ptrdiff_t>(own.size() - inner.size());
    return pass == SS_PASS_FORWARD ? std::vector<double>(own.begin(), own.begin() + more)
                                   : std::vector<double>(own.end() - more, own.end());
  };
  const double narrow = 2 * l * e, wide = 2 * narrow;
  EXPECT_EQ(volumes(SS_PASS_FORWARD), std::vector<double>{narrow});
  EXPECT_EQ(volumes(SS_PASS_BACKWARD), std::vector<double>{wide});
  workload.parallelism.sequence_parallel = SS_YES;
  EXPECT_EQ(volumes(SS_PASS_FORWARD), (std::vector<double>{wide, narrow}));
  EXPECT_EQ(volumes(SS_PASS_BACKWARD), (std::vector<double>{narrow, wide}));
}
