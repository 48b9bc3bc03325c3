/* Settings of TorchTitan until its configurations became programs in Python: torchtitan/config/job_config.py of
 * pytorch/torchtitan at v0.2.0, and names that it had before. Primus has the same in YAML. */
#include <stddef.h>

#include "sim/import/dialects/setting_row.h"

/* Without it, TorchTitan computes some operations again. */
static bool keeps_all(const ss_workload *w)
{
  return w->training.recompute == SS_RECOMPUTE_NONE;
}

static bool has_stages(const ss_workload *w)
{
  return w->parallelism.pp > 1;
}

static bool is_split_tensor(const ss_workload *w)
{
  return w->parallelism.cp > 1;
}

#define NOBODY 0u
#define TOML   SS_BY(torchtitan)

#define COUNT(whose, name, at) {.key = name, .by = whose, .use = SS_SETTING_COUNT, .attribute = SS_AT_##at},
#define ALWAYS(whose, name, at)                                                                                        \
  {.key = name, .by = whose, .use = SS_SETTING_COUNT, .attribute = SS_AT_##at, .number = 1},
#define FLAG(whose, name, at, yes, no)                                                                                 \
  {.key = name, .by = whose, .use = SS_SETTING_FLAG, .attribute = SS_AT_##at, .number = yes, .otherwise = no},
#define WORD(whose, name, word, at, value, if_)                                                                        \
  {.key = name,                                                                                                        \
   .by = whose,                                                                                                        \
   .use = SS_SETTING_WORD,                                                                                             \
   .attribute = SS_AT_##at,                                                                                            \
   .number = value,                                                                                                    \
   .text = word,                                                                                                       \
   .when = if_},
#define NUMBER(whose, name, what, least, most)                                                                         \
  {.key = name, .by = whose, .use = SS_SETTING_WHOLE, .which = SS_VALUE_##what, .number = least, .otherwise = most},
#define WHOLE(whose, name, what, least) NUMBER(whose, name, what, least, SS_SETTING_MOST)
#define LARGE(whose, name, what, least) NUMBER(whose, name, what, least, SS_SETTING_LARGEST)
#define PICK(whose, name, word, what, value)                                                                           \
  {.key = name, .by = whose, .use = SS_SETTING_PICK, .which = SS_VALUE_##what, .text = word, .number = value},
#define KEEP(whose, name, what) {.key = name, .by = whose, .use = SS_SETTING_KEEP, .which = SS_KEPT_##what},
#define LIST(whose, name, what)                                                                                        \
  {.key = name, .by = whose, .use = SS_SETTING_KEEP, .which = SS_KEPT_##what, .number = 1},
#define IDLE(name)           {.key = name, .use = SS_SETTING_IDLE},
#define LEFT_OUT(name, what) {.key = name, .use = SS_SETTING_LEFT_OUT, .text = what},
#define REFUSED(name, why)   {.key = name, .use = SS_SETTING_REFUSED, .text = why},

const ss_setting_row ss_titan_rows[] = {
#include "sim/import/dialects/titan_rows.def"
    {.key = NULL},
};
