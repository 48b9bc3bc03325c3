/* The arguments of the commands in a shell script, without a shell. */
#ifndef STEPSIM_SIM_IMPORT_SHELL_SHELL_H
#define STEPSIM_SIM_IMPORT_SHELL_SHELL_H

#include "sim/import/shell/words.h"

/* Begins a script, of which the text is borrowed. */
void ss_shell_init(ss_shell *shell, const char *text);

/* The next word, in `word`; false behind the last. An assignment is kept and is no word. What does not run is left out,
 * as are texts that are printed and here-documents, unless a shell reads them. Without an environment and arguments:
 * variables have the value that the script gave them before. Words that are too long are cut, as are variables beyond
 * SS_SHELL_NAMES left out. */
bool ss_shell_next(ss_shell *shell);

#endif
