/* What is known of the terminal that results go to. */
#ifndef STEPSIM_SIM_CLI_SHARED_TERMINAL_H
#define STEPSIM_SIM_CLI_SHARED_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/options/common_options.h"

/* Characters of a line of standard output: what the environment says in COLUMNS, the terminal, if it is one, or 80; 0
 * for any number, with --wide. */
int ss_terminal_columns(const ss_common_options *options);

/* Whether a stream is a terminal that shows colours, and NO_COLOR (no-color.org) does not say otherwise. */
bool ss_terminal_has_colours(FILE *stream);

/* Prints "stepsim: TEXT" on standard error, in colours where it has them; on a terminal, lines end between words. */
void ss_terminal_print_error(const char *text);

#endif
