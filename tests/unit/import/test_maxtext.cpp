/* Settings of MaxText: models, axes and launches as its files have them. */
#include <cstring>

#include "tests/support/fixtures.hpp"
#include "tests/support/inputs.hpp"

extern "C" {
#include "model/input/origin.h"
#include "sim/import/import.h"
}

using namespace stepsim;

namespace
{

const std::string llama = "base_emb_dim: 4096\nbase_num_query_heads: 32\nbase_num_kv_heads: 8\n"
                          "base_num_decoder_layers: 32\nbase_mlp_dim: 14336\nhead_dim: 128\n"
                          "mlp_activations: [\"silu\",\"linear\"]\nvocab_size: 128_256\nmax_target_length: 4096\n";

std::string import_maxtext(const std::vector<std::string> &texts, ss_workload *workload, int64_t replicas = 0)
{
  ss_import import;
  ss_error error = {};
  ss_status status = SS_OK;
  ss_import_init(&import, workload);
  for (size_t i = 0; i < texts.size() && status == SS_OK; ++i)
    status = ss_import_read_text(&import, "FILE", texts[i].c_str(), &error);
  if (replicas > 0) ss_import_set(&import, SS_AT_parallelism_dp, replicas, SS_LINE_OVERRIDE);
  if (status == SS_OK) status = ss_import_complete(&import, &error);
  ss_import_free(&import);
  return status == SS_OK ? "accepted" : std::to_string(error.line) + ": " + error.message;
}

ss_workload accepted(const std::vector<std::string> &texts)
{
  ss_workload workload;
  EXPECT_EQ(import_maxtext(texts, &workload), "accepted");
  return workload;
}

} // namespace

TEST(MaxText, TowersOfImagesAreNotLeftOut)
{
  ss_workload w;
  EXPECT_EQ(import_maxtext({llama + "use_multimodal: true\nhidden_size_for_vit: 1024\n"}, &w),
            "10: use_multimodal=true: has a tower of images, and their tokens, which are not read; allowed: false, and "
            "--set model.vision-layers and others");
  EXPECT_EQ(import_maxtext({llama + "use_multimodal: false\nhidden_size_for_vit: 1024\n"}, &w), "accepted");
}

TEST(MaxText, Models)
{
  const ss_workload w = accepted({llama + "decoder_block: \"llama2\"\n"});
  EXPECT_EQ(w.model.layers, 32);
  EXPECT_EQ(w.model.mlp, SS_MLP_SWIGLU);
  EXPECT_EQ(w.model.vocabulary, 128256);
  EXPECT_EQ(w.training.recompute, SS_RECOMPUTE_FULL); /* remat_policy of base.yml */
  EXPECT_EQ(w.parallelism.sharding, SS_SHARDING_PARAMETERS);
  const std::string sizes = "base_mlp_dim: 64\nbase_emb_dim: 64\nhead_dim: 64\nbase_num_decoder_layers: 1\n";
  EXPECT_EQ(accepted({sizes}).model.mlp, SS_MLP_SWIGLU); /* mlp_activations of base.yml */
  EXPECT_EQ(accepted({sizes + "mlp_activations: [\"gelu\"]\n"}).model.mlp, SS_MLP_GELU);
  const ss_workload latent = accepted(
      {llama + "decoder_block: deepseek\nattention_type: mla\nq_lora_rank: 1536\nkv_lora_rank: 512\n"
               "qk_nope_head_dim: 192\nqk_rope_head_dim: 64\nv_head_dim: 256\nnum_experts: 64\n"
               "num_experts_per_tok: 6\nbase_moe_mlp_dim: 1408\nshared_experts: 2\nfirst_num_dense_layers: 1\n"});
  EXPECT_EQ(latent.model.kv_rank, 512);
  EXPECT_EQ(latent.model.head_size, 192);
  EXPECT_EQ(latent.model.value_head_size, 256);
  EXPECT_EQ(latent.model.experts, 64);
  EXPECT_EQ(latent.model.expert_ffn, 1408);
  const ss_workload windows = accepted({llama + "decoder_block: gemma2\nsliding_window_size: 1024\n"});
  EXPECT_EQ(windows.model.layers, 64); /* a block has two */
  EXPECT_STREQ(windows.model.kinds, "w window=1024; f");
  EXPECT_STREQ(windows.model.pattern, "wf");
  ss_workload none;
  EXPECT_EQ(import_maxtext({llama + "decoder_block: simple\n"}, &none),
            "10: \"simple\": is no decoder_block whose layers are known; allowed: a config.json, and the file without "
            "it");
}

