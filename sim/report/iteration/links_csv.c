/* What every link carried, as CSV: one row each. */
#include <inttypes.h>
#include <stdlib.h>

#include "sim/report/output.h"
#include "sim/report/report.h"

static void links_open(void *self, const double *boundary_s, int64_t slices)
{
  ss_output_print(self, "link,alike,bytes_per_s,bytes,utilisation,peak");
  for (int64_t i = 0; i < slices; ++i) ss_output_print(self, ",%.9g..%.9g", boundary_s[i], boundary_s[i + 1]);
  ss_output_print(self, "\n");
}

static void links_link(void *self, const ss_busy_link *link, const double *utilisation, int64_t slices)
{
  ss_output_print_field(self, link->name);
  ss_output_print(self, ",%" PRId64 ",%.17g,%.17g,%.17g,%.17g", link->alike, link->bytes_per_s, link->bytes,
                  link->utilisation, link->peak);
  for (int64_t i = 0; i < slices; ++i) ss_output_print(self, ",%.6g", utilisation[i]);
  ss_output_print(self, "\n");
}

static ss_status links_close(void *self, ss_error *error)
{
  return ss_output_close(self, error);
}

ss_status ss_link_writer_create(const char *path, ss_link_writer *writer, ss_error *error)
{
  *writer = (ss_link_writer){0};
  ss_output *output = calloc(1, sizeof *output);
  if (output == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory");
  const ss_status status = ss_output_open(output, path, error);
  if (status == SS_OK)
    *writer = (ss_link_writer){.self = output, .open = links_open, .link = links_link, .close = links_close};
  else
    free(output);
  return status;
}

void ss_link_writer_destroy(ss_link_writer *writer)
{
  if (writer->self != NULL) ss_output_free(writer->self);
  free(writer->self);
  *writer = (ss_link_writer){0};
}
