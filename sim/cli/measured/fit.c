/* fit: platform constants, fitted to published measurements. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/measured/calibration_rows.h"
#include "sim/cli/measured/fit_run.h"
#include "sim/cli/measured/measurements.h"
#include "sim/cli/shared/commands.h"
#include "sim/cli/shared/drawings.h"
#include "sim/cli/shared/exit_status.h"
#include "sim/crew/crew.h"
#include "sim/figure/fit.h"
#include "sim/import/import.h"
#include "sim/io/io.h"
#include "sim/report/report.h"
#include "sim/session/outputs.h"
#include "sim/session/progress.h"

/* A fit, and the files that it is from. */
typedef struct fitting {
  ss_fit_run run;
  ss_calibration_inputs inputs;
  ss_machine machine; /* of a log */
} fitting;

static ss_status refuse_constant(const ss_fit_run *run, const ss_fit_constant *constant, ss_error *error,
                                 const char *problem)
{
  return ss_error_set(error, SS_ERROR_INPUT, run->plan.file, constant->line, "constant %s: %s",
                      constant->property->name, problem);
}

static double value_in(const ss_machine *machine, const ss_property *property)
{
  double value;
  memcpy(&value, (const char *)machine + property->offset, sizeof value);
  return value;
}

/* The start of a constant: what the file says, else the value that all platforms share. */
static ss_status find_start(const ss_fit_run *run, const ss_fit_constant *constant, double *start, ss_error *error)
{
  const ss_property *property = constant->property;
  char first[SS_QUANTITY_SIZE], other[SS_QUANTITY_SIZE], problem[SS_MESSAGE_SIZE];
  *start = isnan(constant->start) ? value_in(&run->machine[0], property) : constant->start;
  if (!isnan(constant->start)) return SS_OK;
  ss_quantity_format(*start, property->unit, first);
  for (int64_t i = 1; i < run->points.count; ++i) {
    const double value = value_in(&run->machine[i], property);
    if (value == *start) continue;
    ss_quantity_format(value, property->unit, other);
    (void)snprintf(problem, sizeof problem,
                   "has no start, and platforms differ: %s has %s, %s has %s; allowed: start=\"%s\"",
                   run->machine[0].name, first, run->machine[i].name, other, first);
    return refuse_constant(run, constant, error, problem);
  }
  if (*start >= constant->from && *start <= constant->to) return SS_OK;
  (void)snprintf(problem, sizeof problem,
                 "has no start, and the platforms have %s, which is outside of its bounds; allowed: a start, or wider "
                 "bounds",
                 first);
  return refuse_constant(run, constant, error, problem);
}

/* Refuses a constant that --set or measurements set, too, but for what replaces these. */
static ss_status check_free(const ss_fit_run *run, const ss_fit_constant *constant, ss_error *error)
{
  char prefix[SS_NAME_SIZE], problem[SS_MESSAGE_SIZE];
  const size_t length = (size_t)snprintf(prefix, sizeof prefix, "platform.%s=", constant->property->name);
  for (int64_t i = 0; i < run->options->common.override_count; ++i)
    if (strncmp(run->options->common.override[i], prefix, length) == 0)
      return refuse_constant(run, constant, error, "is set by --set; allowed: --set of what is not fitted");
  const int64_t setter = ss_measured_setter(&run->measured, constant->property->name);
  if (setter < 0 || constant->replaces) return SS_OK;
  const ss_measured_group *group = &run->measured.group[run->measured.point[setter].group];
  (void)snprintf(problem, sizeof problem, "is set by the group %s, at %.*s:%d; allowed: what no group sets", group->id,
                 SS_PATH_SIZE, group->file, group->line);
  return refuse_constant(run, constant, error, problem);
}

/* Adds the collectives of a log of nccl-tests, on the platform that the plan says. */
static ss_status read_log(fitting *f, int64_t file, const ss_source *source, ss_error *error)
{
  const ss_fit_plan *plan = &f->run.plan;
  const ss_common_options *common = &f->run.options->common;
  if (plan->platform[file][0] == '\0')
    return ss_error_set(error, SS_ERROR_INPUT, plan->file, plan->measured_line[file],
                        "%s is output of nccl-tests, which names no platform; allowed: with platform=\"FILE\"",
                        plan->measured[file]);
  ss_status status = ss_machine_load(plan->platform[file], &f->machine, error);
  for (int64_t i = 0; status == SS_OK && i < common->override_count; ++i)
    status = ss_override(common->override[i], NULL, &f->machine, error);
  f->inputs.platform = plan->platform[file];
  f->inputs.machine = &f->machine;
  return status == SS_OK ? ss_calibration_read_nccl(&f->inputs, source, error) : status;
}