/* 2 sequences of each of 4 x 2 tensor-parallel and context-parallel devices are 16 of a replica, in 3 turns. */
TEST(MaxText, AxesAndBatches)
{
  const std::string axes = "per_device_batch_size: 2.0\ngradient_accumulation_steps: 3\nici_fsdp_parallelism: 8\n"
                           "ici_tensor_parallelism: 4\ndcn_context_parallelism: 2\ndcn_data_parallelism: 2\n";
  const ss_workload w = accepted({llama, axes});
  EXPECT_EQ(w.parallelism.dp, 16);
  EXPECT_EQ(w.parallelism.tp, 4);
  EXPECT_EQ(w.parallelism.cp, 2);
  EXPECT_EQ(w.training.micro_batch, 16);
  EXPECT_EQ(w.training.global_batch, 16 * 3 * 16);
  ss_workload none;
  EXPECT_EQ(import_maxtext({llama, axes + "ici_autoregressive_parallelism: 2\n"}, &none),
            "7: an axis that is none of data, fsdp, fsdp_transpose, tensor, tensor_sequence, expert and context is "
            "above 1; allowed: 1");
  EXPECT_EQ(import_maxtext({llama, "per_device_batch_size: 0.5\n"}, &none),
            "1: per_device_batch_size: makes no whole number of sequences of a replica, 0.5; allowed: one");
}

/* src/maxtext/configs/tpu/v5p/32b.sh: base.yml has 16 layers of 2048, 16 heads and 7168; of 2^5 each gets 2 and heads,
 * feed-forward part and hidden size another 2. 6 sequences of each of 4 devices are 24. */
TEST(MaxText, Launches)
{
  const ss_workload w = accepted({"A=1 python3 -m maxtext.train \"${B:-$PWD}\"/base.yml\\\n    steps=15 "
                                  "per_device_batch_size=6 remat_policy=minimal global_parameter_scale=32\\\n    "
                                  "ici_fsdp_parallelism=-1 ici_tensor_parallelism=4 max_target_length=2048 "
                                  "attention='flash' quantization=\"\"\n"});
  EXPECT_EQ(w.model.layers, 32);
  EXPECT_EQ(w.model.hidden, 8192);
  EXPECT_EQ(w.model.heads, 64);
  EXPECT_EQ(w.model.ffn, 28672);
  EXPECT_EQ(w.training.recompute, SS_RECOMPUTE_KEEP_PRODUCTS);
  EXPECT_EQ(w.training.micro_batch, 24);
  EXPECT_EQ(w.parallelism.tp, 4);
  ss_workload none;
  EXPECT_EQ(import_maxtext({"python3 x base.yml global_parameter_scale=3 per_device_batch_size=1"}, &none),
            "1: global_parameter_scale: is no power of two up to 2^30; allowed: one");
}

TEST(MaxText, Recomputation)
{
  EXPECT_EQ(accepted({llama + "remat_policy: none\n"}).training.recompute, SS_RECOMPUTE_NONE);
  EXPECT_EQ(accepted({llama + "remat_policy: minimal_flash\n"}).training.recompute, SS_RECOMPUTE_KEEP_PRODUCTS);
  EXPECT_EQ(accepted({llama + "quantization: nanoo_fp8\ncapacity_factor: 1.5\nnum_experts: 4\n"}).training.precision,
            SS_PRECISION_FP8);
  ss_workload none;
  EXPECT_EQ(import_maxtext({llama + "remat_policy: save_qkv_proj\n"}, &none),
            "10: \"save_qkv_proj\": keeps what no recomputation here does; allowed: full, minimal, "
            "minimal_with_context or none, and --set training.recompute");
  EXPECT_EQ(import_maxtext({llama + "use_indexer: true\n"}, &none),
            "10: use_indexer=true: has sparse attention, which is attention to all tokens with a mask of tokens by "
            "tokens (src/maxtext/layers/attention_mla.py), of whose kernels nothing is published; allowed: the file "
            "without it, or a config.json");
}

