/* The arguments of a command in a shell script, without a shell. */
#ifndef STEPSIM_SIM_IMPORT_SHELL_H
#define STEPSIM_SIM_IMPORT_SHELL_H

#include <stdbool.h>

#include "sim/import/source.h"

enum { SS_SHELL_NAMES = 256, SS_SHELL_WORD_SIZE = 256 };

/* A variable, and its last value so far. */
typedef struct ss_shell_variable {
  char name[SS_SHELL_WORD_SIZE], value[SS_SHELL_WORD_SIZE];
} ss_shell_variable;

/* Words one after the other: quotes are blanks, since what scripts quote are several arguments or one without blanks,
 * and so are parentheses outside of quotes; comments are left out, and variables have the value that the script gave
 * them before. */
typedef struct ss_shell {
  const ss_source *source;                    /* borrowed */
  const char *at;                             /* what has not been read */
  int line;                                   /* of the last word */
  int line_at;                                /* of `at` */
  char quote;                                 /* that `at` is inside of; 0: none */
  bool is_apart;                              /* a command or a list ended, or a line, ahead of the last word */
  char word[SS_SHELL_WORD_SIZE];              /* the last one */
  ss_shell_variable variable[SS_SHELL_NAMES]; /* [variables] */
  int variables;
} ss_shell;

/* The next word, in `word`; false behind the last. An assignment is kept and is no word. Words that are too long are
 * cut, as are variables beyond SS_SHELL_NAMES left out. */
bool ss_shell_next(ss_shell *shell);

#endif
