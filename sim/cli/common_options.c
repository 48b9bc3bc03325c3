#include "sim/cli/common_options.h"

#include <stdio.h>
#include <string.h>

#include "sim/cli/option_values.h"

static void append_override(struct argp_state *state, ss_common_options *options, const char *text)
{
  ss_option_append(state, "set", options->override, &options->override_count, SS_MAX_OVERRIDES, text);
}

static void set_override(struct argp_state *state, const ss_option *row, void *target, char *text)
{
  (void)row;
  append_override(state, target, text);
}

static void set_global_batch(struct argp_state *state, const ss_option *row, void *target, char *text)
{
  const char *const attribute = "training.global-batch=";
  ss_common_options *options = target;
  if (strlen(attribute) + strlen(text) >= sizeof options->global_batch)
    argp_error(state, "--%s \"%s\": is not a number of sequences", row->name, text);
  (void)snprintf(options->global_batch, sizeof options->global_batch, "%s%s", attribute, text);
  append_override(state, options, options->global_batch);
}

#define COST_WORD(id, word, help) word,
static const char *const cost_words[] = {SS_COST_LIST(COST_WORD) NULL};

#define COST_HELP(id, word, help) word ": " help "; "

const ss_option ss_common_option_rows[] = {
    {.name = "set",
     .letter = 's',
     .argument = "NAME=VALUE",
     .help = "Override ELEMENT.ATTRIBUTE of the workload or platform.PROPERTY; repeatable",
     .commands = SS_ON_TASKS | SS_ON(SS_COMMAND_PLATFORM) | SS_ON(SS_COMMAND_IMPORT) | SS_ON_MEASUREMENTS,
     .set = set_override,
     .repeats = true},
    {.name = "cost",
     .argument = "MODEL",
     .help = "Cost model of operations - " SS_COST_LIST(COST_HELP) "default calibrated",
     .commands = SS_ON_TASKS | SS_ON_MEASUREMENTS,
     .set = ss_option_set_word,
     .words = cost_words,
     .target = offsetof(ss_common_options, cost)},
    {.name = "global-batch",
     .argument = "N",
     .help = "Short for --set training.global-batch=N",
     .commands = SS_ON_INPUTS | SS_ON(SS_COMMAND_IMPORT),
     .set = set_global_batch},
    {.name = "quiet",
     .letter = 'q',
     .help = "Print no progress and no notes on standard error",
     .commands = SS_ON_TASKS | SS_ON_MEASUREMENTS,
     .set = ss_option_set_flag,
     .target = offsetof(ss_common_options, quiet)},
    {.name = "wide",
     .help = "Print all columns of tables, however narrow the terminal is",
     .commands = SS_ON_SEARCHES | SS_ON(SS_COMMAND_RESULTS) | SS_ON(SS_COMMAND_LIST_FILES),
     .set = ss_option_set_flag,
     .target = offsetof(ss_common_options, wide)},
    {.name = NULL},
};
