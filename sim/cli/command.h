/* The commands: their names, arguments and help. */
#ifndef STEPSIM_SIM_CLI_COMMAND_H
#define STEPSIM_SIM_CLI_COMMAND_H

enum { SS_MAX_ARGUMENTS = 64 };

/* X(enumerator, "name", "arguments", how many of them at least, at most, what it does, function of commands.h). */
#define SS_COMMAND_LIST(X)                                                                                             \
  X(SS_COMMAND_RUN, "run", "WORKLOAD PLATFORM", 2, 2, "closed form and replay of one iteration, side by side",         \
    ss_command_run)                                                                                                    \
  X(SS_COMMAND_ESTIMATE, "estimate", "WORKLOAD PLATFORM", 2, 2, "closed form only", ss_command_estimate)               \
  X(SS_COMMAND_SEARCH, "search", "WORKLOAD PLATFORM", 2, 2,                                                            \
    "the best strategies and placements, by closed form and replay", ss_command_search)                                \
  X(SS_COMMAND_SWEEP, "sweep", "WORKLOAD PLATFORM", 2, 2, "a strategy, or the best one, at every value of --vary",     \
    ss_command_sweep)                                                                                                  \
  X(SS_COMMAND_DESCRIBE, "describe", "WORKLOAD [PLATFORM]", 1, 2,                                                      \
    "the task list of a layer: flop, bytes, messages, seconds", ss_command_describe)                                   \
  X(SS_COMMAND_RESULTS, "results", "FILE", 1, 1, "the results in a database of --db", ss_command_results)              \
  X(SS_COMMAND_VALIDATE, "validate", "[FILE...]", 0, SS_MAX_ARGUMENTS, "predictions against published measurements",   \
    ss_command_validate)                                                                                               \
  X(SS_COMMAND_FIT, "fit", "FILE", 1, 1, "platform constants, fitted to published measurements", ss_command_fit)       \
  X(SS_COMMAND_PLATFORM, "platform", "--gpus N --like PLATFORM", 0, 0, "writes a platform file", ss_command_platform)

typedef enum ss_command {
#define SS_COMMAND_ID(id, name, arguments, least, most, help, function) id,
  SS_COMMAND_LIST(SS_COMMAND_ID)
#undef SS_COMMAND_ID
      SS_COMMAND_COUNT
} ss_command;

/* Sets of commands, for the options that they take. */
#define SS_ON(command)     (1u << (command))
#define SS_ON_INPUTS       (SS_ON(SS_COMMAND_RUN) | SS_ON(SS_COMMAND_ESTIMATE) | SS_ON_SEARCHES)
#define SS_ON_TASKS        (SS_ON_INPUTS | SS_ON(SS_COMMAND_DESCRIBE))
#define SS_ON_SEARCHES     (SS_ON(SS_COMMAND_SEARCH) | SS_ON(SS_COMMAND_SWEEP))
#define SS_ON_MEASUREMENTS (SS_ON(SS_COMMAND_VALIDATE) | SS_ON(SS_COMMAND_FIT))
#define SS_ON_REPLAYS      (SS_ON(SS_COMMAND_RUN) | SS_ON_SEARCHES | SS_ON_MEASUREMENTS)

#endif
