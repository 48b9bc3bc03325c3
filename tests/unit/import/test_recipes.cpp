/* Settings of recipes that are published: what they leave to the framework, and files that build on one another. Sizes
 * are theirs or, where only a rule is shown, those of a small model. */
#include "tests/support/fixtures.hpp"
#include "tests/support/inputs.hpp"

extern "C" {
#include "model/input/origin.h"
#include "sim/import/import.h"
}

using namespace stepsim;

namespace
{

/* A small model in YAML, of which further lines can be. */
const std::string small =
    "model:\n  num_layers: 8\n  hidden_size: 64\n  num_attention_heads: 4\n  vocab_size: 128\n  seq_length: 64\n";

/* What is said of a file, and the workload that files in turn make. */
struct Imported {
  ss_workload workload;
  std::string said;
  std::vector<std::string> unread; /* notes of what is not read */
};

Imported import_all(const std::vector<std::string> &texts)
{
  Imported imported;
  ss_import import;
  ss_error error = {};
  ss_status status = SS_OK;
  ss_import_init(&import, &imported.workload);
  for (size_t i = 0; i < texts.size() && status == SS_OK; ++i)
    status = ss_import_read_text(&import, "FILE", texts[i].c_str(), &error);
  if (status == SS_OK) status = ss_import_complete(&import, &error);
  for (int64_t i = 0; i < import.count; ++i)
    if (import.note[i].kind == SS_NOTE_UNREAD) imported.unread.emplace_back(import.note[i].text);
  ss_import_free(&import);
  imported.said = status == SS_OK ? "" : std::to_string(error.line) + ": " + error.message;
  return imported;
}

ss_workload import_text(const std::string &text)
{
  const Imported imported = import_all({text});
  EXPECT_EQ(imported.said, "") << text;
  return imported.workload;
}

} // namespace

/* One in four layers attends to all tokens (linear_attention_freq of TransformerConfig), or those of 0 in a list. */
TEST(Recipes, GatedDeltaRules)
{
  const std::string layers =
      "--num-layers 8 --hidden-size 2048 --num-attention-heads 16 --vocab-size 128 --seq-length 64 "
      "--linear-num-value-heads 32 --linear-value-head-dim 96 --linear-num-key-heads 16 --linear-key-head-dim 128 "
      "--linear-conv-kernel-dim 3 ";
  for (const std::string kind :
       {"--linear-attention-type gated_delta_net", "--experimental-attention-variant gated_delta_net",
        "--experimental-attention-variant gdn"})
    for (const std::string frequency : {"4", "\"([1,1,1,0]*2)\""}) {
      const ss_workload w = import_text("python x.py " + layers + kind + " --linear-attention-freq " + frequency);
      EXPECT_STREQ(w.model.kinds, "l mixer=linear; f");
      EXPECT_STREQ(w.model.pattern, "lllf");
      EXPECT_EQ(w.model.state_heads, 32);
      EXPECT_EQ(w.model.state_head_size, 96);
      EXPECT_EQ(w.model.state_groups, 16);
      EXPECT_EQ(w.model.state_size, 128);
      EXPECT_EQ(w.model.convolution, 3);
    }
  EXPECT_STREQ(import_text("python x.py " + layers).model.kinds, ""); /* sizes alone make no layers */
  EXPECT_EQ(import_all({"x.py " + layers + "--experimental-attention-variant dsa"}).said.substr(0, 34),
            "1: experimental-attention-variant:");
  for (const auto &[key, value] : std::vector<std::pair<std::string, std::string>>{{"dsa-indexer-topk-freq", "2.5"},
                                                                                   {"dsa-indexer-topk-freq", "0"},
                                                                                   {"dsa-indexer-topk-freq", "-1"},
                                                                                   {"dsa-indexer-topk-freq", "x"},
                                                                                   {"dsa-indexer-topk", "x"},
                                                                                   {"mamba-head-dim", "1.5"}})
    EXPECT_EQ(import_all({"x.py " + layers + "--" + key + " " + value}).said,
              "1: " + key + "=" + value + ": is not a whole number; allowed: 1 to 1000000");
  EXPECT_EQ(import_all({"x.py " + layers + "--dsa-indexer-skip-topk-offset -1"}).said,
            "1: dsa-indexer-skip-topk-offset=-1: is not a whole number; allowed: 0 to 1000000");
  EXPECT_EQ(import_all({"x.py " + layers + "--experimental-attention-variant gdn --linear-attention-freq [1,0]"}).said,
            "1: \"[1,0]\": is no number, and no list of 0 and 1 for all layers; allowed: such as 4 or ([1,1,1,0]*12)");
}

