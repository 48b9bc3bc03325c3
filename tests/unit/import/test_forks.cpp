/* Files of Megatron-LM that go over one another, and what programs built on it have beside its settings. */
#include "tests/support/import_text.hpp"

extern "C" {
#include "model/input/origin.h"
#include "sim/import/models/tokenizers.h"
}

using namespace stepsim;

namespace
{

const std::string sizes = "num_layers: 27\nhidden_size: 2048\nffn_hidden_size: 10944\nnum_attention_heads: 16\n"
                          "seq_length: 4096\nswiglu: true\n";

} // namespace

/* A base says that attention is latent and how many experts a token takes, and a model that extends it how large they
 * are: both count, as in configurations of Primus, which are merged before they are read. */
TEST(Forks, FilesSayTogether)
{
  const std::string base = "multi_latent_attention: true\nmoe_router_topk: 6\nhidden_dropout: 0.0\n"
                           "attention_dropout: 0.0\nmoe_grouped_gemm: true\n";
  const std::string model = sizes + "kv_lora_rank: 512\nqk_head_dim: 128\nqk_pos_emb_head_dim: 64\nv_head_dim: 128\n"
                                    "num_experts: 64\nmoe_ffn_hidden_size: 1408\nvocab_size: 102400\n";
  const ss_workload w = import_texts({base, model}).workload;
  EXPECT_EQ(w.model.kv_rank, 512);
  EXPECT_EQ(w.model.rope_size, 64);
  EXPECT_EQ(w.model.top_k, 6);
  EXPECT_EQ(w.training.dropout, SS_NO);
  EXPECT_EQ(w.training.expert_kernels, SS_EXPERT_KERNELS_EACH);
  EXPECT_EQ(import_texts({base, model, "multi_latent_attention: false\n"}).workload.model.kv_rank, 0);
  EXPECT_EQ(import_texts({base, model, "moe_router_topk: 4\n"}).workload.model.top_k, 4);
  const std::string config =
      R"({"model_type": "llama", "hidden_act": "silu", "hidden_size": 64, "intermediate_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "vocab_size": 128})";
  EXPECT_EQ(import_texts({model, config, "bf16: true\nhidden_dropout: 0.0\n"}).workload.model.kv_rank, 0);
}

/* A stack of Mamba without shares and without a pattern mixes in all layers: mamba_370M of Primus has 368 million
 * parameters by that, where layers of attention and MLPs would have 857 million. */
TEST(Forks, PureMamba)
{
  const std::string spec = "spec: [primus.backends.megatron.core.models.mamba.mamba_layer_specs, mamba_stack_spec]\n";
  const std::string mamba = "num_layers: 4\nhidden_size: 1024\nnum_attention_heads: 16\nseq_length: 2048\n"
                            "vocab_size: 50257\nis_hybrid_model: false\nmamba_state_dim: 16\n";
  const ss_workload w = import_texts({mamba, spec}).workload;
  EXPECT_STREQ(w.model.pattern, "M"); /* all of them */
  EXPECT_EQ(w.model.state_heads, 32); /* twice 1024, of 64 */
  EXPECT_EQ(w.model.state_size, 16);
  EXPECT_STREQ(import_texts({mamba + "hybrid_attention_ratio: 0.5\n", spec}).workload.model.pattern, "M**M");
}

/* vocab_size of the config.json that the model of the tokenizer has. */
TEST(Forks, VocabularyOfATokenizer)
{
  EXPECT_EQ(ss_tokenizer_vocabulary("meta-llama/Llama-3.1-8B"), 128256);
  EXPECT_EQ(ss_tokenizer_vocabulary("/models/Qwen2.5-72B-Instruct"), 152064);
  EXPECT_EQ(ss_tokenizer_vocabulary("Qwen/Qwen2.5-3B"), 151936);
  EXPECT_EQ(ss_tokenizer_vocabulary("deepseek-ai/DeepSeek-R1-Distill-Llama-8B"), 128256);
  EXPECT_EQ(ss_tokenizer_vocabulary("nobody/anything"), 0);
  EXPECT_EQ(ss_tokenizer_vocabulary(""), 0);
  const std::string named = sizes + "tokenizer_model: deepseek-ai/DeepSeek-V2-Lite\n";
  const Imported got = import_texts({named});
  EXPECT_EQ(got.workload.model.vocabulary, 102400);
  EXPECT_NE(got.named.find("model.vocabulary=102400, of deepseek-ai/DeepSeek-V2-Lite"), std::string::npos);
  EXPECT_EQ(import_texts({named, "tokenizer_model: meta-llama/Llama-2-7b-hf\n"}).workload.model.vocabulary, 32000);
  EXPECT_EQ(import_texts({named, "vocab_size: 1024\n"}).workload.model.vocabulary, 1024);
  EXPECT_EQ(import_texts({sizes + "vocab_size: 1024\n", "tokenizer_model: meta-llama/Llama-2-7b-hf\n"})
                .workload.model.vocabulary,
            1024);
}

