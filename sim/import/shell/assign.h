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

/* unset NAME...: they have no value any more. */
void ss_shell_keep_unset(ss_shell *shell);

/* ((TEXT)), which may give names values: true then, with whether the last one is not 0. */
bool ss_shell_keep_number(ss_shell *shell, const char *text, const char *end, ss_chance *chance);

/* Ends what IFS is for one command. */
void ss_shell_restore(ss_shell *shell);

#endif
