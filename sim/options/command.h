/* The commands: their names, arguments and help. */
#ifndef STEPSIM_SIM_OPTIONS_COMMAND_H
#define STEPSIM_SIM_OPTIONS_COMMAND_H

#include <stdint.h>

#include "sim/io/shipped.h"

enum { SS_MAX_ARGUMENTS = 64 };

/* X(enumerator, "name", "arguments", how many of them at least, at most, what the first and the others are the names
 * of, what it does, an example, function of commands.h). */
/* clang-format off */
#define SS_COMMAND_LIST(X) \
  X(SS_COMMAND_RUN, "run", "WORKLOAD PLATFORM", 2, 2, WORKLOADS, PLATFORMS, \
    "closed form and replay of one iteration, side by side", \
    "gpt3-175b perlmutter --set parallelism.dp=4", ss_command_run) \
  X(SS_COMMAND_ESTIMATE, "estimate", "WORKLOAD PLATFORM", 2, 2, WORKLOADS, PLATFORMS, \
    "closed form only", "llama3-70b dgx-h100 --json -", ss_command_estimate) \
  X(SS_COMMAND_SEARCH, "search", "WORKLOAD PLATFORM", 2, 2, WORKLOADS, PLATFORMS, \
    "the best strategies and placements", \
    "llama3-70b jean-zay --gpus 64 --global-batch 256 --replay 5", ss_command_search) \
  X(SS_COMMAND_SWEEP, "sweep", "WORKLOAD [PLATFORM]", 1, 2, WORKLOADS, PLATFORMS, \
    "a strategy, or the best one, at every value of --vary", \
    "llama3-8b jean-zay --vary gpus=8..64*2 --best strategy", ss_command_sweep) \
  X(SS_COMMAND_PLAN, "plan", "WORKLOAD PLATFORM", 2, 2, WORKLOADS, PLATFORMS, \
    "a whole run: days, dollars and energy, with what breaks in it", \
    "llama3-405b dgx-h100 --set run.recovery=swap", ss_command_plan) \
  X(SS_COMMAND_DESCRIBE, "describe", "WORKLOAD [PLATFORM]", 1, 2, WORKLOADS, PLATFORMS, \
    "the tasks of a layer: flop, bytes, messages, seconds", "mixtral-8x7b dgx-h100", ss_command_describe) \
  X(SS_COMMAND_RESULTS, "results", "FILE", 1, 1, NONE, NONE, \
    "what a database of --db holds", "results.db --csv -", ss_command_results) \
  X(SS_COMMAND_VALIDATE, "validate", "[FILE...]", 0, SS_MAX_ARGUMENTS, MEASUREMENTS, MEASUREMENTS, \
    "predictions against published measurements", "sc21 korthikanti --summary", ss_command_validate) \
  X(SS_COMMAND_COMPARE, "compare", "WORKLOAD PLATFORM TRACE...", 3, SS_MAX_ARGUMENTS, WORKLOADS, PLATFORMS, \
    "an iteration that a profiler measured, beside its prediction", \
    "llama3-8b dgx-h100 rank0.json.gz rank1.json.gz", ss_command_compare) \
  X(SS_COMMAND_FIT, "fit", "FILE", 1, 1, FITS, NONE, \
    "platform constants, fitted to measurements", "jean-zay --quick", ss_command_fit) \
  X(SS_COMMAND_CALIBRATE, "calibrate", "PLATFORM FILE...", 2, SS_MAX_ARGUMENTS, PLATFORMS, NONE, \
    "a platform of your own, fitted to iterations and nccl-tests", \
    "dgx-h100 steps.csv --workload llama3-8b --output own.xml", ss_command_calibrate) \
  X(SS_COMMAND_PLATFORM, "platform", "--gpus N --like PLATFORM", 0, 0, NONE, NONE, \
    "writes a platform file from a few numbers", \
    "--gpus 1024 --like dgx-h100 --fabric rail --output rail.xml", ss_command_platform) \
  X(SS_COMMAND_CLUSTER, "cluster", "FILE... --like PLATFORM", 1, SS_MAX_ARGUMENTS, NONE, NONE, \
    "writes a platform from descriptions of your machine", \
    "topo.xml topology.conf --like dgx-h100 --output own.xml", ss_command_cluster) \
  X(SS_COMMAND_IMPORT, "import", "FILE...", 1, SS_MAX_ARGUMENTS, NONE, NONE, \
    "writes a workload from config.json, scripts, recipes, YAML, TOML", \
    "config.json --set model.sequence=8192 --output job.xml", ss_command_import) \
  X(SS_COMMAND_LIST_FILES, "list", "[KIND]", 0, 1, NONE, NONE, \
    "shipped workloads, platforms and other files, and software stacks", "platforms", ss_command_list) \
  X(SS_COMMAND_DOCTOR, "doctor", "", 0, 0, NONE, NONE, \
    "what a report of a defect needs: versions, folders, the machine", "> doctor.txt", ss_command_doctor) \
  X(SS_COMMAND_COMPLETION, "completion", "SHELL", 1, 1, NONE, NONE, \
    "completion of command lines, for bash, zsh or fish", "bash > ~/.local/share/bash-completion/completions/stepsim", \
    ss_command_completion) \
  X(SS_COMMAND_MANUAL, "manual", "[COMMAND]", 0, 1, NONE, NONE, \
    "the manual page, of all or of a command, for man", "search | man -l -", ss_command_manual)
