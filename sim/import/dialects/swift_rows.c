/* Settings that Megatron-SWIFT has beside those of Megatron-LM: swift/megatron/arguments and swift/arguments of
 * modelscope/ms-swift. The model that --model names comes from its config.json. */
#include <stddef.h>

#include "sim/import/dialects/read_rows.h"

#define SWITCH(name, what)  PICK(name, NULL, what, 1)
#define KEEP(name, what)    {.key = name, .use = SS_SETTING_KEEP, .which = SS_KEPT_##what},
#define MATTERS(name, what) {.key = name, .use = SS_SETTING_MATTERS, .text = what},
#define PAIRS                                                                                                          \
  "trains on pairs or rewards, or generates, with further models; allowed: a run of megatron pt or megatron sft"

/* clang-format off */
const ss_setting_row ss_swift_rows[] = {
    COUNT("max-length", model_sequence) SWITCH("packing", PACKS) IDLE("padding-free") IDLE("packing-*") IDLE("mlp-padding-free")
    PICK("tuner-type", "full", ADAPTERS, 0) PICK("tuner-type", "lora", ADAPTERS, 1) REFUSED("tuner-type", "trains an encoder whole beside adapters; allowed: full or lora") PICK("train-type", "full", ADAPTERS, 0) PICK("train-type", "lora", ADAPTERS, 1) REFUSED("train-type", "has adapters of another kind; allowed: full or lora")
    WHOLE("lora-rank", ADAPTER_RANK, 1) REAL("lora-dropout", ADAPTER_DROPOUT, 0, 1) KEEP("target-modules", TARGETS) IDLE("lora-alpha") IDLE("merge-lora") IDLE("use-rslora") IDLE("lora-bias") LEFT_OUT("modules-to-save", "modules that are trained whole beside adapters")
    REFUSED("rlhf-type", PAIRS) REFUSED("use-vllm", PAIRS) PICK("task-type", "causal_lm", NOTHING, 1) REFUSED("task-type", "has an output layer of classes; allowed: causal_lm") WHOLE("quant-bits", QUANTISED, 1) IDLE("quant-method") IDLE("bnb-*")
    LEFT_OUT("freeze-vit", "an encoder of pictures: model.vision-layers and others have it") LEFT_OUT("freeze-aligner", "a projection of pictures") REFUSED("freeze-llm", "trains an encoder of pictures alone; allowed: the file without it") IDLE("vit-*") IDLE("aligner-*") IDLE("attn-impl") IDLE("torch-dtype")
    IDLE("output-dir") IDLE("dataset-*") IDLE("datasets") IDLE("val-dataset") IDLE("num-train-epochs") IDLE("max-epochs") IDLE("split-dataset-ratio") IDLE("logging-*") IDLE("report-to") IDLE("model-author") IDLE("model-name") IDLE("system") IDLE("to-hf") IDLE("to-mcore") IDLE("test-convert-*") IDLE("add-non-thinking-prefix") IDLE("enable-thinking") IDLE("use-hf") IDLE("model-kwargs") IDLE("columns") IDLE("template*") IDLE("agent-template") IDLE("streaming*") IDLE("truncation-strategy") IDLE("lazy-tokenize") IDLE("adapters") IDLE("mcore-*") IDLE("ref-*") IDLE("external-plugins") IDLE("new-special-tokens") IDLE("add-version") IDLE("group-by-length") IDLE("use-precision-*") IDLE("swanlab-*") IDLE("custom-*") IDLE("warmup-*") IDLE("strict") IDLE("no-initialization") IDLE("linear-decoupled-in-proj") IDLE("enable-channel-loss") IDLE("num-labels")
    {.key = NULL},
};
/* clang-format on */
