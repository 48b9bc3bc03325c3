/* What shells read to complete command lines. */
#ifndef STEPSIM_SIM_CLI_HELP_SHELL_H
#define STEPSIM_SIM_CLI_HELP_SHELL_H

#include <stdio.h>

#include "sim/options/option_table.h"
#include "sim/options/shell_list.h"

#define SS_SHELL_FUNCTION(id, word, function) void function(FILE *stream, const ss_option_table *table);
SS_SHELL_LIST(SS_SHELL_FUNCTION)
#undef SS_SHELL_FUNCTION

#endif
