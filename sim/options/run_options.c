#include "sim/options/run_options.h"

#include "sim/options/option_values.h"

enum { MAX_TRIALS = 100000 };

const ss_option ss_run_option_rows[] = {
    {.name = "beside",
     .argument = "WORKLOAD",
     .help = "Replay a second job, iteration after iteration, on GPUs that this one leaves free",
     .commands = SS_ON(SS_COMMAND_RUN),
     .set = ss_option_set_text,
     .names = SS_SHIPPED_WORKLOADS,
     .target = offsetof(ss_run_options, beside)},
    {.name = "trials",
     .argument = "N",
     .help =
         "Replay N times with different seeds that follow from --seed; a timeline shows the first replay; default 1",
     .commands = SS_ON(SS_COMMAND_RUN),
     .set = ss_option_set_count,
     .target = offsetof(ss_run_options, trials),
     .most = MAX_TRIALS},
    {.name = "verbose",
     .letter = 'v',
     .help = "Print the settings of the network simulator",
     .commands = SS_ON(SS_COMMAND_RUN),
     .set = ss_option_set_flag,
     .target = offsetof(ss_run_options, verbose)},
    {.name = NULL},
};