/* M: Mamba-2, or the mixer that a name of Primus says; | where stages end; what is behind / predicts tokens further. */
TEST(Recipes, HybridPatterns)
{
  const std::string sizes = "python x.py --hidden-size 2048 --num-attention-heads 16 --vocab-size 128 --seq-length 64 "
                            "--ffn-hidden-size 4096 --swiglu ";
  const ss_workload mamba = import_text(sizes + "--hybrid-layer-pattern M-M*/*E/*E");
  EXPECT_STREQ(mamba.model.kinds, "M mixer=mamba feed-forward=none; - mixer=none; * feed-forward=none; n");
  EXPECT_EQ(mamba.model.mtp_modules, 2);
  EXPECT_STREQ(mamba.model.mtp_kind, "n");
  EXPECT_STREQ(mamba.model.pattern, "M-M*");
  EXPECT_EQ(mamba.model.layers, 4);
  EXPECT_EQ(mamba.model.state_heads, 64); /* 2 x 2048 / 64 */
  EXPECT_EQ(mamba.model.state_chunk, 128);
  const ss_workload staged =
      import_text(sizes + "--hybrid-layer-pattern \"M-M|*-|M\" --pipeline-model-parallel-size 3");
  EXPECT_STREQ(staged.model.pattern, "M-M*-M");
  EXPECT_STREQ(staged.parallelism.layout, "Et*3|t*2|t*1L");
  const ss_workload alone = import_text(sizes + "--hybrid-layer-pattern \"M-|M*/M\" --pipeline-model-parallel-size 2");
  EXPECT_STREQ(alone.model.mtp_kind, "M");
  EXPECT_STREQ(alone.parallelism.layout, "Et*2|t*2mL");
  const ss_workload last = import_text(sizes + "--hybrid-layer-pattern M-M*/*");
  EXPECT_STREQ(last.model.mtp_kind, ""); /* as the last layer */
  EXPECT_EQ(last.model.mtp_modules, 1);
  const ss_workload others = import_text(sizes + "--hybrid-layer-pattern M-M*/MM");
  EXPECT_EQ(others.model.mtp_modules, 0); /* a note says so */
  const ss_workload apart =
      import_text(sizes + "--hybrid-layer-pattern M-M* --mtp-hybrid-override-pattern *- --mtp-num-layers 3");
  EXPECT_STREQ(apart.model.mtp_kind, "n");
  EXPECT_EQ(apart.model.mtp_modules, 3);
  /* a pattern with / goes before what is said beside it */
  const Imported both =
      import_all({sizes + "--hybrid-layer-pattern M-M*/*E/*E --mtp-hybrid-override-pattern MM --mtp-num-layers 1"});
  EXPECT_EQ(both.said, "");
  EXPECT_EQ(both.workload.model.mtp_modules, 2);
  EXPECT_EQ(both.unread,
            (std::vector<std::string>{"mtp-hybrid-override-pattern=MM beside a pattern that has *E behind /",
                                      "mtp-num-layers=1 beside a pattern with 2 modules"}));
  const std::string agreeing = "--hybrid-layer-pattern M-M*/*E/*E --mtp-hybrid-override-pattern *E --mtp-num-layers 2";
  EXPECT_EQ(import_all({sizes + agreeing}).unread, std::vector<std::string>());
  EXPECT_EQ(import_all({sizes + "--hybrid-layer-pattern M*/M/M/M/M/M/M/M/M/M"}).said,
            "1: \"M*/M/M/M/M/M/M/M/M/M\": has 9 modules; allowed: up to 8");
  EXPECT_EQ(import_all({sizes + "--hybrid-layer-pattern M-/*E/M-"}).said,
            "1: \"M-/*E/M-\": has modules that differ; allowed: the same letters behind each /");
  EXPECT_EQ(import_all({sizes + "--hybrid-layer-pattern M-/M-/"}).said,
            "1: \"M-/M-/\": has modules that differ; allowed: the same letters behind each /");
  EXPECT_EQ(import_all({sizes + "--hybrid-layer-pattern M-/Q"}).said,
            "1: \"M-/Q\": has modules of other letters; allowed: M, *, -, E and G");
  EXPECT_EQ(import_all({sizes + "--hybrid-layer-pattern M- --mtp-hybrid-override-pattern QZ --mtp-num-layers 1"}).said,
            "1: \"QZ\": has modules of other letters; allowed: M, *, -, E and G");
  EXPECT_STREQ(import_text(sizes + "--hybrid-layer-pattern M-/").model.pattern, "M-");
  const ss_workload delta = import_text(sizes + "--hybrid-layer-pattern G-G* --linear-num-value-heads 16");
  EXPECT_STREQ(delta.model.kinds, "G mixer=linear feed-forward=none; - mixer=none; * feed-forward=none");
  EXPECT_EQ(delta.model.state_heads, 16);
  EXPECT_EQ(delta.model.state_chunk, 64);
  const ss_workload wide = import_text(sizes + "--hybrid-layer-pattern M-M* --mamba-expand 3");
  EXPECT_EQ(wide.model.state_heads, 96);
  EXPECT_EQ(import_all({sizes + "--hybrid-layer-pattern MD"}).said,
            "1: \"MD\": has other letters; allowed: M, *, -, E and G, one for each layer");
  EXPECT_EQ(import_all({sizes + "--hybrid-layer-pattern MG"}).said,
            "1: \"MG\": has both M and G, whose states have the same sizes here; allowed: one");
  EXPECT_EQ(import_all({sizes + "--num-layers 4 --spec local"}).said,
            "1: \"local\": has layers of its own; allowed: the file without it");
  std::string stages = "M"; /* t*1 of each of 70, and bars, have no room */
  for (int i = 0; i < 69; ++i) stages += "|M";
  EXPECT_NE(import_all({sizes + "--hybrid-layer-pattern \"" + stages + "\""})
                .said.find("has more stages than parallelism.layout has room for"),
            std::string::npos);
}

