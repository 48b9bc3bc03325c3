/* The first comment of a file that a command writes. */
#ifndef STEPSIM_SIM_CLI_SHARED_COMMENT_H
#define STEPSIM_SIM_CLI_SHARED_COMMENT_H

#include <stdio.h>

#include "sim/options/options.h"

/* Words in lines of the width of a comment. */
void ss_comment_wrap(FILE *stream, const char *text);

/* An argument as a shell takes it, with something between two dashes, which a comment must not have side by side. */
void ss_comment_argument(FILE *stream, const char *text);

/* "Made by" and the command line. */
void ss_comment_made_by(FILE *stream, const ss_options *options);

/* What `print` says of `what`, released with free(); NULL without memory. */
char *ss_comment_make(void (*print)(FILE *stream, const void *what), const void *what);

#endif
