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

const ss_setting_row ss_megatron_fork_rows[] = {
#include "sim/import/dialects/megatron_fork_rows.def"
    {.key = NULL},
};
