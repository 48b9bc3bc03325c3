/* import: a workload file from files of other programs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/estimate/model_size.h"
#include "model/input/workload.h"
#include "sim/api/api.h"
#include "sim/cli/shared/commands.h"
#include "sim/cli/shared/exit_status.h"
#include "sim/cli/shared/saved_workload.h"
#include "sim/report/table.h"
#include "sim/session/outputs.h"
#include "sim/session/session.h"

/* What the command has. The import borrows the workload of the job. */
typedef struct import_run {
  stepsim_job *job;
  ss_session session;
  ss_import import;
  ss_model_size size;
} import_run;

/* The workload as the command line has it, checked as those of other commands are. */
static ss_status read_all(import_run *run, const ss_options *options, ss_error *error)
{
  const ss_api_foreign foreign = {options->argument, options->argument_count, options->common.override,
                                  options->common.override_count};
  ss_status status = ss_api_job_import(&foreign, &run->job, &run->import, error);
  if (status != SS_OK) return status;
  ss_api_job_session(run->job, &run->session);
  status = ss_session_complete(&run->session, &options->common, error);
  if (status != SS_OK) return status;
  return ss_model_size_of(&run->session.workload, &run->session.machine, &run->size, error);
}

/* Notes of a kind on a line. */
static ss_status print_notes(FILE *stream, const ss_import *import, ss_note_kind kind, ss_error *error)
{
  char *line = NULL;
  const ss_status status = ss_import_notes(import, kind, &line, error);
  if (line != NULL) {
    (void)fputs("  ", stream);
    ss_table_print_wrapped(stream, line, 2);
  }
  free(line);
  return status;
}

static ss_status print_import(FILE *stream, const import_run *run, ss_error *error)
{
  ss_status status = SS_OK;
  char chosen[SS_MESSAGE_SIZE];
  ss_import_chosen(&run->import, chosen, sizeof chosen);
  char parameters[SS_TABLE_SCALED_SIZE], active[SS_TABLE_SCALED_SIZE];
  ss_table_count(run->size.parameters, parameters);
  ss_table_count(run->size.active, active);
  (void)fprintf(stream, "%s: %" PRId64 " layers, %s parameters", run->session.workload.model.name,
                run->session.workload.model.layers, parameters);
  if (run->size.active < run->size.parameters) (void)fprintf(stream, ", %s of them for a token", active);
  (void)fputc('\n', stream);
  if (chosen[0] != '\0') {
    char text[SS_MESSAGE_SIZE + 64];
    (void)snprintf(text, sizeof text, "chosen here, for --set to change: %s", chosen);
    (void)fputs("  ", stream);
    ss_table_print_wrapped(stream, text, 2);
  }
  for (int kind = 0; status == SS_OK && kind < SS_NOTE_KINDS; ++kind)
    status = print_notes(stream, &run->import, (ss_note_kind)kind, error);
  return status;
}

/* What a file names and what was not read may have what is missed. An error was printed already. */
static void print_unread(const ss_import *import)
{
  ss_error second = {0};
  (void)print_notes(stderr, import, SS_NOTE_RECIPE, &second);
  (void)print_notes(stderr, import, SS_NOTE_SOURCED, &second);
}

int ss_command_import(const ss_options *options)
{
  import_run run = {.size = {0}};
  ss_error error = {0};
  const char *path = options->output.file != NULL ? options->output.file : "-";
  ss_status status = ss_outputs_check(&options->output, NULL, 0, &error);
  for (int64_t i = 0; status == SS_OK && i < options->argument_count; ++i)
    status = ss_outputs_check_input(&options->output, options->argument[i], &error);
  if (status == SS_OK) status = read_all(&run, options, &error);
  if (status == SS_OK) status = ss_workload_save(&run.session.workload, path, options, &error);
  if (status == SS_OK) status = print_import(ss_option_is_standard_output(path) ? stderr : stdout, &run, &error);
  const int exit_status = status == SS_OK ? SS_EXIT_DONE : ss_fail(&error);
  if (status != SS_OK) print_unread(&run.import);
  ss_import_free(&run.import);
  ss_session_close(&run.session);
  stepsim_job_destroy(run.job);
  return exit_status;
}
