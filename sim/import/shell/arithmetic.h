/* Whole numbers of a shell script. */
#ifndef STEPSIM_SIM_IMPORT_SHELL_ARITHMETIC_H
#define STEPSIM_SIM_IMPORT_SHELL_ARITHMETIC_H

#include "sim/import/shell/variables.h"

/* What $((TEXT)) is, whose dollars have been expanded: + - * / %, comparisons, && ||, ?: and parentheses. False where
 * it is something else, a name has no number, it divides by 0 or leaves 64 bits. */
bool ss_shell_arithmetic(ss_shell_variables *variables, const char *text, long long *value);

#endif
