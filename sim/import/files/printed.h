/* What programs print, line by line. */
#ifndef STEPSIM_SIM_IMPORT_FILES_PRINTED_H
#define STEPSIM_SIM_IMPORT_FILES_PRINTED_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/import/files/source.h"

typedef struct ss_printed {
  const ss_source *source; /* borrowed; its text is cut into lines */
  char *rest;              /* NULL behind the last line */
  int line;                /* of what was returned last; the first is 1 */
} ss_printed;

/* Begins at the first line. */
ss_printed ss_printed_of(const ss_source *source);

/* The next line, without its end, colours, the blanks around it, and what mpirun ("[1,0]<stdout>:") and srun ("12:")
 * put before it; NULL behind the last. */
char *ss_printed_next(ss_printed *printed);

/* Refuses the last line: the message is the formatted problem. Always SS_ERROR_INPUT. */
ss_status ss_printed_refuse(const ss_printed *printed, ss_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Cuts a line into words. Fills `word` [most] and returns how many there are, `most` + 1 where there are more. */
int ss_printed_words(char *line, char **word, int most);

/* A whole text as a number: digits only, up to `most`; a finite number from 0 on. */
bool ss_printed_count(const char *text, int64_t most, int64_t *count);
bool ss_printed_real(const char *text, double *real);

/* Copies what is fit for a message into `copy`: control bytes become '?', the excess is cut. Returns copy. */
const char *ss_printed_copy(char *copy, size_t size, const char *text);

#endif
