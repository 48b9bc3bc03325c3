/* All options of the command line in one table. */
#ifndef STEPSIM_SIM_CLI_OPTION_TABLE_H
#define STEPSIM_SIM_CLI_OPTION_TABLE_H

#include "sim/cli/option.h"

enum { SS_MAX_OPTIONS = 80 };

typedef struct ss_option_table {
  const ss_option *option[SS_MAX_OPTIONS]; /* [count] in the order of the concerns */
  size_t target[SS_MAX_OPTIONS];           /* [count] of its value, an offset in ss_options */
  bool is_given[SS_MAX_OPTIONS];           /* [count] on the command line */
  int count;
} ss_option_table;

/* All options, none of them given. */
void ss_option_table_init(ss_option_table *table);

/* Whether an option of this name that a command takes is given. */
bool ss_option_table_given(const ss_option_table *table, ss_command command, const char *name);

#endif
