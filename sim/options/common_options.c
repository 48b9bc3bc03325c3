#include "sim/options/common_options.h"

#include <stdio.h>
#include <string.h>

#include "model/input/words.h"
#include "sim/options/option_values.h"

/* Adds an override of an option, also of those that are short for one. Two that contradict each other are refused. */
static ss_status append_override(ss_common_options *options, const char *option, const char *text, ss_error *error)
{
  const ss_status status = ss_option_check_setting(option, options->override, options->override_count, text, error);
  if (status != SS_OK) return status;
  return ss_option_append("set", options->override, &options->override_count, SS_MAX_OVERRIDES, text, error);
}

static ss_status set_override(const ss_option *row, void *target, char *text, ss_error *error)
{
  return append_override(target, row->name, text, error);
}

static ss_status set_global_batch(const ss_option *row, void *target, char *text, ss_error *error)
{
  const char *const attribute = "training.global-batch=";
  ss_common_options *options = target;
  if (strlen(attribute) + strlen(text) >= sizeof options->global_batch)
    return ss_option_refuse(error, "--%s \"%s\": is not a number of sequences", row->name, text);
  (void)snprintf(options->global_batch, sizeof options->global_batch, "%s%s", attribute, text);
  return append_override(options, row->name, options->global_batch, error);
}

#define RUNNER_WORD(id, word) word,
static const char *const runner_words[] = {SS_RUNNER_LIST(RUNNER_WORD) NULL};

/* Those of --for and --emit: all but the first, which asks for none. */
static const char *const *const framework_words = runner_words + 1;

static ss_status set_framework(const ss_option *row, void *target, char *text, ss_error *error)
{
  const char *const attribute = "training.framework=";
  ss_common_options *options = target;
  int i;
  const ss_status status = ss_option_set_word(row, &i, text, error);
  if (status != SS_OK) return status;
  if (options->framework[0] != '\0' && strcmp(options->framework + strlen(attribute), framework_words[i]) != 0)
    return ss_option_refuse(error,
                            "--%s \"%s\": differs from what the other of --for and --emit has; allowed: one framework",
                            row->name, text);
  (void)snprintf(options->framework, sizeof options->framework, "%s%s", attribute, framework_words[i]);
  options->emits = options->emits || strcmp(row->name, "emit") == 0;
  return append_override(options, row->name, options->framework, error);
}

#define COST_WORD(id, word, help) word,
static const char *const cost_words[] = {SS_COST_LIST(COST_WORD) NULL};

#define COST_HELP(id, word, help) word ": " help "; "

const ss_option ss_common_option_rows[] = {
    {.name = "set",
     .letter = 's',
     .argument = "NAME=VALUE",
     .help = "Override ELEMENT.ATTRIBUTE of the workload or platform.PROPERTY; repeatable",
     .commands = SS_ON_TASKS | SS_ON(SS_COMMAND_CALIBRATE),
     .set = set_override,
     .repeats = true},
    {.name = "set",
     .letter = 's',
     .argument = "NAME=VALUE",
     .help = "Override platform.PROPERTY; repeatable",
     .commands = SS_ON_NEW | SS_ON(SS_COMMAND_VALIDATE) | SS_ON(SS_COMMAND_FIT),
     .set = set_override,
     .repeats = true},
    {.name = "set",
     .letter = 's',
     .argument = "NAME=VALUE",
     .help = "Override ELEMENT.ATTRIBUTE of the workload; repeatable",
     .commands = SS_ON(SS_COMMAND_IMPORT),
     .set = set_override,
     .repeats = true},
    {.name = "for",
     .argument = "FRAMEWORK",
     .help = "Refuse a strategy that a framework cannot run, of megatron, nemo, torchtitan: --set "
             "training.framework=FRAMEWORK",
     .commands = SS_ON(SS_COMMAND_RUN) | SS_ON(SS_COMMAND_ESTIMATE) | SS_ON(SS_COMMAND_COMPARE),
     .set = set_framework,
     .words = runner_words + 1},
    {.name = "for",
     .argument = "FRAMEWORK",
     .help =
         "Only strategies that a framework can run, of megatron, nemo, torchtitan: --set training.framework=FRAMEWORK",
     .commands = SS_ON_CHOICES,
     .set = set_framework,
     .words = runner_words + 1},
    {.name = "emit",
     .argument = "FRAMEWORK",
     .help = "Write the settings that start the strategy, or the best one found, to standard output instead of the "
             "table - megatron: a command line of Megatron-LM; nemo: YAML of Megatron-Bridge; torchtitan: TOML of "
             "TorchTitan; only strategies that it can run, as with --for",
     .commands = SS_ON(SS_COMMAND_RUN) | SS_ON(SS_COMMAND_ESTIMATE) | SS_ON(SS_COMMAND_SEARCH),
     .set = set_framework,
     .words = runner_words + 1},
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
    {.name = "gpus",
     .argument = "N",
     .help = "GPUs of the job, from which dp follows; default: as the files say",
     .commands = SS_ON(SS_COMMAND_IMPORT),
     .set = ss_option_set_count,
     .target = offsetof(ss_common_options, gpus),
     .most = INT32_MAX},
    {.name = "recipe",
     .argument = "NAME",
     .help = "Recipe of a file of Megatron-Bridge that has several: the name of its function, with arguments behind it "
             "where it has some, as in NAME(precision=\"fp8_mx\")",
     .commands = SS_ON(SS_COMMAND_IMPORT),
     .set = ss_option_set_text,
     .target = offsetof(ss_common_options, recipe)},
    {.name = "quiet",
     .letter = 'q',
     .help = "Print no progress and no notes on standard error",
     .commands = SS_ON_TASKS | SS_ON_MEASUREMENTS | SS_ON(SS_COMMAND_IMPORT),
     .set = ss_option_set_flag,
     .target = offsetof(ss_common_options, quiet)},
    {.name = "wide",
     .help = "Print all columns of tables, however narrow the terminal is",
     .commands = SS_ON_SEARCHES | SS_ON(SS_COMMAND_RESULTS) | SS_ON(SS_COMMAND_LIST_FILES),
     .set = ss_option_set_flag,
     .target = offsetof(ss_common_options, wide)},
    {.name = NULL},
};
