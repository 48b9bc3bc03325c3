/* Imported arguments of Megatron-LM: those that its examples have, in the ways in which these write them. */
#include "tests/support/inputs.hpp"

extern "C" {
#include "sim/import/import.h"
}

using namespace stepsim;

namespace
{

std::string import_script(const std::string &text, ss_workload *workload)
{
  const std::string path = write("job.sh", text);
  ss_import import;
  ss_error error = {};
  ss_import_init(&import, workload);
  const ss_status status = ss_import_read(&import, path.c_str(), &error);
  ss_import_free(&import);
  return printed(status, error, path);
}

std::string refusal_of(const std::string &text)
{
  ss_workload workload;
  return import_script(text, &workload);
}

} // namespace

/* Sizes, batch and strategy of examples/gpt3/train_gpt3_175b_distributed.sh: arrays, comments behind values. */
TEST(Arguments, OfGpt3)
{
  ss_workload w;
  EXPECT_EQ(import_script("MODEL=(\n --num-layers 96 \n --hidden-size 12288\n --num-attention-heads 96 # heads\n"
                          " --seq-length 2048 --attention-backend auto)\nTRAIN=(\n --micro-batch-size 1\n"
                          " --global-batch-size 1536 --fp16 --lr 6.0e-5 --lr-decay-style cosine\n)\n"
                          "PARALLEL=(\n\t--tensor-model-parallel-size 8\n\t--pipeline-model-parallel-size 16\n)\n"
                          "torchrun pretrain_gpt.py ${MODEL[@]} ${TRAIN[@]} \\\n  ${PARALLEL[@]} --vocab-size 50257\n",
                          &w),
            "accepted");
  EXPECT_EQ(w.model.layers, 96);
  EXPECT_EQ(w.model.hidden, 12288);
  EXPECT_EQ(w.model.heads, 96);
  EXPECT_EQ(w.model.sequence, 2048);
  EXPECT_EQ(w.model.vocabulary, 51200); /* a multiple of 128 * 8 */
  EXPECT_EQ(w.model.mlp, SS_MLP_GELU);
  EXPECT_EQ(w.model.tied_embeddings, SS_YES);
  EXPECT_EQ(w.training.global_batch, 1536);
  EXPECT_EQ(w.training.precision, SS_PRECISION_FP16);
  EXPECT_EQ(w.training.dropout, SS_YES); /* 0.1 is the default */
  EXPECT_EQ(w.parallelism.tp, 8);
  EXPECT_EQ(w.parallelism.pp, 16);
  EXPECT_EQ(w.parallelism.sharding, SS_SHARDING_NONE);
  EXPECT_STREQ(w.model.name, "job");
}

/* Of examples/llama/train_llama3_8b_h100_fp8.sh: variables, conditions, arguments in quotes. */
TEST(Arguments, OfLlama3)
{
  ss_workload w;
  EXPECT_EQ(import_script("EMPTY=\"\"\nGPUS=8\nNODES=${NODES:-2}\nTP_SIZE=2     \nNUM_LAYERS=\"32\"\nSEQ=8192\n"
                          "A=(--nproc_per_node $GPUS --nnodes $NODES)\n"
                          "M=(--num-layers $NUM_LAYERS --hidden-size 4096 --ffn-hidden-size 14336\n"
                          "--num-attention-heads 32 --group-query-attention --num-query-groups 8 --kv-channels 128\n"
                          "--seq-length ${SEQ} --attention-dropout 0.0 --hidden-dropout 0.0 --swiglu\n"
                          "--untie-embeddings-and-output-weights --bf16)\n"
                          "if [[ \"$D\" == \"fp8\" ]]; then\n M+=(\n \"--fp8-format hybrid\"\n)\nfi\n"
                          "P=(--tensor-model-parallel-size $TP_SIZE\n # --pipeline-model-parallel-size 9 # no\n"
                          "--sequence-parallel --use-distributed-optimizer --overlap-grad-reduce)\n"
                          "if x; then V=(\"--vocab-size 128256\"); else V=(\"--vocab-size 128256\"); fi\n",
                          &w),
            "accepted");
  EXPECT_EQ(w.model.layers, 32);
  EXPECT_EQ(w.model.kv_heads, 8);
  EXPECT_EQ(w.model.mlp, SS_MLP_SWIGLU);
  EXPECT_EQ(w.model.sequence, 8192);
  EXPECT_EQ(w.model.vocabulary, 128256);
  EXPECT_EQ(w.model.tied_embeddings, SS_NO);
  EXPECT_EQ(w.training.precision, SS_PRECISION_FP8);
  EXPECT_EQ(w.training.dropout, SS_NO);
  EXPECT_EQ(w.parallelism.tp, 2);
  EXPECT_EQ(w.parallelism.pp, 1);
  EXPECT_EQ(w.parallelism.dp, 8); /* 2 nodes of 8 GPUs, in twos */
  EXPECT_EQ(w.parallelism.sharding, SS_SHARDING_OPTIMIZER);
  EXPECT_EQ(w.parallelism.sequence_parallel, SS_YES);
  EXPECT_EQ(w.schedule.overlap_dp, SS_YES);
}

