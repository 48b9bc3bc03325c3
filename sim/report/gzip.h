/* Bytes that are compressed on their way into a file, as gzip does it (RFC 1952). */
#ifndef STEPSIM_SIM_REPORT_GZIP_H
#define STEPSIM_SIM_REPORT_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct ss_gzip ss_gzip;

/* NULL where there is no memory. */
ss_gzip *ss_gzip_create(void);
void ss_gzip_destroy(ss_gzip *gzip);

/* Forgets what it was given, for a file that is written anew. */
void ss_gzip_restart(ss_gzip *gzip);

/* Compresses bytes, and writes what is ready; false where the stream takes no more. The last ones have to be told, with
 * none or some, and nothing may follow them. `bytes` [size] */
bool ss_gzip_write(ss_gzip *gzip, FILE *stream, const void *bytes, size_t size, bool last);

#endif