TEST(Forks, AdaptersOfPrimus)
{
  const std::string lora =
      "lora:\n  dim: 16\n  alpha: 32\n  dropout: 0.1\n  target_modules: [linear_qkv, linear_fc1]\n";
  const ss_workload w = import_texts({sizes + lora + "  enabled: true\n"}).workload;
  EXPECT_EQ(w.training.lora_rank, 16);
  EXPECT_EQ(w.training.lora_modules, SS_WORD_BIT(SS_LORA_QKV) | SS_WORD_BIT(SS_LORA_FC1));
  EXPECT_EQ(w.training.lora_dropout, SS_YES);
  const ss_workload off = import_texts({sizes + lora + "  enabled: false\n"}).workload;
  EXPECT_EQ(off.training.lora_rank, 0);
  EXPECT_EQ(off.training.lora_modules, 0u);
}

/* Arguments of Pai-Megatron-Patch, slime and the fork of Apertus. */
TEST(Forks, OtherArguments)
{
  const std::string run = "python x.py --num-layers 4 --hidden-size 64 --num-attention-heads 4 --seq-length 64 "
                          "--vocab-size 128 --swiglu ";
  EXPECT_EQ(
      import_texts({run + "--train-mode pretrain --extra-vocab-size 421 --patch-tokenizer-type Qwen2Tokenizer"}).said,
      "accepted");
  const ss_workload w =
      import_texts({run + "--use-gated-attention --post-self-attn-layernorm --post-mlp-layernorm"}).workload;
  EXPECT_EQ(w.model.attention_output_gate, SS_YES);
  EXPECT_EQ(w.model.post_norms, SS_YES);
  EXPECT_NE(import_texts({run + "--post-mlp-layernorm"}).said.find("has a norm behind one part of a layer only"),
            std::string::npos);
  const Imported apertus = import_texts({"python x.py --num-layers 4 --hidden-size 64 --num-attention-heads 4 "
                                         "--seq-length 64 --xielu --optimizer ademamix --ademamix-alpha 8"});
  EXPECT_EQ(apertus.workload.model.mlp, SS_MLP_RELU2);
  EXPECT_NE(apertus.matters.find("a moment more of AdEMAMix"), std::string::npos);
  const ss_workload ulysses =
      import_texts({run + "--ds-sequence-parallel-size 2 --train-tokens 300000000000"}).workload;
  EXPECT_EQ(ulysses.parallelism.cp, 2);
  EXPECT_EQ(ulysses.parallelism.cp_exchange, SS_CP_ALL_TO_ALL);
  const ss_workload recipe = import_texts({run + "--model_recipe_name qwen3_30b_a3b --num_gpus 8 --gpus_per_node 4 "
                                                 "--compute_dtype fp8_mx --task pretrain"})
                                 .workload;
  EXPECT_EQ(recipe.training.precision, SS_PRECISION_MXFP8);
  EXPECT_EQ(recipe.parallelism.dp, 8);
  const Imported open = import_texts({run + "--num-experts 8 --moe-layer-freq \"$FREQ\""});
  EXPECT_EQ(open.workload.model.dense_layers, 0);
  EXPECT_NE(open.matters.find("moe-layer-freq, a variable that only a run knows"), std::string::npos);
}

/* What does nothing but give variables values gives them to the files behind it, as an environment would, and
 * `set --` gives the arguments of a script. */
TEST(Forks, FilesOfVariables)
{
  const std::string run = "TP=${TP:-1}\npython x.py --num-layers ${1} --hidden-size 64 --num-attention-heads 4 "
                          "--seq-length 64 --swiglu --tensor-model-parallel-size $TP --global-batch-size ${10}\n"
                          "if [ $# = 10 ]; then ARGS=\"--bf16\"; else ARGS=\"--fp16\"; fi\n";
  const ss_workload w = import_texts({"# of a run\nexport TP=2\nset -- 4 b c d e f g h i 32\n", run}).workload;
  EXPECT_EQ(w.model.layers, 4);
  EXPECT_EQ(w.parallelism.tp, 2);
  EXPECT_EQ(w.training.global_batch, 32);
  EXPECT_EQ(w.training.precision, SS_PRECISION_BF16);
  const std::string yaml = "num_layers: ${LAYERS}\nhidden_size: 64\nnum_attention_heads: 4\nseq_length: 64\n"
                           "tensor_model_parallel_size: ${TP:1}\n";
  const ss_workload of_yaml = import_texts({"LAYERS=8\nTP=4\n", yaml}).workload;
  EXPECT_EQ(of_yaml.model.layers, 8);
  EXPECT_EQ(of_yaml.parallelism.tp, 4);
  EXPECT_EQ(import_texts({"TP=4\n", "bash run.sh --num-layers $TP --hidden-size 8"}).workload.model.layers, 4);
}