/* Blocks of gemma2 have two layers, and parameters are scaled: 200000 layers; axes and batches are products. */
TEST(MaxText, SizesAreBounded)
{
  ss_workload none;
  const std::string deep = "base_emb_dim: 64\nbase_num_query_heads: 4\nvocab_size: 128\n"
                           "base_num_decoder_layers: 100000\ndecoder_block: gemma2\nsliding_window_size: 8\n";
  EXPECT_EQ(import_maxtext({deep}, &none),
            "5: \"gemma2\": has more layers than model.layers may be: blocks of it have two");
  EXPECT_EQ(import_maxtext({"base_num_decoder_layers: 100000\nglobal_parameter_scale: 8\n"}, &none),
            "2: model.layers is 200000 by this; allowed: 1 to 100000");
  EXPECT_EQ(import_maxtext({llama, "ici_fsdp_parallelism: 1000000\nici_data_parallelism: 1000000\n"
                                   "dcn_fsdp_parallelism: 1000000\ndcn_data_parallelism: 1000000\n"},
                           &none),
            "1: parallelism.dp is 1e+24 by this; allowed: 1 to 1000000");
  EXPECT_EQ(import_maxtext(
                {llama, "ici_expert_parallelism: 2\ndcn_data_parallelism: 1000000\nici_fsdp_parallelism: 1\n"}, &none),
            "2: parallelism.dp is 2000000 by this; allowed: 1 to 1000000");
  EXPECT_EQ(import_maxtext({llama, "ici_fsdp_parallelism: 1000000\nper_device_batch_size: 1000000\n"
                                   "ici_tensor_parallelism: 8\n"},
                           &none),
            "2: training.micro-batch is 8000000 by this; allowed: 1 to 1000000");
  EXPECT_EQ(import_maxtext({llama, "ici_fsdp_parallelism: 1000000\nper_device_batch_size: 1000000\n"}, &none),
            "2: training.global-batch is 1000000000000 by this; allowed: 1 to 100000000");
}

/* What is left is known where the job runs: dp stays as chosen, for --set, though the other axis is 2. */
TEST(MaxText, OpenAxes)
{
  const ss_workload w = accepted({llama, "ici_fsdp_parallelism: -1\ndcn_data_parallelism: 2\n"});
  EXPECT_EQ(w.parallelism.dp, 1);
  EXPECT_EQ(w.line[SS_AT_parallelism_dp], SS_LINE_CHOSEN);
  EXPECT_EQ(accepted({llama, "ici_fsdp_parallelism: -1\ndcn_data_parallelism: 2\n",
                      "ici_fsdp_parallelism: 4\ndcn_data_parallelism: 2\n"})
                .parallelism.dp,
            8);
  ss_workload none;
  EXPECT_EQ(import_maxtext({llama, "ici_fsdp_parallelism: 8\n", "dcn_data_parallelism: 4\n"}, &none),
            "1: has axes of data, fsdp or expert, but not all of those in a file before it; allowed: these, too");
  EXPECT_EQ(import_maxtext({llama, "ici_fsdp_parallelism: 8\nici_tensor_parallelism: -1\n"}, &none),
            "2: an axis of tensor, context or expert is -1, which is known where the job runs only; allowed: a number, "
            "and -1 for data and fsdp");
  EXPECT_EQ(import_maxtext({llama, "ici_fsdp_parallelism: 8\ndcn_pipeline_parallelism: 4\n"}, &none),
            "2: an axis of pipeline is not 1: stages go around in rounds of layers, forward passes of all rounds "
            "first, as no schedule does here; allowed: 1");
}

/* `embed` of logical_axis_rules in base.yml is over fsdp, fsdp_transpose, context and expert: along data all have a
 * copy, and optimizer states, too, unless shard_optimizer_over_data is on. 16 nodes of 8 are gpu/a3/llama_2_7b/16vm.sh.
 */