/* Layers that a config.json has laid are not laid again where no share says how. */
TEST(Recipes, HybridSharesOfNobody)
{
  const std::string config =
      R"({"model_type": "nemotron_h", "chunk_size": 128, "hidden_size": 2048, "intermediate_size": 4096, )"
      R"("layers_block_type": ["mamba", "mlp", "mamba", "attention"], "num_hidden_layers": null, )"
      R"("mamba_head_dim": 64, "mamba_num_heads": 64, "n_groups": 8, "num_attention_heads": 16, )"
      R"("num_key_value_heads": 8, "ssm_state_size": 128, "vocab_size": 128})";
  const Imported both =
      import_all({config, "model:\n  is_hybrid_model: true\n  hybrid_attention_ratio: 0.0\n  hybrid_mlp_ratio: 0.0\n"});
  EXPECT_EQ(both.said, "");
  EXPECT_EQ(both.workload.model.layers, 4);
  EXPECT_STREQ(both.workload.model.pattern, "M-M*");
}

/* Of 8 layers a quarter attends: 2, among 6 others in 3 sections of 2; half of all, 4, are MLPs among the 6: the counts
 * of pattern_from_ratios by hand. Of Primus a quarter of 4 pairs attends, and 3 others follow it. */
TEST(Recipes, HybridShares)
{
  const std::string sizes = "python x.py --num-layers 8 --hidden-size 2048 --num-attention-heads 16 --vocab-size 128 "
                            "--seq-length 64 --swiglu --hybrid-attention-ratio 0.25 ";
  EXPECT_STREQ(import_text(sizes).model.pattern, "MM*MM*MM");
  EXPECT_STREQ(import_text(sizes + "--hybrid-mlp-ratio 0.5").model.pattern, "M-*-M*--");
  const std::string stack = small + "  is_hybrid_model: true\n  hybrid_attention_ratio: 0.25\n";
  EXPECT_STREQ(import_text(stack).model.pattern, "*-M-M-M-");
  const std::string spec = "  spec: [primus.backends.megatron.core.models.hybrid.hybrid_mamba_mla_layer_specs, ";
  const ss_workload delta = import_all({stack, "model:\n" + spec + "kda_hybrid_stack_spec]\n"}).workload;
  EXPECT_STREQ(delta.model.kinds, "M mixer=kda feed-forward=none; - mixer=none; * feed-forward=none");
  EXPECT_EQ(delta.model.state_heads, 32);
  EXPECT_EQ(delta.model.state_size, 128);
  const std::string kinds = "  hybrid_override_pattern: M-M*\n";
  ss_workload both;
  ss_import import;
  ss_error error = {};
  ss_import_init(&import, &both);
  ASSERT_EQ(ss_import_read_text(&import, "FILE", (small + kinds).c_str(), &error), SS_OK) << error.message;
  (void)snprintf(both.model.kinds, sizeof both.model.kinds, "M mixer=mamba; N mixer=mamba feed-forward=none; f");
  free(import.earlier); /* as if another program's file had laid them out */
  import.earlier = nullptr;
  ASSERT_EQ(ss_import_read_text(&import, "FILE", ("model:\n" + spec + "kda_hybrid_stack_spec]\n").c_str(), &error),
            SS_OK)
      << error.message;
  EXPECT_STREQ(both.model.kinds, "M mixer=kda; N mixer=kda feed-forward=none; f"); /* all of them */
  ss_import_free(&import);
  const ss_workload pure = import_all({small + "  is_hybrid_model: true\n  hybrid_attention_ratio: 0.0\n"
                                               "  linear_num_value_heads: 16\n  linear_num_key_heads: 8\n",
                                       "model:\n" + spec + "gdn_hybrid_stack_spec]\n"})
                               .workload;
  EXPECT_STREQ(pure.model.kinds, "M mixer=linear feed-forward=none; - mixer=none");
  EXPECT_STREQ(pure.model.pattern, "M-");
  EXPECT_EQ(pure.model.state_heads, 16);
  EXPECT_EQ(import_all({sizes + "--hybrid-mlp-ratio 0.8"}).said,
            "1: hybrid_attention_ratio, with hybrid_mlp_ratio: are more than all layers, or 8 layers are no pairs; "
            "allowed: shares of layers, and an even number of these");
}

