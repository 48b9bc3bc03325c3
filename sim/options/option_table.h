/* All options of the command line in one table. */
#ifndef STEPSIM_SIM_OPTIONS_OPTION_TABLE_H
#define STEPSIM_SIM_OPTIONS_OPTION_TABLE_H

#include "sim/options/options.h"

enum { SS_MAX_OPTIONS = 128 };

typedef struct ss_option_table {
  const ss_option *option[SS_MAX_OPTIONS]; /* [count] in the order of the concerns */
  size_t target[SS_MAX_OPTIONS];           /* [count] of its value, an offset in ss_options */
  bool is_given[SS_MAX_OPTIONS];           /* [count] on the command line */
  int count;
} ss_option_table;

/* All options, none of them given. */
void ss_option_table_init(ss_option_table *table);

/* What options are where nobody says anything. The clock of the budget starts. */
void ss_options_init(ss_options *options);

/* Gives the option of a row of the table what it says; NULL for a flag or an argument that is left out. SS_ERROR_INPUT,
 * also where it is given again and is no list. */
ss_status ss_option_table_set(ss_option_table *table, int row, ss_options *options, char *text, ss_error *error);

/* Whether an option of this name that a command takes is given. */
bool ss_option_table_given(const ss_option_table *table, ss_command command, const char *name);

#endif