TEST(MaxText, CopiesAlongData)
{
  const auto strategy = [](const std::string &axes) { return accepted({llama, axes}).parallelism; };
  const std::string data = "ici_data_parallelism: 8\ndcn_data_parallelism: 2\nici_fsdp_parallelism: 1\n";
  EXPECT_EQ(strategy(data).sharding, SS_SHARDING_NONE);
  EXPECT_EQ(strategy(data).dp, 16);
  EXPECT_EQ(strategy(data + "shard_optimizer_over_data: true\n").sharding, SS_SHARDING_OPTIMIZER);
  EXPECT_EQ(strategy(data + "shard_optimizer_over_data: false\n").sharding, SS_SHARDING_NONE);
  EXPECT_EQ(strategy(data + "ici_context_parallelism: 2\n").shard_size, 2); /* which shards over context */
  const ss_workload nodes = accepted({llama, "dcn_data_parallelism: 16\nici_fsdp_parallelism: 8\n"});
  EXPECT_EQ(nodes.parallelism.dp, 128);
  EXPECT_EQ(nodes.parallelism.sharding, SS_SHARDING_PARAMETERS);
  EXPECT_EQ(nodes.parallelism.shard_size, 8);
  const std::string both = "ici_fsdp_parallelism: 4\nici_fsdp_transpose_parallelism: 2\ndcn_data_parallelism: 2\n"
                           "ici_context_parallelism: 2\nici_expert_parallelism: 2\n";
  EXPECT_EQ(strategy(both).dp, 32);
  EXPECT_EQ(strategy(both).shard_size, 32); /* of 64 ranks that hold the same */
  EXPECT_EQ(strategy("ici_fsdp_parallelism: 8\ndcn_data_parallelism: 1\n").shard_size, SS_DERIVED);
  ss_workload none;
  EXPECT_EQ(import_maxtext({llama, both, data}, &none).substr(0, 15), "1: has axes of "); /* what of the experts? */
  EXPECT_EQ(accepted({llama, "ici_fsdp_parallelism: 8\ndcn_data_parallelism: 2\n", data}).parallelism.sharding,
            SS_SHARDING_NONE);
}

/* Where an axis is -1, or not said, as base.yml has ici_fsdp_parallelism and dcn_data_parallelism, 64 replicas decide:
 * 2 copies for 32 ranks each; 8 ranks for 8 copies each. */
TEST(MaxText, ReplicasDecideOnOpenAxes)
{
  const auto strategy = [](const std::string &axes, int64_t replicas) {
    ss_workload w;
    EXPECT_EQ(import_maxtext({llama, axes}, &w, replicas), "accepted") << axes;
    return w.parallelism;
  };
  EXPECT_EQ(strategy("ici_fsdp_parallelism: -1\ndcn_data_parallelism: 2\n", 64).shard_size, 32);
  EXPECT_EQ(strategy("dcn_data_parallelism: 2\n", 64).shard_size, 32);
  EXPECT_EQ(strategy("ici_fsdp_parallelism: 8\ndcn_data_parallelism: -1\n", 64).shard_size, 8);
  EXPECT_EQ(strategy("ici_fsdp_parallelism: 8\n", 64).shard_size, 8);
  EXPECT_EQ(strategy("ici_fsdp_parallelism: 8\n", 8).shard_size, SS_DERIVED);
  EXPECT_EQ(strategy("ici_fsdp_parallelism: -1\n", 64).shard_size, SS_DERIVED);
  EXPECT_EQ(strategy("ici_fsdp_parallelism: 1\ndcn_data_parallelism: -1\n", 64).sharding, SS_SHARDING_NONE);
  EXPECT_EQ(strategy("dcn_data_parallelism: 64\n", 64).sharding, SS_SHARDING_NONE); /* one rank for each copy */
  ss_workload none;
  EXPECT_EQ(import_maxtext({llama, "dcn_data_parallelism: 3\n"}, &none, 64),
            "0: parallelism.dp=64: makes no whole number of ranks for each of the 3 copies of what is sharded that the "
            "files say; allowed: one");
  EXPECT_EQ(import_maxtext({llama, "ici_fsdp_parallelism: 1000000\ndcn_fsdp_parallelism: 1000000\n"
                                   "dcn_data_parallelism: -1\n"},
                           &none),
            "1: axes make 1000000000000 ranks that share a copy of the weights, of which there are 1; allowed: up to "
            "1000000 each");
}

