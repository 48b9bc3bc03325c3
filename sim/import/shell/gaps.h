/* What a script has that is not read, to be said of it. */
#ifndef STEPSIM_SIM_IMPORT_SHELL_GAPS_H
#define STEPSIM_SIM_IMPORT_SHELL_GAPS_H

#include <stddef.h>

/* Far above what a script has of one kind. */
enum { SS_SHELL_NAMES_SIZE = 1024 };

/* Names, each once, as far as they have room. */
typedef struct ss_shell_names {
  char text[SS_SHELL_NAMES_SIZE]; /* with ends of lines between them */
  int more;                       /* how often others were come by, which had no room */
} ss_shell_names;

typedef struct ss_shell_gaps {
  ss_shell_names asked; /* variables that conditions ask for and nothing has a value for */
  ss_shell_names loops; /* variables of loops of several rounds, of which the first one is read */
  ss_shell_names files; /* that are sourced */
  ss_shell_names open;  /* among the arguments: what commands print, and variables, that may be further ones */
  int unnamed;          /* values of variables for which there was no room */
  int exit_line;        /* of an exit that is not the end of the file; 0: there is none */
} ss_shell_gaps;

/* Adds a name of `length` bytes. */
void ss_shell_names_add(ss_shell_names *names, const char *name, size_t length);

#endif
