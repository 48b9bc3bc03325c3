/* What shells read to complete command lines. */
#ifndef STEPSIM_SIM_CLI_SHELL_H
#define STEPSIM_SIM_CLI_SHELL_H

#include <stdio.h>

#include "sim/cli/option_table.h"
#include "sim/cli/shell_list.h"

#define SS_SHELL_FUNCTION(id, word, function) void function(FILE *stream, const ss_option_table *table);
SS_SHELL_LIST(SS_SHELL_FUNCTION)
#undef SS_SHELL_FUNCTION

enum { SS_BRIEF_SIZE = 80 };

/* What a list of options says of one: its help up to the first detail, without marks that a shell reads. */
void ss_option_brief(const ss_option *option, char brief[SS_BRIEF_SIZE]);

/* Whether the argument of an option is a file that is not found by name. */
bool ss_option_is_file(const ss_option *option);

#endif
