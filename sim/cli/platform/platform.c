/* platform: a platform file from a few numbers, which says how it was made. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/cli/platform/new_platform.h"
#include "sim/cli/shared/commands.h"
#include "sim/cli/shared/comment.h"
#include "sim/cli/shared/exit_status.h"
#include "sim/io/io.h"
#include "sim/report/report.h"
#include "sim/session/outputs.h"

/* What the comment is about. */
typedef struct made {
  const ss_options *options;
  const ss_machine *machine;
  const ss_topology_design *design;
} made;

static void print_comment(FILE *stream, const void *what)
{
  const made *m = what;
  char text[SS_DESIGN_TEXT_SIZE], line[SS_DESIGN_TEXT_SIZE];
  const double nic_bytes_per_s = m->machine->fabric_bytes_per_s;
  const double gpu_bytes_per_s = nic_bytes_per_s * (double)m->design->nics_per_domain / (double)m->design->domain_size;
  ss_topology_describe(m->design, text);
  (void)fputc('\n', stream);
  ss_comment_wrap(stream, text);
  (void)snprintf(line, sizeof line,
                 "NICs have %.4g GB/s each way, %.4g GB/s per GPU; the bisection of the fabric has %.4g GB/s per GPU, "
                 "before fabric-efficiency.",
                 1e-9 * nic_bytes_per_s, 1e-9 * gpu_bytes_per_s,
                 1e-9 * gpu_bytes_per_s * ss_topology_bisection(m->design));
  ss_comment_wrap(stream, line);
  ss_comment_made_by(stream, m->options);
  (void)fputs("\n  Constants: ", stream);
  if (m->options->platform.build[SS_BUILD_LIKE] != NULL) {
    ss_comment_argument(stream, m->options->platform.build[SS_BUILD_LIKE]);
    (void)fputs(", whose first comment has their sources", stream);
    if (m->options->common.override_count > 0) (void)fputs(", but for those of the command", stream);
  } else {
    (void)fputs("those of the command", stream);
  }
  (void)fputs(".\n", stream);
}

static ss_status write_platform(const ss_options *options, const ss_machine *machine, const ss_topology_design *design,
                                ss_error *error)
{
  const made m = {.options = options, .machine = machine, .design = design};
  char *comment = ss_comment_make(print_comment, &m), *text = NULL;
  ss_status status = comment != NULL ? ss_platform_write(machine, design, comment, &text, error)
                                     : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a comment");
  if (status == SS_OK) status = ss_report_bytes(options->output.file != NULL ? options->output.file : "-", text, error);
  free(text);
  free(comment);
  return status;
}

int ss_command_platform(const ss_options *options)
{
  ss_error error = {0};
  ss_machine machine;
  ss_topology_request request;
  ss_topology_design design;
  const char *like = machine.file;
  ss_status status = ss_new_platform_request(options, &request, &error);
  if (status == SS_OK) status = ss_new_platform_machine(options, request.gpus, &machine, &error);
  if (status == SS_OK) status = ss_outputs_check(&options->output, &like, like[0] != '\0' ? 1 : 0, &error);
  if (status == SS_OK) status = ss_new_platform_domain(&machine, &request, &error);
  if (status == SS_OK) status = ss_topology_generate(&request, &design, &error);
  if (status == SS_OK) status = write_platform(options, &machine, &design, &error);
  return status == SS_OK ? SS_EXIT_DONE : ss_fail(&error);
}
