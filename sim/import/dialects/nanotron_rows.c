/* Settings of nanotron: src/nanotron/config of huggingface/nanotron, whose models have the keys of Transformers. */
#include <stddef.h>

#include "sim/import/dialects/launch_rows.h"

#define SIZE(name, at) COUNT("model.model-config." name, model_##at)

const ss_setting_row ss_nanotron_rows[] = {
#include "sim/import/dialects/nanotron_rows.def"
    {.key = NULL},
};
