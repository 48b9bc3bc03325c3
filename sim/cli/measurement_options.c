#include "sim/cli/measurement_options.h"

#include "sim/cli/option_values.h"

#define FLAG_AT(field) .set = ss_option_set_flag, .target = offsetof(ss_measurement_options, field)

const ss_option ss_measurement_option_rows[] = {
    {.name = "summary",
     .help = "Print only the errors of groups and sweeps, and regrets",
     .commands = SS_ON(SS_COMMAND_VALIDATE),
     FLAG_AT(summary)},
    {.name = "check",
     .help = "Fail if the mean absolute error or regret of a group exceeds its bound",
     .commands = SS_ON(SS_COMMAND_VALIDATE),
     FLAG_AT(check)},
    {.name = "coverage",
     .help =
         "Print how many measured iterations the intervals of predictions contain, each without the rows of its own "
         "publisher; predict nothing",
     .commands = SS_ON(SS_COMMAND_VALIDATE),
     FLAG_AT(coverage)},
    {.name = "replay",
     .help = "Fit the replay instead of the closed form",
     .commands = SS_ON(SS_COMMAND_FIT),
     FLAG_AT(replay)},
    {.name = "quick",
     .help = "Skip the fits that leave one source out",
     .commands = SS_ON(SS_COMMAND_FIT),
     FLAG_AT(quick)},
    {.name = NULL},
};
