/* What the keys of config.json mean, model by model: classes of configurations in huggingface/transformers,
 * src/transformers/models/NAME/configuration_NAME.py, and for kimi_k2 and nemotron_h those that come with the models.
 */
#include "sim/import/models/config_keys.h"

#include "sim/import/models/takes.h"

#define ALL         (~0u)
#define LATENT      (SS_OF(deepseek_v2) | SS_OF(deepseek_v3) | SS_OF(kimi_k2))
#define DENSE_FIRST (LATENT | SS_OF(glm4_moe)) /* experts behind some layers without any */
#define NEXT        SS_OF(qwen3_next)
#define QWEN_MOE    (SS_OF(qwen2_moe) | SS_OF(qwen3_moe) | NEXT)
#define QWEN        (SS_OF(qwen2) | SS_OF(qwen3) | QWEN_MOE)
#define GEMMA       (SS_OF(gemma2) | SS_OF(gemma3_text))
#define GEMMAS      (GEMMA | SS_OF(gemma))
#define EXPERTS                                                                                                        \
  (DENSE_FIRST | QWEN_MOE | SS_OF(mixtral) | SS_OF(gpt_oss) | SS_OF(phimoe) | SS_OF(llama4_text) | SS_OF(nemotron_h))
#define WINDOWS                                                                                                        \
  (SS_OF(mistral) | SS_OF(mixtral) | SS_OF(phi3) | SS_OF(phimoe) | SS_OF(nemotron) | QWEN | GEMMA | SS_OF(gpt_oss))
#define GATED   (~(PLAIN | SQUARED))
#define EQUAL   (SS_OF(gpt_neox) | SS_OF(bloom)) /* as many heads of keys as of queries */
#define PLAIN   (EQUAL | SS_OF(phi))
#define SQUARED (SS_OF(nemotron) | SS_OF(nemotron_h))