/* lfm_layer_types of Primus, where the first layers have no experts. */
TEST(Recipes, ShortConvolutions)
{
  const std::string types = "  lfm_layer_types: [conv, conv, full_attention, conv, conv, full_attention, conv, conv]\n";
  const std::string experts = "  num_moe_experts: 4\n  moe_router_topk: 2\n  moe_layer_freq: ([0]*2+[1]*6)\n";
  const ss_workload w = import_text(small + types + experts + "  conv_L_cache: 5\n");
  EXPECT_STREQ(w.model.kinds, "l mixer=convolution; f; m mixer=convolution feed-forward=mlp");
  EXPECT_STREQ(w.model.pattern, "mmfllfll");
  EXPECT_EQ(w.model.convolution, 5);
  EXPECT_EQ(w.model.dense_layers, 0);
  EXPECT_NE(import_all({small + "  lfm_layer_types: [conv]\n"}).said.find("is not conv or full_attention"),
            std::string::npos);
}

/* Values of 256 beside keys of 192 (GLM-5), and no such attribute where they are alike. */
TEST(Recipes, ValuesOfAnotherSize)
{
  const std::string latent = small + "  multi_latent_attention: true\n  kv_lora_rank: 32\n  qk_head_dim: 192\n";
  EXPECT_EQ(import_text(latent + "  v_head_dim: 256\n").model.value_head_size, 256);
  EXPECT_EQ(import_text(latent + "  v_head_dim: 192\n").model.value_head_size, 0);
  EXPECT_EQ(import_text(latent).model.value_head_size, 128); /* of MLATransformerConfig */
}

