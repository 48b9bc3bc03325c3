/* Settings of llm-foundry: scripts/train/yamls and llmfoundry/models/mpt/configuration_mpt.py of mosaicml/llm-foundry,
 * and the Trainer of mosaicml/composer. */
#include <stddef.h>

#include "sim/import/dialects/read_rows.h"

/* clang-format off */
const ss_setting_row ss_foundry_rows[] = {
    COUNT("model.n-layers", model_layers) COUNT("model.d-model", model_hidden) COUNT("model.n-heads", model_heads) REAL("model.expansion-ratio", EXPANSION, 0, 1000) COUNT("model.max-seq-len", model_sequence) COUNT("max-seq-len", model_sequence) COUNT("model.vocab-size", model_vocabulary)
    COUNT("model.attn-config.kv-n-heads", model_kv_heads) FLAG("model.attn-config.qk-ln", model_qk_norm, SS_YES, SS_NO) FLAG("model.tie-word-embeddings", model_tied_embeddings, SS_YES, SS_NO)
    WORD("model.attn-config.attn-impl", "flash", training_attention, SS_ATTENTION_FLASH) PICK("model.attn-config.attn-impl", "triton", TRITON, 1) WORD("model.attn-config.attn-impl", "torch", training_attention, SS_ATTENTION_UNFUSED)
    WORD("model.ffn-config.ffn-type", "mptmlp", model_mlp, SS_MLP_GELU) WORD("model.ffn-config.ffn-type", "mptglu", model_mlp, SS_MLP_SWIGLU) WORD("model.ffn-config.ffn-type", "te_ln_mlp", model_mlp, SS_MLP_GELU) COUNT("model.ffn-config.ffn-hidden-size", model_ffn)
    COUNT("global-train-batch-size", training_global_batch) WHOLE("device-train-microbatch-size", LOCAL_BATCH, 1)
    WORD("precision", "amp_bf16", training_precision, SS_PRECISION_BF16) WORD("precision", "amp_fp16", training_precision, SS_PRECISION_FP16) WORD("precision", "amp_fp8", training_precision, SS_PRECISION_FP8)
    WORD("fsdp-config.sharding-strategy", "FULL_SHARD", parallelism_sharding, SS_SHARDING_PARAMETERS) WORD("fsdp-config.sharding-strategy", "SHARD_GRAD_OP", parallelism_sharding, SS_SHARDING_GRADIENTS) WORD("fsdp-config.sharding-strategy", "NO_SHARD", parallelism_sharding, SS_SHARDING_NONE)
    FLAG("fsdp-config.activation-checkpointing", training_recompute, SS_RECOMPUTE_FULL, SS_RECOMPUTE_NONE) FLAG("fsdp-config.activation-cpu-offload", training_offload_activations, SS_YES, SS_NO) FLAG("fsdp-config.cpu-offload", training_offload_optimizer, SS_YES, SS_NO)
    WORD("fsdp-config.mixed-precision", "PURE", training_gradients, SS_GRADIENTS_16BIT) WORD("fsdp-config.mixed-precision", "DEFAULT", training_gradients, SS_GRADIENTS_FP32) WORD("fsdp-config.mixed-precision", "FULL", training_gradients, SS_GRADIENTS_FP32)
    PICK("model.name", "mpt_causal_lm", NOTHING, 1) PICK("model.name", "hf_causal_lm", NOTHING, 1) RECIPE("model.pretrained-model-name-or-path") FLAG("model.use-flash-attention-2", training_attention, SS_ATTENTION_FLASH, SS_ATTENTION_UNFUSED) IDLE("expandable-segments")
    FLAG("fsdp-config.activation-checkpointing-reentrant", training_recompute_early_stop, SS_NO, SS_YES) FLAG("model.use-train-metrics", training_loss_metrics, 2, 0) LEFT_OUT("fsdp-config.limit-all-gathers", "schedule.prefetch has it, in layers") LEFT_OUT("fsdp-config.forward-prefetch", "schedule.prefetch has it, in layers") LEFT_OUT("fsdp-config.backward-prefetch", "schedule.prefetch has it, in layers")
    REFUSED("model.attn-config.sliding-window-size", "attends to a window; allowed: the file without it, and --set model.window=N") REFUSED("model.ffn-config.moe-num-experts", "has experts; allowed: the file without it, and --set model.experts=N") REFUSED("tp-config.*", "splits tensors; allowed: the file without it, and --set parallelism.tp=N") REFUSED("model.block-overrides.*", "has layers of its own; allowed: the file without it, and --set model.kinds")
    IDLE("variables.*") IDLE("run-name") IDLE("model.init-device") IDLE("model.init-config.*") IDLE("model.attn-config.*") IDLE("model.ffn-config.*") IDLE("model.loss-fn") IDLE("model.no-bias") IDLE("model.fc-type*") IDLE("model.norm-type") IDLE("model.learned-pos-emb") IDLE("model.resid-pdrop") IDLE("model.emb-pdrop") IDLE("model.logit-scale") IDLE("model.verbose")
    IDLE("model.pretrained*") IDLE("model.config-overrides.*") IDLE("model.use-auth-token") IDLE("model.embedding-fraction") IDLE("model.use-cache") IDLE("tokenizer.*") IDLE("train-loader.*") IDLE("eval-loader.*") IDLE("scheduler.*") WORD("optimizer.name", "decoupled_adamw", training_optimizer_step, SS_STEP_TENSORS) LEFT_OUT("optimizer.name", "another optimizer than decoupled_adamw: training.optimizer-step and training.moments have what is like it") IDLE("optimizer.*") IDLE("algorithms.*") IDLE("max-duration") IDLE("eval-*") IDLE("seed") IDLE("fsdp-config.verbose") IDLE("fsdp-config.sync-module-states")
    IDLE("fsdp-config.state-dict-type") IDLE("fsdp-config.use-orig-params") IDLE("progress-bar") IDLE("log-to-console") IDLE("console-log-interval") IDLE("callbacks.*") IDLE("loggers.*") IDLE("save-*") IDLE("load-*") IDLE("python-log-level") IDLE("dist-timeout") IDLE("autoresume") IDLE("icl-*") IDLE("global-seed") IDLE("data-local") IDLE("data-remote") IDLE("device-eval-batch-size") IDLE("accumulate-train-batch-on-tokens")
    {.key = NULL},
};
/* clang-format on */
