/* Conditions of a shell script. */
#ifndef STEPSIM_SIM_IMPORT_SHELL_CONDITION_H
#define STEPSIM_SIM_IMPORT_SHELL_CONDITION_H

#include "sim/import/shell/chance.h"
#include "sim/import/shell/variables.h"

/* How likely a list of commands succeeds: [ ], [[ ]] and test that compare texts and numbers, true, false, and ! && ||
 * between them. MAYBE where it asks for files, for what commands do, or for a value that only a run finds out; names
 * without a value are empty, and are listed in `asked` of the variables. */
ss_chance ss_shell_condition(ss_shell_variables *variables, const char *text, size_t length);

#endif
