#include "sim/options/plan_options.h"

#include "sim/options/option_values.h"

enum { MAX_TRIALS = 1000000, MAX_SIMGRID_TRIALS = 10000, DEFAULT_TRIALS = 1000, DEFAULT_SEED = 1 };

const ss_option ss_plan_option_rows[] = {
    {.name = "trials",
     .argument = "N",
     .help = "Play the run N times, each with failures of its own; default 1000",
     .commands = SS_ON(SS_COMMAND_PLAN),
     .set = ss_option_set_count,
     .target = offsetof(ss_plan_options, trials),
     .most = MAX_TRIALS},
    {.name = "simgrid-trials",
     .argument = "N",
     .help =
         "Play the first N trials on SimGrid, too, with hosts that fail; checkpoint by checkpoint, which takes longer",
     .commands = SS_ON(SS_COMMAND_PLAN),
     .set = ss_option_set_count,
     .target = offsetof(ss_plan_options, simgrid_trials),
     .most = MAX_SIMGRID_TRIALS},
    {.name = "seed",
     .argument = "S",
     .help = "Seed of what breaks when; default 1",
     .commands = SS_ON(SS_COMMAND_PLAN),
     .set = ss_option_set_count,
     .target = offsetof(ss_plan_options, seed),
     .most = INT64_MAX},
    {.name = NULL},
};

int64_t ss_plan_trials(const ss_plan_options *options)
{
  return options->trials > 0 ? options->trials : DEFAULT_TRIALS;
}

int64_t ss_plan_seed(const ss_plan_options *options)
{
  return options->seed > 0 ? options->seed : DEFAULT_SEED;
}