/* get_optimizer of src/maxtext/optimizers/optimizers.py: mu_dtype is weight_dtype where nobody says it, and the second
 * moment and gradients have the type of the weights. */
TEST(MaxText, TypesOfWeightsAndStates)
{
  const auto training = [](const std::string &lines) { return accepted({llama, lines}).training; };
  const ss_workload w = accepted({llama, "weight_dtype: bfloat16\n"});
  EXPECT_EQ(w.training.master_weights, SS_MASTER_NONE);
  EXPECT_EQ(w.training.moments, SS_MOMENTS_16BIT);
  EXPECT_EQ(w.training.gradients, SS_GRADIENTS_16BIT);
  EXPECT_EQ(w.parallelism.shards, SS_SHARDS_16BIT);
  EXPECT_EQ(training("weight_dtype: bfloat16\nmu_dtype: float32\n").moments, SS_MOMENTS_FP32);
  EXPECT_EQ(training("mu_dtype: bfloat16\ngrad_dtype: bfloat16\n").moments, SS_MOMENTS_FP32);
  EXPECT_EQ(training("mu_dtype: bfloat16\ngrad_dtype: bfloat16\n").gradients, SS_GRADIENTS_FP32);
  EXPECT_EQ(training("weight_dtype: float32\nmu_dtype: \"\"\n").master_weights, SS_MASTER_FP32);
}

/* Two settings may say one thing: the order of lines does not matter. */
TEST(MaxText, PairsOfSettings)
{
  for (const std::string lines :
       {"quantization: fp8\ndtype: bfloat16\n", "dtype: bfloat16\nquantization: fp8\n", "quantization: fp8\n"})
    EXPECT_EQ(accepted({llama + lines}).training.precision, SS_PRECISION_FP8) << lines;
  EXPECT_EQ(accepted({llama + "quantization: \"\"\ndtype: bfloat16\n"}).training.precision, SS_PRECISION_BF16);
  EXPECT_EQ(accepted({llama + "quantization: fp8\n", "dtype: bfloat16\n" + llama}).training.precision,
            SS_PRECISION_BF16); /* of a later file */
  for (const std::string lines :
       {"use_post_attn_norm: true\nuse_post_ffw_norm: false\n", "use_post_ffw_norm: false\nuse_post_attn_norm: true\n"})
    EXPECT_EQ(accepted({llama + lines}).model.post_norms, SS_YES) << lines;
  EXPECT_EQ(accepted({llama + "attn_logits_soft_cap: 50.0\nfinal_logits_soft_cap: 0.0\n"}).model.soft_cap, SS_YES);
  EXPECT_EQ(accepted({llama + "attn_logits_soft_cap: 0.0\nfinal_logits_soft_cap: 0.0\n"}).model.soft_cap, SS_NO);
}

/* deepseek3-671b-batchsplit.yml: 4 of 8 groups; -1 is none, as in base.yml. */
TEST(MaxText, GroupsOfExperts)
{
  const std::string experts = llama + "num_experts: 256\nnum_experts_per_tok: 8\n";
  const ss_workload w = accepted({experts + "n_routing_groups: 8\ntopk_routing_group: 4\n"});
  EXPECT_EQ(w.model.router_groups, 8);
  EXPECT_EQ(w.model.router_group_top_k, 4);
  EXPECT_EQ(accepted({experts + "n_routing_groups: -1\ntopk_routing_group: -1\n"}).model.router_groups, 0);
}

/* Behind a file of YAML, whatever its name ends with, NAME=VALUE is a setting; behind a variable it is another one. */
TEST(MaxText, FilesOfYaml)
{
  EXPECT_EQ(accepted({llama, "export A=a.yaml TP=4\npython3 -m maxtext.train base.yaml ici_tensor_parallelism=$TP "
                             "per_device_batch_size=1\n"})
                .parallelism.tp,
            4);
}

/* What base.yml has, and other numbers that say of something that there is none, are as if the file did not have them.
 */
