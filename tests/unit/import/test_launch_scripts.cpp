/* Whole launch scripts, as they were published: tests/launch_scripts/README.md says where. Numbers are those that stand
 * in the scripts. */
#include "tests/support/inputs.hpp"
#include "tests/support/source.hpp"

extern "C" {
#include "sim/import/import.h"
}

using namespace stepsim;

namespace
{

struct Script {
  ss_workload w;
  std::string said, notes;
};

Script import_file(const std::string &name)
{
  Script script = {};
  const std::string path = source_path("tests/launch_scripts/" + name);
  ss_import import;
  ss_error error = {};
  ss_import_init(&import, &script.w);
  const ss_status status = ss_import_read(&import, path.c_str(), &error);
  for (int64_t i = 0; i < import.count; ++i)
    if (import.note[i].kind != SS_NOTE_IDLE) script.notes += std::string(import.note[i].text) + "; ";
  ss_import_free(&import);
  script.said = printed(status, error, path);
  return script;
}

void expect_degrees(const ss_workload &w, const std::vector<int64_t> &degrees)
{
  EXPECT_EQ(
      (std::vector<int64_t>{w.parallelism.tp, w.parallelism.cp, w.parallelism.pp, w.parallelism.dp, w.parallelism.ep}),
      degrees);
}

} // namespace

TEST(LaunchScripts, Gpt3)
{
  const Script s = import_file("train_gpt3_175b_distributed.sh");
  EXPECT_EQ(s.said, "accepted");
  EXPECT_EQ(s.w.model.layers, 96);
  EXPECT_EQ(s.w.model.hidden, 12288);
  EXPECT_EQ(s.w.training.global_batch, 1536);
  EXPECT_EQ(s.w.training.precision, SS_PRECISION_FP16);
  expect_degrees(s.w, {8, 1, 16, 1, 1}); /* 8 GPUs are fewer than 128: how many replicas is not said */
}

/* DTYPE="fp8" decides a branch, and so does TOKENIZER_ARG=${3:-"MOCK"}. */
TEST(LaunchScripts, Llama3)
{
  const Script s = import_file("train_llama3_8b_h100_fp8.sh");
  EXPECT_EQ(s.said, "accepted");
  EXPECT_EQ(s.w.model.layers, 32);
  EXPECT_EQ(s.w.model.kv_heads, 8);
  EXPECT_EQ(s.w.model.vocabulary, 128256);
  EXPECT_EQ(s.w.training.precision, SS_PRECISION_FP8);
  EXPECT_EQ(s.w.training.gradients, SS_GRADIENTS_16BIT);
  EXPECT_EQ(s.w.parallelism.sharding, SS_SHARDING_OPTIMIZER);
  expect_degrees(s.w, {1, 1, 1, 8, 1});
  EXPECT_EQ(s.notes.find("only a run"), std::string::npos);
}

/* USE_MEGATRON_FSDP=${USE_MEGATRON_FSDP:-1} is taken, NSYS_PROFILE=${NSYS_PROFILE:-0} is not. */
TEST(LaunchScripts, Llama3WithFsdp)
{
  const Script s = import_file("train_llama3_8b_fsdp_h100_fp8.sh");
  EXPECT_EQ(s.said, "accepted");
  EXPECT_EQ(s.w.training.precision, SS_PRECISION_FP8);
  EXPECT_EQ(s.w.training.gradient_accumulation, SS_ACCUMULATION_SEPARATE);
  EXPECT_EQ(s.w.parallelism.sharding, SS_SHARDING_PARAMETERS);
  expect_degrees(s.w, {1, 1, 1, 8, 1});
}

/* The here-document is a script for sbatch, whose number of nodes is left to the reader. */
TEST(LaunchScripts, DeepSeekV3WithFsdp)
{
  const Script s = import_file("sbatch_mfsdp_deepseek_v3.sh");
  EXPECT_EQ(s.said, "accepted");
  EXPECT_EQ(s.w.model.layers, 61);
  EXPECT_EQ(s.w.model.experts, 256);
  EXPECT_EQ(s.w.model.top_k, 8);
  EXPECT_EQ(s.w.model.dense_layers, 3);
  EXPECT_EQ(s.w.model.kv_rank, 512);
  EXPECT_EQ(s.w.training.micro_batch, 4);
  EXPECT_EQ(s.w.training.global_batch, 2048);
  EXPECT_EQ(s.w.training.recompute_modules, SS_WORD_BIT(SS_RECOMPUTE_MLP) | SS_WORD_BIT(SS_RECOMPUTE_MOE) |
                                                SS_WORD_BIT(SS_RECOMPUTE_MLA_UP_PROJ) |
                                                SS_WORD_BIT(SS_RECOMPUTE_LAYERNORM));
  EXPECT_EQ(s.w.parallelism.sharding, SS_SHARDING_PARAMETERS);
  EXPECT_EQ(s.w.schedule.dispatch, SS_DISPATCH_ONCE);
  expect_degrees(s.w, {1, 1, 1, 1, 8});
}

TEST(LaunchScripts, Mixtral)
{
  const Script s = import_file("train_mixtral_8x7b_distributed.sh");
  EXPECT_EQ(s.said, "accepted");
  EXPECT_EQ(s.w.model.experts, 8);
  EXPECT_EQ(s.w.model.top_k, 2);
  EXPECT_EQ(s.w.training.global_batch, 256);
  expect_degrees(s.w, {1, 1, 4, 2, 8}); /* as the script has it for one node, which is too few */
}

