/* Settings of llm-foundry: scripts/train/yamls and llmfoundry/models/mpt/configuration_mpt.py of mosaicml/llm-foundry,
 * and the Trainer of mosaicml/composer. */
#include <stddef.h>

#include "sim/import/dialects/read_rows.h"

const ss_setting_row ss_foundry_rows[] = {
#include "sim/import/dialects/foundry_rows.def"
    {.key = NULL},
};
