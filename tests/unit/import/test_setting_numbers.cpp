/* Numbers and truth values of settings, in files of every framework. */
#include "tests/support/fixtures.hpp"

extern "C" {
#include "sim/import/import.h"
}

using namespace stepsim;

namespace
{

std::string import_file(const std::string &text, ss_workload *workload)
{
  ss_import import;
  ss_error error = {};
  ss_import_init(&import, workload);
  const ss_status status = ss_import_read_text(&import, "FILE", text.c_str(), &error);
  ss_import_free(&import);
  return status == SS_OK ? "accepted" : std::to_string(error.line) + ": " + error.message;
}

} // namespace

/* Of every framework, what is no number where one is needed is refused, with its line and what is allowed. */
TEST(SettingNumbers, NumbersAreWhatTheyHaveToBe)
{
  const std::string bridge = "model:\n  num_layers: 8\n", titan = "[training]\nseq_len = 8\n",
                    foundry = "model:\n  name: mpt_causal_lm\n  d_model: 64\n  n_heads: 4\n  n_layers: 2\n",
                    maxtext = "base_num_decoder_layers: 2\nbase_emb_dim: 64\n";
  const std::string counts = ": is not a whole number; allowed: 1 to 1000000";
  const std::string shares = ": is not a number; allowed: 0 to 1";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {bridge + "  moe_router_topk: 2x\n", "3: model.moe_router_topk=2x" + counts},
      {bridge + "  moe_router_topk: 5000000\n", "3: model.moe_router_topk=5000000" + counts},
      {bridge + "  moe_router_topk: 1.5\n", "3: model.moe_router_topk=1.5" + counts},
      {bridge + "  moe_router_topk: [2, 4]\n", "3: model.moe_router_topk=2 4" + counts},
      {bridge + "  moe_router_topk: 0x2\n", "3: model.moe_router_topk=0x2" + counts},
      {bridge + "  moe_ffn_hidden_size: -3\n",
       "3: model.moe_ffn_hidden_size=-3: is not a whole number; allowed: 1 to 100000000"},
      {bridge + "  hidden_dropout: 1.5\n", "3: model.hidden_dropout=1.5" + shares},
      {bridge + "  hidden_dropout: some\n", "3: model.hidden_dropout=some" + shares},
      {bridge + "  num_layers_at_start_in_bf16: -1\n",
       "3: model.num_layers_at_start_in_bf16=-1: is not a whole number; allowed: 0 to 1000000"},
      {bridge + "trainer:\n  devices: 8x\n", "4: trainer.devices=8x" + counts},
      {bridge + "  sequence_parallel: maybe\n",
       "3: model.sequence_parallel=maybe: is neither true nor false; allowed: one of them"},
      {bridge + "  sequence_parallel: 7\n",
       "3: model.sequence_parallel=7: is neither true nor false; allowed: one of them"},
      {bridge + "  moe_router_topk: {}\n", "3: model.moe_router_topk: is not a whole number; allowed: 1 to 1000000"},
      {bridge + "  moe_grouped_gemm: ${X}\n",
       "3: model.moe_grouped_gemm=${X}: is neither true nor false; allowed: one of them"},
      {"torchrun --nnodes -2 x.py --num-layers 8", "1: nnodes=-2" + counts},
      {"x.py --num-layers 8 --moe-router-topk 2\n--moe-router-topk 4",
       "2: moe-router-topk=4: was 2 in line 1; allowed: one value"},
      {"x.py --num-layers 10 --pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 2",
       "1: num-layers-per-virtual-pipeline-stage=2: does not divide the layers of a stage; allowed: a number that "
       "does"},
      {"torchrun --nnodes 1 --nproc-per-node 6 x.py --num-layers 8 --num-distributed-optimizer-instances 4",
       "1: num-distributed-optimizer-instances=4: does not divide the replicas, with their context-parallel ranks; "
       "allowed: a number that does"},
      {"x.py --num-layers 8 --experimental-attention-variant gdn",
       "1: experimental-attention-variant: needs linear-attention-freq, which layers have it"},
      {titan + "local_batch_size = \"one\"\n", "3: training.local_batch_size=one" + counts},
      {titan + "local_batch_size = {}\n", "3: training.local_batch_size" + counts},
      {titan + "[parallelism]\ndata_parallel_shard_degree = 0\n",
       "4: parallelism.data_parallel_shard_degree=0: is not a whole number; allowed: -1, or 1 to 1000000"},
      {titan + "[activation_checkpoint]\nmode = \"selective\"\nselective_ac_option = \"2nd\"\n",
       "5: \"2nd\": is no selective_ac_option; allowed: op, and a whole number from 1 to 1000000"},
      {maxtext + "use_post_attn_norm: 5\n", "3: use_post_attn_norm=5: is neither true nor false; allowed: one of them"},
      {maxtext + "attn_logits_soft_cap: -50.0\n",
       "3: attn_logits_soft_cap=-50: is not a number; allowed: 0 to 1000000"},
      {R"({"train_batch_size": 256, "bf16": {"enabled": 2}})",
       "1: bf16.enabled=2: is neither true nor false; allowed: one of them"},
      {titan + "[model]\nconverters = [\"quantize.linear.float8\", \"new\"]\n",
       "4: \"quantize.linear.float8 new\": has a converter of models that is not known; allowed: "
       "quantize.linear.float8, quantize.linear.mx, and the file without others"},
      {R"({"train_batch_size": 256, "gradient_accumulation_steps": "8x"})",
       "1: gradient_accumulation_steps=8x" + counts},
      {R"({"train_batch_size": 256, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 3})",
       "1: gradient-accumulation-steps=3: times train_micro_batch_size_per_gpu does not divide train_batch_size; "
       "allowed: a number that does"},
      {R"({"train_batch_size": 256, "zero_optimization": {"overlap_comm": "often"}})",
       "1: zero_optimization.overlap_comm=often: is neither true nor false; allowed: one of them"},
      {foundry + "device_train_microbatch_size: 0\n", "6: device_train_microbatch_size=0" + counts},
      {foundry + "  expansion_ratio: four\n", "6: model.expansion_ratio=four: is not a number; allowed: 0 to 1000"},
      {maxtext + "num_experts_per_tok: two\n",
       "3: num_experts_per_tok=two: is not a whole number; allowed: 0 to 1000000"},
      {maxtext + "ici_fsdp_parallelism: all\n",
       "3: ici_fsdp_parallelism=all: is not a whole number; allowed: -1, or 1 to 1000000"},
      {maxtext + "per_device_batch_size: x\n", "3: per_device_batch_size=x: is not a number; allowed: 0 to 1000000"},
      {maxtext + "sliding_window_size: 8k\ndecoder_block: gemma2\n",
       "3: sliding_window_size=8k: is not a whole number; allowed: 0 to 100000000"}};
  for (const auto &[text, expected] : cases) {
    ss_workload w;
    EXPECT_EQ(import_file(text, &w), expected) << text;
  }
}

/* A part of a feed-forward size is cut off, auto is another program's to choose, and text in quotes can be a truth
 * value. */
TEST(SettingNumbers, NumbersAndTruthValuesInOtherForms)
{
  ss_workload w;
  EXPECT_EQ(import_file("model:\n  d_model: 100\n  n_layers: 2\n  n_heads: 4\n  expansion_ratio: 2.675\n"
                        "device_train_microbatch_size: auto\n",
                        &w),
            "accepted");
  EXPECT_EQ(w.model.ffn, 267);
  EXPECT_EQ(w.training.micro_batch, 1);
  EXPECT_EQ(import_file("model:\n  num_layers: 8\n  sequence_parallel: \"False\"\n  moe_router_topk: \"2\"\n", &w),
            "accepted");
  EXPECT_EQ(w.parallelism.sequence_parallel, SS_NO);
}
