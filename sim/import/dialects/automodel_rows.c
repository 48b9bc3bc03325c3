/* Settings of NeMo Automodel: recipes in examples of NVIDIA-NeMo/Automodel, and nemo_automodel/recipes/llm. The model
 * comes from its config.json. */
#include <stddef.h>

#include "sim/import/dialects/launch_rows.h"

#define SWITCH(name, what) PICK(name, NULL, what, 1)
#define KEEP(name, what)   {.key = name, .use = SS_SETTING_KEEP, .which = SS_KEPT_##what},
#define CORE(name, word)   WORD(name, word, training_attention, SS_ATTENTION_FLASH)

const ss_setting_row ss_automodel_rows[] = {
#include "sim/import/dialects/automodel_rows.def"
    {.key = NULL},
};