/* The same key with the same value is no contradiction; what would be another prediction is said ahead of the rest. */
TEST(Recipes, WhatIsSaidFirst)
{
  EXPECT_EQ(import_text(small + "  fp8: hybrid\n  fp8: hybrid\n").training.precision, SS_PRECISION_FP8);
  EXPECT_NE(import_all({small + "  seq_length: 64\n  seq_length: 32\n"}).said.find("occurs again"), std::string::npos);
  EXPECT_EQ(import_all({"x.py --hidden-size 64 --top_k 1 --num-tokens-to-generate 8"}).said,
            "1: num-tokens-to-generate=8: generates tokens; allowed: files of training");
  EXPECT_EQ(import_text(small + "  expert_tensor_parallel_size: 4\n").parallelism.etp, SS_DERIVED);
  EXPECT_NE(import_all({small + "  num_moe_experts: 4\n  moe_router_topk: 2\n  moe_ffn_hidden_size: 64\n"
                                "  moe_shared_expert_intermediate_size: 96\n"})
                .said.find("is no multiple of that of an expert, 64"),
            std::string::npos);
}

/* A layout has as many chunks as it has parts for a stage; a number of chunks beside it is kept. */
TEST(Recipes, ChunksOfALayout)
{
  const std::string two = small + "  pipeline_model_parallel_size: 2\n";
  const ss_workload w = import_text(two + "  pipeline_model_parallel_layout: E|t|(tt|)*3tL\n");
  EXPECT_EQ(w.parallelism.interleave, 3); /* six parts */
  EXPECT_EQ(w.schedule.pipeline, SS_PIPELINE_INTERLEAVED);
  EXPECT_EQ(import_text(two + "  pipeline_model_parallel_layout: Etttt|ttttL\n").parallelism.interleave, 1);
  const std::string said = "  virtual_pipeline_model_parallel_size: 2\n";
  EXPECT_EQ(import_text(two + said + "  pipeline_model_parallel_layout: E|t|(tt|)*3tL\n").parallelism.interleave, 2);
}

/* Graphs of parts of layers, of whole layers where no parts are said, and of iterations, as older releases say it. */
TEST(Recipes, Graphs)
{
  const auto of = [](const std::string &lines) { return import_text(small + lines).training; };
  const auto graphs = [](std::initializer_list<int> modules) {
    int set = 0;
    for (const int module : modules) set |= 1 << module;
    return set;
  };
  const std::string engine = "  cuda_graph_impl: transformer_engine\n", scope = "  cuda_graph_scope: ";
  const std::string experts = "  num_moe_experts: 4\n  moe_router_topk: 2\n  moe_ffn_hidden_size: 64\n";
  EXPECT_EQ(of(engine + scope + "[attn, moe_router, moe_preprocess]\n" + experts).graphs,
            graphs({SS_GRAPH_ATTN, SS_GRAPH_MOE_ROUTER}));
  EXPECT_EQ(of(engine + scope + "[]\n").graphs, graphs({SS_GRAPH_ATTN, SS_GRAPH_MLP}));
  EXPECT_EQ(of(engine + scope + "full\n").graphs, graphs({SS_GRAPH_ATTN, SS_GRAPH_MLP}));
  EXPECT_EQ(of(engine + experts).graphs, graphs({SS_GRAPH_ATTN, SS_GRAPH_MOE_ROUTER}));
  EXPECT_EQ(of(engine + experts + "  moe_expert_capacity_factor: 1.5\n").graphs, graphs({SS_GRAPH_ATTN, SS_GRAPH_MOE}));
  EXPECT_EQ(of("  cuda_graph_impl: local\n" + scope + "full_iteration\n").host, SS_HOST_GRAPHS);
  EXPECT_EQ(of("  cuda_graph_impl: full_iteration\n").host, SS_HOST_GRAPHS);
  EXPECT_EQ(of("  cuda_graph_impl: none\n" + scope + "full\n").graphs, 0);
  EXPECT_EQ(of("  cuda_graph_impl: none\n").host, SS_HOST_EAGER);
}