/* PP_SIZE=${WORLD_SIZE} and WORLD_SIZE=$(($GPUS_PER_NODE*$NUM_NODES)): 8 of 1 node; options are read in a loop that
 * does not run without arguments. */
TEST(LaunchScripts, GptOss)
{
  const Script s = import_file("train_gptoss.sh");
  EXPECT_EQ(s.said, "accepted");
  EXPECT_EQ(s.w.model.layers, 12);
  EXPECT_EQ(s.w.model.experts, 4);
  EXPECT_EQ(s.w.training.recompute, SS_RECOMPUTE_SELECTIVE);
  expect_degrees(s.w, {1, 1, 8, 1, 1});
}

/* case "${MODEL_SCALE}" with MODEL_SCALE="800M"; state heads are 2 * 1024 / 64. */
TEST(LaunchScripts, Mamba)
{
  const Script s = import_file("train_mamba.sh");
  EXPECT_EQ(s.said, "accepted");
  EXPECT_EQ(s.w.model.layers, 48);
  EXPECT_EQ(s.w.model.hidden, 1024);
  EXPECT_EQ(s.w.model.heads, 16);
  EXPECT_EQ(s.w.model.state_heads, 32);
  EXPECT_EQ(s.w.training.global_batch, 32);
  expect_degrees(s.w, {1, 1, 1, 8, 1}); /* torchrun --nproc_per_node 8, which is on one node then */
}

TEST(LaunchScripts, ModelsOfModelOpt)
{
  const Script qwen = import_file("Qwen2.5-0.5B-Instruct.sh");
  EXPECT_EQ(qwen.said, "accepted");
  EXPECT_STREQ(qwen.w.model.name, "Qwen2.5-0.5B-Instruct");
  EXPECT_EQ(qwen.w.model.vocabulary, 151936);
  EXPECT_NE(qwen.notes.find("HF_MODEL_CKPT; "), std::string::npos); /* [ -z ${HF_MODEL_CKPT} ] */
  const Script gpt = import_file("gpt-oss-20b.sh");
  EXPECT_EQ(gpt.said, "accepted");
  EXPECT_STREQ(gpt.w.model.name, "gpt-oss-20b");
  EXPECT_EQ(gpt.w.model.experts, 32);
}

TEST(LaunchScripts, FunctionalTest)
{
  const Script s = import_file("gpt3_15b_8t_release.yaml");
  EXPECT_EQ(s.said, "accepted");
  EXPECT_EQ(s.w.model.layers, 32);
  EXPECT_EQ(s.w.model.mlp, SS_MLP_RELU2);
  EXPECT_EQ(s.w.training.micro_batch, 4);
  expect_degrees(s.w, {8, 1, 1, 1, 1});
}

/* 4 nodes of 8 GPUs, and the first of three strategies, which `read` takes apart: TP 2, PP 4, EP 4. */
TEST(LaunchScripts, BridgeGptOss)
{
  const Script s = import_file("bridge_gpt_oss_slurm_pretrain.sh");
  EXPECT_EQ(s.said, "accepted");
  EXPECT_EQ(s.w.model.sequence, 4096);
  EXPECT_EQ(s.w.training.global_batch, 128);
  EXPECT_EQ(s.w.parallelism.sequence_parallel, SS_YES);
  expect_degrees(s.w, {2, 1, 4, 4, 4});
  EXPECT_NE(s.notes.find("recipe: gpt_oss_20b_pretrain_config; "), std::string::npos);
  EXPECT_NE(s.notes.find("CONFIG; "), std::string::npos);
}

/* 8 nodes of 4 GPUs; the first strategy is "True,1,1,1,8,1,False". */
TEST(LaunchScripts, BridgeNemotronWithFsdp)
{
  const Script s = import_file("bridge_nemotron_slurm_pretrain_fsdp.sh");
  EXPECT_EQ(s.said, "accepted");
  EXPECT_EQ(s.w.model.sequence, 512);
  EXPECT_EQ(s.w.training.precision, SS_PRECISION_MXFP8);
  EXPECT_EQ(s.w.training.weights_type, SS_AS_OPERANDS);
  EXPECT_EQ(s.w.schedule.dispatch, SS_DISPATCH_ONCE);
  expect_degrees(s.w, {1, 1, 1, 32, 8});
}

/* --nnodes=$SLURM_JOB_NUM_NODES has what #SBATCH --nodes=2 sets. */
TEST(LaunchScripts, BridgeWithSbatch)
{
  const Script s = import_file("bridge_launch_with_sbatch.sh");
  EXPECT_EQ(s.said, "accepted");
  expect_degrees(s.w, {1, 1, 1, 16, 1});
  EXPECT_NE(s.notes.find("recipe: llama32_1b_pretrain_config; "), std::string::npos);
}

/* 8 GPUs of a node that nobody counts are left to --set. */
TEST(LaunchScripts, BridgeLongContext)
{
  const Script s = import_file("bridge_qwen3_600m_sft_128k.sh");
  EXPECT_EQ(s.said, "accepted");
  EXPECT_EQ(s.w.training.global_batch, 2);
  expect_degrees(s.w, {1, 1, 1, 8, 1}); /* its recipe, which is not read, splits sequences */
}
