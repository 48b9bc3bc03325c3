/* Settings of TorchTitan: parts of a pipeline, activation checkpointing, and what it does whatever they say. */
#include "tests/support/inputs.hpp"

extern "C" {
#include "model/input/origin.h"
#include "model/input/stack.h"
#include "sim/import/dialects/dialect.h"
#include "sim/import/import.h"
}

using namespace stepsim;

/* pipeline_llm of torchtitan/distributed/pipeline_parallel.py at v0.2.0: parts of as many layers, where the embedding
 * and the output layer count as one each, or as the file says. 32 layers and no ends are 4 x 8, 16 x 2; with ends of 1,
 * 34 are 17 x 2, which 4 stages do not share, and with 4 and 4 they are 20 x 2. */
TEST(Titan, Parts)
{
  const std::string titan = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[parallelism]\n"
                            "pipeline_parallel_degree = 4\n";
  const auto read = [&titan](const std::string &lines, ss_workload *w) {
    ss_import import;
    ss_error error = {};
    ss_import_init(&import, w);
    const ss_status status = ss_import_read_text(&import, "FILE", (titan + lines).c_str(), &error);
    ss_import_free(&import);
    return status == SS_OK ? "accepted" : std::to_string(error.line) + ": " + error.message;
  };
  const std::string turns = "pipeline_parallel_schedule = \"Interleaved1F1B\"\n",
                    two = "pipeline_parallel_layers_per_stage = 2\n";
  const std::string none = "pipeline_parallel_first_stage_less_layers = 0\n"
                           "pipeline_parallel_last_stage_less_layers = 0\n";
  const std::string four = "pipeline_parallel_first_stage_less_layers = 4\n"
                           "pipeline_parallel_last_stage_less_layers = 4\n";
  ss_workload w;
  ASSERT_EQ(read(turns + two + none, &w), "accepted");
  EXPECT_EQ(w.parallelism.interleave, 4);
  ASSERT_EQ(read(turns + two + four, &w), "accepted");
  EXPECT_EQ(w.parallelism.interleave, 5);
  EXPECT_EQ(read(turns + two, &w),
            "7: parallelism.pipeline-parallel-layers-per-stage=2: cuts the model into parts that "
            "are no multiple of the stages; allowed: a number that does not");
  const std::string chunks = ": cuts the model into parts that the schedule has no use for; allowed: one of each stage "
                             "for 1F1B and GPipe, two for ZBVZeroBubble and DualPipeV, and two or more for "
                             "Interleaved1F1B";
  EXPECT_EQ(read(two + none, &w), "6: parallelism.pipeline-parallel-layers-per-stage=2" + chunks);
  EXPECT_EQ(read("pipeline_parallel_layers_per_stage = 8\n" + none, &w), "accepted");
  EXPECT_EQ(read(turns + "pipeline_parallel_layers_per_stage = 8\n" + none, &w),
            "7: parallelism.pipeline-parallel-layers-per-stage=8" + chunks);
  EXPECT_EQ(read("pipeline_parallel_first_stage_less_layers = -1\n", &w),
            "6: parallelism.pipeline_parallel_first_stage_less_layers=-1: is not a whole number; allowed: 0 to "
            "1000000");
}

/* Four stages of 32 layers are 8, 9, 8 and 7 long there, which a note says, but 8 each where no end counts. */
TEST(Titan, SaysThatItsStagesAreUneven)
{
  const std::string titan = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[parallelism]\n"
                            "pipeline_parallel_degree = 4\n";
  const std::string none = "pipeline_parallel_first_stage_less_layers = 0\n"
                           "pipeline_parallel_last_stage_less_layers = 0\n";
  for (const bool counts : {true, false}) {
    ss_import import;
    ss_workload w;
    ss_error error = {};
    ss_import_init(&import, &w);
    ASSERT_EQ(ss_import_read_text(&import, "FILE", (counts ? titan : titan + none).c_str(), &error), SS_OK);
    bool said = false;
    for (int64_t i = 0; i < import.count; ++i)
      said = said || std::string(import.note[i].text).find("stages have as many layers") != std::string::npos;
    EXPECT_EQ(said, counts);
    ss_import_free(&import);
  }
}

/* Float8LinearConverter of torchtitan/components/quantization/float8.py converts modules of one product, as experts
 * that are grouped are none; these have a converter of their own. */