/* Gathers of Transformer Engine have the type that products read; buffers of users are for gathers. */
TEST(Recipes, GathersOfTensorParallelRanks)
{
  EXPECT_EQ(import_text(small + "  fp8: hybrid\n").training.gather_type, SS_AS_OPERANDS);
  EXPECT_EQ(import_text(small + "  bf16: true\n").training.gather_type, SS_AS_16BIT);
  const std::string overlap = "  tp_comm_overlap: true\n", two = "  tensor_model_parallel_size: 2\n";
  const std::string sequence = "  sequence_parallel: true\n";
  EXPECT_EQ(import_text(small + overlap + two + sequence).schedule.overlap_tp, SS_TP_OVERLAP_USER_BUFFERS);
  EXPECT_EQ(import_text(small + overlap + sequence).schedule.overlap_tp, SS_TP_OVERLAP_BACKWARD);
  EXPECT_EQ(import_text(small + overlap + two).schedule.overlap_tp, SS_TP_OVERLAP_BACKWARD);
  EXPECT_EQ(import_all({small + overlap, "model:\n" + two + sequence}).workload.schedule.overlap_tp,
            SS_TP_OVERLAP_USER_BUFFERS);
}

/* The optimizer keeps what weights in 16 bits leave out; where there are none, it keeps weights. */
TEST(Recipes, RemaindersOfWeights)
{
  const std::string lean = "optimizer:\n  use_precision_aware_optimizer: true\n";
  const std::string gathered = "  fp8: e4m3\n  fp8_recipe: mxfp8\n  fp8_param_gather: true\n";
  EXPECT_EQ(import_text(small + "  bf16: true\n" + lean).training.master_weights, SS_MASTER_16BIT);
  EXPECT_EQ(import_text(small + gathered + lean).training.master_weights, SS_MASTER_FP32);
  EXPECT_EQ(import_all({small + "  bf16: true\n" + lean, "ddp:\n  fp8_param_gather: true\n"})
                .workload.training.master_weights,
            SS_MASTER_FP32);
}

/* Shards of Megatron-FSDP are weights in 32 bits. */
TEST(Recipes, ShardsAreMasterWeights)
{
  const std::string lean = "optimizer:\n  use_precision_aware_optimizer: true\nddp:\n  use_megatron_fsdp: true\n"
                           "  data_parallel_sharding_strategy: optim_grads_params\n";
  const ss_workload w = import_text(small + "  bf16: true\n" + lean);
  EXPECT_EQ(w.parallelism.sharding, SS_SHARDING_PARAMETERS);
  EXPECT_EQ(w.training.master_weights, SS_MASTER_FP32);
}

/* Megatron-LM multiplies what experts activate by the weights of the router, from core_v0.13.0 on: no setting says so.
 */
TEST(Recipes, WeightsOfTheRouter)
{
  const std::string experts = "  num_moe_experts: 4\n  moe_router_topk: 2\n";
  EXPECT_EQ(import_text(small + experts).training.router_weights, SS_ROUTER_WEIGHTS_ACTIVATIONS);
  EXPECT_EQ(import_text(small).training.router_weights, SS_ROUTER_WEIGHTS_OUTPUTS);
}

/* A later file takes latent attention back, with the size of its heads. */
TEST(Recipes, LatentAttentionTakenBack)
{
  const std::string latent =
      small + "  multi_latent_attention: true\n  kv_lora_rank: 32\n  qk_head_dim: 96\n  v_head_dim: 96\n";
  const std::string back = "model:\n  multi_latent_attention: false\n";
  EXPECT_EQ(import_text(latent).model.kv_rank, 32);
  ss_workload w = import_all({latent, back}).workload;
  ss_workload_derive(&w);
  EXPECT_EQ(w.model.kv_rank, 0);
  EXPECT_EQ(w.model.rope_size, 0);
  EXPECT_EQ(w.model.head_size, 16); /* 64 / 4 */
  EXPECT_EQ(import_all({latent, back + "  kv_channels: 32\n"}).workload.model.head_size, 32);
}

/* Quotes that a shell would take away. */
TEST(Recipes, QuotesForAShell)
{
  const std::string experts = "  num_moe_experts: 4\n  moe_router_topk: 2\n  moe_layer_freq: \"'([0]*3+[1]*5)'\"\n";
  EXPECT_EQ(import_text(small + experts).model.dense_layers, 3);
}

/* AMD-AGI/Primus, examples/megatron/configs/MI355X: kernels of Primus are noted, and its exchange of tokens is
 * DeepEP's; layers that are computed again come by their numbers. */
