/* A text file that is imported. */
#ifndef STEPSIM_SIM_IMPORT_FILES_SOURCE_H
#define STEPSIM_SIM_IMPORT_FILES_SOURCE_H

#include <stddef.h>

#include "model/base/error.h"

typedef struct ss_source {
  const char *path; /* borrowed */
  char *text;       /* NUL-terminated, without another NUL; owned */
  size_t size;
} ss_source;

/* Reads a file. SS_ERROR_INPUT when it cannot be read, is empty, larger than 64 MiB or has a NUL byte; SS_ERROR_MEMORY.
 * Release in any case. */
ss_status ss_source_read(const char *path, ss_source *source, ss_error *error);
void ss_source_free(ss_source *source);

/* The line of a byte of the text. */
int ss_source_line(const ss_source *source, const char *at);

#endif
