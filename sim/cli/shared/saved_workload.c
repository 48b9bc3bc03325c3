#include "sim/cli/shared/saved_workload.h"

#include <stdlib.h>

#include "sim/cli/shared/comment.h"
#include "sim/io/io.h"
#include "sim/report/report.h"

static void print_comment(FILE *stream, const void *what)
{
  ss_comment_made_by(stream, what);
}

ss_status ss_workload_save(const ss_workload *workload, const char *path, const ss_options *options, ss_error *error)
{
  if (path == NULL) return SS_OK;
  char *comment = ss_comment_make(print_comment, options), *text = NULL;
  ss_status status = comment != NULL ? ss_workload_write(workload, comment, &text, error)
                                     : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a comment");
  if (status == SS_OK) status = ss_report_bytes(path, text, error);
  free(text);
  free(comment);
  return status;
}