TEST(Titan, ConvertersOfExperts)
{
  const auto read = [](const std::string &flavor, const std::string &converters, ss_note_kind kind, bool noted) {
    ss_import import;
    ss_workload w;
    ss_error error = {};
    ss_import_init(&import, &w);
    const std::string text = "[model]\n" + flavor + "converters = [" + converters + "]\n";
    EXPECT_EQ(ss_import_read_text(&import, "FILE", text.c_str(), &error), SS_OK) << error.message;
    bool said = false;
    for (int64_t i = 0; i < import.count; ++i)
      said =
          said || (import.note[i].kind == kind && std::string(import.note[i].text).find("xperts") != std::string::npos);
    EXPECT_EQ(said, noted) << converters;
    EXPECT_EQ(ss_import_complete(&import, &error), SS_OK) << error.message;
    ss_import_free(&import);
    return w.training;
  };
  const std::string experts = "name = \"deepseek_v3\"\nflavor = \"16B\"\n",
                    dense = "name = \"llama3\"\nflavor = \"8B\"\n";
  const std::string layers = "\"quantize.linear.float8\"", grouped = "\"quantize.grouped_mm.float8\"";
  EXPECT_EQ(read(experts, layers, SS_NOTE_LEFT_OUT, false).expert_type, SS_AS_16BIT);
  EXPECT_EQ(read(experts, layers, SS_NOTE_LEFT_OUT, false).precision, SS_PRECISION_FP8_CURRENT);
  EXPECT_EQ(read(dense, layers, SS_NOTE_LEFT_OUT, false).expert_type, SS_AS_OPERANDS);
  EXPECT_EQ(read(experts, layers + ", " + grouped, SS_NOTE_LEFT_OUT, true).expert_type, SS_AS_OPERANDS);
  EXPECT_EQ(read(experts, "\"quantize.linear.mx\", \"quantize.grouped_mm.mx\"", SS_NOTE_LEFT_OUT, false).expert_type,
            SS_AS_OPERANDS);
  EXPECT_EQ(read(experts, grouped, SS_NOTE_MATTERS, true).precision, SS_PRECISION_BF16);
}

/* Layers whose name has one of filter_fqns in it stay in 16 bits (module_filter_fn of
 * torchtitan/components/quantization/utils.py): of fp8 none by itself, of MXFP8 the output layer; nor do those whose
 * sizes are no multiples of 16, and others of the list are said to be predicted in 8 bits. */
TEST(Titan, LayersThatConvertersLeaveOut)
{
  const auto read = [](const std::string &converter, const std::string &lines, const std::string &flavor = "8B") {
    ss_import import;
    ss_workload w;
    ss_error error = {};
    ss_import_init(&import, &w);
    const std::string text =
        "[model]\nname = \"llama3\"\nflavor = \"" + flavor + "\"\nconverters = [\"" + converter + "\"]\n" + lines;
    EXPECT_EQ(ss_import_read_text(&import, "FILE", text.c_str(), &error), SS_OK) << error.message;
    std::string said = w.training.output_type == SS_AS_OPERANDS ? "8" : "16";
    for (int64_t i = 0; i < import.count; ++i)
      if (import.note[i].kind == SS_NOTE_MATTERS) said += std::string("; ") + import.note[i].text;
    ss_import_free(&import);
    return said;
  };
  const std::string eight = "quantize.linear.float8", blocks = "quantize.linear.mx";
  EXPECT_EQ(read(eight, ""), "8");
  EXPECT_EQ(read(eight, "[quantize.linear.float8]\nfilter_fqns = []\n"), "8");
  EXPECT_EQ(read(eight, "[quantize.linear.float8]\nfilter_fqns = [\"output\", \"router.gate\"]\n"), "16");
  EXPECT_EQ(read("float8", "[float8]\nfilter_fqns = [\"attention.wk\"]\n"),
            "8; that products of attention.wk stay in 16 bits (filter_fqns)");
  EXPECT_EQ(read(blocks, ""), "16");
  EXPECT_EQ(read(blocks, "[quantize.linear.mx]\nfilter_fqns = []\n"), "8");
  EXPECT_EQ(read(blocks, "[quantize.linear.float8]\nfilter_fqns = []\n"), "16");
}

/* Of 64 replicas, with a shard degree of -1, 8 copies are of 8 ranks each, and of 16 with two context-parallel ranks
 * (build_mesh of torchtitan/distributed/parallel_dims.py shards over both). */
