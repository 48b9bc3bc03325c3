/* Settings of MaxText: src/maxtext/configs/base.yml and configs/models of AI-Hypercomputer/maxtext, which Primus has
 * under other roofs. */
#include <stddef.h>

#include "sim/import/dialects/read_rows.h"

#define KEEP(name, what)   {.key = name, .use = SS_SETTING_KEEP, .which = SS_KEPT_##what},
#define AXIS(name, what)   WHOLE(name, what, -1)
#define SWITCH(name, what) PICK(name, NULL, what, 1)
#define CAP(name, what)    REAL(name, what, 0, SS_SETTING_MOST)
#define CAST(word, value)  WORD("quantization", word, training_precision, SS_PRECISION_##value)
#define CORE(word, value)  WORD("attention", word, training_attention, SS_ATTENTION_##value)

const ss_setting_row ss_maxtext_rows[] = {
#include "sim/import/dialects/maxtext_rows.def"
    {.key = NULL},
};
