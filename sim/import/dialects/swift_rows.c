/* Settings that Megatron-SWIFT has beside those of Megatron-LM: swift/megatron/arguments and swift/arguments of
 * modelscope/ms-swift. The model that --model names comes from its config.json. */
#include <stddef.h>

#include "sim/import/dialects/read_rows.h"

#define SWITCH(name, what)  PICK(name, NULL, what, 1)
#define KEEP(name, what)    {.key = name, .use = SS_SETTING_KEEP, .which = SS_KEPT_##what},
#define MATTERS(name, what) {.key = name, .use = SS_SETTING_MATTERS, .text = what},
#define PAIRS                                                                                                          \
  "trains on pairs or rewards, or generates, with further models; allowed: a run of megatron pt or megatron sft"

const ss_setting_row ss_swift_rows[] = {
#include "sim/import/dialects/swift_rows.def"
    {.key = NULL},
};