TEST(Titan, CopiesAndAnOpenShardDegree)
{
  const std::string titan = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[parallelism]\n"
                            "data_parallel_replicate_degree = 8\ndata_parallel_shard_degree = -1\n";
  for (const int64_t ranks : {1, 2}) {
    ss_import import;
    ss_workload w;
    ss_error error = {};
    ss_import_init(&import, &w);
    const std::string text = titan + "context_parallel_degree = " + std::to_string(ranks) + "\n";
    ASSERT_EQ(ss_import_read_text(&import, "FILE", text.c_str(), &error), SS_OK) << error.message;
    ss_import_set(&import, SS_AT_parallelism_dp, 64, SS_LINE_OVERRIDE);
    EXPECT_EQ(ss_import_complete(&import, &error), SS_OK) << error.message;
    EXPECT_EQ(w.parallelism.shard_size, 8 * ranks);
    ss_import_set(&import, SS_AT_parallelism_dp, 60, SS_LINE_OVERRIDE);
    EXPECT_EQ(ss_import_complete(&import, &error), ranks == 1 ? SS_ERROR_INPUT : SS_OK);
    ss_import_free(&import);
  }
}

/* An option of selective checkpointing counts in that mode only. */
TEST(Titan, SelectiveOption)
{
  const std::string titan = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[activation_checkpoint]\n";
  for (const auto &[mode, recompute] :
       std::vector<std::pair<std::string, int>>{{"none", SS_RECOMPUTE_NONE}, {"full", SS_RECOMPUTE_FULL}}) {
    ss_import import;
    ss_workload w;
    ss_error error = {};
    ss_import_init(&import, &w);
    const std::string text = titan + "mode = \"" + mode + "\"\nselective_ac_option = \"2nd\"\n";
    EXPECT_EQ(ss_import_read_text(&import, "FILE", text.c_str(), &error), SS_OK) << error.message;
    EXPECT_EQ(w.training.recompute, recompute);
    ss_import_free(&import);
  }
}

/* An import of TorchTitan's settings has what stacks.def says that it does whatever they say. */
TEST(Titan, DoesWhatItsStackDoesAlways)
{
  const ss_dialect *titan = ss_dialects;
  while (std::string(titan->title) != "TorchTitan") ++titan;
  int64_t count, found = 0;
  const ss_stack_setting *rows = ss_stack_settings(&count);
  for (int64_t i = 0; i < count; ++i) {
    if (!rows[i].always) continue;
    EXPECT_EQ(rows[i].stack, SS_STACK_TORCHTITAN_2025);
    const int64_t word = ss_dialect_default(titan, rows[i].attribute);
    EXPECT_STREQ(ss_word(rows[i].attribute, static_cast<int>(word)), rows[i].value);
    ++found;
  }
  EXPECT_GE(found, 7);
}

namespace
{

/* What is said of lines behind a model; "accepted", the error, or the notes of a kind. */
std::string import_titan(const std::string &lines, ss_workload *w, ss_note_kind kind = SS_NOTE_KINDS)
{
  const std::string text = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n" + lines;
  ss_import import;
  ss_error error = {};
  ss_import_init(&import, w);
  const ss_status status = ss_import_read_text(&import, "FILE", text.c_str(), &error);
  std::string notes;
  for (int64_t i = 0; i < import.count; ++i)
    if (import.note[i].kind == kind) notes += import.note[i].text;
  ss_import_free(&import);
  if (status != SS_OK) return std::to_string(error.line) + ": " + error.message;
  return kind == SS_NOTE_KINDS ? "accepted" : notes;
}

} // namespace

/* compile.enable of torchtitan/config/job_config.py is false where nobody says, and takes model and loss where it is
 * not said what. */
