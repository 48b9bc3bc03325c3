/* Configurations of models as they are published on Hugging Face: the keys that say something of their size. Parameters
 * are those of the published weights, as the same page counts them, or as the source says. */
#ifndef STEPSIM_TESTS_SUPPORT_PUBLISHED_CONFIGS_HPP
#define STEPSIM_TESTS_SUPPORT_PUBLISHED_CONFIGS_HPP

namespace stepsim
{

struct PublishedConfig {
  const char *source;
  double parameters;    /* 0: not known to 0.1 % */
  const char *workload; /* that is shipped and has the model, from another source; "" for none */
  const char *text;
};

const PublishedConfig
    published_configs[] =
        {
            {"meta-llama/Llama-2-7b-hf", 6738415616, "",
             R"({"model_type": "llama", "hidden_act": "silu", "hidden_size": 4096, "intermediate_size": 11008, "max_position_embeddings": 4096, "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 32, "tie_word_embeddings": false, "vocab_size": 32000})"},
            {"meta-llama/Meta-Llama-3-70B", 70553706496, "llama3-70b",
             R"({"model_type": "llama", "hidden_act": "silu", "hidden_size": 8192, "intermediate_size": 28672, "max_position_embeddings": 8192, "num_attention_heads": 64, "num_hidden_layers": 80, "num_key_value_heads": 8, "vocab_size": 128256})"},
            {"meta-llama/Llama-3.1-405B", 405853388800, "llama3-405b",
             R"({"model_type": "llama", "hidden_act": "silu", "hidden_size": 16384, "intermediate_size": 53248, "max_position_embeddings": 131072, "num_attention_heads": 128, "num_hidden_layers": 126, "num_key_value_heads": 8, "vocab_size": 128256})"},
            {"Qwen/Qwen2.5-7B", 7615616512, "",
             R"({"model_type": "qwen2", "hidden_act": "silu", "hidden_size": 3584, "intermediate_size": 18944, "max_position_embeddings": 131072, "max_window_layers": 28, "num_attention_heads": 28, "num_hidden_layers": 28, "num_key_value_heads": 4, "sliding_window": 131072, "use_sliding_window": false, "tie_word_embeddings": false, "vocab_size": 152064})"},
            {"Qwen/Qwen2.5-0.5B", 494032768, "",
             R"({"model_type": "qwen2", "hidden_act": "silu", "hidden_size": 896, "intermediate_size": 4864, "max_position_embeddings": 32768, "max_window_layers": 24, "num_attention_heads": 14, "num_hidden_layers": 24, "num_key_value_heads": 2, "sliding_window": 32768, "use_sliding_window": false, "tie_word_embeddings": true, "vocab_size": 151936})"},
            {"Qwen/Qwen3-8B", 8190735360, "",
             R"({"model_type": "qwen3", "attention_bias": false, "head_dim": 128, "hidden_act": "silu", "hidden_size": 4096, "intermediate_size": 12288, "max_position_embeddings": 40960, "max_window_layers": 36, "num_attention_heads": 32, "num_hidden_layers": 36, "num_key_value_heads": 8, "sliding_window": null, "use_sliding_window": false, "tie_word_embeddings": false, "vocab_size": 151936})"},
            {"Qwen/Qwen3-30B-A3B", 30532122624, "qwen3-30b",
             R"({"model_type": "qwen3_moe", "decoder_sparse_step": 1, "head_dim": 128, "hidden_act": "silu", "hidden_size": 2048, "intermediate_size": 6144, "max_position_embeddings": 40960, "max_window_layers": 48, "mlp_only_layers": [], "moe_intermediate_size": 768, "norm_topk_prob": true, "num_attention_heads": 32, "num_experts": 128, "num_experts_per_tok": 8, "num_hidden_layers": 48, "num_key_value_heads": 4, "output_router_logits": false, "router_aux_loss_coef": 0.001, "sliding_window": null, "tie_word_embeddings": false, "use_sliding_window": false, "vocab_size": 151936})"},
            {"mistralai/Mistral-7B-v0.1", 7241732096, "",
             R"({"model_type": "mistral", "hidden_act": "silu", "hidden_size": 4096, "intermediate_size": 14336, "max_position_embeddings": 32768, "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "sliding_window": 4096, "tie_word_embeddings": false, "vocab_size": 32000})"},
            {"mistralai/Mixtral-8x7B-v0.1", 46702792704, "mixtral-8x7b",
             R"({"model_type": "mixtral", "hidden_act": "silu", "hidden_size": 4096, "intermediate_size": 14336, "max_position_embeddings": 32768, "num_attention_heads": 32, "num_experts_per_tok": 2, "num_hidden_layers": 32, "num_key_value_heads": 8, "num_local_experts": 8, "output_router_logits": false, "router_aux_loss_coef": 0.02, "sliding_window": null, "tie_word_embeddings": false, "vocab_size": 32000})"},
            {"deepseek-ai/DeepSeek-V2-Lite", 15706484224, "",
             R"({"model_type": "deepseek_v2", "aux_loss_alpha": 0.001, "first_k_dense_replace": 1, "hidden_act": "silu", "hidden_size": 2048, "intermediate_size": 10944, "kv_lora_rank": 512, "max_position_embeddings": 163840, "moe_intermediate_size": 1408, "moe_layer_freq": 1, "n_group": 1, "n_routed_experts": 64, "n_shared_experts": 2, "norm_topk_prob": false, "num_attention_heads": 16, "num_experts_per_tok": 6, "num_hidden_layers": 27, "num_key_value_heads": 16, "q_lora_rank": null, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "topk_group": 1, "tie_word_embeddings": false, "v_head_dim": 128, "vocab_size": 102400})"},
            {"deepseek-ai/DeepSeek-V3: 671 billion, and 11.5 billion of its module (README_WEIGHTS.md)", 682526419200,
             "deepseek-v3-mtp",
             R"({"model_type": "deepseek_v3", "aux_loss_alpha": 0.001, "ep_size": 1, "first_k_dense_replace": 3, "hidden_act": "silu", "hidden_size": 7168, "intermediate_size": 18432, "kv_lora_rank": 512, "max_position_embeddings": 163840, "moe_intermediate_size": 2048, "moe_layer_freq": 1, "n_group": 8, "n_routed_experts": 256, "n_shared_experts": 1, "num_attention_heads": 128, "num_experts_per_tok": 8, "num_hidden_layers": 61, "num_key_value_heads": 128, "num_nextn_predict_layers": 1, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "topk_group": 4, "tie_word_embeddings": false, "v_head_dim": 128, "vocab_size": 129280})"},
            {"moonshotai/Kimi-K2-Base", 0, "kimi-k2",
             R"({"model_type": "kimi_k2", "first_k_dense_replace": 1, "hidden_act": "silu", "hidden_size": 7168, "intermediate_size": 18432, "kv_lora_rank": 512, "max_position_embeddings": 131072, "moe_intermediate_size": 2048, "moe_layer_freq": 1, "n_group": 1, "n_routed_experts": 384, "n_shared_experts": 1, "num_attention_heads": 64, "num_experts_per_tok": 8, "num_hidden_layers": 61, "num_key_value_heads": 64, "num_nextn_predict_layers": 0, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "topk_group": 1, "tie_word_embeddings": false, "v_head_dim": 128, "vocab_size": 163840})"},
            {"google/gemma-2-9b", 9241705984, "",
             R"({"model_type": "gemma2", "attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0, "head_dim": 256, "hidden_act": "gelu_pytorch_tanh", "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 3584, "intermediate_size": 14336, "max_position_embeddings": 8192, "num_attention_heads": 16, "num_hidden_layers": 42, "num_key_value_heads": 8, "sliding_window": 4096, "vocab_size": 256000})"},
            {"google/gemma-3-1b-pt", 999885952, "",
             R"({"model_type": "gemma3_text", "attn_logit_softcapping": null, "final_logit_softcapping": null, "head_dim": 256, "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 1152, "intermediate_size": 6912, "max_position_embeddings": 32768, "num_attention_heads": 4, "num_hidden_layers": 26, "num_key_value_heads": 1, "sliding_window": 512, "sliding_window_pattern": 6, "vocab_size": 262144})"},
            {"openai/gpt-oss-20b", 20914757184, "",
             R"({"model_type": "gpt_oss", "attention_bias": true, "experts_per_token": 4, "head_dim": 64, "hidden_act": "silu", "hidden_size": 2880, "initial_context_length": 4096, "intermediate_size": 2880, "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention"], "max_position_embeddings": 131072, "num_attention_heads": 64, "num_experts_per_tok": 4, "num_hidden_layers": 24, "num_key_value_heads": 8, "num_local_experts": 32, "sliding_window": 128, "swiglu_limit": 7.0, "tie_word_embeddings": false, "vocab_size": 201088})"},
            {"openai/gpt-oss-120b", 116829156672, "gpt-oss-120b",
             R"({"model_type": "gpt_oss", "attention_bias": true, "experts_per_token": 4, "head_dim": 64, "hidden_act": "silu", "hidden_size": 2880, "initial_context_length": 4096, "intermediate_size": 2880, "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention"], "max_position_embeddings": 131072, "num_attention_heads": 64, "num_experts_per_tok": 4, "num_hidden_layers": 36, "num_key_value_heads": 8, "num_local_experts": 128, "sliding_window": 128, "swiglu_limit": 7.0, "tie_word_embeddings": false, "vocab_size": 201088})"},
            {"microsoft/Phi-3-mini-4k-instruct", 3821079552, "",
             R"({"model_type": "phi3", "attention_bias": false, "embd_pdrop": 0.0, "hidden_act": "silu", "hidden_size": 3072, "intermediate_size": 8192, "max_position_embeddings": 4096, "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 32, "resid_pdrop": 0.0, "sliding_window": 2047, "tie_word_embeddings": false, "vocab_size": 32064})"},
            {"microsoft/phi-4", 14659507200, "",
             R"({"model_type": "phi3", "hidden_act": "silu", "hidden_size": 5120, "intermediate_size": 17920, "max_position_embeddings": 16384, "num_attention_heads": 40, "num_hidden_layers": 40, "num_key_value_heads": 10, "sliding_window": null, "tie_word_embeddings": false, "vocab_size": 100352})"},
            {"nvidia/Minitron-4B-Base: 4.19 billion", 4190000000, "",
             R"({"model_type": "nemotron", "head_dim": 128, "hidden_act": "relu2", "hidden_size": 3072, "intermediate_size": 9216, "max_position_embeddings": 4096, "num_attention_heads": 24, "num_hidden_layers": 32, "num_key_value_heads": 8, "tie_word_embeddings": false, "vocab_size": 256000})"},
            {"nvidia/Nemotron-H-8B-Base-8K: 8.1 billion", 8101000000, "nemotron-h-8b",
             R"({"model_type": "nemotron_h", "attention_head_dim": 128, "chunk_size": 128, "conv_kernel": 4, "expand": 2, "hidden_size": 4096, "hybrid_override_pattern": "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-", "intermediate_size": 21504, "mamba_head_dim": 64, "mamba_hidden_act": "silu", "mamba_num_heads": 128, "max_position_embeddings": 8192, "mlp_hidden_act": "relu2", "n_groups": 8, "num_attention_heads": 32, "num_hidden_layers": 52, "num_key_value_heads": 8, "sliding_window": null, "ssm_state_size": 128, "tie_word_embeddings": false, "use_bias": false, "use_conv_bias": true, "vocab_size": 131072})"},
            {"EleutherAI/gpt-neox-20b, parameters: arXiv 2204.06745, table 1", 20554567680, "",
             R"({"model_type": "gpt_neox", "hidden_act": "gelu_fast", "hidden_size": 6144, "intermediate_size": 24576, "max_position_embeddings": 2048, "num_attention_heads": 64, "num_hidden_layers": 44, "rotary_pct": 0.25, "tie_word_embeddings": false, "use_parallel_residual": true, "vocab_size": 50432})"},
            {"bigscience/bloom, parameters: arXiv 2211.05100, table 3", 176247271424, "",
             R"({"model_type": "bloom", "hidden_size": 14336, "n_layer": 70, "num_attention_heads": 112, "seq_length": 2048, "vocab_size": 250880, "hidden_dropout": 0.0, "attention_dropout": 0.0, "pretraining_tp": 4})"},
            {"meta-llama/Llama-4-Scout-17B-16E, text_config", 0, "",
             R"({"model_type": "llama4_text", "attention_bias": false, "attention_chunk_size": 8192, "head_dim": 128, "hidden_act": "silu", "hidden_size": 5120, "interleave_moe_layer_step": 1, "intermediate_size": 8192, "intermediate_size_mlp": 16384, "max_position_embeddings": 10485760, "no_rope_layers": [], "num_attention_heads": 40, "num_experts_per_tok": 1, "num_hidden_layers": 48, "num_key_value_heads": 8, "num_local_experts": 16, "tie_word_embeddings": false, "use_qk_norm": true, "vocab_size": 202048})"},
            {"meta-llama/Llama-4-Maverick-17B-128E, text_config", 0, "llama4-maverick",
             R"({"model_type": "llama4_text", "attention_bias": false, "attention_chunk_size": 8192, "head_dim": 128, "hidden_act": "silu", "hidden_size": 5120, "interleave_moe_layer_step": 2, "intermediate_size": 8192, "intermediate_size_mlp": 16384, "max_position_embeddings": 10485760, "no_rope_layers": [], "num_attention_heads": 40, "num_experts_per_tok": 1, "num_hidden_layers": 48, "num_key_value_heads": 8, "num_local_experts": 128, "tie_word_embeddings": false, "use_qk_norm": false, "vocab_size": 202048})"},
};

} // namespace stepsim

#endif
