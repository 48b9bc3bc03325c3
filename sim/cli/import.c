/* import: a workload file from files of other programs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  const ss_api_foreign foreign = {options->argument,        options->argument_count,
                                  options->common.override, options->common.override_count,
                                  options->common.gpus,     options->common.recipe};
  ss_status status = ss_api_job_import(&foreign, &run->job, &run->import, error);
  if (status != SS_OK) return status;
  ss_api_job_session(run->job, &run->session);
  status = ss_session_complete(&run->session, &options->common, error);
  if (status != SS_OK) return status;
  return ss_model_size_of(&run->session.workload, &run->session.machine, &run->size, error);
}

static void print_line(FILE *stream, const char *line)
{
  (void)fputs("  ", stream);
  ss_table_print_wrapped(stream, line, 2);
}

static void print_model(FILE *stream, const import_run *run)
{
  char parameters[SS_TABLE_SCALED_SIZE], active[SS_TABLE_SCALED_SIZE];
  ss_table_count(run->size.parameters, parameters);
  ss_table_count(run->size.active, active);
  (void)fprintf(stream, "%s: %" PRId64 " layers, %s parameters", run->session.workload.model.name,
                run->session.workload.model.layers, parameters);
  if (run->size.active < run->size.parameters) (void)fprintf(stream, ", %s of them for a token", active);
  (void)fputc('\n', stream);
}

static ss_status print_import(FILE *stream, const import_run *run, ss_error *error)
{
  char *text = NULL, *rest = NULL;
  const ss_status status = ss_import_text(&run->import, "chosen here, for --set to change", &text, error);
  if (status != SS_OK) return status;
  print_model(stream, run);
  for (const char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
    print_line(stream, line);
  free(text);
  return SS_OK;
}

static void print_notes(FILE *stream, const ss_import *import, ss_note_kind kind)
{
  ss_error second = {0};
  char *line = NULL;
  (void)ss_import_notes(import, kind, &line, &second);
  if (line != NULL) print_line(stream, line);
  free(line);
}

/* What a file names and what was not read may have what is missed, and so may what no file has. An error was printed
 * already. */
static void print_unread(const ss_import *import)
{
  print_notes(stderr, import, SS_NOTE_RECIPE);
  print_notes(stderr, import, SS_NOTE_SOURCED);
  print_notes(stderr, import, SS_NOTE_OPEN);
  print_notes(stderr, import, SS_NOTE_UNKNOWN);
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
  const bool to_stdout = ss_option_is_standard_output(path);
  if (status == SS_OK && !options->common.quiet) status = print_import(to_stdout ? stderr : stdout, &run, &error);
  const int exit_status = status == SS_OK ? SS_EXIT_DONE : ss_fail(&error);
  if (status != SS_OK) print_unread(&run.import);
  ss_import_free(&run.import);
  ss_session_close(&run.session);
  stepsim_job_destroy(run.job);
  return exit_status;
}
