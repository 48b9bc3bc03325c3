/* The options of the command line, by concern. */
#ifndef STEPSIM_SIM_OPTIONS_OPTIONS_H
#define STEPSIM_SIM_OPTIONS_OPTIONS_H

#include "sim/options/choice_options.h"
#include "sim/options/command.h"
#include "sim/options/common_options.h"
#include "sim/options/compare_options.h"
#include "sim/options/measurement_options.h"
#include "sim/options/output_options.h"
#include "sim/options/plan_options.h"
#include "sim/options/platform_options.h"
#include "sim/options/replay_options.h"
#include "sim/options/run_options.h"
#include "sim/options/search_options.h"
#include "sim/options/sweep_options.h"

/* Every concern: X(field, type, its rows). */
#define SS_CONCERN_LIST(X)                                                                                             \
  X(common, ss_common_options, ss_common_option_rows)                                                                  \
  X(replay, ss_replay_choice, ss_replay_option_rows)                                                                   \
  X(run, ss_run_options, ss_run_option_rows)                                                                           \
  X(choice, ss_choice_options, ss_choice_option_rows)                                                                  \
  X(search, ss_search_list_options, ss_search_option_rows)                                                             \
  X(sweep, ss_sweep_options, ss_sweep_option_rows)                                                                     \
  X(plan, ss_plan_options, ss_plan_option_rows)                                                                        \
  X(output, ss_output_options, ss_output_option_rows)                                                                  \
  X(measurement, ss_measurement_options, ss_measurement_option_rows)                                                   \
  X(compare, ss_compare_options, ss_compare_option_rows)                                                               \
  X(platform, ss_platform_options, ss_platform_option_rows)

typedef struct ss_options {
  ss_command command;
  const char *argument[SS_MAX_ARGUMENTS]; /* [argument_count] of the command */
  int64_t argument_count;
  char path[SS_MAX_ARGUMENTS][SS_PATH_SIZE]; /* of the files that arguments name; see ss_inputs_find */
  int line_count;                            /* the command line as it was given */
  char **line;                               /* [line_count] */
#define SS_CONCERN_FIELD(field, type, rows) type field;
  SS_CONCERN_LIST(SS_CONCERN_FIELD)
#undef SS_CONCERN_FIELD
} ss_options;

#endif
