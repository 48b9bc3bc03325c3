/* Settings of trainers of Transformers, of nanotron, GPT-NeoX and Megatron-SWIFT, over a model from its config.json or
 * with one of their own. */
#include "tests/support/import_text.hpp"

extern "C" {
#include "model/input/origin.h"
}

using namespace stepsim;

namespace
{

const std::string qwen3 =
    R"({"model_type": "qwen3", "hidden_act": "silu", "hidden_size": 4096, "intermediate_size": 12288, "head_dim": 128, "num_attention_heads": 32, "num_hidden_layers": 36, "num_key_value_heads": 8, "tie_word_embeddings": false, "vocab_size": 151936})";
const std::string mixture =
    R"({"model_type": "qwen3_moe", "hidden_act": "silu", "hidden_size": 2048, "intermediate_size": 6144, "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8, "decoder_sparse_step": 1, "head_dim": 128, "num_attention_heads": 32, "num_hidden_layers": 48, "num_key_value_heads": 4, "tie_word_embeddings": false, "vocab_size": 151936})";

ss_workload accepted(const std::vector<std::string> &texts, int64_t gpus = 0)
{
  const Imported got = import_texts(texts, gpus);
  EXPECT_EQ(got.said, "accepted");
  return got.workload;
}

} // namespace

/* In the manner of examples/train_full of hiyouga/LLaMA-Factory: 2 sequences in each of 4 steps of 16 replicas. All
 * layers are computed again unless disable_gradient_checkpointing
 * (src/llamafactory/model/model_utils/checkpointing.py).
 */
TEST(Trainers, OfLlamaFactory)
{
  const std::string full = "stage: sft\nfinetuning_type: full\ncutoff_len: 2048\nper_device_train_batch_size: 2\n"
                           "gradient_accumulation_steps: 4\nbf16: true\nmodel_name_or_path: Qwen/Qwen3-8B\n";
  const Imported got = import_texts({qwen3, full}, 16);
  EXPECT_EQ(got.said, "accepted");
  EXPECT_NE(got.matters.find("samples are not packed"), std::string::npos);
  EXPECT_EQ(got.workload.training.global_batch, 128);
  EXPECT_EQ(got.workload.training.micro_batch, 2);
  EXPECT_EQ(got.workload.model.sequence, 2048);
  EXPECT_EQ(got.workload.training.recompute, SS_RECOMPUTE_FULL);
  EXPECT_EQ(got.workload.training.fused, SS_NO);
  EXPECT_EQ(got.workload.parallelism.sharding, SS_SHARDING_NONE);
  EXPECT_EQ(import_texts({qwen3, full + "packing: true\n"}, 16).matters, "");
  const ss_workload w = accepted({qwen3, full + "disable_gradient_checkpointing: true\nenable_liger_kernel: true\n",
                                  R"({"zero_optimization": {"stage": 3}, "bf16": {"enabled": "auto"}})"},
                                 16);
  EXPECT_EQ(w.training.global_batch, 128); /* which the second file does not say */
  EXPECT_EQ(w.training.recompute, SS_RECOMPUTE_NONE);
  EXPECT_EQ(w.training.fused, SS_YES);
  EXPECT_EQ(w.parallelism.sharding, SS_SHARDING_PARAMETERS);
  EXPECT_EQ(w.training.gradients, SS_GRADIENTS_16BIT); /* of DeepSpeed */
}

/* In the manner of examples/v1 of hiyouga/LLaMA-Factory. */
TEST(Trainers, OfLlamaFactoryV1)
{
  const std::string file = "model: Qwen/Qwen3-8B\nmodel_class: llm\nmicro_batch_size: 1\nglobal_batch_size: 32\n"
                           "cutoff_len: 2048\nbatching_strategy: padding_free\n"
                           "dist_config:\n  name: fsdp2\n  dcp_path: null\n";
  const ss_workload w = accepted({qwen3, file + "peft_config:\n  name: lora\n  r: 16\n  target_modules: all\n"}, 8);
  EXPECT_EQ(w.training.global_batch, 32);
  EXPECT_EQ(w.training.lora_rank, 16);
  EXPECT_EQ(w.training.recompute, SS_RECOMPUTE_FULL);
  EXPECT_EQ(w.parallelism.sharding, SS_SHARDING_PARAMETERS);
  EXPECT_NE(import_texts({qwen3, file + "  ep_size: 4\n"}).said.find("dist_config.ep_size=4: splits experts"),
            std::string::npos);
}

