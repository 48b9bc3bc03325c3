/* Variables of a shell script. */
#ifndef STEPSIM_SIM_IMPORT_SHELL_VARIABLES_H
#define STEPSIM_SIM_IMPORT_SHELL_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/import/shell/chance.h"
#include "sim/import/shell/gaps.h"

/* So many ends are looked for in vain: what has more missing is no script. */
enum { SS_SHELL_NAMES = 256, SS_SHELL_WORD_SIZE = 256, SS_SHELL_LOST = 256 };

/* A variable, and its last value so far. */
typedef struct ss_shell_variable {
  char name[SS_SHELL_WORD_SIZE], value[SS_SHELL_WORD_SIZE]; /* members of an array have blanks between them */
  bool is_known;                                            /* false: only a run finds its value out */
  bool is_words;                                            /* several, which were read where it got them */
  size_t function;      /* where the function begins that gave it, from 1; 0: none */
  const char *launcher; /* of whose options its words end; NULL: of none */
} ss_shell_variable;

typedef struct ss_shell_variables {
  ss_shell_variable variable[SS_SHELL_NAMES]; /* [count] */
  int count;
  int lost;          /* ends of brackets and conditions that were looked for, and are not there */
  ss_chance skipped; /* whether what is expanded is left out */
  bool are_asked;    /* names without a value are listed */
  ss_shell_gaps gaps;
} ss_shell_variables;

/* The variable of a name of `length` bytes; NULL: there is none. */
ss_shell_variable *ss_shell_find(ss_shell_variables *variables, const char *name, size_t length);

/* The same, but there is one from now on, known and empty; NULL beyond SS_SHELL_NAMES. */
ss_shell_variable *ss_shell_variable_of(ss_shell_variables *variables, const char *name, size_t length);

/* Sets a variable, if there is room. A value that is too long is not known. */
void ss_shell_set(ss_shell_variables *variables, const char *name, const char *value);

/* Takes a variable away, which moves the last one. */
void ss_shell_forget(ss_shell_variables *variables, ss_shell_variable *variable);

/* Lists a name without a value, once, if names are asked for. */
void ss_shell_ask(ss_shell_variables *variables, const char *name, size_t length);

/* Whether a byte may stand in a name. */
bool ss_shell_is_name(char byte);

/* Whether a comment begins here, outside of quotes, in what begins at `begin`. */
bool ss_shell_is_comment(const char *begin, const char *at);

#endif