/* A dense model that goes over one with experts has no groups of these; without moe_router_group_topk groups limit
 * nothing (compute_topk of megatron/core/transformer/moe/moe_utils.py). */
TEST(Recipes, GroupsOfExperts)
{
  const std::string groups = "  moe_router_num_groups: 4\n", top_k = "  moe_router_group_topk: 2\n";
  const std::string experts = small + "  num_experts: 8\n  moe_router_topk: 2\n";
  const ss_workload w = import_text(experts + groups + top_k);
  EXPECT_EQ(w.model.router_groups, 4);
  EXPECT_EQ(w.model.router_group_top_k, 2);
  EXPECT_EQ(import_text(experts + groups).model.router_groups, 0);
  EXPECT_EQ(import_all({experts + groups, "model:\n" + top_k}).workload.model.router_groups, 4);
  const ss_workload dense = import_text(small + groups + top_k + "  expert_tensor_parallel_size: 4\n");
  EXPECT_EQ(dense.model.router_groups, 0);
  EXPECT_EQ(dense.model.router_group_top_k, 0);
  EXPECT_EQ(dense.parallelism.etp, SS_DERIVED);
}

TEST(Recipes, Primus)
{
  const auto overrides = [](const std::string &lines) {
    return "modules:\n  pre_trainer:\n    model: a.yaml\n    overrides:\n      num_layers: 8\n      hidden_size: 64\n"
           "      num_attention_heads: 4\n      vocab_size: 128\n      num_experts: 4\n      moe_router_topk: 2\n" +
           lines;
  };
  const std::string turbo = "      enable_primus_turbo: true\n      use_turbo_attention: true\n";
  EXPECT_EQ(import_text(overrides(turbo)).schedule.dispatch, SS_DISPATCH_COPIES);
  EXPECT_EQ(import_text(overrides("      use_turbo_deepep: true\n")).schedule.dispatch, SS_DISPATCH_ONCE);
  EXPECT_EQ(import_text(overrides("      use_turbo_deepep: false\n")).schedule.dispatch, SS_DISPATCH_COPIES);
  EXPECT_EQ(import_text(overrides("      turbo_sync_free_moe_stage: 1\n")).schedule.dispatch, SS_DISPATCH_COPIES);
  EXPECT_EQ(import_text(overrides("      turbo_sync_free_moe_stage: 2\n")).schedule.dispatch, SS_DISPATCH_ONCE);
  EXPECT_EQ(import_text(overrides("      recompute_layer_ids: null\n")).training.recompute, SS_RECOMPUTE_NONE);
  EXPECT_EQ(import_text(overrides("      num_seq_splits: 1\n")).model.layers, 8);
  EXPECT_NE(import_all({overrides("      num_seq_splits: 2\n")}).said.find("parts of a sequence"), std::string::npos);
  const std::string full = "      recompute_granularity: full\n";
  EXPECT_STREQ(import_text(overrides(full + "      recompute_layer_ids: \"0,3\"\n")).training.recompute_layer_ids,
               "0,3");
  EXPECT_STREQ(import_text(overrides(full + "      recompute_layer_ids: [0, 3]\n")).training.recompute_layer_ids,
               "0,3");
}

/* Files that a configuration goes over are beside it; those that are not there are noted, and circles end. */
TEST(Recipes, FilesThatBuildOnOthers)
{
  const std::string folder = write("base.yaml", small);
  write("middle.yaml", "extends:\n  - base.yaml\nmodel:\n  hidden_size: 128\n");
  write("empty.yaml", "bases:\n  - middle.yaml\n");
  write("circle.yaml", "includes:\n  - circle.yaml\nmodel:\n  num_layers: 2\n");
  const std::string path = folder.substr(0, folder.rfind('/') + 1);
  const auto read = [&](const std::string &name, const std::string &text, std::string *notes) {
    Imported imported;
    ss_import import;
    ss_error error = {};
    ss_import_init(&import, &imported.workload);
    if (!text.empty()) write(name, text);
    const ss_status status = ss_import_read(&import, (path + name).c_str(), &error);
    for (int64_t i = 0; notes != nullptr && i < import.count; ++i)
      if (import.note[i].kind == SS_NOTE_RECIPE) *notes += import.note[i].text;
    ss_import_free(&import);
    imported.said = status == SS_OK ? "" : std::to_string(error.line) + ": " + error.message;
    return imported;
  };
  std::string notes;
  const Imported top = read("top.yaml", "extends:\n  - empty.yaml\n  - gone.yaml\nmodel:\n  seq_length: 32\n", &notes);
  EXPECT_EQ(top.said, "");
  EXPECT_EQ(top.workload.model.layers, 8);
  EXPECT_EQ(top.workload.model.hidden, 128);
  EXPECT_EQ(top.workload.model.sequence, 32);
  EXPECT_EQ(notes, "gone.yaml");
  EXPECT_EQ(read("circle.yaml", "", nullptr).said,
            "2: includes: files build on one another, without an end; allowed: at most 16");
}

