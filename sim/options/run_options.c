#include "sim/options/run_options.h"

#include "sim/options/option_values.h"

enum { MAX_TRIALS = 100000 };

static ss_status set_against(const ss_option *row, void *target, char *text, ss_error *error)
{
  ss_run_options *options = target;
  const ss_status status = ss_option_check_setting(row->name, options->against, options->against_count, text, error);
  if (status != SS_OK) return status;
  return ss_option_append(row->name, options->against, &options->against_count, SS_MAX_AGAINST, text, error);
}

const ss_option ss_run_option_rows[] = {
    {.name = "against",
     .argument = "NAME=VALUE",
     .help = "Predict the job with this changed as well, and put both side by side, part by part - what --set takes, "
             "workload=FILE or platform=FILE; repeatable, for one job with all of them",
     .commands = SS_ON(SS_COMMAND_RUN) | SS_ON(SS_COMMAND_ESTIMATE),
     .set = set_against,
     .repeats = true},
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
