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

/* Notes of a kind, with commas between them. */
std::string notes_of(const std::vector<std::string> &texts, ss_note_kind kind, const std::vector<std::string> &set = {})
{
  ss_workload workload;
  ss_import import;
  ss_error error = {};
  std::string all;
  ss_import_init(&import, &workload);
  for (const std::string &text : texts)
    EXPECT_EQ(ss_import_read_text(&import, "FILE", text.c_str(), &error), SS_OK) << error.message;
  for (const std::string &one : set)
    EXPECT_EQ(ss_override(one.c_str(), &workload, nullptr, &error), SS_OK) << error.message;
  EXPECT_EQ(ss_import_complete(&import, &error), SS_OK) << error.message;
  for (int64_t i = 0; i < import.count; ++i)
    if (import.note[i].kind == kind) all += (all.empty() ? "" : ", ") + std::string(import.note[i].text);
  ss_import_free(&import);
  return all;
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
                        R"( "intermediate_size": 128, "num_attention_heads": 4})"})
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

/* What is chosen here nobody has said, and what of the file is said goes before. */
TEST(Defaults, AReleaseThatIsNamedGoesOverWhatIsChosen)
{
  EXPECT_EQ(import_all({small}).training.attention, SS_ATTENTION_FLASH);
  EXPECT_EQ(import_all({small}, {"training.stack=megatron-2021"}).training.attention, SS_ATTENTION_UNFUSED);
  EXPECT_EQ(import_all({small + "--use-flash-attn"}, {"training.stack=megatron-2021"}).training.attention,
            SS_ATTENTION_FLASH);
}

/* Those of the framework with all that are built on them, each once, unless one is said; a launcher by itself is of
 * none. */
TEST(Defaults, ReleasesAreNamed)
{
  EXPECT_EQ(notes_of({"model:\n  n_layers: 8\n  d_model: 64\n"}, SS_NOTE_STACK), "llm-foundry-2023");
  EXPECT_EQ(notes_of({small}, SS_NOTE_STACK),
            "megatron-2021, megatron-2023, megatron-core-2025, moe-zoo-2026, nemo-2024, nemo-2025, "
            "megatron-bridge-2026, megatron-bridge-25.09, megatron-bridge-25.11, megatron-bridge-26.02, "
            "megatron-bridge-26.02.01, megatron-bridge-26.04, megatron-bridge-26.04.01, megatron-bridge-26.06, "
            "megatron-bridge-26.06.01, megatron-bridge-26.08, primus-2026");
  EXPECT_EQ(notes_of({"[training]\nlocal_batch_size = 2\n"}, SS_NOTE_STACK),
            "torchtitan-2025, torchtitan-2024, torchtitan-2025-06");
  EXPECT_EQ(notes_of({R"({"bf16": {"enabled": true}})", "deepspeed --num_gpus 8 train.py"}, SS_NOTE_STACK),
            "deepspeed-zero3-2025");
  EXPECT_EQ(notes_of({"base_emb_dim: 64\n"}, SS_NOTE_STACK), "");
  EXPECT_EQ(notes_of({small}, SS_NOTE_STACK, {"training.stack=megatron-2023"}), "");
}

/* Kernels of FlashAttention 1, and batches that another program chooses. */
TEST(Defaults, WhatIsNotPredictedIsNoted)
{
  EXPECT_NE(notes_of({"model:\n  n_layers: 8\n  attn_config:\n    attn_impl: triton\n"}, SS_NOTE_LEFT_OUT)
                .find("FlashAttention 1"),
            std::string::npos);
  EXPECT_EQ(notes_of({R"({"train_batch_size": "auto", "bf16": {"enabled": true}})"}, SS_NOTE_UNREAD),
            "train_batch_size: auto, which is another program's to choose");
}

