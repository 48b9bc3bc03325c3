/* What an import says of files is true: what was read, what it padded, what changes the time, and how many GPUs there
 * are. */
#include "tests/support/inputs.hpp"

extern "C" {
#include "sim/import/import.h"
#include "sim/io/io.h"
}

using namespace stepsim;

namespace
{

const std::string model = "--num-layers 8 --hidden-size 64 --num-attention-heads 4 --vocab-size 1000 --seq-length 64 ";

struct Imported {
  ss_workload workload;
  std::string error;
  std::vector<std::string> lines; /* [SS_NOTE_KINDS], "" where there is none */
};

Imported import(const std::vector<std::string> &paths, const std::vector<std::string> &settings = {}, int64_t gpus = 0)
{
  Imported got;
  ss_import import;
  ss_error error = {};
  ss_import_init(&import, &got.workload);
  ss_status status = SS_OK;
  for (const std::string &path : paths)
    if (status == SS_OK) status = ss_import_read(&import, path.c_str(), &error);
  for (const std::string &setting : settings)
    if (status == SS_OK) status = ss_override(setting.c_str(), &got.workload, nullptr, &error);
  import.gpus = gpus;
  if (status == SS_OK) status = ss_import_complete(&import, &error);
  got.error = status == SS_OK ? "" : error.message;
  for (int kind = 0; kind < SS_NOTE_KINDS; ++kind) {
    char *line = nullptr;
    EXPECT_EQ(ss_import_notes(&import, static_cast<ss_note_kind>(kind), &line, &error), SS_OK);
    got.lines.push_back(line != nullptr ? line : "");
    free(line);
  }
  ss_import_free(&import);
  return got;
}

Imported import_script(const std::string &arguments, const std::vector<std::string> &settings = {}, int64_t gpus = 0)
{
  return import({write("notes.sh", "torchrun --nproc_per_node 8 --nnodes $N pretrain_gpt.py " + arguments + "\n")},
                settings, gpus);
}

bool has(const std::string &text, const std::string &part)
{
  return text.find(part) != std::string::npos;
}

} // namespace

/* By its name, or by what is ahead of its ending, wherever it is. */
TEST(Notes, AFileThatIsGivenIsNotMissed)
{
  const std::string base = write("bridge.yaml", "model:\n  tensor_model_parallel_size: 2\n");
  const std::string one = write("one.sh", "python run.py --config-file conf/bridge.yaml --bf16 " + model + "\n");
  EXPECT_EQ(import({base, one}).lines[SS_NOTE_RECIPE], "");
  EXPECT_EQ(import({one, base}).lines[SS_NOTE_RECIPE], "");
  EXPECT_TRUE(has(import({one}).lines[SS_NOTE_RECIPE], "config-file: conf/bridge.yaml"));
  const std::string other = write("ridge.yaml", "model:\n  tensor_model_parallel_size: 2\n");
  EXPECT_TRUE(has(import({other, one}).lines[SS_NOTE_RECIPE], "config-file: conf/bridge.yaml"));
  const std::string sizes = write("llama3.1-70b.yml", "base_emb_dim: 64\nbase_num_query_heads: 4\nhead_dim: 16\n"
                                                      "base_num_decoder_layers: 2\nbase_mlp_dim: 128\nvocab_size: 256\n"
                                                      "decoder_block: 'llama2'\n");
  const std::string run = write("run.yml", "model_name: llama3.1-70b\nper_device_batch_size: 4\n");
  EXPECT_EQ(import({sizes, run}).lines[SS_NOTE_RECIPE], "");
  EXPECT_TRUE(has(import({run}).lines[SS_NOTE_RECIPE], "model_name: llama3.1-70b"));
}