/* per_device_train_batch_size of TrainingArguments is 8. */
TEST(Trainers, OfTransformers)
{
  const ss_workload w = accepted({qwen3, "torchrun --nproc_per_node 8 train.py --bf16 --gradient_accumulation_steps 2 "
                                         "--max_seq_length 1024 --fsdp 'full_shard auto_wrap'"});
  EXPECT_EQ(w.parallelism.dp, 8);
  EXPECT_EQ(w.training.micro_batch, 8);
  EXPECT_EQ(w.training.global_batch, 128);
  EXPECT_EQ(w.training.recompute, SS_RECOMPUTE_NONE);
  EXPECT_EQ(w.parallelism.sharding, SS_SHARDING_PARAMETERS);
  EXPECT_EQ(accepted({qwen3, "bf16: true\nmax_seq_length: 512\nfsdp: shard_grad_op\n"}).parallelism.sharding,
            SS_SHARDING_GRADIENTS);
}

/* In the manner of examples of axolotl-ai-cloud/axolotl: 4 replicas of 2 x 2 ranks, of which 2 share a copy. */
TEST(Trainers, OfAxolotl)
{
  const std::string base = "base_model: Qwen/Qwen3-8B\nsequence_len: 8192\nsample_packing: true\nmicro_batch_size: 1\n"
                           "gradient_accumulation_steps: 2\nbf16: true\ngradient_checkpointing: true\n";
  const ss_workload w = accepted({qwen3, base + "dp_shard_size: 2\ndp_replicate_size: 2\ntensor_parallel_size: 2\n"
                                                "context_parallel_size: 2\nfsdp_version: 2\nfsdp_config:\n"
                                                "  reshard_after_forward: false\n"});
  EXPECT_EQ(w.parallelism.dp, 4);
  EXPECT_EQ(w.parallelism.tp, 2);
  EXPECT_EQ(w.parallelism.cp, 2);
  EXPECT_EQ(w.parallelism.sharding, SS_SHARDING_GRADIENTS);
  EXPECT_EQ(w.training.global_batch, 8);
  EXPECT_EQ(w.training.recompute, SS_RECOMPUTE_FULL);
  const ss_workload adapted =
      accepted({qwen3, base + "adapter: lora\nlora_r: 32\nlora_dropout: 0.05\nlora_target_modules:\n  - q_proj\n"
                              "  - v_proj\n  - self_attn.o_proj\n"},
               8);
  EXPECT_EQ(adapted.training.lora_rank, 32);
  EXPECT_EQ(adapted.training.lora_modules, SS_WORD_BIT(SS_LORA_QKV) | SS_WORD_BIT(SS_LORA_PROJ));
  EXPECT_EQ(adapted.training.lora_dropout, SS_YES);
  const Imported quantised =
      import_texts({qwen3, base + "adapter: qlora\nload_in_4bit: true\nlora_target_linear: true\n"});
  EXPECT_EQ(quantised.workload.training.lora_rank, 8);
  EXPECT_EQ(quantised.workload.training.lora_modules, 0u);
  EXPECT_NE(quantised.matters.find("have 4 or 8 bits"), std::string::npos);
  const std::string other = import_texts({qwen3, base + "adapter: lora\nlora_target_modules: [x_proj]\n"}).matters;
  EXPECT_NE(other.find("adapters of x_proj"), std::string::npos) << other;
}

/* Experts are parameters, which are asked for by themselves. */
TEST(Trainers, AdaptExpertsByName)
{
  const std::string base = "base_model: Qwen/Qwen3-30B-A3B\nsequence_len: 4096\nsample_packing: true\n"
                           "micro_batch_size: 1\ngradient_accumulation_steps: 1\nbf16: true\nadapter: lora\n"
                           "lora_target_linear: true\n";
  EXPECT_EQ(accepted({mixture, base}, 8).training.lora_experts, SS_LORA_EXPERTS_NONE);
  EXPECT_EQ(accepted({mixture, base + "lora_target_parameters:\n  - mlp.experts.down_proj\n"}, 8).training.lora_experts,
            SS_LORA_EXPERTS_EACH);
}

/* ClusterConfig of huggingface/accelerate. */
TEST(Trainers, OfAccelerate)
{
  const std::string file = "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nmixed_precision: bf16\n"
                           "num_machines: 2\nnum_processes: 16\nfsdp_config:\n  fsdp_version: 2\n";
  const ss_workload w = accepted({qwen3, file + "  fsdp_reshard_after_forward: true\n  fsdp_offload_params: true\n"});
  EXPECT_EQ(w.parallelism.dp, 16);
  EXPECT_EQ(w.parallelism.sharding, SS_SHARDING_PARAMETERS);
  EXPECT_EQ(w.training.offload_optimizer, SS_YES);
  const std::string zero = "distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 2\n"
                           "  gradient_accumulation_steps: 4\n";
  EXPECT_EQ(accepted({qwen3, zero}).parallelism.sharding, SS_SHARDING_GRADIENTS);
}

