/* What is known of the terminal that results go to. */
#ifndef STEPSIM_SIM_CLI_TERMINAL_H
#define STEPSIM_SIM_CLI_TERMINAL_H

#include "sim/options/common_options.h"

/* Characters of a line of standard output: what the environment says in COLUMNS, or the terminal, if it is one; 0 for
 * any number, as in a file and with --wide. */
int ss_terminal_columns(const ss_common_options *options);

#endif
