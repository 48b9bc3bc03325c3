/* Settings of GPT-NeoX: megatron/neox_arguments/neox_args.py and configs of EleutherAI/gpt-neox, beside those of
 * DeepSpeed, which stand in the same file. */
#include <stddef.h>

#include "sim/import/dialects/launch_rows.h"
#include "sim/import/dialects/megatron_positions.h"

const ss_setting_row ss_neox_rows[] = {
#include "sim/import/dialects/neox_rows.def"
    {.key = NULL},
};
