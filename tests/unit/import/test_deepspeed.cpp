/* Settings of DeepSpeed: what holds where nobody says it, and types of gradients and states by stage. */
#include "tests/support/fixtures.hpp"
#include "tests/support/inputs.hpp"

extern "C" {
#include "model/input/origin.h"
#include "sim/import/import.h"
}

using namespace stepsim;

namespace
{

const char *const llama =
    R"({"model_type": "llama", "hidden_act": "silu", "hidden_size": 4096, "intermediate_size": 14336, "max_position_embeddings": 8192, "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "tie_word_embeddings": false, "vocab_size": 128256})";

/* What is said of settings over that model, for so many replicas (0: nobody says), and the notes that matter. */
std::string import_deepspeed(const std::string &settings, ss_workload *workload, int64_t replicas = 0,
                             std::string *matters = nullptr)
{
  ss_import import;
  ss_error error = {};
  ss_import_init(&import, workload);
  ss_status status = ss_import_read_text(&import, "MODEL", llama, &error);
  if (status == SS_OK) status = ss_import_read_text(&import, "FILE", settings.c_str(), &error);
  if (replicas > 0) ss_import_set(&import, SS_AT_parallelism_dp, replicas, SS_LINE_OVERRIDE);
  if (status == SS_OK) status = ss_import_complete(&import, &error);
  for (int64_t i = 0; matters != nullptr && i < import.count; ++i)
    if (import.note[i].kind == SS_NOTE_MATTERS) *matters += import.note[i].text;
  ss_import_free(&import);
  return status == SS_OK ? "accepted" : std::to_string(error.line) + ": " + error.message;
}

ss_workload accepted(const std::string &settings, int64_t replicas = 0)
{
  ss_workload workload;
  EXPECT_EQ(import_deepspeed(settings, &workload, replicas), "accepted") << settings;
  return workload;
}

std::string at_stage(int stage, const std::string &more = "")
{
  return R"({"bf16": {"enabled": true}, "zero_optimization": {"stage": )" + std::to_string(stage) + "}" + more + "}";
}

} // namespace

/* 1 sequence in each of 4 steps of 8 replicas. */
TEST(DeepSpeed, BatchFollowsReplicas)
{
  const std::string batch = R"(, "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 4)";
  EXPECT_EQ(accepted(at_stage(2, batch), 8).training.global_batch, 32);
  EXPECT_EQ(accepted(at_stage(2, batch)).training.global_batch, 4);
  EXPECT_EQ(accepted(at_stage(2, batch + R"(, "train_batch_size": 64)")).parallelism.dp, 16);
}

/* communication_data_type and get_data_types of deepspeed/runtime/engine.py: those of the weights, where nobody says
 * them. Stages 2 and 3 reduce behind each micro-batch, the others hold all sums. */
TEST(DeepSpeed, GradientsHaveTheTypeOfWeights)
{
  const std::string sums = R"(, "data_types": {"grad_accum_dtype": "fp32"})",
                    reductions = R"(, "communication_data_type": "fp32")";
  for (int stage = 0; stage <= 3; ++stage) {
    const auto gradients = [stage](const std::string &more, bool noted) {
      ss_workload w;
      std::string matters;
      EXPECT_EQ(import_deepspeed(at_stage(stage, more), &w, 0, &matters), "accepted");
      EXPECT_EQ(!matters.empty(), noted) << matters;
      return w.training.gradients;
    };
    EXPECT_EQ(gradients("", false), SS_GRADIENTS_16BIT);
    EXPECT_EQ(gradients(sums, true), stage < 2 ? SS_GRADIENTS_FP32 : SS_GRADIENTS_16BIT);
    EXPECT_EQ(gradients(reductions, true), stage < 2 ? SS_GRADIENTS_16BIT : SS_GRADIENTS_FP32);
    EXPECT_EQ(gradients(sums + reductions, false), SS_GRADIENTS_FP32);
  }
}

TEST(DeepSpeed, BothPrecisions)
{
  const auto precision = [](const std::string &bf16, const std::string &fp16) {
    return R"({"bf16": {"enabled": )" + bf16 + R"(}, "fp16": {"enabled": )" + fp16 + R"(}, "train_batch_size": 8})";
  };
  EXPECT_EQ(accepted(precision("true", "false")).training.precision, SS_PRECISION_BF16);
  EXPECT_EQ(accepted(precision("false", "true")).training.precision, SS_PRECISION_FP16);
  EXPECT_EQ(accepted(precision("\"auto\"", "false")).training.precision, SS_PRECISION_BF16); /* chosen, and said so */
  ss_workload w;
  const std::string whole = "1: neither bf16 nor fp16 is enabled, so that weights and gradients are in fp32, with "
                            "torch_autocast, too; allowed: one of them enabled";
  EXPECT_EQ(import_deepspeed(precision("false", "false"), &w), whole);
  EXPECT_EQ(import_deepspeed(R"({"fp16": {"enabled": false}, "train_batch_size": 8})", &w), whole);
  EXPECT_EQ(import_deepspeed(precision("true", "true"), &w), "1: bf16 and fp16 are both enabled; allowed: one of them");
  EXPECT_EQ(import_deepspeed(R"({"torch_autocast": {"enabled": true}, "train_batch_size": 8})", &w), whole);
}

/* Stage 3 steps weights that have the type of master weights (_create_fp32_partitions of
 * deepspeed/runtime/zero/stage3.py); the others, and a host, have a copy. */