TEST(Trainers, RefuseOtherTraining)
{
  const auto refusal = [](const std::string &more) {
    return import_texts({qwen3, "cutoff_len: 64\nfinetuning_type: lora\nbf16: true\n" + more}).said;
  };
  EXPECT_NE(refusal("stage: dpo\n").find("4: stage=dpo: trains on pairs or rewards"), std::string::npos);
  EXPECT_NE(refusal("use_galore: true\n").find("4: use_galore=true: another optimizer"), std::string::npos);
  EXPECT_NE(refusal("fp8: true\n").find("4: fp8=true: has products in 8 bits"), std::string::npos);
}

/* In the manner of text/pretraining/smollm3 of huggingface/smollm, whose model has 3.08 billion parameters (its card):
 * 128256 x 2048 of the embedding, and 36 times 2048 x (2048 + 2 x 512) + 2048 x 2048 of attention, 3 x 2048 x 11008 of
 * the MLP, and norms. */
TEST(Trainers, OfNanotron)
{
  const std::string file =
      "model:\n  dtype: bfloat16\n  model_config:\n    hidden_act: silu\n    hidden_size: 2048\n"
      "    intermediate_size: 11008\n    num_attention_heads: 16\n    num_hidden_layers: 36\n"
      "    num_key_value_heads: 4\n    tie_word_embeddings: true\n    vocab_size: 128256\n"
      "optimizer:\n  accumulate_grad_in_fp32: true\n  zero_stage: 1\n"
      "parallelism:\n  dp: 192\n  pp: 1\n  tp: 2\n  pp_engine: 1f1b\n  tp_mode: REDUCE_SCATTER\n"
      "tokens:\n  batch_accumulation_per_replica: 1\n  micro_batch_size: 3\n  sequence_length: 4096\n";
  const ss_workload w = accepted({file});
  EXPECT_EQ(w.model.layers, 36);
  EXPECT_EQ(w.model.kv_heads, 4);
  EXPECT_EQ(w.model.vocabulary, 128256); /* even is a multiple of 1 x 2 */
  EXPECT_EQ(w.training.global_batch, 576);
  EXPECT_EQ(w.training.gradients, SS_GRADIENTS_FP32);
  EXPECT_EQ(w.parallelism.sharding, SS_SHARDING_OPTIMIZER);
  EXPECT_EQ(w.parallelism.sequence_parallel, SS_YES);
  EXPECT_NE(import_texts({file + "  unheard_of: 3\n", "tokens:\n  sequence_length: 4096\nnew: 1\n"}).said.find("new"),
            std::string::npos);
}

/* In the manner of configs of EleutherAI/gpt-neox, in braces with comments. A third of 32768 is 10922, which 11008 is
 * the next multiple of 256 to: the MLP of LLaMA 7B (ParallelMLP of megatron/model/transformer.py). */
TEST(Trainers, OfGptNeox)
{
  const std::string sizes = "\"num_layers\": 32, \"hidden_size\": 4096, \"num_attention_heads\": 32,\n"
                            "  \"seq_length\": 2048, \"pipe_parallel_size\": 0, \"model_parallel_size\": 2,\n";
  const std::string data = "  \"train_micro_batch_size_per_gpu\": 4, \"gradient_accumulation_steps\": 8,\n"
                           "  \"zero_optimization\": {\"stage\": 1, \"overlap_comm\": true},\n"
                           "  \"fp16\": {\"enabled\": true}, \"optimizer\": {\"type\": \"Adam\"},\n";
  const ss_workload llama = accepted({"{\n  # a model\n  " + sizes + data +
                                      "  \"intermediate_size\": 32768, \"activation\": \"swiglu\",\n"
                                      "  \"attention_config\": [[[\"flash\"], 32]], \"no_weight_tying\": true,\n}\n"},
                                     16);
  EXPECT_EQ(llama.model.ffn, 11008);
  EXPECT_EQ(llama.model.tied_embeddings, SS_NO);
  EXPECT_EQ(llama.training.attention, SS_ATTENTION_FLASH);
  EXPECT_EQ(llama.training.global_batch, 256);
  EXPECT_EQ(llama.training.precision, SS_PRECISION_FP16);
  EXPECT_EQ(llama.parallelism.pp, 1);
  EXPECT_EQ(llama.parallelism.dp, 8);
  EXPECT_EQ(llama.parallelism.sharding, SS_SHARDING_OPTIMIZER);
  const ss_workload plain = accepted({"{" + sizes + data + "  \"gpt_j_residual\": true, \"pos_emb\": \"rotary\"}"}, 2);
  EXPECT_EQ(plain.model.ffn, 16384);
  EXPECT_EQ(plain.model.parallel, SS_YES);
  EXPECT_EQ(plain.model.rotary, SS_MODEL_ROTARY_YES);
  EXPECT_EQ(plain.training.attention, SS_ATTENTION_UNFUSED);
  EXPECT_NE(
      import_texts({"{" + sizes + "  \"attention_config\": [[[\"mamba\"], 32]]}"}).said.find("has layers of mamba"),
      std::string::npos);
  EXPECT_NE(import_texts({"{\"num_layers\": 32, \"hidden_size\": 64}"}).said.find("has no model_type"),
            std::string::npos);
  const Imported half = import_texts({"{" + sizes + "  \"intermediate_size\": 11008, \"activation\": \"swiglu\"}"});
  EXPECT_NE(half.matters.find("each half of a gated MLP"), std::string::npos);
}