/* Where no file has a batch, each replica has a micro-batch. */
TEST(Defaults, ABatchThatNobodySaysIsAMicroBatchOfEachReplica)
{
  EXPECT_EQ(import_all({small}).training.global_batch, 1);
  EXPECT_EQ(import_all({small + "--micro-batch-size 2"}, {"parallelism.dp=8"}).training.global_batch, 16);
  EXPECT_EQ(import_all({small}, {"parallelism.dp=8", "training.global-batch=24"}).training.global_batch, 24);
  EXPECT_EQ(import_all({small + "--global-batch-size 32"}, {"parallelism.dp=8"}).training.global_batch, 32);
}

/* Kernels of their own pad the rows of experts for products in 8 bits, unless the router or Hybrid-EP does
 * (skip_routed_expert_padding of megatron/core/transformer/moe/moe_utils.py), or kernels of Primus take them as they
 * are; also where the model and the format are in files of their own. */
TEST(Defaults, RowsOfExpertsArePaddedForEightBits)
{
  const std::string experts = small + "--num-experts 8 --moe-router-topk 2 --moe-grouped-gemm ",
                    eight = "--fp8-format hybrid ", flex = "--moe-token-dispatcher-type flex ";
  const auto pads = [](const std::vector<std::string> &texts, const std::vector<std::string> &set = {}) {
    return import_all(texts, set).training.expert_padding == SS_YES;
  };
  EXPECT_TRUE(pads({experts + eight}));
  EXPECT_TRUE(pads({experts, "--hidden-size 64 " + eight}));
  EXPECT_TRUE(pads({experts}, {"training.precision=fp8"}));
  EXPECT_TRUE(pads({experts + eight + flex + "--moe-flex-dispatcher-backend deepep"}));
  EXPECT_FALSE(pads({experts}));
  EXPECT_FALSE(pads({small + eight}));
  EXPECT_FALSE(pads({experts + eight}, {"training.expert-padding=no"}));
  EXPECT_FALSE(pads({experts + eight + "--moe-router-padding-for-fp8"}));
  EXPECT_FALSE(pads({experts + "--moe-router-padding-for-quantization", "--hidden-size 64 " + eight}));
  EXPECT_FALSE(pads({experts + eight + flex + "--moe-flex-dispatcher-backend hybridep"}));
  EXPECT_FALSE(pads({experts + eight, "use_turbo_grouped_mlp: true\nhidden_size: 64\n"}));
  EXPECT_FALSE(pads({small + "--num-experts 8 --moe-router-topk 2 " + eight})); /* one expert after the other */
}

/* A batch that grows is predicted at its full size: --rampup-batch-size of Megatron-LM. */
TEST(Defaults, BatchesThatGrowAreFull)
{
  EXPECT_EQ(import_all({small + "--global-batch-size 32 --rampup-batch-size 16 16 1000"}).training.global_batch, 32);
  EXPECT_EQ(import_all({small + "--data-impl mmap"}).model.layers, 8);
}

/* transformer_block.py asks for weights where anything is offloaded only. */
TEST(Defaults, WeightsStayWhereNothingIsOffloaded)
{
  const std::string model = "model:\n  num_layers: 8\n  cpu_offloading_weights: true\n";
  EXPECT_EQ(import_all({model + "  cpu_offloading: false\n"}).training.offload_weights, SS_NO);
  EXPECT_EQ(import_all({model}).training.offload_activations, SS_NO);
  ss_workload workload;
  ss_import import;
  ss_error error = {};
  ss_import_init(&import, &workload);
  EXPECT_EQ(ss_import_read_text(&import, "FILE", (model + "  cpu_offloading: true\n").c_str(), &error), SS_ERROR_INPUT);
  EXPECT_STREQ(error.message, "cpu-offloading-weights=1: keeps weights on the host; allowed: the file without it, and "
                              "--set training.offload-weights=yes");
  ss_import_free(&import);
}