TEST(Titan, FusesWhatTheCompilerTakes)
{
  ss_workload w;
  const std::string on = "[compile]\nenable = true\n";
  EXPECT_EQ(import_titan("", &w), "accepted");
  EXPECT_EQ(w.training.fused, SS_NO);
  EXPECT_EQ(import_titan("[compile]\nenable = false\n", &w), "accepted");
  EXPECT_EQ(w.training.fused, SS_NO);
  EXPECT_EQ(import_titan(on, &w, SS_NOTE_LEFT_OUT), "");
  EXPECT_EQ(w.training.fused, SS_YES);
  EXPECT_EQ(import_titan(on + "components = [\"loss\", \"model\"]\n", &w), "accepted");
  EXPECT_EQ(w.training.fused, SS_YES);
  EXPECT_EQ(import_titan(on + "components = [\"loss\"]\n", &w), "accepted");
  EXPECT_EQ(w.training.fused, SS_NO);
  EXPECT_EQ(import_titan("[training]\ncompile = true\n", &w), "accepted"); /* until 2025 */
  EXPECT_EQ(w.training.fused, SS_YES);
}

/* memory_budget of torchtitan/config/job_config.py: 0.0 is as checkpoints of layers, 1.0 as none, and 0.5 the default.
 */
TEST(Titan, MemoryBudgets)
{
  ss_workload w;
  const std::string mode = "[compile]\nenable = true\n[activation_checkpoint]\nmode = \"memory_budget\"\n";
  const std::string refused = "7: activation-checkpoint.mode=1: leaves it to a compiler what is computed again; "
                              "allowed: a memory_budget of 0.0, which is full, or of 1.0, which is none, or another "
                              "mode";
  EXPECT_EQ(import_titan(mode + "memory_budget = 0.0\n", &w), "accepted");
  EXPECT_EQ(w.training.recompute, SS_RECOMPUTE_FULL);
  EXPECT_EQ(import_titan(mode + "memory_budget = 1.0\n", &w), "accepted");
  EXPECT_EQ(w.training.recompute, SS_RECOMPUTE_NONE);
  EXPECT_EQ(import_titan(mode + "memory_budget = 0.3\n", &w), refused);
  EXPECT_EQ(import_titan(mode, &w), refused);
  EXPECT_NE(import_titan("[activation_checkpoint]\nmode = \"memory_budget\"\nmemory_budget = 1.0\n", &w)
                .find("needs a model that is compiled"),
            std::string::npos);
}

/* training.dtype of torchtitan/config/job_config.py: all in bfloat16, without a copy of the weights in fp32; FSDP
 * reduces in mixed_precision_reduce all the same. */
TEST(Titan, AllInSixteenBits)
{
  ss_workload w;
  const std::string dtype = "[training]\ndtype = \"bfloat16\"\n";
  EXPECT_NE(import_titan(dtype, &w, SS_NOTE_LEFT_OUT).find("kept in 16 bits behind their sums"), std::string::npos);
  EXPECT_EQ(w.training.master_weights, SS_MASTER_NONE);
  EXPECT_EQ(w.training.moments, SS_MOMENTS_16BIT);
  EXPECT_EQ(w.parallelism.shards, SS_SHARDS_16BIT);
  EXPECT_EQ(w.training.gradients, SS_GRADIENTS_AUTO);
  EXPECT_EQ(
      import_titan(dtype + "[parallelism]\ndata_parallel_replicate_degree = 8\ndata_parallel_shard_degree = 1\n", &w),
      "accepted");
  EXPECT_EQ(w.training.gradients, SS_GRADIENTS_16BIT);
  EXPECT_EQ(import_titan("[training]\ndtype = \"float32\"\n", &w), "accepted");
  EXPECT_EQ(w.training.master_weights, SS_MASTER_FP32);
}

/* Only where tensors are split are there logits to gather. */
TEST(Titan, GatheredLogitsMatter)
{
  ss_workload w;
  const std::string off = "[parallelism]\ndisable_loss_parallel = true\n";
  EXPECT_EQ(import_titan(off, &w, SS_NOTE_MATTERS), "");
  EXPECT_NE(import_titan(off + "tensor_parallel_degree = 8\n", &w, SS_NOTE_MATTERS).find("disable_loss_parallel"),
            std::string::npos);
}

/* early_stop of torchtitan/config/job_config.py; what a compiler has traced ends early without it. */
TEST(Titan, RecomputationMayRunToItsEnd)
{
  ss_workload w;
  const std::string full = "[activation_checkpoint]\nmode = \"full\"\n";
  EXPECT_EQ(import_titan(full + "early_stop = false\n", &w), "accepted");
  EXPECT_EQ(w.training.recompute_early_stop, SS_NO);
  EXPECT_EQ(import_titan(full + "early_stop = true\n", &w), "accepted");
  EXPECT_EQ(w.training.recompute_early_stop, SS_YES);
  EXPECT_EQ(import_titan(full + "early_stop = false\n[compile]\nenable = true\n", &w), "accepted");
  EXPECT_EQ(w.training.recompute_early_stop, SS_YES);
}