/* In the manner of examples/megatron of modelscope/ms-swift; what nobody says is as swift/megatron/arguments has it. */
TEST(Trainers, OfMegatronSwift)
{
  const std::string run = "NPROC_PER_NODE=8 megatron sft --model Qwen/Qwen3-30B-A3B --tensor_model_parallel_size 2 "
                          "--sequence_parallel true --expert_model_parallel_size 4 --max_length 4096 "
                          "--split_dataset_ratio 0.01 --packing true";
  const ss_workload w = accepted({mixture, run}, 8);
  EXPECT_EQ(w.model.sequence, 4096);
  EXPECT_EQ(w.parallelism.etp, 1);
  EXPECT_EQ(w.parallelism.sharding, SS_SHARDING_OPTIMIZER);
  EXPECT_EQ(w.training.global_batch, 16);
  EXPECT_EQ(w.training.recompute, SS_RECOMPUTE_SELECTIVE);
  EXPECT_EQ(w.training.expert_kernels, SS_EXPERT_KERNELS_EACH);
  EXPECT_EQ(w.training.cross_entropy, SS_CROSS_ENTROPY_FUSED);
  EXPECT_EQ(w.training.lora_rank, 0);
  const ss_workload adapted = accepted({mixture, run + " --tuner_type lora --target_modules all-linear"}, 8);
  EXPECT_EQ(adapted.training.lora_rank, 8);
  EXPECT_EQ(adapted.training.lora_experts, SS_LORA_EXPERTS_EACH);
  EXPECT_NE(import_texts({mixture, run + " --rlhf_type dpo"}).said.find("rlhf_type=dpo: trains on pairs"),
            std::string::npos);
}

/* In the manner of examples/llm_finetune of NVIDIA-NeMo/Automodel. */
TEST(Trainers, OfAutomodel)
{
  const std::string file = "step_scheduler:\n  global_batch_size: 64\n  local_batch_size: 4\n"
                           "model:\n  pretrained_model_name_or_path: Qwen/Qwen3-30B-A3B\n  backend:\n    attn: te\n"
                           "    dispatcher: deepep\ndistributed:\n  strategy: fsdp2\n  dp_size: none\n  tp_size: 1\n"
                           "  cp_size: 2\n  pp_size: 1\n  ep_size: 8\n  activation_checkpointing: true\n"
                           "  pipeline:\n    pp_schedule: interleaved1f1b\n    pp_microbatch_size: 1\n";
  const Imported got = import_texts({mixture, file + "packed_sequence:\n  packed_sequence_size: 0\n"}, 16);
  EXPECT_EQ(got.said, "accepted");
  EXPECT_NE(got.matters.find("samples are not packed"), std::string::npos);
  EXPECT_EQ(got.workload.parallelism.dp, 8);
  EXPECT_EQ(got.workload.parallelism.ep, 8);
  EXPECT_EQ(got.workload.parallelism.sharding, SS_SHARDING_PARAMETERS);
  EXPECT_EQ(got.workload.training.micro_batch, 4); /* without stages */
  EXPECT_EQ(got.workload.training.recompute, SS_RECOMPUTE_FULL);
  EXPECT_EQ(got.workload.schedule.dispatch, SS_DISPATCH_ONCE);
  EXPECT_EQ(got.workload.schedule.pipeline, SS_PIPELINE_1F1B);
  const ss_workload w =
      accepted({qwen3, "step_scheduler:\n  global_batch_size: 64\n  local_batch_size: 8\n"
                       "packed_sequence:\n  packed_sequence_size: 8192\n"
                       "distributed:\n  pp_size: 2\n  pipeline:\n    pp_schedule: interleaved1f1b\n"
                       "    pp_microbatch_size: 1\n    layers_per_stage: 9\n"
                       "peft:\n  _target_: nemo_automodel.components._peft.lora.PeftConfig\n  dim: 16\n"
                       "  target_modules: [q_proj, v_proj]\n"},
               8);
  EXPECT_EQ(w.model.sequence, 8192);
  EXPECT_EQ(w.training.micro_batch, 1);
  EXPECT_EQ(w.parallelism.interleave, 2); /* of 36 layers on 2 stages, 9 each */
  EXPECT_EQ(w.training.lora_rank, 16);
  EXPECT_EQ(w.training.lora_modules, SS_WORD_BIT(SS_LORA_QKV));
}
