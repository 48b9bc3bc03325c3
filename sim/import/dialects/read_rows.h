/* Short names for rows of settings that are read and never written. Included by lists of such rows only. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_READ_ROWS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_READ_ROWS_H

#include "sim/import/dialects/setting_row.h"

#define COUNT(name, at) {.key = name, .use = SS_SETTING_COUNT, .attribute = SS_AT_##at},
#define FLAG(name, at, yes, no)                                                                                        \
  {.key = name, .use = SS_SETTING_FLAG, .attribute = SS_AT_##at, .number = yes, .otherwise = no},
#define WORD(name, word, at, value)                                                                                    \
  {.key = name, .use = SS_SETTING_WORD, .attribute = SS_AT_##at, .number = value, .text = word},
#define NUMBER(name, what, kind, least, most)                                                                          \
  {.key = name, .use = SS_SETTING_##kind, .which = SS_VALUE_##what, .number = least, .otherwise = most},
#define WHOLE(name, what, least)      NUMBER(name, what, WHOLE, least, SS_SETTING_MOST)
#define LARGE(name, what, least)      NUMBER(name, what, WHOLE, least, SS_SETTING_LARGEST)
#define REAL(name, what, least, most) NUMBER(name, what, REAL, least, most)
#define PICK(name, word, what, value)                                                                                  \
  {.key = name, .use = SS_SETTING_PICK, .which = SS_VALUE_##what, .text = word, .number = value},
#define NONE(name, word)     PICK(name, word, NOTHING, 1)
#define IDLE(name)           {.key = name, .use = SS_SETTING_IDLE},
#define LEFT_OUT(name, what) {.key = name, .use = SS_SETTING_LEFT_OUT, .text = what},
#define RECIPE(name)         {.key = name, .use = SS_SETTING_RECIPE},
#define REFUSED(name, why)   {.key = name, .use = SS_SETTING_REFUSED, .text = why},

#endif
