/* The command line: one table of commands, one of options. */
#ifndef STEPSIM_SIM_CLI_OPTIONS_H
#define STEPSIM_SIM_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fabric/topology_generator.h"
#include "model/kernel/cost.h"
#include "model/result/timeline.h"
#include "model/search/search.h"
#include "model/search/sweep.h"
#include "sim/engine/replay.h"

/* X(enumerator, "name", "arguments", what it does, function). */
#define SS_COMMAND_LIST(X)                                                                                             \
  X(SS_COMMAND_RUN, "run", "WORKLOAD PLATFORM", "closed form and replay of one iteration, side by side",               \
    ss_command_run)                                                                                                    \
  X(SS_COMMAND_ESTIMATE, "estimate", "WORKLOAD PLATFORM", "closed form only", ss_command_estimate)                     \
  X(SS_COMMAND_SEARCH, "search", "WORKLOAD PLATFORM", "the best strategies and placements, by closed form and replay", \
    ss_command_search)                                                                                                 \
  X(SS_COMMAND_SWEEP, "sweep", "WORKLOAD PLATFORM", "a strategy, or the best one, at every value of --vary",           \
    ss_command_sweep)                                                                                                  \
  X(SS_COMMAND_DESCRIBE, "describe", "WORKLOAD [PLATFORM]",                                                            \
    "the task list of a layer: flop, bytes, messages, seconds", ss_command_describe)                                   \
  X(SS_COMMAND_RESULTS, "results", "FILE", "what a database of --db holds", ss_command_results)                        \
  X(SS_COMMAND_VALIDATE, "validate", "[FILE...]", "predictions against published measurements", ss_command_validate)   \
  X(SS_COMMAND_FIT, "fit", "FILE", "constants of platforms, fitted to published measurements", ss_command_fit)         \
  X(SS_COMMAND_PLATFORM, "platform", "--gpus N --like PLATFORM", "writes a platform file", ss_command_platform)

typedef enum ss_command {
#define SS_COMMAND_ID(id, name, arguments, help, function) id,
  SS_COMMAND_LIST(SS_COMMAND_ID)
#undef SS_COMMAND_ID
      SS_COMMAND_COUNT
} ss_command;

/* The options of `platform`, which takes them apart itself: X(enumerator, "name", "argument", what it is). */
/* clang-format off */
#define SS_BUILD_LIST(X) \
  X(SS_BUILD_GPUS, "gpus", "N", "GPUs of the platform") \
  X(SS_BUILD_DOMAIN, "domain", "N", "GPUs joined by NVLink; default as --like has it") \
  X(SS_BUILD_NICS, "nics", "N", "NICs of a domain; default as --like has it, with --domain one for each GPU") \
  X(SS_BUILD_FABRIC, "fabric", "KIND", "Wiring - " SS_FABRIC_KIND_LIST(SS_FABRIC_KIND_HELP) "default fat-tree") \
  SS_DESIGN_OPTION_LIST(X, SS_BUILD_) \
  X(SS_BUILD_LIKE, "like", "PLATFORM", "Platform file with the accelerator, rates, efficiencies and prices") \
  X(SS_BUILD_NAME, "name", "NAME", "Name of the platform; default that of --like and the GPUs") \
  X(SS_BUILD_OUTPUT, "output", "FILE", "File to write; default standard output")
/* clang-format on */

#define SS_FABRIC_KIND_HELP(id, word, table, help) word ": " help "; "

typedef enum ss_build {
#define SS_BUILD_ID(id, name, argument, help) id,
  SS_BUILD_LIST(SS_BUILD_ID)
#undef SS_BUILD_ID
      SS_BUILD_COUNT
} ss_build;

enum { SS_MAX_TRACES = 4, SS_MAX_OVERRIDES = 256, SS_MAX_SIZES = 64, SS_MAX_FILES = 64 };

typedef struct ss_options {
  ss_command command;
  const char *workload, *platform;
  const char *override[SS_MAX_OVERRIDES];
  int64_t override_count;
  const char *trace[SS_MAX_TRACES];
  int64_t trace_count;
  ss_selection trace_ranks, trace_micro_batches;
  const char *json, *csv;
  const char *links;              /* where a run writes what its links carried */
  const char *db;                 /* where results are kept between runs */
  const char *database;           /* of `results` */
  const char *file[SS_MAX_FILES]; /* of `validate`, none for those that are shipped; of `fit`, one */
  int64_t file_count;
  const char *plot;    /* where `validate` draws its picture */
  bool summary, check; /* of `validate`: groups only, and whether they keep their bounds */
  bool quick;          /* of `fit`: no source is left out */
  ss_cost cost;
  ss_flow_mode flows;
  ss_fold fold;
  const char *beside;         /* workload of another job at the same time */
  int64_t gpus[SS_MAX_SIZES]; /* none for all that the platform has */
  int64_t gpus_count;
  unsigned tensors; /* a set of SS_TENSOR_BIT; 0 for the layout of the workload */
  ss_knob_set knobs;
  int64_t top,
      replay; /* how many of the best are listed and replayed; of every point, for a sweep; for a fit, if any */
  ss_objective objective;
  bool pareto;                     /* of a search: the front of time and memory */
  double budget;                   /* dollars for the GPUs; 0 for any number of them */
  const char *vary[SS_SWEEP_AXES]; /* of a sweep */
  int64_t vary_count;
  ss_best best;
  bool fewer;                        /* GPUs may be left over */
  char global_batch[64];             /* what --global-batch stands for, as an override */
  const char *build[SS_BUILD_COUNT]; /* of `platform`; NULL where not given */
  int argument_count;                /* the command line as it was given */
  char **argument;
  int64_t seed, trials;
  ss_budget replay_budget; /* of the machine that this runs on */
  bool quiet, verbose;
} ss_options;

/* Exit status of the program. */
enum { SS_EXIT_DONE = 0, SS_EXIT_FAILED = 1, SS_EXIT_USAGE = 2, SS_EXIT_TOO_LARGE = 3 };

/* Reads the command line; prints usage errors and help itself and then ends the program. */
void ss_options_parse(int argc, char **argv, ss_options *options);

/* Whether the command line names a command that shares its work with the other processes of a job. */
bool ss_options_name_shared(int argc, char **argv);

/* Whether anything is asked about money. */
bool ss_option_asks_prices(const ss_options *options);

/* What the options say of every replay. */
ss_replay_options ss_option_replay(const ss_options *options);

/* Whether a path that an option may have stands for standard output. */
bool ss_option_is_standard_output(const char *path);

/* The commands: print their results and return the exit status. */
int ss_command_run(const ss_options *options);
int ss_command_estimate(const ss_options *options);
int ss_command_search(const ss_options *options);
int ss_command_sweep(const ss_options *options);
int ss_command_describe(const ss_options *options);
int ss_command_results(const ss_options *options);
int ss_command_validate(const ss_options *options);
int ss_command_fit(const ss_options *options);
int ss_command_platform(const ss_options *options);

/* Prints "stepsim: FILE:LINE: MESSAGE" on standard error and returns the exit status that belongs to the error. */
int ss_fail(const ss_error *error);

#endif