/* clang-format on */

typedef enum ss_command {
#define SS_COMMAND_ID(id, name, arguments, least, most, first, rest, help, example, function) id,
  SS_COMMAND_LIST(SS_COMMAND_ID)
#undef SS_COMMAND_ID
      SS_COMMAND_COUNT
} ss_command;

/* A row of the list. */
typedef struct ss_command_row {
  const char *name, *arguments;
  int64_t least, most;    /* arguments */
  ss_shipped first, rest; /* kinds of files that the first argument and the others name */
  const char *help;       /* what it does, without a capital and a full stop */
  const char *example;    /* what may follow the name */
} ss_command_row;

const ss_command_row *ss_command_row_of(ss_command command);

/* The command of a word; SS_COMMAND_COUNT where it is none. */
ss_command ss_command_of(const char *word);

/* What `list` has beside kinds of files. */
#define SS_LIST_STACKS "stacks"

/* What an argument of a command can be, where it is one of a few words; else NULL. The list ends with NULL. */
const char *const *ss_command_words(ss_command command);

/* The kind of file that an argument of a command names. Only the second one is a platform: files of others follow it.
 */
ss_shipped ss_command_names(ss_command command, int64_t argument);

/* Sets of commands, for the options that they take. */
#define SS_ON(command) (1u << (command))
#define SS_ON_INPUTS                                                                                                   \
  (SS_ON(SS_COMMAND_RUN) | SS_ON(SS_COMMAND_ESTIMATE) | SS_ON(SS_COMMAND_PLAN) | SS_ON(SS_COMMAND_COMPARE) |           \
   SS_ON_SEARCHES)
#define SS_ON_TASKS        (SS_ON_INPUTS | SS_ON(SS_COMMAND_DESCRIBE))
#define SS_ON_CHOICES      (SS_ON_SEARCHES | SS_ON(SS_COMMAND_PLAN))
#define SS_ON_SEARCHES     (SS_ON(SS_COMMAND_SEARCH) | SS_ON(SS_COMMAND_SWEEP))
#define SS_ON_PLAYED       (SS_ON_REPLAYS | SS_ON(SS_COMMAND_PLAN))
#define SS_ON_NEW          (SS_ON(SS_COMMAND_PLATFORM) | SS_ON(SS_COMMAND_CLUSTER))
#define SS_ON_FITS         (SS_ON(SS_COMMAND_FIT) | SS_ON(SS_COMMAND_CALIBRATE))
#define SS_ON_MEASUREMENTS (SS_ON(SS_COMMAND_VALIDATE) | SS_ON_FITS)
#define SS_ON_REPLAYS      (SS_ON(SS_COMMAND_RUN) | SS_ON(SS_COMMAND_COMPARE) | SS_ON_SEARCHES | SS_ON_MEASUREMENTS)

#endif