TEST(Arguments, OfExpertsAndChunks)
{
  ss_workload w;
  EXPECT_EQ(import_script("--num-layers=48 --num-experts 128 --moe-router-topk 8 --moe-ffn-hidden-size 768 "
                          "--moe-shared-expert-intermediate-size 1536 --pipeline-model-parallel-size 4 "
                          "--num-layers-per-virtual-pipeline-stage 3 --expert-model-parallel-size 8 "
                          "--fp8-recipe blockwise --make-vocab-size-divisible-by 1 --vocab-size 99",
                          &w),
            "accepted");
  EXPECT_EQ(w.model.layers, 48);
  EXPECT_EQ(w.model.experts, 128);
  EXPECT_EQ(w.model.top_k, 8);
  EXPECT_EQ(w.model.shared_experts, 2);
  EXPECT_EQ(w.model.vocabulary, 99);
  EXPECT_EQ(w.parallelism.interleave, 4); /* 48 layers on 4 stages, in chunks of 3 */
  EXPECT_EQ(w.schedule.pipeline, SS_PIPELINE_INTERLEAVED);
  EXPECT_EQ(w.parallelism.ep, 8);
  EXPECT_EQ(w.training.precision, SS_PRECISION_FP8_BLOCK);
}

TEST(Arguments, RefusesWhatItCannotTake)
{
  const std::vector<Case> cases = {
      {"echo no arguments\n", "PATH: is no object of JSON, and has no arguments"},
      {"\n--num-layers $LAYERS", "PATH:2: --num-layers $LAYERS: is not a whole number from 1 to 100000"},
      {"--num-layers -3", "PATH:1: --num-layers -3: is not a whole number from 1 to 100000"},
      {"--num-layers 99999999999999999999", "PATH:1: --num-layers 99999999999999999999: is not a whole number"},
      {"--num-layers", "PATH:1: --num-layers: is not a whole number"},
      {"--num-layers 2\n--num-layers 4", "PATH:2: --num-layers 4: had another value before; allowed: one"},
      {"--fp8-recipe new", "PATH:1: --fp8-recipe new: is unknown; allowed: delayed tensorwise blockwise mxfp8"},
      {"--hybrid-layer-pattern M*", "PATH:1: --hybrid-layer-pattern: is a hybrid; allowed: the file without it, and"},
      {"--new-mixer 3", "PATH:1: --new-mixer 3: is not known, and may matter; allowed: the file without it"},
      {"${", "PATH: is no object"},
      {"A=${B:-\"", "PATH: is no object"},
      {std::string(5000, '-'), "PATH:1: --"},
  };
  for (const Case &c : cases) {
    const std::string said = refusal_of(c.input);
    EXPECT_EQ(said.substr(0, c.expected.size()), c.expected);
  }
}
