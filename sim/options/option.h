/* An option of the command line, and of the library: a row of the table that its concern has. */
#ifndef STEPSIM_SIM_OPTIONS_OPTION_H
#define STEPSIM_SIM_OPTIONS_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/options/command.h"

/* Two rows may have one name where no command takes both. */
typedef struct ss_option {
  const char *name;     /* without its dashes; NULL in the row that ends a table */
  const char *argument; /* as the help shows it; NULL: a flag */
  const char *help;
  /* Keeps what the option says, which stays the caller's, at `target`; NULL for a flag or an argument that was left
   * out. May write into `text`. SS_ERROR_INPUT, with what is allowed. */
  ss_status (*set)(const struct ss_option *row, void *target, char *text, ss_error *error);
  const char *const *words; /* of a choice, NULL behind the last; else NULL */
  ss_shipped names;         /* the kind of file that it names */
  size_t target;            /* offset in the options of the concern */
  int64_t most;             /* of a number, its largest value */
  unsigned commands;        /* that take it: a set of SS_ON */
  char letter;              /* the short name; 0: none */
  bool is_optional;         /* the argument may be left out, and then is NULL */
  bool repeats;             /* the option may be given again */
} ss_option;

enum { SS_BRIEF_SIZE = 80 };

/* What a list of options says of one: its help up to the first detail, without marks that a shell reads. */
void ss_option_brief(const ss_option *option, char brief[SS_BRIEF_SIZE]);

/* Whether the argument of an option is a file that is not found by name. */
bool ss_option_is_file(const ss_option *option);

#endif
