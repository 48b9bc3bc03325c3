/* What of a file is not known, to be refused at once. */
#ifndef STEPSIM_SIM_IMPORT_FILES_UNKNOWN_H
#define STEPSIM_SIM_IMPORT_FILES_UNKNOWN_H

#include "model/base/error.h"

/* Zeroed is empty. */
typedef struct ss_unknown {
  char names[SS_MESSAGE_SIZE / 2]; /* as far as they have room */
  int more;                        /* that had none */
  int line;                        /* of the first one */
} ss_unknown;

/* Adds a name, which stands at a line. */
void ss_unknown_add(ss_unknown *unknown, const char *name, int line);

/* Refuses the names, which `of` does not know, if there are any: SS_ERROR_INPUT. */
ss_status ss_unknown_check(const ss_unknown *unknown, const char *path, const char *of, ss_error *error);

#endif
