/* Configurations in JSON. */
#ifndef STEPSIM_SIM_IMPORT_FILES_OBJECT_H
#define STEPSIM_SIM_IMPORT_FILES_OBJECT_H

#include "sim/import/files/settings.h"

/* Reads the value of a file in JSON as Python writes it: with numbers that JSON does not have, in whose place 0 is
 * left. NULL with SS_ERROR_INPUT. The caller owns the value; the text of the source loses such words. */
json_t *ss_object_parse(ss_source *source, ss_error *error);

/* The line of a key, looked for from a text of the file on; 1 where it cannot be found. */
int ss_object_line(const ss_source *source, const char *from, const char *key);

/* Adds what an object of a file says. SS_ERROR_INPUT where it is nested too deep; SS_ERROR_MEMORY. */
ss_status ss_object_read(ss_settings *settings, const json_t *object, ss_error *error);

#endif
