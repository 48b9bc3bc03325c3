#include "sim/cli/platform_options.h"

#include "sim/cli/option_values.h"

#define BUILD_ROW(id, word, value, what)                                                                               \
  {.name = (word),                                                                                                     \
   .argument = (value),                                                                                                \
   .help = (what),                                                                                                     \
   .commands = SS_ON(SS_COMMAND_PLATFORM),                                                                             \
   .set = ss_option_set_text,                                                                                          \
   .target = offsetof(ss_platform_options, build[id])},

const ss_option ss_platform_option_rows[] = {SS_BUILD_LIST(BUILD_ROW){.name = NULL}};
