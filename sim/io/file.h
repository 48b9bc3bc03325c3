/* A whole input file in memory. */
#ifndef STEPSIM_SIM_IO_FILE_H
#define STEPSIM_SIM_IO_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/error.h"

/* Zeroed is empty. The text is NUL-terminated, contains no other NUL. */
typedef struct ss_file {
  char *text;
  size_t size;
  bool had_mark; /* the file begins with a byte order mark, and the text behind it */
} ss_file;

/* Reads `path` into `file`, which ss_file_free releases; on an error it is left empty. SS_ERROR_INPUT when the file
 * cannot be read, is empty, larger than 64 MiB or contains a NUL byte, or when the path does not fit SS_PATH_SIZE. */
ss_status ss_file_read(const char *path, ss_file *file, ss_error *error);

/* Releases the text; zeroed is fine. */
void ss_file_free(ss_file *file);

#endif
