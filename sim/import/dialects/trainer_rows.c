/* Settings of trainers of Transformers, in YAML or on a command line: TrainingArguments of huggingface/transformers,
 * examples of hiyouga/LLaMA-Factory with src/llamafactory/hparams, docs/config-reference.qmd of
 * axolotl-ai-cloud/axolotl, and ClusterConfig of huggingface/accelerate. The model comes from its config.json, and
 * what a JSON of DeepSpeed says from that. */
#include <stddef.h>

#include "sim/import/dialects/launch_rows.h"

#define SWITCH(name, what)  PICK(name, NULL, what, 1)
#define KEEP(name, what)    {.key = name, .use = SS_SETTING_KEEP, .which = SS_KEPT_##what},
#define MATTERS(name, what) {.key = name, .use = SS_SETTING_MATTERS, .text = what},
#define PAIRS               "trains on pairs or rewards, or generates; allowed: a run of stage pt or sft"
#define OTHER_STEP          "another optimizer than AdamW; allowed: the file without it, and --set training.optimizer"

const ss_setting_row ss_trainer_rows[] = {
#include "sim/import/dialects/trainer_rows.def"
    {.key = NULL},
};