#define COUNT(of, name, field) {.key = name, .models = of, .take = ss_take_count, .attribute = SS_AT_model_##field},
#define FLAG(of, name, field, value)                                                                                   \
  {.key = name, .models = of, .take = ss_take_flag, .attribute = SS_AT_##field, .number = value},
#define NUMBER(of, name, field, value)                                                                                 \
  {.key = name, .models = of, .take = ss_take_number, .attribute = SS_AT_##field, .number = value},
#define ONLY(of, name, value, problem)                                                                                 \
  {.key = name, .models = of, .take = ss_take_only, .attribute = SS_AT_model_name, .number = value, .text = problem},
#define LEFT_OUT(of, name, what)                                                                                       \
  {.key = name, .models = of, .take = ss_take_left_out, .attribute = SS_AT_model_name, .text = what},
#define TAKE(of, name, function) {.key = name, .models = of, .take = function, .attribute = SS_AT_model_name},
#define IDLE(name)               TAKE(ALL, name, ss_take_idle)

/* clang-format off */
const ss_config_key ss_config_keys[] = {
    /* sizes */
    COUNT(ALL, "num_hidden_layers", layers)
    COUNT(SS_OF(bloom), "n_layer", layers)
    COUNT(ALL, "hidden_size", hidden)
    COUNT(SS_OF(bloom), "n_embed", hidden)
    COUNT(ALL & ~(SS_OF(llama4_text) | SS_OF(bloom)), "intermediate_size", ffn)
    COUNT(SS_OF(llama4_text), "intermediate_size_mlp", ffn)
    COUNT(SS_OF(bloom), "n_inner", ffn)
    COUNT(ALL, "num_attention_heads", heads)
    COUNT(SS_OF(bloom), "n_head", heads)
    COUNT(ALL & ~(LATENT | EQUAL), "num_key_value_heads", kv_heads)
    COUNT(ALL & ~(LATENT | EQUAL), "head_dim", head_size)
    COUNT(SS_OF(nemotron_h), "attention_head_dim", head_size)
    COUNT(SS_OF(nemotron), "kv_channels", head_size)
    COUNT(ALL, "vocab_size", vocabulary)
    FLAG(ALL, "tie_word_embeddings", model_tied_embeddings, SS_YES)
    {.key = "max_position_embeddings", .models = ALL, .take = ss_take_sequence, .attribute = SS_AT_model_sequence},
    {.key = "max_sequence_length", .models = SS_OF(llama), .take = ss_take_sequence, .attribute = SS_AT_model_sequence}, /* of the first Llama */
    {.key = "seq_length", .models = SS_OF(bloom), .take = ss_take_sequence, .attribute = SS_AT_model_sequence},
    TAKE(ALL, "_name_or_path", ss_take_name)
    /* latent attention */
    COUNT(LATENT, "q_lora_rank", q_rank)
    COUNT(LATENT, "kv_lora_rank", kv_rank)
    COUNT(LATENT, "qk_rope_head_dim", rope_size)
    COUNT(LATENT, "qk_nope_head_dim", head_size)
    {.key = "v_head_dim", .models = LATENT, .take = ss_take_same, .attribute = SS_AT_model_name, .text = "qk_nope_head_dim"},
    /* experts */
    COUNT(SS_OF(mixtral) | SS_OF(gpt_oss) | SS_OF(phimoe) | SS_OF(llama4_text), "num_local_experts", experts)
    COUNT(QWEN_MOE, "num_experts", experts)
    COUNT(DENSE_FIRST | SS_OF(nemotron_h), "n_routed_experts", experts)
    COUNT(EXPERTS, "num_experts_per_tok", top_k)
    COUNT(SS_OF(gpt_oss), "experts_per_token", top_k)
    COUNT(DENSE_FIRST, "n_shared_experts", shared_experts)
    COUNT(DENSE_FIRST | QWEN_MOE | SS_OF(nemotron_h), "moe_intermediate_size", expert_ffn)
    COUNT(SS_OF(nemotron_h), "moe_latent_size", expert_latent)
    {.key = "moe_shared_expert_intermediate_size", .models = SS_OF(nemotron_h), .take = ss_take_shared, .attribute = SS_AT_model_shared_experts, .text = "moe_intermediate_size"},
    TAKE(SS_OF(nemotron_h), "n_shared_experts", ss_take_elsewhere) /* one of that width */
    {.key = "shared_expert_intermediate_size", .models = SS_OF(qwen2_moe) | NEXT, .take = ss_take_shared, .attribute = SS_AT_model_shared_experts, .text = "moe_intermediate_size"},
    ONLY(SS_OF(qwen3_moe), "shared_expert_intermediate_size", 0, "its class has no shared experts")
    COUNT(SS_OF(llama4_text), "intermediate_size", expert_ffn)
    COUNT(DENSE_FIRST, "first_k_dense_replace", dense_layers)
    COUNT(SS_OF(deepseek_v3) | SS_OF(kimi_k2) | SS_OF(glm4_moe), "num_nextn_predict_layers", mtp_modules)
    LEFT_OUT(SS_OF(nemotron_h), "num_nextn_predict_layers", "modules that predict a token further, each of a layer with attention and one with experts: model.mtp-modules has those of one layer")
    TAKE(SS_OF(nemotron_h), "mtp_hybrid_override_pattern", ss_take_elsewhere)
    TAKE(SS_OF(nemotron_h), "mtp_layers_block_type", ss_take_elsewhere)
    TAKE(SS_OF(nemotron_h), "keep_mtp_spec_in_bf16", ss_take_elsewhere)
    ONLY(LATENT, "moe_layer_freq", 1, "layers with experts lie apart")
    ONLY(QWEN_MOE, "decoder_sparse_step", 1, "layers with experts lie apart")
    ONLY(QWEN_MOE, "mlp_only_layers", 0, "some layers have no experts")
    {.key = "topk_group", .models = DENSE_FIRST | SS_OF(nemotron_h), .take = ss_take_groups, .attribute = SS_AT_model_router_group_top_k},
    TAKE(DENSE_FIRST | SS_OF(nemotron_h), "n_group", ss_take_idle)
    /* what a layer is of */
    TAKE(ALL, "hidden_act", ss_take_activation)
    TAKE(GEMMAS, "hidden_activation", ss_take_activation)
    TAKE(SS_OF(nemotron_h), "mlp_hidden_act", ss_take_activation)
    NUMBER(GEMMA, "attn_logit_softcapping", model_soft_cap, SS_YES)
    NUMBER(GEMMA, "final_logit_softcapping", model_soft_cap, SS_YES)
    FLAG(SS_OF(gpt_neox), "use_parallel_residual", model_parallel, SS_YES)
    FLAG(SS_OF(llama4_text) | SS_OF(glm4_moe) | SS_OF(qwen3_moe), "use_qk_norm", model_qk_norm, SS_YES)
    FLAG(SS_OF(phi), "qk_layernorm", model_qk_norm, SS_YES)
    FLAG(NEXT, "attn_output_gate", model_attention_output_gate, SS_YES)
    LEFT_OUT(ALL & ~PLAIN, "attention_bias", "biases of attention")
    LEFT_OUT(QWEN, "qkv_bias", "biases of attention")
    LEFT_OUT(ALL & ~PLAIN, "mlp_bias", "biases of feed-forward parts")
    LEFT_OUT(SS_OF(phimoe) | SS_OF(phi3), "lm_head_bias", "the bias of the output layer")
    LEFT_OUT(SS_OF(nemotron_h), "use_bias", "biases of Mamba-2")
    LEFT_OUT(SS_OF(nemotron_h), "mamba_proj_bias", "biases of Mamba-2")
    TAKE(PLAIN, "attention_bias", ss_take_idle)
    NUMBER(ALL, "attention_dropout", training_dropout, SS_YES)
    NUMBER(PLAIN | SS_OF(nemotron_h) | SS_OF(nemotron) | SS_OF(phimoe), "hidden_dropout", training_dropout, SS_YES)
    NUMBER(PLAIN, "attention_probs_dropout_prob", training_dropout, SS_YES)
    NUMBER(PLAIN, "hidden_dropout_prob", training_dropout, SS_YES)
    NUMBER(SS_OF(phi3) | SS_OF(phi), "resid_pdrop", training_dropout, SS_YES)
    /* Mamba-2 */
    COUNT(SS_OF(nemotron_h), "mamba_num_heads", state_heads)
    COUNT(SS_OF(nemotron_h), "mamba_head_dim", state_head_size)
    COUNT(SS_OF(nemotron_h), "ssm_state_size", state_size)
    COUNT(SS_OF(nemotron_h), "n_groups", state_groups)
    COUNT(SS_OF(nemotron_h), "chunk_size", state_chunk)
    COUNT(SS_OF(nemotron_h), "conv_kernel", convolution)
    /* gated DeltaNet */
    COUNT(NEXT, "linear_num_value_heads", state_heads)
    COUNT(NEXT, "linear_value_head_dim", state_head_size)
    COUNT(NEXT, "linear_key_head_dim", state_size)
    COUNT(NEXT, "linear_num_key_heads", state_groups)
    COUNT(NEXT, "linear_conv_kernel_dim", convolution)
    TAKE(NEXT, "full_attention_interval", ss_take_elsewhere)
    ONLY(NEXT, "sliding_window", 0, "its class has no windows")
    ONLY(NEXT, "use_sliding_window", 0, "its class has no windows")
    /* which layer is of which kind: sim/import/models/layers.c */
    TAKE(WINDOWS, "sliding_window", ss_take_elsewhere)
    TAKE(WINDOWS, "layer_types", ss_take_elsewhere)
    TAKE(QWEN, "use_sliding_window", ss_take_elsewhere)
    TAKE(QWEN, "max_window_layers", ss_take_elsewhere)
    TAKE(SS_OF(gemma3_text), "sliding_window_pattern", ss_take_elsewhere)
    TAKE(SS_OF(gemma3_text), "_sliding_window_pattern", ss_take_elsewhere)
    ONLY(SS_OF(phi3), "full_attn_mod", 1, "some layers attend otherwise")
    TAKE(SS_OF(gemma2), "sliding_window_size", ss_take_idle) /* sliding_window is what its class reads */
    ONLY(SS_OF(gemma3_text), "use_bidirectional_attention", 0, "attends to both sides")
    TAKE(SS_OF(nemotron_h), "hybrid_override_pattern", ss_take_elsewhere)
    TAKE(SS_OF(nemotron_h), "layers_block_type", ss_take_elsewhere)
    TAKE(SS_OF(llama4_text), "attention_chunk_size", ss_take_elsewhere)
    TAKE(SS_OF(llama4_text), "no_rope_layers", ss_take_elsewhere)
    TAKE(SS_OF(llama4_text), "no_rope_layer_interval", ss_take_elsewhere)
    TAKE(SS_OF(llama4_text), "interleave_moe_layer_step", ss_take_elsewhere)
    TAKE(SS_OF(llama4_text), "moe_layers", ss_take_elsewhere)
    TAKE(SS_OF(llama4_text), "layer_types", ss_take_idle)
    TAKE(ALL, "model_type", ss_take_elsewhere)
    /* the file, the tokenizer, and generation */
    IDLE("architectures") IDLE("auto_map") IDLE("transformers_version") IDLE("torch_dtype") IDLE("dtype")
    IDLE("bos_token_id") IDLE("eos_token_id") IDLE("pad_token_id") IDLE("unk_token_id") IDLE("attn_implementation")
    IDLE("_attn_implementation") IDLE("use_cache") IDLE("cache_implementation") IDLE("num_logits_to_keep")
    IDLE("quantization_config") IDLE("_attn_implementation_autoset") IDLE("mamba_ssm_cache_dtype")
    IDLE("for_llm_compressor") IDLE("use_mamba_kernels") IDLE("slow_but_exact") IDLE("id2label") IDLE("label2id")
    IDLE("transformers.js_config") IDLE("custom_pipelines") IDLE("quantization") IDLE("unsloth_version")
    IDLE("unsloth_fixed") IDLE("is_llama_config") IDLE("return_dict") IDLE("max_length") IDLE("temperature")
    IDLE("top_k") IDLE("top_p") IDLE("typical_p") IDLE("repetition_penalty") IDLE("length_penalty") IDLE("num_beams")
    IDLE("num_beam_groups") IDLE("num_return_sequences") IDLE("tokenizer_class") IDLE("model_max_length")
    /* numbers inside of kernels that are there in any case */
    IDLE("initializer_range") IDLE("rms_norm_eps") IDLE("layer_norm_epsilon") IDLE("layer_norm_eps") IDLE("norm_eps")
    IDLE("rope_theta") IDLE("rope_scaling") IDLE("rope_parameters") IDLE("rope_local_base_freq") IDLE("rotary_pct")
    IDLE("rotary_emb_base") IDLE("partial_rotary_factor") IDLE("rope_percent") IDLE("rope_percentage")
    IDLE("original_max_position_embeddings") IDLE("initial_context_length") IDLE("query_pre_attn_scalar")
    IDLE("pretraining_tp") IDLE("embd_pdrop") IDLE("classifier_dropout") IDLE("swiglu_limit") IDLE("offset_alibi")
    IDLE("attn_temperature_tuning") IDLE("attn_scale") IDLE("floor_scale") IDLE("rope_ratio")
    IDLE("interpolate_factor") IDLE("rope_interleave") IDLE("rope_interleaved") IDLE("moe_shared_expert_overlap")
    IDLE("scoring_func") IDLE("topk_method") IDLE("norm_topk_prob") IDLE("routed_scaling_factor")
    IDLE("aux_loss_alpha") IDLE("seq_aux") IDLE("ep_size") IDLE("router_aux_loss_coef") IDLE("output_router_logits")
    IDLE("router_jitter_noise") IDLE("input_jitter_noise") IDLE("attention_softmax_in_fp32") IDLE("bias_dropout_fusion")
    IDLE("masked_softmax_fusion") IDLE("skip_bias_add") IDLE("skip_bias_add_qkv")
    IDLE("apply_residual_connection_post_layernorm") IDLE("residual_in_fp32") IDLE("rescale_prenorm_residual")
    IDLE("mamba_hidden_act") IDLE("use_conv_bias") IDLE("expand") IDLE("time_step_floor") IDLE("time_step_limit")
    IDLE("time_step_max") IDLE("time_step_min") IDLE("time_step_rank") IDLE("scale_attention_softmax_in_fp32")
    /* of no meaning to the model that has them */
    TAKE(LATENT, "num_key_value_heads", ss_take_idle)
    TAKE(LATENT, "head_dim", ss_take_idle)
    TAKE(SS_OF(nemotron_h), "sliding_window", ss_take_idle)
    TAKE(SS_OF(gpt_oss), "output_past", ss_take_idle)
    {.key = NULL},
};

const ss_config_preset ss_config_presets[] = {
    {GATED, SS_AT_model_mlp, SS_MLP_SWIGLU},
    {PLAIN, SS_AT_model_mlp, SS_MLP_GELU},
    {SQUARED, SS_AT_model_mlp, SS_MLP_RELU2},
    {GEMMAS | SS_OF(bloom), SS_AT_model_tied_embeddings, SS_YES},
    {SS_OF(qwen3) | SS_OF(qwen3_moe) | SS_OF(gemma3_text) | SS_OF(olmo2) | NEXT, SS_AT_model_qk_norm, SS_YES},
    {NEXT, SS_AT_model_attention_output_gate, SS_YES},
    {GEMMA, SS_AT_model_post_norms, SS_YES}, /* olmo2 has as many norms as others, behind its parts */
    {SS_OF(gpt_neox) | SS_OF(phi), SS_AT_model_parallel, SS_YES},
    {SS_OF(llama4_text), SS_AT_model_shared_experts, 1},
    {GEMMAS | NEXT, SS_AT_model_head_size, 256},
    {NEXT, SS_AT_model_state_heads, 32}, /* as its class has them */
    {NEXT, SS_AT_model_state_head_size, 128},
    {NEXT, SS_AT_model_state_size, 128},
    {NEXT, SS_AT_model_state_groups, 16},
    {NEXT, SS_AT_model_state_chunk, 64}, /* chunk_size of torch_chunk_gated_delta_rule, in modeling_qwen3_next.py */
    {SS_OF(qwen3) | SS_OF(nemotron_h) | SS_OF(llama4_text), SS_AT_model_head_size, 128},
    {SS_OF(gpt_oss), SS_AT_model_head_size, 64},
    {SS_OF(gemma3_text), SS_AT_model_heads, 8},
    {SS_OF(gemma3_text), SS_AT_model_kv_heads, 4},
    {SS_OF(gemma3_text), SS_AT_model_vocabulary, 262208},
    {.models = 0},
};
/* clang-format on */
