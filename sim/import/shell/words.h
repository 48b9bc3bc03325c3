/* The words of a shell script, without a shell. */
#ifndef STEPSIM_SIM_IMPORT_SHELL_WORDS_H
#define STEPSIM_SIM_IMPORT_SHELL_WORDS_H

#include <stdbool.h>

#include "sim/import/shell/flow.h"

/* Words one after the other: quotes are blanks, since what scripts quote are several arguments or one without blanks,
 * and so are parentheses outside of quotes; comments and here-documents are left out. */
typedef struct ss_shell {
  const char *text, *at;         /* all of it; borrowed; and what has not been read */
  int line;                      /* of the last word */
  int line_at;                   /* of `at` */
  char quote;                    /* that `at` is inside of; 0: none */
  int parentheses;               /* of an array that `at` is inside of */
  bool is_apart;                 /* a command or a list ended, or a line, ahead of the last word */
  bool is_command;               /* the last word begins a command */
  bool has_file;                 /* the command has a file of YAML, behind which NAME=VALUE is no assignment */
  bool opens;                    /* it is the first of an array, or of a text that a variable gets */
  ss_shell_word word;            /* the last one */
  size_t choice;                 /* the place, counted from 1, of what only a run decides of it; 0: nothing */
  int way;                       /* the branch of that place, counted from 0 */
  ss_shell_variables variables;  /* as they are at `at` */
  ss_shell_variable *assigned;   /* that gets the array or the text that `at` is inside of; NULL: none */
  const char *assigned_end;      /* where that text ends; NULL: it is an array */
  ss_shell_flow flow;            /* blocks that `at` is inside of */
  bool awaits_command;           /* the next word begins one */
  bool is_muted;                 /* words of the command are no arguments */
  bool is_script;                /* the command reads commands */
  bool is_own;                   /* the assignment of IFS that was just read is of one command, if one follows */
  ss_shell_variable apart;       /* IFS ahead of that; without a name: there was none */
  ss_chance link;                /* whether the command runs, by && and || ahead of it */
  ss_chance status;              /* whether those ahead of it succeed */
  bool is_or;                    /* || was the last of them */
  bool is_linked;                /* the last of them was just read */
  size_t link_choice;            /* where the first of them begins, counted from 1 */
  char here[SS_SHELL_WORD_SIZE]; /* the word that ends the here-document that begins with the next line; "": none */
  bool is_negated;               /* ! is ahead of the command */
  bool awaits_file;              /* the next word is a file that is sourced */
  bool awaits_dashes;            /* the next word may be that which arguments of the script follow */
  int positional;                /* arguments of the script that `set --` has given so far, and 1; 0: it is not there */
  bool is_inner;                 /* there was a here-document for another shell, whose end is not looked for */
  int subshells;                 /* parentheses around commands that `at` is inside of */
} ss_shell;

/* Moves to the beginning of a word, or to the end. */
void ss_shell_pass_blanks(ss_shell *shell);

/* Reads the word that begins here. */
void ss_shell_read_word(ss_shell *shell);

/* Moves to a later byte, with its line. */
void ss_shell_move(ss_shell *shell, const char *to);

/* Whether a word begins here, and ends after it. */
bool ss_shell_is_at(const ss_shell *shell, const char *word);

/* Whether a here-document begins here: <<, but not <<<. */
bool ss_shell_is_document(const ss_shell *shell);

/* How many bytes of a word give a variable a value, up to = or +=; 0 where it does not. */
size_t ss_shell_assigns(const char *word);

/* Whether what is here runs. */
ss_chance ss_shell_runs(const ss_shell *shell);

#endif
