/* Settings that programs built on Megatron-LM have beside its own, which are read and never written: Pai-Megatron-Patch
 * (megatron_patch/arguments.py of alibaba/Pai-Megatron-Patch), slime (slime/utils/arguments.py of THUDM/slime), Primus
 * (primus/backends/megatron of AMD-AGI/Primus), and forks for one model: Apertus (swiss-ai/Megatron-LM) and Ling
 * (training/megatron of inclusionAI/Ling-V2), Megatron-DeepSpeed (megatron/arguments.py of
 * deepspeedai/Megatron-DeepSpeed) and scripts/performance of NVIDIA-NeMo/Megatron-Bridge. */
#include <stddef.h>

#include "sim/import/dialects/read_rows.h"

#define MATTERS(name, what) {.key = name, .use = SS_SETTING_MATTERS, .text = what},
#define SET(name, at)       {.key = name, .use = SS_SETTING_SET, .attribute = SS_AT_##at},
#define SWITCH(name, what)  PICK(name, NULL, what, 1)

/* clang-format off */
const ss_setting_row ss_megatron_fork_rows[] = {
    /* Pai-Megatron-Patch: the vocabulary is that of a tokenizer and some more, as config.json of a model has it */
    IDLE("train-mode") IDLE("max-padding-length") IDLE("patch-tokenizer-type") IDLE("extra-vocab-size") IDLE("epochs") COUNT("sliding-window", model_window)
    MATTERS("disable-vision-class-token", "an encoder of pictures; model.vision-layers and others say it") IDLE("patch-size")
    /* slime: its gate of attention's output, and norms behind attention and behind the feed-forward part */
    FLAG("use-gated-attention", model_attention_output_gate, SS_YES, SS_NO) SWITCH("post-self-attn-layernorm", ATTENTION_POST_NORM) SWITCH("post-mlp-layernorm", FFN_POST_NORM)
    FLAG("allgather-cp", parallelism_cp_exchange, SS_CP_GATHER, -1)
    /* Apertus: a learned activation without a gate, and an optimizer with a moment more */
    FLAG("xielu", model_mlp, SS_MLP_RELU2, -1) IDLE("qknorm-impl") IDLE("jobname") MATTERS("ademamix-alpha", "a moment more of AdEMAMix: 4 bytes of each parameter, and the time to step them") IDLE("ademamix-*") IDLE("no-log-loss-scale-to-tensorboard") IDLE("decrease-batch-size-if-needed") IDLE("trigger-path") IDLE("goldfish-*") IDLE("use-goldfish-loss")
    /* Megatron-DeepSpeed */
    IDLE("train-tokens") IDLE("no-async-tensor-model-parallel-allreduce") IDLE("repeated-dataloader") IDLE("create-moe-param-group") IDLE("moe-min-capacity") IDLE("moe-loss-coeff") COUNT("num-key-value-heads", model_kv_heads) WHOLE("ds-sequence-parallel-size", ULYSSES, 1) IDLE("train-data-exact-num-epochs") IDLE("kd-beta-ce") IDLE("universal-checkpoint")
    REFUSED("ds-sequence-parallel-fpdt", "passes parts of a sequence through a layer one after the other; allowed: the file without it") REFUSED("num-layers-teacher", "learns from another model, which runs, too; allowed: the file without it") NONE("moe-expert-parallel-size", "1") COUNT("moe-expert-parallel-size", parallelism_ep) LEFT_OUT("moe-train-capacity-factor", "tokens that an expert drops: training.capacity-factor has it") LEFT_OUT("moe-eval-capacity-factor", "tokens that an expert drops outside of training")
    /* Ling */
    IDLE("bias-zero-mean-update")
    /* Primus: adapters, as Megatron-Bridge has them */
    SWITCH("lora.enabled", ADAPTERS) WHOLE("lora.dim", ADAPTER_RANK, 1) REAL("lora.dropout", ADAPTER_DROPOUT, 0, 1) SET("lora.target-modules", training_lora_modules) IDLE("lora.*")
    IDLE("enable-odc*") IDLE("lb-mini-max-token-len")
    /* scripts/performance of Megatron-Bridge, whose recipe sets the rest (argument_parser.py) */
    RECIPE("model-recipe-name") IDLE("model-family-name") IDLE("config-variant") IDLE("list-config-variants") IDLE("gpu") NUMBER("num-gpus", PROCESSES, RANKS, 1, SS_SETTING_MOST) IDLE("gpus-per-node") IDLE("no-python") IDLE("max-step") IDLE("domain") IDLE("custom-*") IDLE("account") IDLE("partition") IDLE("time-limit") IDLE("enable-nsys") IDLE("enable-pct-binding") IDLE("enable-vboost") IDLE("pytorch-profiler") IDLE("profiling-*") IDLE("nsys-*") IDLE("detach") IDLE("nemo-home") IDLE("additional-slurm-params") IDLE("hf-token") IDLE("offline") IDLE("kubeflow-*") IDLE("dataset-root") IDLE("use-recipes")
    WORD("compute-dtype", "bf16", training_precision, SS_PRECISION_BF16) WORD("compute-dtype", "fp8_cs", training_precision, SS_PRECISION_FP8_CURRENT) WORD("compute-dtype", "fp8_mx", training_precision, SS_PRECISION_MXFP8) WORD("compute-dtype", "fp8_sc", training_precision, SS_PRECISION_FP8_BLOCK) WORD("compute-dtype", "nvfp4", training_precision, SS_PRECISION_NVFP4) SWITCH("moe-a2a-overlap", PAIRED)
    NONE("task", "pretrain") NONE("task", "sft") REFUSED("task", "trains adapters; allowed: pretrain or sft, and --set training.lora-rank") WORD("optimizer-type", "adam", training_optimizer, SS_OPTIMIZER_ADAM) WORD("optimizer-type", "muon", training_optimizer, SS_OPTIMIZER_MUON)
    {.key = NULL},
};
/* clang-format on */