TEST(Notes, WhatChangesTheTimeIsNotWithoutInfluence)
{
  const Imported got = import_script(model + "--sft --reset-attention-mask --use-sharp --batch-invariant-mode --lr 1");
  for (const std::string name : {"sft: ", "reset-attention-mask: ", "use-sharp: ", "batch-invariant-mode: "}) {
    EXPECT_TRUE(has(got.lines[SS_NOTE_MATTERS], name)) << name;
    EXPECT_FALSE(has(got.lines[SS_NOTE_IDLE] + got.lines[SS_NOTE_LEFT_OUT], name)) << name;
  }
  EXPECT_EQ(got.lines[SS_NOTE_IDLE], "without influence on time: lr");
  const std::string off = write("off.yaml", "model:\n  num_layers: 2\n  batch_invariant_mode: false\n  sft: false\n");
  EXPECT_FALSE(has(import({off}).lines[SS_NOTE_MATTERS], "sft"));
}

/* vocab_size_with_padding of Megatron-LM, with the tp that the job has in the end. */
TEST(Notes, PaddingFollowsTheRanksThatAreSet)
{
  EXPECT_EQ(import_script(model + "--tensor-model-parallel-size 4").workload.model.vocabulary, 1024);
  EXPECT_EQ(import_script(model + "--tensor-model-parallel-size 4", {"parallelism.tp=1"}).workload.model.vocabulary,
            1024);
  EXPECT_EQ(import_script(model, {"parallelism.tp=16"}).workload.model.vocabulary, 2048);
  EXPECT_EQ(import_script(model, {"model.vocabulary=1000"}).workload.model.vocabulary, 1000);
  const std::string ten = model + "--make-vocab-size-divisible-by 10 ";
  EXPECT_EQ(import_script(ten + "--tensor-model-parallel-size 3").workload.model.vocabulary, 1020);
  EXPECT_EQ(import_script(ten + "--tensor-model-parallel-size 3", {"parallelism.tp=1"}).workload.model.vocabulary,
            1000);
  EXPECT_EQ(import_script(ten, {"parallelism.tp=1"}).lines[SS_NOTE_PADDED], "");
}

TEST(Notes, GpusGoOverReplicas)
{
  const std::string script = model + "--tensor-model-parallel-size 2 --pipeline-model-parallel-size 2";
  EXPECT_TRUE(has(import_script(script).lines[SS_NOTE_UNKNOWN], "--gpus N"));
  const Imported got = import_script(script, {}, 32);
  EXPECT_EQ(got.workload.parallelism.dp, 8);
  EXPECT_EQ(got.lines[SS_NOTE_UNKNOWN], "");
  EXPECT_EQ(got.workload.training.global_batch, 8);
  EXPECT_EQ(import_script(script, {"parallelism.tp=4"}, 32).workload.parallelism.dp, 4);
  EXPECT_EQ(import_script(script, {"parallelism.dp=8"}, 32).error, "");
  EXPECT_EQ(import_script(script, {}, 30).error,
            "--gpus \"30\": not a multiple of parallelism.tp * tp2 * cp * pp; allowed: multiples of 4");
  EXPECT_TRUE(has(import_script(script, {"parallelism.dp=4"}, 32).error,
                  "parallelism.dp=\"4\": makes 16 GPUs, not the 32 of --gpus; allowed: one of both"));
  const std::string copies = script + " --use-distributed-optimizer --num-distributed-optimizer-instances 2";
  EXPECT_EQ(import_script(copies, {}, 32).workload.parallelism.shard_size, 4);
  const std::string titan = write("shards.toml", "[training]\nlocal_batch_size = 2\n\n[parallelism]\n"
                                                 "data_parallel_replicate_degree = 2\ndata_parallel_shard_degree = -1\n"
                                                 "tensor_parallel_degree = 2\n");
  const Imported shards = import({titan}, {}, 32);
  EXPECT_EQ(shards.error, "");
  EXPECT_EQ(shards.workload.parallelism.dp, 16);
  EXPECT_EQ(shards.workload.parallelism.shard_size, 8);
  EXPECT_EQ(shards.workload.training.global_batch, 32);
}

