/* What models have where their configuration does not say it (defaults of the classes that config_keys.c names), and
 * what it has to say. */
#include "sim/import/models/compressed_layers.h"
#include "sim/import/models/config_keys.h"
#include "sim/import/models/config_sets.h"

/* clang-format off */
const ss_config_preset ss_config_presets[] = {
    {GATED, SS_AT_model_mlp, SS_MLP_SWIGLU},
    {PLAIN, SS_AT_model_mlp, SS_MLP_GELU},
    {SQUARED, SS_AT_model_mlp, SS_MLP_RELU2},
    {GEMMAS | SS_OF(bloom) | LEARNED | SS_OF(falcon) | MPT | SS_OF(minicpm) | SS_OF(exaone) | MAMBA | ERNIE | COHERE |
     SHORT | SS_OF(starcoder2) | SS_OF(smollm3), SS_AT_model_tied_embeddings, SS_YES},
    {QWEN3 | QWEN3_MOE | SS_OF(gemma3_text) | GEMMA_4 | SS_OF(olmo2) | SS_OF(olmo3) | OLMO_DELTA | SS_OF(olmoe) |
     SS_OF(exaone4) | SS_OF(dots1) | SHORT | HUNYUAN | BAILING | NEXT | EXAONE | HY | TRINITY | STEP | SS_OF(apertus) |
     SS_OF(llama4_text) | SS_OF(minimax_m2), SS_AT_model_qk_norm, SS_YES},
    {NEXT | TRINITY, SS_AT_model_attention_output_gate, SS_YES},
    /* olmo2 has as many norms as others, behind its parts */
    {GEMMA | SS_OF(glm4) | TRINITY, SS_AT_model_post_norms, SS_YES},
    {SS_OF(gpt_neox) | SS_OF(phi) | COHERE | SS_OF(gptj) | SS_OF(codegen), SS_AT_model_parallel, SS_YES},
    {SS_OF(gpt_neox) | SS_OF(phi) | SS_OF(starcoder2) | SS_OF(gptj) | SS_OF(codegen), SS_AT_model_rotary,
     SS_MODEL_ROTARY_YES},
    /* attention without positions: arXiv 2504.03624, nemotron_h_bridge.py of Megatron-Bridge; arXiv 2403.19887 */
    {SS_OF(nemotron_h) | JAMBA, SS_AT_model_rotary, SS_MODEL_ROTARY_NO},
    {SS_OF(bloom) | ENCODERS, SS_AT_model_embedding_norm, SS_YES},
    {ENCODERS, SS_AT_model_causal, SS_NO},
    {SS_OF(mamba2), SS_AT_model_mixer, SS_MIXER_MAMBA},
    {MAMBA, SS_AT_model_mixer, SS_MIXER_MAMBA_1},
    {PURE, SS_AT_model_feed_forward, SS_FEED_FORWARD_NONE},
    {MAMBA, SS_AT_model_state_head_size, 1},
    {MAMBA, SS_AT_model_state_size, 16},
    {SS_OF(llama4_text), SS_AT_model_shared_experts, 1},
    {GEMMAS | NEXT, SS_AT_model_head_size, 256},
    {GEMMA_4, SS_AT_model_layer_embedding, 256},
    {NEXT, SS_AT_model_state_heads, 32}, /* as its class has them */
    {NEXT, SS_AT_model_state_head_size, 128},
    {NEXT, SS_AT_model_state_size, 128},
    {NEXT, SS_AT_model_state_groups, 16},
    /* chunk_size of torch_chunk_gated_delta_rule, in modeling_qwen3_next.py */
    {NEXT | OLMO_DELTA, SS_AT_model_state_chunk, 64},
    {QWEN3 | SS_OF(nemotron_h) | SS_OF(llama4_text) | SS_OF(seed_oss) | SS_OF(ministral3) | HY | TRINITY | STEP |
     SS_OF(solar_open), SS_AT_model_head_size, 128},
    {STEP_3, SS_AT_model_head_size, 256},
    {STEP_3, SS_AT_model_kv_heads, 1},
    {STEP_3, SS_AT_model_q_rank, 2048},
    {SS_OF(gpt_oss), SS_AT_model_head_size, 64},
    {SS_OF(glm_moe_dsa), SS_AT_model_dense_layers, 3},
    {SPARSE, SS_AT_model_index_head_size, 128},
    {SPARSE, SS_AT_model_index_top_k, 2048},
    {SS_OF(deepseek_v32), SS_AT_model_index_heads, 64},
    {V4, SS_AT_model_mixer, SS_MIXER_COMPRESSED},
    {V4, SS_AT_model_compress, SS_COMPRESSED_CHOSEN},
    {V4, SS_AT_model_kv_heads, 1},
    {V4, SS_AT_model_window, 128},
    {V4, SS_AT_model_index_head_size, 128},
    {V4, SS_AT_model_residual_streams, 4},
    {SS_OF(glm_moe_dsa), SS_AT_model_index_heads, 32},
    {SS_OF(glm4_moe_lite) | ERNIE_MOE | EXAONE | HY | TRINITY, SS_AT_model_dense_layers, 1},
    {FALCON, SS_AT_model_mixer, SS_MIXER_HYBRID},
    {JAMBA, SS_AT_model_state_head_size, 1}, /* each channel has a state */
    {JAMBA, SS_AT_model_state_size, 16},
    {JAMBA, SS_AT_model_experts, 16},
    {JAMBA, SS_AT_model_top_k, 2},
    {LONGCAT, SS_AT_model_top_k, 12}, /* LongcatFlashConfig of configuration_longcat_flash.py */
    {LONGCAT, SS_AT_model_zero_experts, 256},
    {EIGHT, SS_AT_model_kv_heads, 8},
    {MAMBA_2, SS_AT_model_state_heads, 128},
    {MAMBA_2, SS_AT_model_state_size, 256},
    {MAMBA_2, SS_AT_model_state_groups, 1},
    {MAMBA_2, SS_AT_model_state_chunk, 256},
    {SS_OF(lfm2_moe), SS_AT_model_dense_layers, 2},
    {SHORT, SS_AT_model_convolution, 3},
    {DELTA, SS_AT_model_state_chunk, 64}, /* chunks of fla/ops/kda */
    {SS_OF(gemma3_text), SS_AT_model_heads, 8},
    {SS_OF(gemma3_text) | GEMMA_4, SS_AT_model_kv_heads, 4},
    {SS_OF(gemma3_text), SS_AT_model_vocabulary, 262208},
    {.models = 0},
};

