/* Settings of DeepSpeed: docs/_pages/config-json.md and deepspeed/runtime/zero/config.py of deepspeedai/DeepSpeed. A
 * model comes from another file, as does a strategy beside that of data. */
#include <stddef.h>

#include "sim/import/dialects/read_rows.h"

const ss_setting_row ss_deepspeed_rows[] = {
#include "sim/import/dialects/deepspeed_rows.def"
    {.key = NULL},
};
