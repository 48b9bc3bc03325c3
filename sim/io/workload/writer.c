/* Writing workload files, so that ss_workload_load reads the workload that was written. */
#include <stdlib.h>
#include <string.h>

#include "model/input/origin.h"
#include "model/input/stack.h"
#include "model/input/workload.h"
#include "sim/io/io.h"
#include "sim/io/workload/elements.h"
#include "sim/io/xml/writing.h"

/* What a file is made of. */
typedef struct written {
  const ss_workload *workload;
  const char *comment;
} written;

bool ss_workload_is_implied(const ss_workload *workload, int attribute)
{
  const ss_attribute_index index = (ss_attribute_index)attribute;
  if (ss_line_is_own(workload->line[index])) return false;
  ss_workload without = *workload;
  ss_workload_reset(&without, index);
  ss_stack_complete(&without, NULL);
  return ss_workload_agree(workload, &without, index);
}

/* The path of a file that the workload names, from any folder. */
static void make_absolute(char text[SS_TEXT_SIZE])
{
  char *absolute = text[0] != '\0' ? realpath(text, NULL) : NULL;
  if (absolute != NULL && strlen(absolute) < SS_TEXT_SIZE) memcpy(text, absolute, strlen(absolute) + 1);
  free(absolute);
}

static void write_value(ss_writing *w, const ss_workload *workload, ss_attribute_index index)
{
  char text[SS_ATTRIBUTE_TEXT_SIZE];
  ss_attribute_text(workload, index, text);
  for (int i = 0; i < SS_WORKLOAD_FILES; ++i)
    if (ss_workload_files[i] == index) make_absolute(text);
  ss_writing_attribute(w, ss_workload_attributes()[index].name, text);
}

/* An element, unless all in it is implied. */
static void write_element(ss_writing *w, const ss_workload *workload, const char *name)
{
  bool any = false;
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i) {
    const ss_attribute_index index = (ss_attribute_index)i;
    if (strcmp(ss_workload_attributes()[i].element, name) != 0 || ss_workload_is_implied(workload, i)) continue;
    if (!any) ss_writing_start(w, "  ", name);
    any = true;
    write_value(w, workload, index);
  }
  if (any) ss_writing_end(w);
}

static void write_document(ss_writing *w, const void *what)
{
  const written *file = what;
  ss_writing_check(w, xmlTextWriterStartDocument(w->xml, "1.0", "UTF-8", NULL));
  ss_writing_check(w, xmlTextWriterWriteComment(w->xml, BAD_CAST file->comment));
  ss_writing_start(w, "\n", "workload");
  ss_writing_attribute(w, "version", "1");
  ss_writing_raw(w, "\n");
  for (int i = 0; i < SS_ELEMENT_TOTAL; ++i) write_element(w, file->workload, ss_element_names[i]);
  ss_writing_check(w, xmlTextWriterEndDocument(w->xml));
}

ss_status ss_workload_write(const ss_workload *workload, const char *comment, char **text, ss_error *error)
{
  const written file = {.workload = workload, .comment = comment};
  *text = NULL;
  const ss_status status = ss_writing_check_comment(comment, error);
  return status == SS_OK ? ss_writing_text(write_document, &file, text, error) : status;
}
