/* Settings of NeMo Automodel: recipes in examples of NVIDIA-NeMo/Automodel, and nemo_automodel/recipes/llm. The model
 * comes from its config.json. */
#include <stddef.h>

#include "sim/import/dialects/launch_rows.h"

#define SWITCH(name, what) PICK(name, NULL, what, 1)
#define KEEP(name, what)   {.key = name, .use = SS_SETTING_KEEP, .which = SS_KEPT_##what},
#define CORE(name, word)   WORD(name, word, training_attention, SS_ATTENTION_FLASH)

/* clang-format off */
const ss_setting_row ss_automodel_rows[] = {
    COUNT("step-scheduler.global-batch-size", training_global_batch) WHOLE("step-scheduler.local-batch-size", LOCAL_BATCH, 1) WHOLE("distributed.pipeline.pp-microbatch-size", PIPELINE_BATCH, 1) WHOLE("packed-sequence.packed-sequence-size", PACKED, 0) WHOLE("dataset.seq-length", TOKENS, 1) WHOLE("dataset.seq-len", TOKENS, 1) WHOLE("dataset.max-length", TOKENS, 1)
    NONE("distributed.dp-size", "none") COUNT("distributed.dp-size", parallelism_dp) COUNT("distributed.tp-size", parallelism_tp) COUNT("distributed.cp-size", parallelism_cp) COUNT("distributed.pp-size", parallelism_pp) COUNT("distributed.ep-size", parallelism_ep) NONE("distributed.dp-replicate-size", "none") WHOLE("distributed.dp-replicate-size", REPLICATE, 1)
    FLAG("distributed.sequence-parallel", parallelism_sequence_parallel, SS_YES, SS_NO) FLAG("distributed.activation-checkpointing", training_recompute, SS_RECOMPUTE_FULL, SS_RECOMPUTE_NONE)
    WORD("distributed.strategy", "fsdp2", parallelism_sharding, SS_SHARDING_PARAMETERS) WORD("distributed.strategy", "megatron_fsdp", parallelism_sharding, SS_SHARDING_PARAMETERS) WORD("distributed.strategy", "ddp", parallelism_sharding, SS_SHARDING_NONE)
    WORD("distributed.pipeline.pp-schedule", "1f1b", schedule_pipeline, SS_PIPELINE_1F1B) WORD("distributed.pipeline.pp-schedule", "gpipe", schedule_pipeline, SS_PIPELINE_GPIPE) WORD("distributed.pipeline.pp-schedule", "interleaved1f1b", schedule_pipeline, SS_PIPELINE_INTERLEAVED) REFUSED("distributed.pipeline.pp-schedule", "is another schedule; allowed: 1f1b, gpipe or interleaved1f1b, and --set schedule.pipeline") WHOLE("distributed.pipeline.layers-per-stage", LAYERS_OF_CHUNK, 1)
    PICK("peft.-target-", "nemo_automodel.components._peft.lora.PeftConfig", ADAPTERS, 1) REFUSED("peft.-target-", "has adapters of another kind; allowed: nemo_automodel.components._peft.lora.PeftConfig") WHOLE("peft.dim", ADAPTER_RANK, 1) KEEP("peft.target-modules", TARGETS) SWITCH("peft.match-all-linear", ADAPTS_ALL) REAL("peft.dropout", ADAPTER_DROPOUT, 0, 1) SWITCH("quantization.load-in-4bit", QUANTISED) SWITCH("quantization.load-in-8bit", QUANTISED) IDLE("peft.*") IDLE("quantization.*")
    FLAG("compile.enabled", training_fused, SS_YES, SS_NO) WORD("model.backend.dispatcher", "deepep", schedule_dispatch, SS_DISPATCH_ONCE) WORD("model.backend.dispatcher", "hybridep", schedule_dispatch, SS_DISPATCH_ONCE) WORD("model.backend.dispatcher", "torch", schedule_dispatch, SS_DISPATCH_COPIES) LEFT_OUT("model.backend.dispatcher", "another dispatcher of tokens: schedule.dispatch has what is like it") LEFT_OUT("model.backend.experts", "kernels of experts")
    CORE("model.attn-implementation", "sdpa") CORE("model.attn-implementation", "flash_attention_2") CORE("model.attn-implementation", "flash_attention_3") WORD("model.attn-implementation", "eager", training_attention, SS_ATTENTION_UNFUSED) CORE("model.backend.attn", "te") CORE("model.backend.attn", "sdpa") CORE("model.backend.attn", "flex") CORE("model.backend.attn", "cudnn") WORD("model.backend.attn", "eager", training_attention, SS_ATTENTION_UNFUSED) WORD("model.backend.attn", "torch", training_attention, SS_ATTENTION_UNFUSED) LEFT_OUT("model.backend.attn", "other kernels of attention") LEFT_OUT("model.attn-implementation", "other kernels of attention")
    REFUSED("fp8.enabled", "has products in 8 bits; allowed: the file without it, and --set training.precision") REFUSED("teacher-model.*", "learns from another model, which runs, too; allowed: the file without it") LEFT_OUT("freeze-config.*", "parts of a model with pictures that are not trained") REFUSED("qat.enabled", "rounds weights in each pass; allowed: the file without it")
    SS_LAUNCH_ROWS
    IDLE("step-scheduler.*") IDLE("distributed.*") IDLE("model.*") IDLE("dist-env.*") IDLE("rng.*") IDLE("checkpoint.*") IDLE("loss-fn.*") IDLE("dataset.*") IDLE("dataset") IDLE("dataloader.*") IDLE("validation-*") IDLE("packed-sequence.*") IDLE("optimizer.*") IDLE("lr-scheduler.*") IDLE("compile.*") IDLE("wandb.*") IDLE("mlflow.*") IDLE("comet.*") IDLE("ci.*") IDLE("recipe") IDLE("benchmark.*") IDLE("seed") IDLE("logger.*") IDLE("clip-grad-norm.*") IDLE("max-grad-norm") IDLE("kd-*") IDLE("moe-metrics.*") IDLE("fp8.*") IDLE("qat.*") IDLE("processor.*") IDLE("tokenizer.*") IDLE("slurm.*") IDLE("nsys.*") IDLE("tp-plan.*") IDLE("autopipeline.*") IDLE("autonvtx")
    {.key = NULL},
};
/* clang-format on */
