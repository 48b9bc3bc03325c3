/* Settings of MaxText: src/maxtext/configs/base.yml and configs/models of AI-Hypercomputer/maxtext, which Primus has
 * under other roofs. */
#include <stddef.h>

#include "sim/import/dialects/read_rows.h"

#define KEEP(name, what)   {.key = name, .use = SS_SETTING_KEEP, .which = SS_KEPT_##what},
#define AXIS(name, what)   WHOLE(name, what, -1)
#define SWITCH(name, what) PICK(name, NULL, what, 1)
#define CAP(name, what)    REAL(name, what, 0, SS_SETTING_MOST)
#define CAST(word, value)  WORD("quantization", word, training_precision, SS_PRECISION_##value)
#define CORE(word, value)  WORD("attention", word, training_attention, SS_ATTENTION_##value)

/* clang-format off */
const ss_setting_row ss_maxtext_rows[] = {
    /* the model */
    COUNT("base-num-decoder-layers", model_layers) COUNT("base-emb-dim", model_hidden) COUNT("base-mlp-dim", model_ffn) COUNT("base-num-query-heads", model_heads) COUNT("base-num-kv-heads", model_kv_heads)
    COUNT("head-dim", model_head_size) COUNT("vocab-size", model_vocabulary) COUNT("max-target-length", model_sequence) KEEP("decoder-block", MODEL) KEEP("mlp-activations", ACTIVATIONS) RECIPE("model-name")
    FLAG("logits-via-embedding", model_tied_embeddings, SS_YES, SS_NO) FLAG("use-qk-norm", model_qk_norm, SS_YES, SS_NO) SWITCH("use-post-attn-norm", ATTENTION_POST_NORM) SWITCH("use-post-ffw-norm", FFN_POST_NORM)
    CAP("attn-logits-soft-cap", ATTENTION_CAP) CAP("final-logits-soft-cap", LOGITS_CAP) LARGE("sliding-window-size", WINDOW, 0)
    PICK("attention-type", "mla", LATENT, 1) PICK("attention-type", "global", NOTHING, 1) PICK("attention-type", "local_sliding", NOTHING, 1)
    WHOLE("q-lora-rank", Q_RANK, 0) WHOLE("kv-lora-rank", KV_RANK, 0) WHOLE("qk-nope-head-dim", LATENT_HEAD, 0) WHOLE("qk-rope-head-dim", ROPE_SIZE, 0) WHOLE("v-head-dim", VALUE_HEAD, 0)
    WHOLE("global-parameter-scale", SCALE, 1) WHOLE("num-experts", EXPERTS, 0) WHOLE("num-experts-per-tok", TOP_K, 0) WHOLE("n-routing-groups", ROUTER_GROUPS, -1) WHOLE("topk-routing-group", GROUP_TOP_K, -1) LARGE("base-moe-mlp-dim", EXPERT_FFN, -1) COUNT("shared-experts", model_shared_experts) COUNT("first-num-dense-layers", model_dense_layers) COUNT("mtp-num-layers", model_mtp_modules)
    LEFT_OUT("attention-bias", "biases of attention") LEFT_OUT("mlp-bias", "biases of feed-forward parts") LEFT_OUT("attention-sink", "a learned term of attention's sum") REFUSED("use-multimodal", "has a tower of images, and their tokens, which are not read; allowed: false, and --set model.vision-layers and others")
    /* training */
    REAL("per-device-batch-size", LOCAL_BATCH, 0, SS_SETTING_MOST) WHOLE("gradient-accumulation-steps", ACCUMULATION, 1) KEEP("remat-policy", REMAT) FLAG("optimizer-memory-host-offload", training_offload_optimizer, SS_YES, SS_NO)
    PICK("dtype", "bfloat16", BASE, 1) CAST("", BF16) CAST("fp8", FP8) CAST("nanoo_fp8", FP8) CAST("te_fp8_delayedscaling", FP8) CAST("te_fp8_currentscaling", FP8_CURRENT) CAST("te_mxfp8", MXFP8) CAST("te_nvfp4", NVFP4)
    CORE("autoselected", FLASH) CORE("flash", FLASH) CORE("cudnn_flash_te", FLASH) CORE("cudnn_flash_jax", FLASH) CORE("dot_product", UNFUSED)
    WORD("opt-type", "adamw", training_optimizer, SS_OPTIMIZER_ADAM) WORD("opt-type", "adam_pax", training_optimizer, SS_OPTIMIZER_ADAM) WORD("opt-type", "muon", training_optimizer, SS_OPTIMIZER_MUON)
    LEFT_OUT("fused-qkv", "one product for queries, keys and values: training.projections has it") LEFT_OUT("fused-mlp", "one product for both sides of a gate") REAL("capacity-factor", CAPACITY, -1, 1000000) SWITCH("sparse-matmul", SPARSE_MOE) SWITCH("use-iota-embed", IOTA) REAL("dropout-rate", DROPOUT, 0, 1) SWITCH("enable-dropout", DROPS)
    LEFT_OUT("logits-dot-in-fp32", "the product of the output layer in 32 bits") LEFT_OUT("activations-in-float32", "activation functions in 32 bits") NONE("matmul-precision", "default") REFUSED("matmul-precision", "has products in more than 16 bits; allowed: default")
    PICK("weight-dtype", "bfloat16", WEIGHTS_16, 1) PICK("weight-dtype", "float32", WEIGHTS_16, 0) PICK("mu-dtype", "bfloat16", MOMENT_16, 1) PICK("mu-dtype", "float32", MOMENT_16, 0) NONE("mu-dtype", "") PICK("grad-dtype", "bfloat16", GRADIENTS_16, 1) PICK("grad-dtype", "float32", GRADIENTS_16, 0)
    /* the strategy */
    AXIS("ici-data-parallelism", ICI_DATA) AXIS("ici-fsdp-parallelism", ICI_FSDP) AXIS("ici-fsdp-transpose-parallelism", ICI_FSDP_TRANSPOSE) AXIS("ici-tensor-parallelism", ICI_TENSOR) AXIS("ici-tensor-sequence-parallelism", ICI_SEQUENCE) AXIS("ici-expert-parallelism", ICI_EXPERT) AXIS("ici-context-parallelism", ICI_CONTEXT)
    AXIS("dcn-data-parallelism", DCN_DATA) AXIS("dcn-fsdp-parallelism", DCN_FSDP) AXIS("dcn-fsdp-transpose-parallelism", DCN_FSDP_TRANSPOSE) AXIS("dcn-tensor-parallelism", DCN_TENSOR) AXIS("dcn-expert-parallelism", DCN_EXPERT) AXIS("dcn-context-parallelism", DCN_CONTEXT)
    AXIS("ici-pipeline-parallelism", ICI_STAGES) AXIS("dcn-pipeline-parallelism", DCN_STAGES) IDLE("num-pipeline-*") IDLE("num-layers-per-pipeline-stage") IDLE("pipeline-*")
    WHOLE("ici-*", OTHER_AXIS, 1) WHOLE("dcn-sequence-parallelism", OTHER_AXIS, 1) WHOLE("dcn-tensor-*", OTHER_AXIS, 1) SWITCH("shard-optimizer-over-data", DISTRIBUTED) WHOLE("dcn-autoregressive-parallelism", OTHER_AXIS, 1) WHOLE("dcn-context-*", OTHER_AXIS, 1) WHOLE("dcn-diloco-parallelism", OTHER_AXIS, 1)
    /* other layers; what base.yml has says that there are none */
    NONE("gdn-num-value-heads", "32") REFUSED("gdn-num-value-heads", "has gated delta rules; allowed: a config.json ahead of a file without it") NONE("interleave-moe-layer-step", "1") REFUSED("interleave-moe-layer-step", "has layers of several kinds; allowed: a config.json ahead of a file without it") REFUSED("use-indexer", "has sparse attention, which is attention to all tokens with a mask of tokens by tokens (src/maxtext/layers/attention_mla.py), of whose kernels nothing is published; allowed: the file without it, or a config.json") NONE("mhc-expansion-rate", "1") REFUSED("mhc-expansion-rate", "has several residual streams; allowed: the file without it") REFUSED("global-head-dim", "has heads of two sizes; allowed: a config.json ahead of a file without it") REFUSED("override-logical-axis-rules", "shards by rules of its own; allowed: the file without it, and its parallelism by axes") REFUSED("sharding-strategy", "serves requests; allowed: files of training") NONE("attention-output-dim", "-1") REFUSED("attention-output-dim", "has attention of another size; allowed: the file without it")
    IDLE("logical-axis-rules.*") IDLE("mesh-axes") IDLE("data-sharding.*")
    /* without influence on time */
    IDLE("base-config") IDLE("hardware") IDLE("steps") IDLE("run-name") IDLE("base-output-directory") IDLE("profile*") IDLE("skip-first-n-steps-for-profiler") IDLE("dataset-*") IDLE("hf-*") IDLE("tokenizer-*") IDLE("enable-checkpointing") IDLE("async-checkpointing") IDLE("checkpoint-*") IDLE("log-*") IDLE("packing") IDLE("max-segments-per-seq") IDLE("shardy") IDLE("scan-layers")
    IDLE("param-scan-axis") IDLE("quantize-kvcache") IDLE("kv-quant-*") IDLE("normalization-layer-epsilon") IDLE("rope-*") IDLE("mscale") IDLE("beta-fast") IDLE("beta-slow") IDLE("max-position-embeddings") IDLE("original-max-position-embeddings") IDLE("routed-*") IDLE("norm-topk-prob") IDLE("load-balance-loss-weight")
    IDLE("megablox") IDLE("use-random-routing") IDLE("local-rope-max-timescale") IDLE("mlp-activations-limit") IDLE("inhomogeneous-layer-cycle-interval") IDLE("override-model-config") IDLE("learning-rate*") IDLE("warmup-steps-fraction") IDLE("adam-*") IDLE("gradient-clipping-threshold")
    IDLE("work-group") IDLE("user-name") IDLE("exp-name") IDLE("workspace") IDLE("framework") IDLE("config") IDLE("model") IDLE("modules.pre-trainer.*") IDLE("extends") IDLE("trainable") IDLE("sink-level") IDLE("file-sink-level") IDLE("stderr-sink-level") IDLE("jax-*") IDLE("xla-*") IDLE("compile-*") IDLE("reuse-example-batch") IDLE("monitor-goodput") IDLE("save-config-to-gcs") IDLE("gcs-metrics")
    IDLE("enable-goodput-recording") IDLE("init-weights-seed") IDLE("data-shuffle-seed") IDLE("scale-embedding") IDLE("query-pre-attn-scalar") IDLE("global-rope-*") IDLE("sa-*") IDLE("allow-split-physical-axes") IDLE("use-vertex-tensorboard") IDLE("vision-*") IDLE("image-*") IDLE("num-channels-for-vit") IDLE("patch-size-for-vit") IDLE("conv-stride-for-vit") IDLE("hidden-size-for-vit") IDLE("intermediate-size-for-vit") IDLE("num-hidden-layers-for-vit") IDLE("num-attention-heads-for-vit") IDLE("projector-*") IDLE("spatial-merge-size-for-vit") IDLE("temporal-patch-size-for-vit") IDLE("out-hidden-size-for-vit") IDLE("num-position-embeddings-for-vit") IDLE("deepstack-*") IDLE("trainable-position-size") IDLE("eval-*") IDLE("target-eval-loss") IDLE("audio-*") IDLE("mrope-*") IDLE("use-mrope") IDLE("enable-nnx") IDLE("enable-wandb") IDLE("wandb-*") IDLE("cast-logits-to-fp32")
    {.key = NULL},
};
/* clang-format on */