TEST(MaxText, NoneOfSomething)
{
  const std::string none = "num_experts_per_tok: 0\nbase_moe_mlp_dim: -1\nshared_experts: 0\nmtp_num_layers: 0\n"
                           "kv_lora_rank: 0\nqk_nope_head_dim: 0\nqk_rope_head_dim: 0\nv_head_dim: 0\n"
                           "q_lora_rank: 0\nattn_logits_soft_cap: 0.0\nfinal_logits_soft_cap: null\n"
                           "mhc_expansion_rate: 1\ninterleave_moe_layer_step: 1\ngdn_num_value_heads: 32\n"
                           "attention_output_dim: -1\nglobal_head_dim: 0\nuse_indexer: false\n";
  const ss_workload plain = accepted({llama});
  for (const std::string experts : {"num_experts: 0\n", "num_experts: 1\n"}) {
    const ss_workload w = accepted({llama + none + experts});
    EXPECT_EQ(std::memcmp(&w.model, &plain.model, sizeof w.model), 0) << experts;
  }
  EXPECT_EQ(accepted({llama + "final_logits_soft_cap: 30.0\n"}).model.soft_cap, SS_YES);
  EXPECT_EQ(accepted({llama + "num_experts: 4\nbase_moe_mlp_dim: -1\n"}).model.expert_ffn, SS_DERIVED);
  ss_workload other;
  EXPECT_EQ(import_maxtext({llama + "mhc_expansion_rate: 4\n"}, &other),
            "10: mhc_expansion_rate=4: has several residual streams; allowed: the file without it");
  EXPECT_EQ(import_maxtext({llama + "num_experts: 4\nnum_experts_per_tok: 0\n"}, &other),
            "11: num-experts-per-tok=0: is no number of experts of a token; allowed: 1 and more where there are "
            "several");
  EXPECT_EQ(import_maxtext({llama + "attention_type: mla\nkv_lora_rank: 0\n"}, &other),
            "11: kv-lora-rank=0: is a size of latent attention; allowed: a number above 0");
}

/* dense_matmul of src/maxtext/layers/moe.py computes all tokens in all experts unless there is a capacity, which
 * sparse products do not have. */
TEST(MaxText, DenseProductsOfExperts)
{
  const std::string experts = llama + "num_experts: 8\nnum_experts_per_tok: 2\n";
  ss_workload w;
  EXPECT_EQ(import_maxtext({experts + "sparse_matmul: false\n"}, &w),
            "12: sparse-matmul=0: without a capacity_factor computes all tokens in all experts, which no setting here "
            "has; allowed: true, or a capacity_factor above 0");
  EXPECT_EQ(import_maxtext({experts + "sparse_matmul: false\ncapacity_factor: -1.0\n"}, &w).substr(0, 20),
            "12: sparse-matmul=0:");
  EXPECT_EQ(import_maxtext({llama + "sparse_matmul: false\n"}, &w), "accepted"); /* without experts */
  EXPECT_EQ(accepted({experts + "sparse_matmul: false\ncapacity_factor: 1.25\n"}).training.capacity_factor, 1.25);
  EXPECT_EQ(accepted({experts + "capacity_factor: 1.25\n"}).training.capacity_factor, 0.0);
}

/* nn.Dropout of src/maxtext/layers/decoders.py, which enable_dropout turns off, and products in fp32. */
TEST(MaxText, DropoutAndProducts)
{
  EXPECT_EQ(accepted({llama + "enable_dropout: true\ndropout_rate: 0.0\n"}).training.dropout, SS_NO);
  EXPECT_EQ(accepted({llama + "dropout_rate: 0.1\n"}).training.dropout, SS_YES);
  EXPECT_EQ(accepted({llama + "dropout_rate: 0.1\nenable_dropout: false\n"}).training.dropout, SS_NO);
  ss_workload w;
  EXPECT_EQ(import_maxtext({llama + "matmul_precision: default\n"}, &w), "accepted");
  EXPECT_EQ(import_maxtext({llama + "matmul_precision: highest\n"}, &w),
            "10: matmul_precision=highest: has products in more than 16 bits; allowed: default");
}
