/* What a shell puts in the place of a dollar or of backquotes. */
#ifndef STEPSIM_SIM_IMPORT_SHELL_EXPAND_H
#define STEPSIM_SIM_IMPORT_SHELL_EXPAND_H

#include "sim/import/shell/variables.h"

/* A word in two ways. What is too long is cut, and is not known then. */
typedef struct ss_shell_word {
  char shown[SS_SHELL_WORD_SIZE]; /* what has no value, or one that only a run finds out, stands as in the script */
  char plain[SS_SHELL_WORD_SIZE]; /* it is nothing, as for a shell without an environment and arguments */
  bool is_known;                  /* no part of it is left to a run */
} ss_shell_word;

/* A word without a letter. */
void ss_shell_word_init(ss_shell_word *word);

/* Appends a text as it stands. */
void ss_shell_append(ss_shell_word *word, const char *text, size_t length);

/* Appends the value of what begins at `at` with a dollar or a backquote, and returns where it ends: $NAME, ${NAME},
 * with :- - := = :+ + and arrays, $((...)); what commands print is not known. */
const char *ss_shell_expand(ss_shell_variables *variables, const char *at, ss_shell_word *word);

/* A text of `length` bytes without its quotes, with all of it expanded. */
void ss_shell_expand_all(ss_shell_variables *variables, const char *text, size_t length, ss_shell_word *word);

#endif