/* Batches of TorchTitan and DeepSpeed are of a replica each: with more of them they grow, unless they are set. */
TEST(Recipes, BatchesOfReplicas)
{
  const std::string titan = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 2\n";
  ss_workload w;
  ss_import import;
  ss_error error = {};
  ss_import_init(&import, &w);
  ASSERT_EQ(ss_import_read_text(&import, "FILE", titan.c_str(), &error), SS_OK) << error.message;
  w.parallelism.dp = 16;
  ASSERT_EQ(ss_import_complete(&import, &error), SS_OK);
  EXPECT_EQ(w.training.global_batch, 32);
  w.training.global_batch = 96;
  w.line[SS_AT_training_global_batch] = SS_LINE_OVERRIDE;
  ASSERT_EQ(ss_import_complete(&import, &error), SS_OK);
  EXPECT_EQ(w.training.global_batch, 96);
  ASSERT_EQ(ss_import_read_text(&import, "FILE", (titan + "global_batch_size = 64\n").c_str(), &error), SS_OK);
  ASSERT_EQ(ss_import_complete(&import, &error), SS_OK);
  EXPECT_EQ(w.training.global_batch, 64);
  ss_import_free(&import);
}

/* What the exchange of tokens is made by: job_config.py of pytorch/torchtitan. */
TEST(Recipes, ExchangesOfTorchTitan)
{
  const auto of = [](const std::string &backend) {
    return import_text(
               "[model]\nname = \"deepseek_v3\"\nflavor = \"16B\"\n[parallelism]\nexpert_parallel_comm_backend = \"" +
               backend + "\"\n")
        .schedule.dispatch;
  };
  EXPECT_EQ(of("standard"), SS_DISPATCH_COPIES);
  EXPECT_EQ(of("deepep"), SS_DISPATCH_ONCE);
  EXPECT_EQ(of("hybridep"), SS_DISPATCH_ONCE);
}

/* scripts/train/yamls/pretrain/hf-llama-3.1-8B.yaml of mosaicml/llm-foundry: its model is that of a config.json. */
TEST(Recipes, ModelsOfHuggingFaceInFoundry)
{
  const std::string foundry = "max_seq_len: 2048\nmodel:\n  name: hf_causal_lm\n  use_flash_attention_2: true\n"
                              "  pretrained_model_name_or_path: meta-llama/Meta-Llama-3.1-8B\n"
                              "global_train_batch_size: 16\nfsdp_config:\n  sharding_strategy: FULL_SHARD\n";
  const std::string config =
      R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "num_hidden_layers": 2, "vocab_size": 128})";
  const Imported imported = import_all({config, foundry});
  EXPECT_EQ(imported.said, "");
  EXPECT_EQ(imported.workload.model.layers, 2);
  EXPECT_EQ(imported.workload.training.attention, SS_ATTENTION_FLASH);
  EXPECT_EQ(imported.workload.parallelism.sharding, SS_SHARDING_PARAMETERS);
  const auto step = [&](const std::string &name) {
    const Imported with = import_all({config, foundry + "optimizer:\n  name: " + name + "\n  lr: 0.1\n"});
    EXPECT_EQ(with.said, "") << name;
    return with.workload.training.optimizer_step;
  };
  EXPECT_EQ(step("decoupled_adamw"), SS_STEP_TENSORS);
  EXPECT_EQ(step("decoupled_lionw"), SS_STEP_FUSED); /* noted */
}