/* Configurations that are programs: torchtitan/config/manager.py and run_train.sh of pytorch/torchtitan at b5bcd76. The
 * name of a program has the flavor; what else it sets is not here. 16 GPUs in ranks of 2 are 8 replicas, with
 * micro-batches of 8192 tokens in sequences of 4096, and steps of 131072 tokens are 32 sequences. */
TEST(Titan, ProgramsAreNamed)
{
  const auto read = [](const std::string &text, ss_workload *w, std::string *notes) {
    ss_import import;
    ss_error error = {};
    char *all = nullptr;
    ss_import_init(&import, w);
    ss_status status = ss_import_read_text(&import, "FILE", text.c_str(), &error);
    if (status == SS_OK) status = ss_import_complete(&import, &error);
    if (status == SS_OK) status = ss_import_text(&import, "chosen", &all, &error);
    if (all != nullptr) *notes = all;
    free(all);
    ss_import_free(&import);
    return status == SS_OK ? "accepted" : std::to_string(error.line) + ": " + error.message;
  };
  const std::string command = "torchrun --nproc_per_node 8 --nnodes 2 -m torchtitan.train --module qwen3 ";
  const std::string tokens = " --training.max_context_length 4096 --training.num_tokens_per_microbatch_per_dp_rank 8192"
                             " --training.num_tokens_per_train_step 131072 --parallelism.tensor_parallel_degree=2";
  ss_workload w;
  std::string notes;
  ASSERT_EQ(read(command + "--config qwen3_30b_a3b" + tokens, &w, &notes), "accepted");
  EXPECT_STREQ(w.model.name, "qwen3-30B-A3B");
  EXPECT_EQ(w.model.experts, 128);
  EXPECT_EQ(w.model.sequence, 4096);
  EXPECT_EQ(w.parallelism.tp, 2);
  EXPECT_EQ(w.parallelism.dp, 8);
  EXPECT_EQ(w.training.micro_batch, 2);
  EXPECT_EQ(w.training.global_batch, 32);
  EXPECT_NE(notes.find("what the program qwen3_30b_a3b sets beside its model"), std::string::npos) << notes;
  /* of a pipeline, so many micro-batches are a replica's */
  ASSERT_EQ(read(command + "--config qwen3_32b --training.max_context_length 4096 "
                           "--training.num_tokens_per_microbatch_per_dp_rank 4096 "
                           "--parallelism.pipeline_parallel_degree 4 --parallelism.num_pp_microbatches 12",
                 &w, &notes),
            "accepted");
  EXPECT_EQ(w.parallelism.dp, 4);
  EXPECT_EQ(w.training.micro_batch, 1);
  EXPECT_EQ(w.training.global_batch, 48);
  /* as the script has it, and a longer name than that of the flavor */
  ASSERT_EQ(read("NGPU=4 MODULE=llama3 CONFIG=llama3_8b_mxfp8 ./run_train.sh --compile.enable\n", &w, &notes),
            "accepted");
  EXPECT_STREQ(w.model.name, "llama3-8B");
  EXPECT_EQ(w.parallelism.dp, 4);
  EXPECT_EQ(w.training.fused, SS_YES);
  EXPECT_NE(notes.find("llama3_8b_mxfp8"), std::string::npos) << notes;
  /* without a batch, a sequence is chosen, not what TOML has by itself */
  EXPECT_EQ(w.training.micro_batch, 1);
  EXPECT_NE(notes.find("training.micro-batch=1"), std::string::npos) << notes;
  EXPECT_EQ(
      read(command + "--config qwen3_debugmodel --compile.enable", &w, &notes),
      "1: \"qwen3_debugmodel\": is a program of TorchTitan whose model is not known; allowed: one such as llama3_8b, "
      "or a config.json ahead of this file");
  EXPECT_EQ(read(command + "--config qwen3_8b --training.max_context_length 4096 "
                           "--training.num_tokens_per_microbatch_per_dp_rank 6000",
                 &w, &notes),
            "1: training.num-tokens-per-microbatch-per-dp-rank=6000: are no whole sequences; allowed: a multiple of "
            "training.max_context_length, or of model.sequence that another file or --set has");
}