const ss_config_need ss_config_needs[] = {
    {ALL, SS_AT_model_layers},
    {ALL, SS_AT_model_hidden},
    {ALL & ~PURE, SS_AT_model_heads},
    {SS_OF(mamba2), SS_AT_model_state_heads},
    {DBRX, SS_AT_model_experts},
    {DBRX, SS_AT_model_expert_ffn},
    {LEARNED, SS_AT_model_positions},
    {ALL, SS_AT_model_vocabulary},
    {GEMMA_4 | LONGCAT, SS_AT_model_ffn},
    {LONGCAT, SS_AT_model_q_rank},
    {LONGCAT, SS_AT_model_kv_rank},
    {LONGCAT, SS_AT_model_rope_size},
    {LONGCAT, SS_AT_model_head_size},
    {LONGCAT, SS_AT_model_experts},
    {LONGCAT, SS_AT_model_expert_ffn},
    {.models = 0},
};

const ss_config_said ss_config_saids[] = {
    {ALL & ~(NAMED | V4 | SS_OF(bloom) | LONGCAT | SS_OF(lfm2) | HYBRID | NEXT_MOE | SS_OF(solar_open)),
     "intermediate_size", NULL, false},
    {SS_OF(lfm2), "intermediate_size", "block_ff_dim", false},
    {SS_OF(llama4_text), "intermediate_size_mlp", NULL, false},
    {HYBRID, "shared_intermediate_size", NULL, false},
    {QWEN | GLM_MOE | ERNIE | SHORT | LIGHTNING | EXAONE | HY | SS_OF(mistral) | SS_OF(mixtral) | SS_OF(gemma) |
     SS_OF(gemma2) | SS_OF(gpt_oss) | SS_OF(phimoe) | SS_OF(nemotron_h) | SS_OF(llama4_text) | SS_OF(minimax_m2) |
     SS_OF(glm) | SS_OF(glm4) | SS_OF(solar_open) | SS_OF(exaone4) | SS_OF(seed_oss) | SS_OF(smollm3) |
     SS_OF(ministral3) | SS_OF(starcoder2) | SS_OF(dots1), "num_key_value_heads", NULL, false},
    {STEP, "num_attention_groups", NULL, false},
    {GLM_MOE | SS_OF(glm) | SS_OF(glm4) | SS_OF(minimax_m2) | SS_OF(qwen3_vl_moe_text), "head_dim", NULL, false},
    {SS_OF(mistral) | SS_OF(gemma2) | SS_OF(gemma3_text) | SS_OF(gpt_oss) | SS_OF(cohere2) | SS_OF(exaone4) |
     SS_OF(olmo3) | EXAONE | TRINITY, "sliding_window", NULL, false},
    {LATENT & ~LONGCAT, "q_lora_rank", NULL, false},
    {LATENT & ~LONGCAT, "qk_rope_head_dim", NULL, false},
    {LATENT & ~LONGCAT, "qk_nope_head_dim", NULL, false},
    {LATENT & ~LONGCAT, "v_head_dim", NULL, false},
    {SS_OF(nemotron_h), "ssm_state_size", NULL, false},
    {SS_OF(nemotron_h), "mamba_head_dim", NULL, false},
    {SS_OF(nemotron_h), "n_groups", NULL, false},
    {SS_OF(nemotron_h), "chunk_size", NULL, false},
    {SS_OF(lfm2_moe), "layer_types", NULL, false},
    {(EXPERTS | HYBRID) & ~(GEMMA_4 | JAMBA | LONGCAT), "num_experts_per_tok", "experts_per_token", true},
    {DELTA, "num_experts_per_token", NULL, true},
    {ERNIE_MOE, "moe_k", NULL, true},
    {STEPS, "moe_top_k", NULL, true},
    {SS_OF(hunyuan_v1_moe), "moe_topk", NULL, true},
    {ROUTED | FIRST | QWEN_MOE | ERNIE_MOE | TRINITY | STEPS | SS_OF(lfm2_moe) | SS_OF(nemotron_h),
     "moe_intermediate_size", NULL, true},
    {ROUTED, "n_shared_experts", NULL, true},
    {DELTA | BAILING | EXAONE | HY | TRINITY, "num_shared_experts", NULL, true},
    {ERNIE_MOE, "moe_num_shared_experts", NULL, true},
    {SS_OF(hunyuan_v1_moe), "num_shared_expert", NULL, true},
    {STEPS, "share_expert_dim", NULL, true},
    {SS_OF(qwen2_moe) | NEXT_MOE, "shared_expert_intermediate_size", NULL, true},
    {SS_OF(nemotron_h), "moe_shared_expert_intermediate_size", NULL, true},
    {SS_OF(deepseek_v3) | SS_OF(deepseek_v32) | SS_OF(kimi_k2) | GLM_MOE, "first_k_dense_replace", NULL, true},
    {SS_OF(deepseek_v3) | SS_OF(deepseek_v32), "n_group", NULL, true},
    {SS_OF(deepseek_v3) | SS_OF(deepseek_v32), "topk_group", NULL, true},
    {V4, "q_lora_rank", NULL, false},
    {V4, "head_dim", NULL, false},
    {V4, "qk_rope_head_dim", NULL, false},
    {V4, "o_groups", NULL, false},
    {V4, "o_lora_rank", NULL, false},
    {V4, "index_n_heads", NULL, false},
    {V4, "index_topk", NULL, false},
    {V4, "compress_ratios", "layer_types", false},
    {.models = 0},
};
/* clang-format on */
