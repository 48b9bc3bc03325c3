/* A document being written, in memory: what the writers of platform and workload files share. */
#ifndef STEPSIM_SIM_IO_XML_WRITING_H
#define STEPSIM_SIM_IO_XML_WRITING_H

#include <libxml/xmlwriter.h>
#include <stdbool.h>

#include "model/base/error.h"

/* After the first failure nothing more is added. */
typedef struct ss_writing {
  xmlTextWriter *xml;
  bool failed;
} ss_writing;

/* Notes what a function of libxml2 returned. */
void ss_writing_check(ss_writing *w, int written);

void ss_writing_attribute(ss_writing *w, const char *name, const char *value);
void ss_writing_raw(ss_writing *w, const char *text);

/* Starts an element behind `indent`; ends it and its line. */
void ss_writing_start(ss_writing *w, const char *indent, const char *name);
void ss_writing_end(ss_writing *w);

/* Whether a text can stand in a comment. SS_ERROR_INPUT. */
ss_status ss_writing_check_comment(const char *comment, ss_error *error);

/* The text of the document that `write` makes of `what`, NUL-terminated and released with free(). SS_ERROR_MEMORY. */
ss_status ss_writing_text(void (*write)(ss_writing *w, const void *what), const void *what, char **text,
                          ss_error *error);

#endif
