/* Settings of nanotron: src/nanotron/config of huggingface/nanotron, whose models have the keys of Transformers. */
#include <stddef.h>

#include "sim/import/dialects/launch_rows.h"

#define SIZE(name, at) COUNT("model.model-config." name, model_##at)

/* clang-format off */
const ss_setting_row ss_nanotron_rows[] = {
    /* the model */
    SIZE("num-hidden-layers", layers) SIZE("hidden-size", hidden) SIZE("intermediate-size", ffn) SIZE("num-attention-heads", heads) SIZE("num-key-value-heads", kv_heads) SIZE("head-dim", head_size) SIZE("vocab-size", vocabulary)
    WORD("model.model-config.hidden-act", "silu", model_mlp, SS_MLP_SWIGLU) REFUSED("model.model-config.hidden-act", "has another activation; allowed: silu") FLAG("model.model-config.tie-word-embeddings", model_tied_embeddings, SS_YES, SS_NO)
    SIZE("moe-config.num-experts", experts) SIZE("moe-config.top-k", top_k) SIZE("moe-config.moe-intermediate-size", expert_ffn) REFUSED("model.model-config.moe-config.enable-shared-expert", "has a shared expert; allowed: the file without it, and --set model.shared-experts") IDLE("model.model-config.moe-config.*")
    REFUSED("model.model-config.sliding-window-size", "attends to a window in some layers; allowed: the file without it, and --set model.kinds with model.pattern") LEFT_OUT("model.model-config.-use-doc-masking", "attention to tokens of the own document only: training.documents says so") LEFT_OUT("model.model-config.attention-bias", "biases of attention")
    FLAG("model.model-config.-fused-rms-norm", training_fused, SS_YES, SS_NO) REFUSED("model.model-config.ssm-cfg.*", "has layers of Mamba; allowed: the config.json of such a model") IDLE("model.model-config.*")
    WHOLE("model.make-vocab-size-divisible-by", VOCABULARY_MULTIPLE, 1) PICK("model.dtype", "bfloat16", BASE, 1) PICK("model.dtype", "float16", BASE, 2) REFUSED("model.dtype", "trains in 32 bits; allowed: bfloat16 or float16") IDLE("model.*")
    /* batch */
    COUNT("tokens.sequence-length", model_sequence) COUNT("tokens.micro-batch-size", training_micro_batch) WHOLE("tokens.batch-accumulation-per-replica", ACCUMULATION, 1) IDLE("tokens.*")
    /* the strategy */
    COUNT("parallelism.dp", parallelism_dp) COUNT("parallelism.tp", parallelism_tp) COUNT("parallelism.pp", parallelism_pp) COUNT("parallelism.context-parallel-size", parallelism_cp) COUNT("parallelism.expert-parallel-size", parallelism_ep)
    WORD("parallelism.pp-engine", "1f1b", schedule_pipeline, SS_PIPELINE_1F1B) WORD("parallelism.pp-engine", "afab", schedule_pipeline, SS_PIPELINE_GPIPE)
    WORD("parallelism.tp-mode", "REDUCE_SCATTER", parallelism_sequence_parallel, SS_YES) WORD("parallelism.tp-mode", "ALL_REDUCE", parallelism_sequence_parallel, SS_NO) FLAG("parallelism.recompute-layer", training_recompute, SS_RECOMPUTE_FULL, SS_RECOMPUTE_NONE)
    LEFT_OUT("parallelism.tp-linear-async-communication", "gathers of tensor-parallel ranks beside products: schedule.overlap-tp has them") IDLE("parallelism.*")
    WORD("optimizer.zero-stage", "0", parallelism_sharding, SS_SHARDING_NONE) WORD("optimizer.zero-stage", "1", parallelism_sharding, SS_SHARDING_OPTIMIZER) FLAG("optimizer.accumulate-grad-in-fp32", training_gradients, SS_GRADIENTS_FP32, SS_GRADIENTS_16BIT)
    WORD("optimizer.optimizer-factory.name", "adamW", training_optimizer, SS_OPTIMIZER_ADAM) REFUSED("optimizer.optimizer-factory.name", "is another optimizer; allowed: adamW") IDLE("optimizer.*")
    SS_LAUNCH_ROWS
    IDLE("checkpoints.*") IDLE("data-stages.*") IDLE("data-stages") IDLE("general.*") IDLE("lighteval.*") IDLE("lighteval") IDLE("logging.*") IDLE("profiler.*") IDLE("profiler") IDLE("tokenizer.*") IDLE("s3-upload.*") IDLE("s3-upload") IDLE("metrics-logging.*") IDLE("metrics-logging") IDLE("experiment-logger.*") IDLE("slurm.*") IDLE("config-file")
    {.key = NULL},
};
/* clang-format on */