/* launcher_scripts/conf/training/gpt3/5b.yaml of NVIDIA/NeMo-Framework-Launcher, shortened. */
TEST(Defaults, TheLauncherOfNemo1)
{
  const ss_workload w =
      import_all({"hydra:\n  searchpath:\n  - file:///opt/NeMo\nrun:\n  name: gpt3_5b\n  results_dir: "
                  "${base_results_dir}/${.name}\n"
                  "  time_limit: 6-00:00:00\n  dependency: singleton\ntrainer:\n  num_nodes: 16\n  devices: 8\n"
                  "  max_time: 05:23:30:00\nmodel:\n  micro_batch_size: 4\n  global_batch_size: 2048\n"
                  "  pipeline_model_parallel_size: 4\n  virtual_pipeline_model_parallel_size: ${divide_floor:"
                  "${.pipeline_model_parallel_size}, 2}\n  encoder_seq_length: 2048\n  max_position_embeddings: "
                  "${.encoder_seq_length}\n  num_layers: 24\n  hidden_size: 4096\n  ffn_hidden_size: ${multiply:4, "
                  "${.hidden_size}} # 4 * hidden_size\n  num_attention_heads: 32\n"});
  EXPECT_EQ(w.model.ffn, 4 * 4096);
  EXPECT_EQ(w.parallelism.interleave, 2);
  EXPECT_EQ(w.parallelism.dp, 16 * 8 / 4);
}

/* A file of Primus that names what it goes over is TorchTitan's all the same. */
TEST(Defaults, PrimusBuildsOnFilesForTorchTitan)
{
  EXPECT_EQ(import_all({"extends:\n- ../module_base.yaml\ntraining:\n  seq_len: 2048\n"}).model.sequence, 2048);
}

/* 70 layers, the embedding and the output layer on 12 stages of BLOOM: 'type:transformer|embedding' of
 * train/tr11-176B-ml/tr11-176B-ml.slurm of bigscience-workshop/bigscience. */
TEST(Defaults, StagesAreCutByClasses)
{
  const ss_workload w = import_all({small + "--pp-partition-method 'type:transformer|embedding' --embed-layernorm"});
  EXPECT_EQ(w.parallelism.account_for_embedding, SS_YES);
  EXPECT_EQ(w.parallelism.account_for_loss, SS_YES);
  EXPECT_EQ(import_all({small + "--pp-partition-method type:transformer"}).parallelism.account_for_loss, SS_NO);
  EXPECT_EQ(import_all({small + "--glu-activation geglu"}).model.mlp, SS_MLP_SWIGLU);
}

/* Modules that keep 16 bits, where products have fewer and there are modules; which others do is in a file that
 * quant_recipe names, and left to training.precise-modules. */
TEST(Defaults, ModulesWithMoreBits)
{
  const std::string model = "model:\n  num_layers: 4\n  hidden_size: 2048\n  num_attention_heads: 16\n  vocab_size: "
                            "128\n  seq_length: 64\n  hybrid_layer_pattern: M-M*\n  keep_mtp_spec_in_bf16: true\n",
                    modules = "  mtp_num_layers: 1\n  mtp_hybrid_override_pattern: '*-'\n",
                    fewer = "mixed_precision: bf16_with_mxfp8_mixed\n";
  const auto precise = [](const std::string &text) { return import_all({text}).training.precise_modules; };
  EXPECT_EQ(precise(model + modules + fewer), SS_WORD_BIT(SS_PRECISE_MTP));
  EXPECT_EQ(precise(model + fewer), 0);
  EXPECT_EQ(precise(model + modules + "mixed_precision: bf16_mixed\n"), 0);
  EXPECT_EQ(precise(model + modules +
                    "  quant_recipe:\n    _target_: megatron.core.quantization.utils.load_quantization_recipe\n"
                    "    _args_: [te_quant.cfg]\n" +
                    fewer),
            0);
}

/* Fused experts keep the input of the activation, which is the largest of what is offloaded. */
TEST(Defaults, FusedExpertsOffload)
{
  const ss_workload w = import_all(
      {"python x.py --num-layers 4 --hidden-size 2048 --num-attention-heads 16 --vocab-size 128 --seq-length 64 "
       "--ffn-hidden-size 4096 --swiglu --num-experts 8 --moe-ffn-hidden-size 1024 --moe-grouped-gemm "
       "--fine-grained-activation-offloading --offload-modules fused_group_mlp"});
  EXPECT_EQ(w.training.offload_modules, SS_WORD_BIT(SS_OFFLOAD_MOE_ACT));
}
