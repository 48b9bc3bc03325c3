#include "sim/options/platform_options.h"

#include "sim/options/option_values.h"

#define FABRIC_WORD(id, word, table, help) word,
static const char *const fabric_words[] = {SS_FABRIC_KIND_LIST(FABRIC_WORD) NULL};

#define BUILD_ROW(id, word, value, what)                                                                               \
  {.name = (word),                                                                                                     \
   .argument = (value),                                                                                                \
   .help = (what),                                                                                                     \
   .commands = SS_ON_NEW,                                                                                              \
   .set = ss_option_set_text,                                                                                          \
   .words = (id) == SS_BUILD_FABRIC ? fabric_words : NULL,                                                             \
   .names = (id) == SS_BUILD_LIKE ? SS_SHIPPED_PLATFORMS : SS_SHIPPED_NONE,                                            \
   .target = offsetof(ss_platform_options, build[id])},

const ss_option ss_platform_option_rows[] = {SS_BUILD_LIST(BUILD_ROW){.name = NULL}};
