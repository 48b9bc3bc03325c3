/* What the keys of config.json mean, model by model: classes of configurations in huggingface/transformers,
 * src/transformers/models/NAME/configuration_NAME.py, and for kimi_k2, kimi_linear, bailing_moe,
 * mimo_v2_flash and nemotron_h those that come with the models.
 */
#include "sim/import/models/config_keys.h"

#include "sim/import/models/config_sets.h"
#include "sim/import/models/takes.h"

#define COUNT(of, name, field) {.key = name, .models = of, .take = ss_take_count, .attribute = SS_AT_model_##field},
#define FLAG(of, name, field, value)                                                                                   \
  {.key = name, .models = of, .take = ss_take_flag, .attribute = SS_AT_##field, .number = value},
#define NUMBER(of, name, field, value)                                                                                 \
  {.key = name, .models = of, .take = ss_take_number, .attribute = SS_AT_##field, .number = value},
#define SHARE(of, name, field, value)                                                                                  \
  {.key = name, .models = of, .take = ss_take_share, .attribute = SS_AT_##field, .number = value},
#define ONLY(of, name, value, problem)                                                                                 \
  {.key = name, .models = of, .take = ss_take_only, .attribute = SS_AT_model_name, .number = value, .text = problem},
#define LEFT_OUT(of, name, what)                                                                                       \
  {.key = name, .models = of, .take = ss_take_left_out, .attribute = SS_AT_model_name, .text = what},
#define UNIFORM(of, name, field) {.key = name, .models = of, .take = ss_take_uniform, .attribute = SS_AT_model_##field},
#define TAKE(of, name, function) {.key = name, .models = of, .take = function, .attribute = SS_AT_model_name},
#define IDLE(name)               TAKE(ALL, name, ss_take_idle)

/* clang-format off */
const ss_config_key ss_config_keys[] = {
    /* sizes as some classes call them */
    COUNT(GPT_2 | SS_OF(bloom), "n_layer", layers) COUNT(GPT_2, "n_embd", hidden) COUNT(GPT_2 | SS_OF(bloom), "n_head", heads) COUNT(GPT_2, "n_inner", ffn)
    COUNT(MPT | DBRX, "n_layers", layers) COUNT(MPT | DBRX, "d_model", hidden) COUNT(MPT | DBRX, "n_heads", heads)
    COUNT(SS_OF(gpt_neo) | SS_OF(exaone) | CHAT_GLM, "num_layers", layers) COUNT(SS_OF(gpt_neo), "num_heads", heads) COUNT(SS_OF(opt), "ffn_dim", ffn)
    COUNT(SS_OF(falcon) | CHAT_GLM, "ffn_hidden_size", ffn) COUNT(CHAT_GLM, "padded_vocab_size", vocabulary)
    TAKE(CHAT_GLM, "vocab_size", ss_take_elsewhere) /* of the tokenizer */
    COUNT(CHAT_GLM | SS_OF(qwen), "kv_channels", head_size)
    {.key = "expansion_ratio", .models = MPT, .take = ss_take_times, .attribute = SS_AT_model_ffn, .text = "d_model"},
    {.key = "intermediate_size", .models = SS_OF(qwen), .take = ss_take_half, .attribute = SS_AT_model_ffn},
    {.key = "multi_query_group_num", .models = CHAT_GLM, .take = ss_take_with, .attribute = SS_AT_model_kv_heads, .text = "multi_query_attention"},
    TAKE(CHAT_GLM, "multi_query_attention", ss_take_elsewhere)
    /* room for tokens, and vectors of their positions */
    {.key = "n_positions", .models = SS_OF(gpt2) | SS_OF(gpt_bigcode), .take = ss_take_positions, .attribute = SS_AT_model_positions},
    {.key = "max_position_embeddings", .models = SS_OF(gpt_neo) | SS_OF(bert), .take = ss_take_positions, .attribute = SS_AT_model_positions},
    {.key = "max_position_embeddings", .models = SS_OF(opt), .take = ss_take_positions, .attribute = SS_AT_model_positions, .number = 2}, /* two more than tokens */
    {.key = "max_position_embeddings", .models = SS_OF(roberta), .take = ss_take_positions, .attribute = SS_AT_model_positions, .number = -2},
    {.key = "n_positions", .models = GPT_2, .take = ss_take_sequence, .attribute = SS_AT_model_sequence},
    {.key = "n_ctx", .models = GPT_2, .take = ss_take_sequence, .attribute = SS_AT_model_sequence},
    {.key = "max_seq_len", .models = MPT | DBRX, .take = ss_take_sequence, .attribute = SS_AT_model_sequence},
    {.key = "seq_length", .models = CHAT_GLM | SS_OF(qwen), .take = ss_take_sequence, .attribute = SS_AT_model_sequence},
    TAKE(SS_OF(gpt_bigcode), "max_sequence_length", ss_take_idle)
    {.key = "word_embed_proj_dim", .models = SS_OF(opt), .take = ss_take_same, .attribute = SS_AT_model_name, .text = "hidden_size"},
    {.key = "do_layer_norm_before", .models = SS_OF(opt), .take = ss_take_true, .attribute = SS_AT_model_name, .text = "norms lie behind what is added up"},
    {.key = "position_embedding_type", .models = ENCODERS, .take = ss_take_word, .attribute = SS_AT_model_name, .text = "absolute"},
    ONLY(ENCODERS, "is_decoder", 0, "looks back only")
    ONLY(ENCODERS, "add_cross_attention", 0, "attends to what an encoder writes")
    LEFT_OUT(ENCODERS, "type_vocab_size", "embeddings of token types, the pooler, the dense layer ahead of predictions, and that norms lie behind what is added up")
    TAKE(SS_OF(gpt_neo), "attention_types", ss_take_elsewhere) TAKE(SS_OF(gpt_neo), "attention_layers", ss_take_elsewhere)
    TAKE(SS_OF(gpt_neo), "window_size", ss_take_elsewhere)
    /* attention and feed-forward part */
    TAKE(SS_OF(falcon), "num_kv_heads", ss_take_elsewhere) TAKE(SS_OF(falcon) | SS_OF(gpt_bigcode), "multi_query", ss_take_elsewhere)
    TAKE(SS_OF(falcon), "new_decoder_architecture", ss_take_elsewhere) TAKE(SS_OF(falcon), "parallel_attn", ss_take_elsewhere)
    TAKE(SS_OF(falcon), "bias", ss_take_elsewhere) TAKE(SS_OF(falcon), "alibi", ss_take_elsewhere)
    TAKE(SS_OF(falcon), "num_ln_in_parallel_attn", ss_take_elsewhere) TAKE(SS_OF(falcon), "activation", ss_take_activation)
    TAKE(GPT_2 | SS_OF(gpt_neo) | SS_OF(opt) | SS_OF(exaone), "activation_function", ss_take_activation)
    FLAG(SS_OF(stablelm), "use_parallel_residual", model_parallel, SS_YES) FLAG(SS_OF(stablelm), "qk_layernorm", model_qk_norm, SS_YES)
    LEFT_OUT(SS_OF(stablelm), "use_qkv_bias", "biases of attention") LEFT_OUT(CHAT_GLM, "add_qkv_bias", "biases of attention")
    LEFT_OUT(CHAT_GLM, "add_bias_linear", "biases") LEFT_OUT(SS_OF(internlm2) | SS_OF(internlm3), "bias", "biases")
    LEFT_OUT(SS_OF(internlm3), "qkv_bias", "biases of attention") TAKE(CHAT_GLM | SS_OF(qwen) | SS_OF(gptj), "rmsnorm", ss_take_idle)
    TAKE(MPT | SS_OF(qwen), "no_bias", ss_take_elsewhere) TAKE(MPT, "learned_pos_emb", ss_take_elsewhere) TAKE(MPT | DBRX, "attn_config", ss_take_inside)
    TAKE(MPT | DBRX, "ffn_config", ss_take_inside) COUNT(MPT | DBRX, "attn_config.kv_n_heads", kv_heads) FLAG(MPT, "attn_config.qk_ln", model_qk_norm, SS_YES)
    TAKE(MPT, "attn_config.alibi", ss_take_elsewhere) TAKE(MPT, "attn_config.attn_type", ss_take_elsewhere)
    FLAG(MPT, "attn_config.rope", model_rotary, SS_MODEL_ROTARY_YES) SHARE(MPT | DBRX, "attn_config.attn_pdrop", training_dropout, SS_YES)
    ONLY(MPT, "attn_config.sliding_window_size", -1, "attends to a window")
    ONLY(MPT, "attn_config.prefix_lm", 0, "some tokens attend to both sides")
    TAKE(MPT, "attn_config.attn_impl", ss_take_idle) TAKE(MPT, "attn_config.attn_uses_sequence_id", ss_take_idle)
    TAKE(MPT, "attn_config.alibi_bias_max", ss_take_idle) TAKE(MPT, "attn_config.softmax_scale", ss_take_idle)
    TAKE(MPT | DBRX, "attn_config.clip_qkv", ss_take_idle) TAKE(MPT | DBRX, "attn_config.rope_theta", ss_take_idle)
    TAKE(MPT | DBRX, "attn_config.model_type", ss_take_idle)
    {.key = "ffn_config.ffn_type", .models = MPT, .take = ss_take_word, .attribute = SS_AT_model_name, .text = "mptmlp"},
    COUNT(DBRX, "ffn_config.ffn_hidden_size", expert_ffn) COUNT(DBRX, "ffn_config.moe_num_experts", experts) COUNT(DBRX, "ffn_config.moe_top_k", top_k)
    TAKE(DBRX, "ffn_config.moe_loss_weight", ss_take_idle) TAKE(DBRX, "ffn_config.moe_jitter_eps", ss_take_idle)
    TAKE(DBRX, "ffn_config.moe_normalize_expert_weights", ss_take_idle) TAKE(DBRX, "ffn_config.uniform_expert_assignment", ss_take_idle)
    TAKE(DBRX, "ffn_config.ffn_act_fn", ss_take_idle) TAKE(DBRX, "ffn_config.model_type", ss_take_idle)
    /* Mamba by itself */
    COUNT(SS_OF(mamba2), "num_heads", state_heads) COUNT(SS_OF(mamba2), "head_dim", state_head_size) COUNT(SS_OF(mamba2), "n_groups", state_groups)
    COUNT(SS_OF(mamba2), "chunk_size", state_chunk) COUNT(PURE, "state_size", state_size) COUNT(PURE, "conv_kernel", convolution)
    TAKE(PURE, "expand", ss_take_elsewhere) TAKE(MAMBA, "time_step_rank", ss_take_elsewhere) TAKE(MAMBA, "intermediate_size", ss_take_elsewhere)
    TAKE(MAMBA, "d_inner", ss_take_elsewhere) TAKE(MAMBA, "d_model", ss_take_elsewhere) TAKE(MAMBA, "n_layer", ss_take_elsewhere)
    TAKE(MAMBA, "pad_vocab_size_multiple", ss_take_idle) TAKE(MAMBA, "fused_add_norm", ss_take_idle) TAKE(MAMBA, "mixer_rms_eps", ss_take_idle)
    TAKE(PURE, "rms_norm", ss_take_idle) TAKE(SS_OF(mamba2), "norm_before_gate", ss_take_idle) LEFT_OUT(PURE, "use_bias", "biases of Mamba")
    /* dropout as they call it */
    SHARE(GPT_2, "embd_pdrop", training_dropout, SS_YES) SHARE(GPT_2, "attn_pdrop", training_dropout, SS_YES)
    SHARE(GPT_2 | MPT | DBRX, "resid_pdrop", training_dropout, SS_YES) SHARE(MPT | DBRX, "emb_pdrop", training_dropout, SS_YES)
    SHARE(SS_OF(opt), "dropout", training_dropout, SS_YES) SHARE(SS_OF(gpt_neo), "resid_dropout", training_dropout, SS_YES)
    SHARE(SS_OF(gpt_neo) | SS_OF(exaone), "embed_dropout", training_dropout, SS_YES)
    SHARE(SS_OF(stablelm) | CHAT_GLM, "hidden_dropout", training_dropout, SS_YES) SHARE(SS_OF(qwen), "attn_dropout_prob", training_dropout, SS_YES)
    SHARE(SS_OF(qwen), "emb_dropout_prob", training_dropout, SS_YES)
    /* sizes */
    COUNT(ALL & ~LONGCAT, "num_hidden_layers", layers)
    COUNT(LONGCAT, "num_layers", layers) /* of two attentions each */
    TAKE(LONGCAT, "num_hidden_layers", ss_take_idle)
    COUNT(ALL, "hidden_size", hidden)
    COUNT(SS_OF(bloom), "n_embed", hidden)
    COUNT(LONGCAT, "ffn_hidden_size", ffn)
    COUNT(ALL & ~(SS_OF(llama4_text) | SS_OF(bloom) | HYBRID | SS_OF(qwen) | PURE), "intermediate_size", ffn)
    {.key = "intermediate_size", .models = HYBRID, .take = ss_take_with, .attribute = SS_AT_model_expert_ffn, .text = "num_local_experts"},
    {.key = "shared_intermediate_size", .models = HYBRID, .take = ss_take_shared_or_ffn, .attribute = SS_AT_model_shared_experts, .text = "intermediate_size"},
    COUNT(SS_OF(llama4_text), "intermediate_size_mlp", ffn)
    COUNT(SS_OF(bloom), "n_inner", ffn)
    COUNT(SS_OF(lfm2), "block_ff_dim", ffn)
    COUNT(ALL, "num_attention_heads", heads)
    COUNT(ALL & ~(LATENT | EQUAL | EIGHT), "num_key_value_heads", kv_heads)
    {.key = "num_key_value_heads", .models = EIGHT, .take = ss_take_or_default, .attribute = SS_AT_model_kv_heads},
    COUNT(ALL & ~(LATENT | EQUAL), "head_dim", head_size)
    COUNT(SS_OF(nemotron_h), "attention_head_dim", head_size)
    COUNT(SS_OF(nemotron), "kv_channels", head_size)
    COUNT(HUNYUAN, "attention_head_dim", head_size)
    COUNT(ALL, "vocab_size", vocabulary)
    FLAG(ALL, "tie_word_embeddings", model_tied_embeddings, SS_YES)
    {.key = "max_position_embeddings", .models = ALL, .take = ss_take_sequence, .attribute = SS_AT_model_sequence},
    {.key = "max_sequence_length", .models = SS_OF(llama), .take = ss_take_sequence, .attribute = SS_AT_model_sequence}, /* of the first Llama */
    {.key = "seq_length", .models = SS_OF(bloom), .take = ss_take_sequence, .attribute = SS_AT_model_sequence},
    TAKE(ALL, "_name_or_path", ss_take_name)
    /* latent attention */
    COUNT(LATENT, "q_lora_rank", q_rank)
    COUNT(STEP_3, "share_q_dim", q_rank)
    COUNT(LATENT, "kv_lora_rank", kv_rank)
    COUNT(LATENT, "qk_rope_head_dim", rope_size)
    COUNT(LATENT, "qk_nope_head_dim", head_size)
    {.key = "v_head_dim", .models = LATENT, .take = ss_take_unlike, .attribute = SS_AT_model_value_head_size, .text = "qk_nope_head_dim"},
    {.key = "v_head_dim", .models = MIMO, .take = ss_take_unlike, .attribute = SS_AT_model_value_head_size, .text = "head_dim"},
    TAKE(LATENT, "qk_head_dim", ss_take_idle)
    COUNT(SPARSE, "index_n_heads", index_heads)
    COUNT(SPARSE, "index_head_dim", index_head_size)
    COUNT(SPARSE, "index_topk", index_top_k)
    TAKE(SS_OF(glm_moe_dsa), "indexer_types", ss_take_elsewhere) LEFT_OUT(SS_OF(glm_moe_dsa), "index_share_for_mtp_iteration", "an indexer that modules share: each has its own") TAKE(GLM_DSA, "moe_router_dtype", ss_take_router_type)
    {.key = "num_experts", .models = GLM_DSA, .take = ss_take_same, .attribute = SS_AT_model_name, .text = "n_routed_experts"},
    TAKE(SS_OF(glm_moe_dsa), "index_topk_pattern", ss_take_elsewhere)
    TAKE(SS_OF(glm_moe_dsa), "index_topk_freq", ss_take_elsewhere)
    TAKE(SS_OF(glm_moe_dsa), "index_skip_topk_offset", ss_take_elsewhere)
    TAKE(SPARSE, "indexer_rope_interleave", ss_take_idle)
    {.key = "layer_types", .models = SPARSE | GLM_DSA, .take = ss_take_attend, .attribute = SS_AT_model_name, .text = "deepseek_sparse_attention"},
    /* experts */
    COUNT(LOCAL | HYBRID, "num_local_experts", experts)
    COUNT(COUNTED, "num_experts", experts)
    COUNT(LONGCAT, "n_routed_experts", experts)
    COUNT(LONGCAT, "moe_topk", top_k)
    COUNT(LONGCAT, "expert_ffn_hidden_size", expert_ffn)
    COUNT(LONGCAT, "zero_expert_num", zero_experts)
    TAKE(LONGCAT, "zero_expert_type", ss_take_elsewhere)
    TAKE(LONGCAT, "attention_method", ss_take_elsewhere)
    TAKE(LONGCAT, "mla_scale_q_lora", ss_take_idle)
    TAKE(LONGCAT, "mla_scale_kv_lora", ss_take_idle)
    LEFT_OUT(LONGCAT, "router_bias", "the bias of routers")
    COUNT(ERNIE_MOE | STEPS, "moe_num_experts", experts)
    COUNT(STEPS, "moe_top_k", top_k)
    COUNT(GEMMA_4, "top_k_experts", top_k)
    TAKE(GEMMA_4, "enable_moe_block", ss_take_elsewhere)
    TAKE(GEMMA_4, "global_head_dim", ss_take_elsewhere)
    TAKE(GEMMA_4, "num_global_key_value_heads", ss_take_elsewhere)
    TAKE(GEMMA_4, "attention_k_eq_v", ss_take_elsewhere)
    COUNT(GEMMA_4, "hidden_size_per_layer_input", layer_embedding)
    TAKE(GEMMA_4, "vocab_size_per_layer_input", ss_take_elsewhere)
    TAKE(GEMMA_4, "num_kv_shared_layers", ss_take_elsewhere)
    TAKE(GEMMA_4, "use_double_wide_mlp", ss_take_elsewhere)
    {.key = "use_bidirectional_attention", .models = GEMMA_4, .take = ss_take_sides, .attribute = SS_AT_model_name, .text = "tokens of an image attend to both sides"},
    COUNT(STEPS, "num_attention_groups", kv_heads)
    {.key = "share_expert_dim", .models = STEPS, .take = ss_take_shared, .attribute = SS_AT_model_shared_experts, .text = "moe_intermediate_size"},
    {.key = "max_position_embedding", .models = STEP_3, .take = ss_take_sequence, .attribute = SS_AT_model_sequence},
    {.key = "max_seq_len", .models = STEPS, .take = ss_take_sequence, .attribute = SS_AT_model_sequence},
    TAKE(STEP, "layer_types", ss_take_elsewhere)
    TAKE(STEP, "sliding_window", ss_take_elsewhere)
    TAKE(STEP, "attention_other_setting", ss_take_elsewhere)
    TAKE(STEPS, "moe_layers_enum", ss_take_elsewhere)
    LEFT_OUT(STEP, "use_head_wise_attn_gate", "a gate of each head behind attention")
    ONLY(STEP, "use_mfa", 0, "queries come through a low rank")
    TAKE(STEP, "use_qk_norm", ss_take_idle)
    TAKE(STEP, "use_moe", ss_take_idle)
    TAKE(STEP, "moe_layer_offset", ss_take_idle) /* moe_layers_enum says which */
    TAKE(STEP, "moe_every_n_layer", ss_take_idle)
    TAKE(STEP, "att_impl_type", ss_take_idle)
    TAKE(STEP, "yarn_only_types", ss_take_idle)
    TAKE(STEP, "partial_rotary_factors", ss_take_idle)
    TAKE(STEP, "use_rope_layers", ss_take_idle)
    TAKE(STEPS, "norm_expert_weight", ss_take_idle)
    TAKE(STEP, "moe_router_activation", ss_take_idle)
    TAKE(STEP, "moe_router_scaling_factor", ss_take_idle)
    TAKE(STEP, "use_moe_router_bias", ss_take_idle)
    TAKE(STEP, "need_fp32_gate", ss_take_idle)
    TAKE(STEP, "zero_centered", ss_take_idle)
    TAKE(STEP, "swiglu_limits", ss_take_idle)
    TAKE(STEP, "swiglu_limits_shared", ss_take_idle)
    COUNT(ERNIE_MOE, "moe_k", top_k)
    COUNT(ERNIE_MOE, "moe_num_shared_experts", shared_experts)
    COUNT(ERNIE_MOE, "moe_layer_start_index", dense_layers)
    {.key = "moe_layer_end_index", .models = ERNIE_MOE, .take = ss_take_last, .attribute = SS_AT_model_name, .text = "num_hidden_layers"},
    TAKE(ERNIE_MOE, "moe_capacity", ss_take_idle) /* of no model of transformers */
    ONLY(ERNIE_MOE, "moe_layer_interval", 1, "layers with experts lie apart")
    UNIFORM(SS_OF(hunyuan_v1_moe), "num_experts", experts)
    UNIFORM(SS_OF(hunyuan_v1_moe), "moe_topk", top_k)
    UNIFORM(SS_OF(hunyuan_v1_moe), "num_shared_expert", shared_experts)
    UNIFORM(SS_OF(hunyuan_v1_moe), "moe_intermediate_size", expert_ffn)
    COUNT(SS_OF(hunyuan_v1_moe), "moe_layer_num_skipped", dense_layers)
    TAKE(SS_OF(hunyuan_v1_moe), "use_mixed_mlp_moe", ss_take_elsewhere)
    ONLY(HUNYUAN, "use_cla", 0, "layers share keys and values")
    COUNT(SS_OF(lfm2_moe) | TRINITY, "num_dense_layers", dense_layers)
    COUNT(ROUTED | SS_OF(nemotron_h), "n_routed_experts", experts)
    COUNT(EXPERTS, "num_experts_per_tok", top_k)
    COUNT(DELTA, "num_experts_per_token", top_k)
    {.key = "num_experts_per_tok", .models = HYBRID, .take = ss_take_with, .attribute = SS_AT_model_top_k, .text = "num_local_experts"},
    COUNT(DELTA | BAILING | EXAONE | HY | TRINITY, "num_shared_experts", shared_experts)
    TAKE(BAILING, "moe_shared_expert_intermediate_size", ss_take_elsewhere) /* the same as of others */
    COUNT(SS_OF(gpt_oss), "experts_per_token", top_k)
    COUNT(ROUTED, "n_shared_experts", shared_experts)
    COUNT(ROUTED | FIRST | QWEN_MOE | SS_OF(nemotron_h) | ERNIE_MOE | SS_OF(lfm2_moe) | TRINITY | STEPS | GEMMA_4, "moe_intermediate_size", expert_ffn)
    COUNT(SS_OF(nemotron_h), "moe_latent_size", expert_latent)
    {.key = "moe_shared_expert_intermediate_size", .models = SS_OF(nemotron_h), .take = ss_take_shared, .attribute = SS_AT_model_shared_experts, .text = "moe_intermediate_size"},
    TAKE(SS_OF(nemotron_h), "n_shared_experts", ss_take_elsewhere) /* one of that width */
    {.key = "shared_expert_intermediate_size", .models = SS_OF(qwen2_moe) | NEXT_MOE, .take = ss_take_shared, .attribute = SS_AT_model_shared_experts, .text = "moe_intermediate_size"},
    ONLY(QWEN3_MOE, "shared_expert_intermediate_size", 0, "its class has no shared experts")
    COUNT(SS_OF(llama4_text), "intermediate_size", expert_ffn)
    COUNT(FIRST, "first_k_dense_replace", dense_layers)
    TAKE(GLM_DSA | EXAONE | HY, "mlp_layer_types", ss_take_dense_first)
    TAKE(EXAONE, "is_moe_layer", ss_take_elsewhere) /* first_k_dense_replace says it, too */
    COUNT(MODULES | SS_OF(nemotron_h) | SS_OF(mimo), "num_nextn_predict_layers", mtp_modules) TAKE(SS_OF(mimo), "use_mrope", ss_take_idle)
    LEFT_OUT(DELTA | MIMO, "num_nextn_predict_layers", "modules that predict a token further: model.mtp-modules has them")
    LEFT_OUT(SS_OF(minimax_m2), "num_mtp_modules", "modules that predict a token further: model.mtp-modules has them")
    TAKE(SS_OF(minimax_m2), "use_mtp", ss_take_elsewhere)
    TAKE(SS_OF(minimax_m2), "mtp_transformer_layers", ss_take_elsewhere)
    ONLY(SS_OF(minimax_m2), "shared_intermediate_size", 0, "its class has no shared experts")
    TAKE(SS_OF(minimax_m2), "attn_type_list", ss_take_ones)
    TAKE(SS_OF(nemotron_h), "mtp_hybrid_override_pattern", ss_take_elsewhere)
    TAKE(SS_OF(nemotron_h), "mtp_layers_block_type", ss_take_elsewhere)
    TAKE(SS_OF(nemotron_h), "keep_mtp_spec_in_bf16", ss_take_elsewhere)
    ONLY(LATENT | GLM_MOE | SS_OF(dots1) | SS_OF(deepseek), "moe_layer_freq", 1, "layers with experts lie apart")
    TAKE(MIMO, "moe_layer_freq", ss_take_elsewhere)
    ONLY(QWEN_MOE, "decoder_sparse_step", 1, "layers with experts lie apart")
    ONLY(QWEN_MOE, "mlp_only_layers", 0, "some layers have no experts")
    {.key = "topk_group", .models = (FIRST & ~DELTA) | MIMO | SS_OF(nemotron_h), .take = ss_take_groups, .attribute = SS_AT_model_router_group_top_k, .text = "n_group"},
    {.key = "topk_group", .models = DELTA, .take = ss_take_groups, .attribute = SS_AT_model_router_group_top_k, .text = "num_expert_group"},
    {.key = "n_group", .models = FIRST | MIMO | SS_OF(nemotron_h), .take = ss_take_grouped, .text = "topk_group"},
    {.key = "num_expert_group", .models = DELTA, .take = ss_take_grouped, .text = "topk_group"},
    /* what a layer is of */
    TAKE(ALL, "hidden_act", ss_take_activation)
    TAKE(GEMMAS, "hidden_activation", ss_take_activation)
    TAKE(SS_OF(nemotron_h), "mlp_hidden_act", ss_take_activation)
    NUMBER(GEMMA, "attn_logit_softcapping", model_soft_cap, SS_YES)
    NUMBER(GEMMA, "final_logit_softcapping", model_soft_cap, SS_YES)
    FLAG(SS_OF(gpt_neox), "use_parallel_residual", model_parallel, SS_YES)
    FLAG(SS_OF(llama4_text) | GLM_MOE | QWEN3_MOE | BAILING | HUNYUAN | COHERE | SS_OF(minimax_m2), "use_qk_norm", model_qk_norm, SS_YES)
    FLAG(SS_OF(phi), "qk_layernorm", model_qk_norm, SS_YES)
    FLAG(NEXT, "attn_output_gate", model_attention_output_gate, SS_YES)
    LEFT_OUT(ALL & ~PLAIN, "attention_bias", "biases of attention")
    LEFT_OUT(QWEN, "qkv_bias", "biases of attention")
    LEFT_OUT(BAILING, "use_qkv_bias", "biases of attention")
    LEFT_OUT(SS_OF(seed_oss), "attention_out_bias", "biases of attention")
    LEFT_OUT(ERNIE | BAILING, "use_bias", "biases")
    LEFT_OUT(MIMO, "add_swa_attention_sink_bias", "a learned term of attention's sum")
    LEFT_OUT(MIMO, "add_full_attention_sink_bias", "a learned term of attention's sum")
    TAKE(SS_OF(starcoder2), "use_bias", ss_take_idle)
    TAKE(SS_OF(starcoder2), "scale_attn_weights", ss_take_idle)
    TAKE(SS_OF(starcoder2), "activation_function", ss_take_idle)
    LEFT_OUT(ALL & ~PLAIN, "mlp_bias", "biases of feed-forward parts")
    LEFT_OUT(SS_OF(phimoe) | SS_OF(phi3), "lm_head_bias", "the bias of the output layer")
    LEFT_OUT(SS_OF(nemotron_h), "use_bias", "biases of Mamba-2")
    LEFT_OUT(SS_OF(nemotron_h), "mamba_proj_bias", "biases of Mamba-2")
    TAKE(PLAIN, "attention_bias", ss_take_idle)
    SHARE(ALL, "attention_dropout", training_dropout, SS_YES)
    SHARE(PLAIN | SS_OF(nemotron_h) | SS_OF(nemotron) | SS_OF(phimoe), "hidden_dropout", training_dropout, SS_YES)
    SHARE(PLAIN, "attention_probs_dropout_prob", training_dropout, SS_YES)
    SHARE(PLAIN, "hidden_dropout_prob", training_dropout, SS_YES)
    SHARE(SS_OF(phi3) | SS_OF(phi), "resid_pdrop", training_dropout, SS_YES)
    SHARE(SS_OF(seed_oss) | SS_OF(starcoder2), "residual_dropout", training_dropout, SS_YES)
    SHARE(BAILING, "output_dropout", training_dropout, SS_YES)
    /* Mamba-2 */
    COUNT(SS_OF(nemotron_h), "mamba_num_heads", state_heads)
    COUNT(SS_OF(nemotron_h), "mamba_head_dim", state_head_size)
    COUNT(SS_OF(nemotron_h), "ssm_state_size", state_size)
    COUNT(SS_OF(nemotron_h), "n_groups", state_groups)
    COUNT(SS_OF(nemotron_h), "chunk_size", state_chunk)
    COUNT(SS_OF(nemotron_h), "conv_kernel", convolution)
    COUNT(MAMBA_2, "mamba_n_heads", state_heads)
    TAKE(MAMBA_2, "mamba_d_head", ss_take_elsewhere)
    COUNT(MAMBA_2 | JAMBA, "mamba_d_state", state_size)
    COUNT(MAMBA_2, "mamba_n_groups", state_groups)
    COUNT(MAMBA_2, "mamba_chunk_size", state_chunk)
    COUNT(MAMBA_2 | JAMBA, "mamba_d_conv", convolution)
    LEFT_OUT(MAMBA_2 | JAMBA, "mamba_proj_bias", "biases of Mamba")
    TAKE(MAMBA_2 | JAMBA, "mamba_conv_bias", ss_take_idle)
    TAKE(MAMBA_2, "mamba_expand", ss_take_elsewhere)
    TAKE(SS_OF(bamba), "attn_layer_indices", ss_take_elsewhere)
    TAKE(SS_OF(bamba), "attn_rotary_emb", ss_take_idle)
    TAKE(FALCON, "mamba_d_ssm", ss_take_elsewhere)
    TAKE(FALCON, "mamba_norm_before_gate", ss_take_idle)
    TAKE(FALCON, "mamba_rms_norm", ss_take_idle)
    TAKE(FALCON, "mamba_use_mlp", ss_take_idle)
    TAKE(FALCON, "mlp_expansion_factor", ss_take_idle)
    LEFT_OUT(FALCON, "projectors_bias", "biases of projections")
    TAKE(FALCON, "lm_head_multiplier", ss_take_idle)
    TAKE(FALCON, "mlp_multipliers", ss_take_idle)
    TAKE(FALCON, "key_multiplier", ss_take_idle)
    TAKE(FALCON, "attention_in_multiplier", ss_take_idle)
    TAKE(FALCON, "attention_out_multiplier", ss_take_idle)
    TAKE(FALCON, "ssm_multipliers", ss_take_idle)
    TAKE(FALCON, "ssm_in_multiplier", ss_take_idle)
    TAKE(FALCON, "ssm_out_multiplier", ss_take_idle)
    /* Mamba-1 */
    TAKE(JAMBA, "mamba_expand", ss_take_elsewhere)
    TAKE(JAMBA, "mamba_dt_rank", ss_take_elsewhere)
    TAKE(JAMBA, "mamba_inner_layernorms", ss_take_idle)
    TAKE(JAMBA, "attn_layer_period", ss_take_elsewhere)
    TAKE(JAMBA, "attn_layer_offset", ss_take_elsewhere)
    TAKE(JAMBA, "expert_layer_period", ss_take_elsewhere)
    TAKE(JAMBA, "expert_layer_offset", ss_take_elsewhere)
    ONLY(JAMBA, "sliding_window", 0, "some layers attend to a window")
    /* short convolutions */
    COUNT(SHORT, "conv_L_cache", convolution)
    TAKE(SHORT, "conv_bias", ss_take_idle)
    TAKE(SHORT, "conv_dim", ss_take_idle)
    TAKE(SHORT, "conv_dim_out", ss_take_idle)
    TAKE(SHORT, "conv_use_xavier_init", ss_take_idle)
    TAKE(SHORT, "layer_types", ss_take_elsewhere)
    TAKE(SS_OF(lfm2), "full_attn_idxs", ss_take_elsewhere)
    FLAG(SHORT, "tie_embedding", model_tied_embeddings, SS_YES)
    TAKE(SS_OF(lfm2), "block_auto_adjust_ff_dim", ss_take_elsewhere)
    TAKE(SS_OF(lfm2), "block_ffn_dim_multiplier", ss_take_elsewhere)
    TAKE(SS_OF(lfm2), "block_multiple_of", ss_take_elsewhere)
    /* gated DeltaNet */
    COUNT(NEXT | OLMO_DELTA, "linear_num_value_heads", state_heads)
    COUNT(NEXT | OLMO_DELTA, "linear_value_head_dim", state_head_size)
    COUNT(NEXT | OLMO_DELTA, "linear_key_head_dim", state_size)
    COUNT(NEXT | OLMO_DELTA, "linear_num_key_heads", state_groups)
    COUNT(NEXT | OLMO_DELTA, "linear_conv_kernel_dim", convolution)
    TAKE(OLMO_DELTA, "layer_types", ss_take_elsewhere)
    TAKE(OLMO_DELTA, "linear_allow_neg_eigval", ss_take_idle)
    TAKE(OLMO_DELTA, "linear_a_log_min", ss_take_idle)
    TAKE(OLMO_DELTA, "linear_a_log_max", ss_take_idle)
    TAKE(OLMO_DELTA, "linear_dt_min", ss_take_idle)
    TAKE(OLMO_DELTA, "linear_dt_max", ss_take_idle)
    TAKE(OLMO_DELTA, "linear_dt_init_floor", ss_take_idle)
    TAKE(NEXT, "full_attention_interval", ss_take_elsewhere)
    TAKE(NEXT, "mtp_num_hidden_layers", ss_take_elsewhere) /* a note names them */
    TAKE(NEXT, "mtp_use_dedicated_embeddings", ss_take_elsewhere)
    TAKE(NEXT, "mamba_ssm_dtype", ss_take_idle)
    TAKE(NEXT, "output_gate_type", ss_take_idle)
    /* lightning attention */
    COUNT(LIGHTNING, "block_size", state_chunk)
    TAKE(SS_OF(minimax), "layer_types", ss_take_elsewhere)
    TAKE(SS_OF(minimax_m1), "attn_type_list", ss_take_elsewhere)
    TAKE(LIGHTNING, "postnorm", ss_take_idle) /* where the residual branches off */
    ONLY(LIGHTNING, "sliding_window", 0, "some layers attend to a window")
    ONLY(LIGHTNING, "shared_intermediate_size", 0, "some layers have shared experts")
    TAKE(LIGHTNING, "full_attn_alpha_factor", ss_take_idle)
    TAKE(LIGHTNING, "full_attn_beta_factor", ss_take_idle)
    TAKE(LIGHTNING, "linear_attn_alpha_factor", ss_take_idle)
    TAKE(LIGHTNING, "linear_attn_beta_factor", ss_take_idle)
    TAKE(LIGHTNING, "mlp_alpha_factor", ss_take_idle)
    TAKE(LIGHTNING, "mlp_beta_factor", ss_take_idle)
    TAKE(LIGHTNING, "layernorm_full_attention_alpha", ss_take_idle)
    TAKE(LIGHTNING, "layernorm_linear_attention_alpha", ss_take_idle)
    TAKE(LIGHTNING, "layernorm_mlp_alpha", ss_take_idle)
    /* Kimi Delta Attention */
    TAKE(DELTA, "linear_attn_config", ss_take_elsewhere)
    TAKE(DELTA, "mla_use_nope", ss_take_idle)
    ONLY(NEXT, "sliding_window", 0, "its class has no windows")
    ONLY(NEXT, "use_sliding_window", 0, "its class has no windows")
    /* which layer is of which kind: sim/import/models/layers.c */
    TAKE(WINDOWS, "sliding_window", ss_take_elsewhere)
    TAKE(HYBRID, "layer_types", ss_take_elsewhere)
    {.key = "layer_types", .models = GRANITE & ~HYBRID, .take = ss_take_attend, .attribute = SS_AT_model_name, .text = "attention"},
    TAKE(SS_OF(cohere2), "sliding_window_pattern", ss_take_elsewhere)
    TAKE(SS_OF(cohere2), "_sliding_window_pattern", ss_take_elsewhere)
    TAKE(SS_OF(exaone4) | EXAONE, "sliding_window_pattern", ss_take_elsewhere)
    TAKE(TRINITY, "global_attn_every_n_layers", ss_take_elsewhere)
    TAKE(SS_OF(smollm3), "use_sliding_window", ss_take_elsewhere)
    TAKE(SS_OF(smollm3), "max_window_layers", ss_take_elsewhere)
    TAKE(SS_OF(smollm3), "no_rope_layers", ss_take_idle)
    TAKE(SS_OF(smollm3), "no_rope_layer_interval", ss_take_idle)
    ONLY(SS_OF(dots1), "sliding_window", 0, "some layers attend to a window")
    TAKE(SS_OF(dots1) | BAILING, "max_window_layers", ss_take_idle)
    TAKE(SS_OF(dots1), "layer_types", ss_take_idle)
    ONLY(BAILING, "use_sliding_window", 0, "some layers attend to a window")
    TAKE(BAILING, "sliding_window", ss_take_idle)
    TAKE(MIMO, "sliding_window_size", ss_take_elsewhere)
    TAKE(MIMO, "hybrid_layer_pattern", ss_take_elsewhere)
    TAKE(MIMO, "hybrid_block_size", ss_take_idle)
    TAKE(MIMO, "attention_chunk_size", ss_take_idle) /* the window of its caches */
    TAKE(MIMO, "attention_value_scale", ss_take_idle)
    TAKE(MIMO, "swa_num_key_value_heads", ss_take_elsewhere)
    {.key = "swa_num_attention_heads", .models = MIMO, .take = ss_take_same, .attribute = SS_AT_model_name, .text = "num_attention_heads"},
    {.key = "swa_head_dim", .models = MIMO, .take = ss_take_same, .attribute = SS_AT_model_name, .text = "head_dim"},
    {.key = "swa_v_head_dim", .models = MIMO, .take = ss_take_same, .attribute = SS_AT_model_name, .text = "v_head_dim"},
    TAKE(WINDOWS, "layer_types", ss_take_elsewhere)
    TAKE(QWEN, "use_sliding_window", ss_take_elsewhere)
    TAKE(QWEN, "max_window_layers", ss_take_elsewhere)
    TAKE(SS_OF(gemma3_text), "sliding_window_pattern", ss_take_elsewhere)
    TAKE(SS_OF(gemma3_text), "_sliding_window_pattern", ss_take_elsewhere)
    ONLY(SS_OF(phi3), "full_attn_mod", 1, "some layers attend otherwise")
    TAKE(SS_OF(gemma2), "sliding_window_size", ss_take_idle) /* sliding_window is what its class reads */
    ONLY(SS_OF(gemma3_text), "use_bidirectional_attention", 0, "attends to both sides")
    TAKE(SS_OF(nemotron_h), "hybrid_override_pattern", ss_take_elsewhere)
    TAKE(SS_OF(nemotron_h), "layers_block_type", ss_take_listed)
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
    IDLE("task_specific_params") IDLE("summary_activation") IDLE("summary_first_dropout") IDLE("summary_proj_to_labels")
    IDLE("summary_type") IDLE("summary_use_proj") IDLE("predict_special_tokens") IDLE("gradient_checkpointing") IDLE("prefix")
    IDLE("_from_model_config") IDLE("tokenizer_name") IDLE("tokenizer_type") IDLE("decoder_start_token_id") IDLE("problem_type")
    IDLE("finetuning_task") IDLE("top_k") IDLE("top_p") IDLE("typical_p") IDLE("repetition_penalty") IDLE("length_penalty") IDLE("num_beams")
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
    IDLE("embedding_multiplier") IDLE("logits_scaling") IDLE("residual_multiplier") IDLE("attention_multiplier")
    IDLE("logit_scale") IDLE("position_embedding_type") IDLE("norm_type") IDLE("mlp_type") IDLE("norm_epsilon")
    IDLE("embedding_dropout") IDLE("moe_norm_min") IDLE("moe_gate") IDLE("moe_use_aux_free") IDLE("moe_gate_act")
    IDLE("moe_router_activation_func") IDLE("moe_renormalize") IDLE("use_grouped_topk") IDLE("use_routing_bias")
    IDLE("rotary_dim") IDLE("qk_norm_type") IDLE("shared_moe_mode") IDLE("norm_head") IDLE("norm_softmax")
    IDLE("score_function") TAKE(ALL, "router_dtype", ss_take_router_type) IDLE("moe_router_enable_expert_bias") IDLE("use_rmsnorm")
    IDLE("mtp_loss_scaling_factor") IDLE("moe_router_topk_scaling_factor") IDLE("use_expert_bias")
    IDLE("moe_drop_tokens") IDLE("moe_random_routing_dropped_token") IDLE("normalization_function")
    IDLE("layernorm_epsilon") IDLE("default_theta") IDLE("swa_rope_theta") IDLE("cla_share_factor") IDLE("rope_type")
    IDLE("use_rotary_pos_emb") IDLE("sep_token_id") IDLE("eod_token_id") IDLE("num_experts_per_layer") IDLE("mrope_section")
    IDLE("order_of_interleaved_layers") IDLE("layernorm_full_attention_beta") IDLE("layernorm_linear_attention_beta")
    IDLE("layernorm_mlp_beta") IDLE("use_parallel_embedding") IDLE("theta") IDLE("block_use_swiglu") IDLE("use_pos_enc") IDLE("rope_interleaved_layers")
    IDLE("scale_attn_weights") IDLE("reorder_and_upcast_attn") IDLE("scale_attn_by_inverse_layer_idx") IDLE("clip_qkv")
    IDLE("init_std") IDLE("layerdrop") IDLE("activation_dropout") IDLE("enable_bias") IDLE("layer_norm_elementwise_affine")
    IDLE("_remove_final_layer_norm") IDLE("rotary") IDLE("init_config") IDLE("init_device") IDLE("embedding_fraction")
    IDLE("verbose") IDLE("z_loss_weight") IDLE("scale_emb") IDLE("scale_depth") IDLE("dim_model_base")
    IDLE("directionality") IDLE("pooler_fc_size") IDLE("pooler_num_attention_heads") IDLE("pooler_num_fc_layers")
    IDLE("pooler_size_per_head") IDLE("pooler_type") IDLE("bf16") IDLE("fp16") IDLE("fp32") IDLE("use_flash_attn")
    IDLE("use_dynamic_ntk") IDLE("use_logn_attn") IDLE("use_cache_kernel") IDLE("use_cache_quantization")
    IDLE("softmax_in_fp32") IDLE("original_rope") IDLE("post_layer_norm") IDLE("apply_query_key_layer_scaling")
    TAKE(GPT_2, "output_past", ss_take_idle)
    IDLE("pad_key_length") IDLE("inference_runner") IDLE("max_batch_size") IDLE("pre_allocate_kv_cache") IDLE("validate_runner_input")
    TAKE(HY, "qk_norm", ss_take_idle)
    TAKE(HY, "expert_hidden_dim", ss_take_idle) /* moe_intermediate_size */
    TAKE(HY, "router_scaling_factor", ss_take_idle)
    TAKE(HY, "enable_moe_fp32_combine", ss_take_idle)
    TAKE(HY, "enable_attention_fp32_softmax", ss_take_idle)
    TAKE(HY, "enable_lm_head_fp32", ss_take_idle)
    TAKE(HY, "moe_router_use_sigmoid", ss_take_idle)
    TAKE(HY | TRINITY, "route_norm", ss_take_idle)
    TAKE(TRINITY, "route_scale", ss_take_idle)
    TAKE(TRINITY, "score_func", ss_take_idle)
    TAKE(TRINITY, "mup_enabled", ss_take_idle)
    TAKE(TRINITY, "load_balance_coeff", ss_take_idle)
    TAKE(TRINITY, "use_grouped_mm", ss_take_idle)
    ONLY(TRINITY, "n_group", 1, "a token may go to some groups of experts only")
    ONLY(TRINITY, "topk_group", 1, "a token may go to some groups of experts only")
    ONLY(TRINITY, "num_expert_groups", 1, "a token may go to some groups of experts only")
    ONLY(TRINITY, "num_limited_groups", 1, "a token may go to some groups of experts only")
    TAKE(SS_OF(apertus), "qk_norm", ss_take_idle)
    ONLY(SS_OF(apertus), "post_norm", 0, "norms lie behind its parts")
    /* of no meaning to the model that has them */
    TAKE(LATENT, "num_key_value_heads", ss_take_idle)
    TAKE(LATENT, "head_dim", ss_take_idle)
    TAKE(SS_OF(nemotron_h), "sliding_window", ss_take_idle)
    TAKE(SS_OF(gpt_oss), "output_past", ss_take_idle)
    {.key = NULL},
};
/* clang-format on */