static ss_status read_file(fitting *f, int64_t file, ss_error *error)
{
  const ss_fit_plan *plan = &f->run.plan;
  const char *path = plan->measured[file];
  ss_source source = {.text = NULL};
  ss_status status = ss_outputs_check_input(&f->run.options->output, path, error);
  if (status == SS_OK) status = ss_source_read(path, &source, error);
  if (status == SS_OK && ss_nccl_log_is(source.text))
    status = read_log(f, file, &source, error);
  else if (status == SS_OK && plan->platform[file][0] != '\0')
    status = ss_error_set(error, SS_ERROR_INPUT, plan->file, plan->measured_line[file],
                          "platform is of logs, and %s is no output of nccl-tests; allowed: without it, measurements "
                          "as validate reads them",
                          path);
  else if (status == SS_OK)
    status = ss_measured_load(path, &f->inputs.measured, error);
  ss_source_free(&source);
  return status;
}

static ss_status read_files(fitting *f, ss_error *error)
{
  ss_measured *measured = &f->inputs.measured;
  ss_status status = ss_measurements_check_overrides(f->run.options, error);
  f->inputs.options = f->run.options;
  for (int64_t i = 0; status == SS_OK && i < f->run.plan.measured_count; ++i) status = read_file(f, i, error);
  if (status == SS_OK) status = ss_measurements_check_platforms(f->run.options, measured, error);
  f->run.measured = *measured;
  *measured = (ss_measured){.points = 0};
  return status;
}

static ss_status load_points(fitting *f, ss_error *error)
{
  ss_fit_run *run = &f->run;
  const ss_fit_plan *plan = &run->plan;
  ss_status status = read_files(f, error);
  if (status == SS_OK) status = ss_fit_choose_points(plan, &run->measured, error);
  if (status == SS_OK) status = ss_fit_points_init(&run->points, &run->measured, error);
  if (status == SS_OK && run->points.count == 0)
    status = ss_error_set(error, SS_ERROR_INPUT, plan->file, 0,
                          "has no point that is used; allowed: measurements with one or more");
  return status;
}

/* Reads all inputs and refuses those that make a fit meaningless. */
static ss_status open_fit(fitting *f, ss_error *error)
{
  ss_fit_run *run = &f->run;
  const ss_options *options = run->options;
  ss_status status = ss_outputs_check(&options->output, options->argument, options->argument_count, error);
  const ss_subject drawn = ss_fit_subject(NULL);
  if (status == SS_OK) status = ss_drawings_check(&options->output, &drawn, error);
  if (status == SS_OK) status = ss_fit_load(options->argument[0], &run->plan, error);
  if (status == SS_OK) status = load_points(f, error);
  for (int64_t i = 0; status == SS_OK && i < run->plan.constants; ++i)
    status = check_free(run, &run->plan.constant[i], error);
  if (status == SS_OK) status = ss_fit_run_open(run, error);
  for (int64_t i = 0; status == SS_OK && i < run->plan.constants; ++i)
    status = find_start(run, &run->plan.constant[i], &run->fit.values[SS_FIT_START].of[i], error);
  return status;
}

static ss_status report(const fitting *f, ss_error *error)
{
  const ss_fit_run *run = &f->run;
  const char *json = run->options->output.json;
  const ss_fit_report all = {.fit = &run->fit, .write = ss_quantity_format, .fitted_to = run->plan.file};
  const ss_subject subject = ss_fit_subject(&all);
  ss_status status = json != NULL ? ss_report_fit_json(json, &all, error) : SS_OK;
  if (status == SS_OK) status = ss_drawings_write(&run->options->output, &subject, error);
  if (status != SS_OK || ss_option_is_standard_output(json)) return status;
  ss_calibration_print_notes(&f->inputs, stdout);
  if (f->inputs.notes > 0) (void)fputc('\n', stdout);
  ss_report_fit_text(stdout, &all);
  return SS_OK;
}

int ss_command_fit(const ss_options *options)
{
  fitting *f = calloc(1, sizeof *f);
  ss_error error = {0};
  if (f == NULL) {
    (void)ss_error_set(&error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a fit");
    return ss_fail(&error);
  }
  f->run.options = options;
  ss_status status = open_fit(f, &error);
  if (status == SS_OK) status = ss_fit_run_all(&f->run, &error);
  ss_progress_clear(&options->common);
  if (status == SS_OK && ss_crew_is_first()) status = report(f, &error);
  ss_fit_run_close(&f->run);
  ss_calibration_inputs_free(&f->inputs);
  free(f);
  return status == SS_OK ? SS_EXIT_DONE : ss_fail(&error);
}
