/* What frameworks do where no setting says it. */
#include "tests/support/inputs.hpp"

extern "C" {
#include "model/input/stack.h"
#include "sim/import/import.h"
}

using namespace stepsim;

namespace
{

const std::string small = "--num-layers 8 --hidden-size 64 --num-attention-heads 4 --vocab-size 128 --seq-length 64 ";

/* What texts make in turn, with further settings as --set has them. */
ss_workload import_all(const std::vector<std::string> &texts, const std::vector<std::string> &set = {})
{
  ss_workload workload;
  ss_import import;
  ss_error error = {};
  ss_import_init(&import, &workload);
  for (const std::string &text : texts)
    EXPECT_EQ(ss_import_read_text(&import, "FILE", text.c_str(), &error), SS_OK) << error.message;
  for (const std::string &one : set)
    EXPECT_EQ(ss_override(one.c_str(), &workload, nullptr, &error), SS_OK) << error.message;
  EXPECT_EQ(ss_import_complete(&import, &error), SS_OK) << error.message;
  ss_import_free(&import);
  ss_stack_apply(&workload);
  return workload;
}

} // namespace

/* cuda_graph_impl is none where nobody says, and no other framework but MaxText has graphs. */
TEST(Defaults, HostsLaunchKernelsUnlessGraphsAreAskedFor)
{
  EXPECT_EQ(import_all({small}).training.host, SS_HOST_EAGER);
  EXPECT_EQ(import_all({small + "--cuda-graph-impl none"}).training.host, SS_HOST_EAGER);
  EXPECT_EQ(import_all({small + "--cuda-graph-impl full_iteration"}).training.host, SS_HOST_GRAPHS);
  EXPECT_EQ(import_all({"model:\n  num_layers: 8\n"}).training.host, SS_HOST_EAGER);
  EXPECT_EQ(import_all({"[training]\nseq_len = 64\n"}).training.host, SS_HOST_EAGER);
  EXPECT_EQ(import_all({R"({"train_micro_batch_size_per_gpu": 1})"}).training.host, SS_HOST_EAGER);
  EXPECT_EQ(import_all({"model:\n  n_layers: 8\n  d_model: 64\n"}).training.host, SS_HOST_EAGER);
  EXPECT_EQ(import_all({"base_emb_dim: 64\nbase_num_decoder_layers: 8\n"}).training.host, SS_HOST_GRAPHS);
}

/* A later file that is silent changes nothing, and a model by itself is of no framework. */
TEST(Defaults, SilenceOfAnotherFileSaysNothing)
{
  EXPECT_EQ(import_all({small + "--cuda-graph-impl full_iteration", "--tensor-model-parallel-size 2"}).training.host,
            SS_HOST_GRAPHS);
  EXPECT_EQ(import_all({R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64, "vocab_size": 100,)"
                        R"( "num_attention_heads": 4})"})
                .training.host,
            SS_HOST_GRAPHS);
}

/* --enable-cuda-graph and --external-cuda-graph of core_v0.12.0 are graphs of layers. */
TEST(Defaults, GraphsAsEarlierReleasesSayThem)
{
  for (const std::string flag : {"--enable-cuda-graph", "--external-cuda-graph"}) {
    const ss_workload w = import_all({small + flag});
    EXPECT_EQ(w.training.host, SS_HOST_EAGER);
    EXPECT_EQ(w.training.graphs, SS_WORD_BIT(SS_GRAPH_ATTN) | SS_WORD_BIT(SS_GRAPH_MLP));
  }
  EXPECT_EQ(import_all({"model:\n  num_layers: 8\n  enable_cuda_graph: false\n"}).training.graphs, 0);
}

/* Timers of Megatron-LM v2.5 synchronize; a setting and --set go before what a release does. */
TEST(Defaults, AReleaseThatIsNamedSaysItself)
{
  const std::string stack = "training.stack=megatron-2021";
  EXPECT_EQ(import_all({small}, {stack}).training.host, SS_HOST_EAGER_TIMED);
  EXPECT_EQ(import_all({small + "--cuda-graph-impl none"}, {stack}).training.host, SS_HOST_EAGER);
  EXPECT_EQ(import_all({small}, {stack, "training.host=graphs"}).training.host, SS_HOST_GRAPHS);
  EXPECT_EQ(import_all({small}, {"training.stack=megatron-core-2025"}).parallelism.sharding, SS_SHARDING_NONE);
}
