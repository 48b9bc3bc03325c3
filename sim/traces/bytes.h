/* The bytes of a file piece by piece, unpacked where gzip has packed them. */
#ifndef STEPSIM_SIM_TRACES_BYTES_H
#define STEPSIM_SIM_TRACES_BYTES_H

#include <stddef.h>

#include "model/base/error.h"

typedef struct ss_bytes {
  const char *path; /* borrowed */
  void *file;       /* of zlib */
} ss_bytes;

/* SS_ERROR_INPUT where there is no such file. Close in any case. */
ss_status ss_bytes_open(ss_bytes *bytes, const char *path, ss_error *error);

/* The next bytes: as many as there is room for, fewer only at the end. SS_ERROR_INPUT where they cannot be read or
 * unpacked, also where the file ends early. */
ss_status ss_bytes_read(ss_bytes *bytes, void *to, size_t room, size_t *count, ss_error *error);
void ss_bytes_close(ss_bytes *bytes);

#endif