TEST(DeepSpeed, StatesIn16Bits)
{
  const auto training = [](const std::string &zero, const std::string &states) {
    return accepted(R"({"bf16": {"enabled": true)" + states + R"(}, "zero_optimization": {)" + zero + "}}").training;
  };
  const std::string master = R"(, "bf16_master_weights_and_grads": true)",
                    moments = R"(, "bf16_optimizer_states": true)",
                    host = R"(, "offload_optimizer": {"device": "cpu"})";
  EXPECT_EQ(training("\"stage\": 3", "").master_weights, SS_MASTER_FP32);
  EXPECT_EQ(training("\"stage\": 3", master + moments).master_weights, SS_MASTER_NONE);
  EXPECT_EQ(training("\"stage\": 3", master + moments).moments, SS_MOMENTS_16BIT);
  EXPECT_EQ(training("\"stage\": 3" + host, master).master_weights, SS_MASTER_16BIT);
  EXPECT_EQ(training("\"stage\": 3" + host, master).moments, SS_MOMENTS_FP32);
  EXPECT_EQ(training("\"stage\": 1", master + moments).master_weights, SS_MASTER_16BIT);
  EXPECT_EQ(training("\"stage\": 0", master + moments).master_weights, SS_MASTER_FP32); /* of ZeRO only */
}

/* What deepspeed/runtime/zero/config.py has where nobody says it is as if the file did not have it. */
TEST(DeepSpeed, DefaultsAreNotOn)
{
  const std::string stage = R"({"bf16": {"enabled": true}, "zero_optimization": {"stage": 3, )";
  for (const std::string none :
       {"\"zero_hpz_partition_size\": 1", "\"mics_shard_size\": -1", "\"mics_shard_size\": 0",
        "\"gather_16bit_weights_on_model_save\": true", "\"stage3_gather_16bit_weights_on_model_save\": true",
        "\"offload_optimizer\": {\"device\": \"cpu\", \"ratio\": 1.0}"})
    EXPECT_EQ(accepted(stage + none + "}}").parallelism.sharding, SS_SHARDING_PARAMETERS) << none;
  ss_workload w;
  EXPECT_EQ(import_deepspeed(stage + "\"zero_hpz_partition_size\": 8}}", &w),
            "1: zero_optimization.zero_hpz_partition_size=8: keeps weights of another group, too; allowed: the file "
            "without it");
  EXPECT_EQ(import_deepspeed(stage + "\"mics_shard_size\": 8}}", &w).substr(0, 62),
            "1: zero_optimization.mics_shard_size=8: shards within groups; ");
}

/* Sections of data_efficiency count without those around them (get_data_routing and get_data_sampling of
 * deepspeed/runtime/data_pipeline/config.py). */
TEST(DeepSpeed, DroppedTokensAreRefused)
{
  ss_workload w;
  const auto said = [&w](const std::string &section, const std::string &enabled) {
    return import_deepspeed(at_stage(1, R"(, "data_efficiency": {)" + section + enabled + "}}}"), &w).substr(0, 60);
  };
  const std::string random = R"("data_routing": {"random_ltd": {"enabled": )",
                    lengths = R"("data_sampling": {"curriculum_learning": {"enabled": )";
  EXPECT_EQ(said(random, "false"), "accepted");
  EXPECT_EQ(said(random, "true"), "1: data_efficiency.data_routing.random_ltd.enabled=true: dro");
  EXPECT_EQ(said(lengths, "true"), "1: data_efficiency.data_sampling.curriculum_learning.enabled");
}

/* average_tensor of deepspeed/runtime/zero/stage_1_and_2.py sums by all-reduces without reduce_scatter; stage 3 has
 * none of that. */
TEST(DeepSpeed, SumsByAllReducesMatter)
{
  for (const char *stage : {"0", "1", "2", "3"}) {
    ss_workload w;
    std::string matters;
    const std::string text = std::string(R"({"bf16": {"enabled": true}, "train_micro_batch_size_per_gpu": 1, )") +
                             R"("zero_optimization": {"stage": )" + stage + R"(, "reduce_scatter": false}})";
    EXPECT_EQ(import_deepspeed(text, &w, 0, &matters), "accepted");
    const bool sums = stage[0] == '1' || stage[0] == '2';
    EXPECT_EQ(matters.find("reduce_scatter") != std::string::npos, sums) << stage;
  }
}

TEST(DeepSpeed, WhatWouldBeAnotherJobIsRefused)
{
  ss_workload w;
  const std::string bf16 = R"({"bf16": {"enabled": true}, "train_micro_batch_size_per_gpu": 1, )";
  EXPECT_NE(import_deepspeed(bf16 + R"("elasticity": {"enabled": true, "max_train_batch_size": 2000}})", &w)
                .find("elasticity.enabled=true: takes the batch from the GPUs that there are"),
            std::string::npos);
  EXPECT_EQ(import_deepspeed(bf16 + R"("elasticity": {"enabled": false}})", &w), "accepted");
  EXPECT_NE(
      import_deepspeed(bf16 + R"("zero_optimization": {"stage": 3, "use_all_reduce_for_fetch_params": true}})", &w)
          .find("gathers weights by all-reduces"),
      std::string::npos);
  EXPECT_NE(import_deepspeed(
                bf16 + R"("zero_optimization": {"stage": 3, "stage3_use_all_reduce_for_fetch_params": true}})", &w)
                .find("gathers weights by all-reduces"),
            std::string::npos);
  EXPECT_EQ(
      import_deepspeed(bf16 + R"("zero_optimization": {"stage": 1, "use_all_reduce_for_fetch_params": true}})", &w),
      "accepted"); /* no weights are gathered then */
}
