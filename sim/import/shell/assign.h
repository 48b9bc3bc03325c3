/* Variables that a shell script gives values. */
#ifndef STEPSIM_SIM_IMPORT_SHELL_ASSIGN_H
#define STEPSIM_SIM_IMPORT_SHELL_ASSIGN_H

#include "sim/import/shell/words.h"

/* Keeps the last word, where it is NAME=VALUE or NAME+=VALUE: true then. A value in quotes or parentheses of several
 * words is kept, too, and its words come next. A value that only a run decides is not known any more. */
bool ss_shell_keep(ss_shell *shell);

/* Keeps a word of the array that is being read. */
void ss_shell_keep_member(ss_shell *shell);

/* read NAME... <<< TEXT: keeps its parts, which are apart as IFS says. Without a text, names are not known. */
void ss_shell_keep_read(ss_shell *shell);

#endif
