/* A file that appears under its name only when it is complete, and that keeps its first write error. */
#ifndef STEPSIM_SIM_REPORT_OUTPUT_H
#define STEPSIM_SIM_REPORT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "model/base/error.h"
#include "sim/report/gzip.h"

typedef struct ss_output {
  FILE *stream;    /* NULL before open and after close */
  char *path;      /* as the user gave it */
  char *temporary; /* what is written until close; NULL when the path itself is written */
  bool
      nameless; /* the temporary file has no name until then, so that nothing of it stays where the program is killed */
  int failure;  /* errno of the first failure, 0 while there is none */
  ss_gzip *gzip; /* that compresses what is written; NULL: nothing does; owned */
} ss_output;

/* Creates the file behind `path`; "-" is standard output. A path that exists and is no regular file (a device, a pipe,
 * a link) is written in place, since renaming over it would replace it. Nothing is left in a buffer, so the process may
 * fork. SS_ERROR_OUTPUT when it cannot be created, SS_ERROR_MEMORY; the output is then free. */
ss_status ss_output_open(ss_output *output, const char *path, ss_error *error);

/* Compresses all that will be written. SS_ERROR_MEMORY. */
ss_status ss_output_compress(ss_output *output, ss_error *error);

/* Writes formatted text. The first failure is kept; nothing is written after it. */
void ss_output_print(ss_output *output, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes `size` bytes, likewise. */
void ss_output_write(ss_output *output, const char *bytes, size_t size);

/* Writes a field of CSV, in quotes where it needs them (RFC 4180). */
void ss_output_print_field(ss_output *output, const char *text);

/* Forgets what was written to a file that has another name until it is closed, also by a forked child. */
void ss_output_restart(ss_output *output);

/* Completes the file and gives it its name, or removes it and reports the first failure as SS_ERROR_OUTPUT. */
ss_status ss_output_close(ss_output *output, ss_error *error);

/* Releases an output; removes the temporary file of one that was neither closed nor renamed by a forked child.
 * Accepts a zeroed output. */
void ss_output_free(ss_output *output);

#endif