/* overlap_param_gather of DistributedDataParallelConfig is off where nobody says. */
TEST(Notes, GathersAreBesideComputeWhereAFileSaysSo)
{
  const auto gathers = [](const std::string &arguments) {
    return import_script(model + arguments).workload.schedule.overlap_gather;
  };
  const std::string sharded = "--use-distributed-optimizer ", reduces = "--overlap-grad-reduce ";
  EXPECT_EQ(gathers(sharded + reduces), SS_NO);
  EXPECT_EQ(gathers(sharded + reduces + "--overlap-param-gather"), SS_YES);
  EXPECT_EQ(gathers(sharded), SS_YES); /* overlap-dp has it */
  EXPECT_EQ(gathers(reduces), SS_YES);
  EXPECT_EQ(gathers("--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params " + reduces), SS_YES);
  EXPECT_EQ(gathers("--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads " + reduces), SS_NO);
  const std::string base = write("base.yaml", "modules:\n  pre_trainer:\n    overrides:\n      num_layers: 2\n"
                                              "      use_distributed_optimizer: true\n      overlap_grad_reduce: true\n"
                                              "      overlap_param_gather: true\n");
  const std::string over = write("over.yaml", "modules:\n  pre_trainer:\n    overrides:\n      num_layers: 4\n");
  EXPECT_EQ(import({base, over}).workload.schedule.overlap_gather, SS_YES);
  const std::string off = write("off.yaml", "modules:\n  pre_trainer:\n    overrides:\n      num_layers: 4\n"
                                            "      overlap_param_gather: false\n");
  EXPECT_EQ(import({base, off}).workload.schedule.overlap_gather, SS_NO);
}

TEST(Notes, UnknownSettingsHaveNamesThatAreNear)
{
  EXPECT_TRUE(has(import_script("--tensor-model-paralel-size 2 --foo 1").error,
                  "tensor-model-paralel-size (did you mean tensor-model-parallel-size?), foo; allowed:"));
  const std::string yaml = write("near.yaml", "model:\n  num_layers: 2\n  contxt_parallel_size: 4\n");
  EXPECT_TRUE(has(import({yaml}).error, "model.contxt_parallel_size (did you mean context-parallel-size?); allowed:"));
}

/* validate_args of Megatron-LM refuses it behind core_v0.17.0, Megatron-Bridge only warns. */
TEST(Notes, LossesOfTransformerEngineAreTaken)
{
  const std::string fused = "--cross-entropy-loss-fusion ", te = "--cross-entropy-fusion-impl te ";
  EXPECT_TRUE(has(import_script(model + fused + te).lines[SS_NOTE_LATER], "training.cross-entropy=fused"));
  EXPECT_EQ(import_script(model + fused + te).workload.training.cross_entropy, SS_CROSS_ENTROPY_ONLINE);
  EXPECT_EQ(import_script(model + fused).lines[SS_NOTE_LATER], "");
  EXPECT_EQ(import_script(model + te).lines[SS_NOTE_LATER], "");
  const std::string bridge = write("loss.yaml", "model:\n  num_layers: 2\n  cross_entropy_loss_fusion: true\n"
                                                "  cross_entropy_fusion_impl: \"te\"\n");
  EXPECT_EQ(import({bridge}).lines[SS_NOTE_LATER], "");
}

TEST(Notes, GroupsOfExpertsAreNotWithoutInfluence)
{
  const std::string config =
      R"({"model_type": "deepseek_v3", "first_k_dense_replace": 1, "hidden_act": "silu", "hidden_size": 256,
 "intermediate_size": 512, "kv_lora_rank": 64, "moe_intermediate_size": 128, "n_routed_experts": 16,
 "n_shared_experts": 1, "num_attention_heads": 4, "num_experts_per_tok": 4, "num_hidden_layers": 4,
 "num_key_value_heads": 4, "q_lora_rank": null, "qk_nope_head_dim": 32, "qk_rope_head_dim": 16,
 "tie_word_embeddings": false, "v_head_dim": 32, "vocab_size": 1024, "n_group": 8, "topk_group": )";
  const Imported some = import({write("some.json", config + "4}")}), all = import({write("all.json", config + "8}")});
  EXPECT_EQ(some.workload.model.router_groups, 8);
  EXPECT_FALSE(has(some.lines[SS_NOTE_IDLE], "n_group"));
  EXPECT_EQ(all.workload.model.router_groups, 0);
  EXPECT_TRUE(has(all.lines[SS_NOTE_IDLE], "n_group"));
}
