/* fit: platform constants, fitted to published measurements. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/cli/commands.h"
#include "sim/cli/drawings.h"
#include "sim/cli/exit_status.h"
#include "sim/cli/fit_run.h"
#include "sim/cli/measurements.h"
#include "sim/cli/outputs.h"
#include "sim/crew/crew.h"
#include "sim/figure/fit.h"
#include "sim/io/io.h"
#include "sim/report/report.h"
#include "sim/session/progress.h"

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

/* Refuses a constant that --set or a group of measurements sets, too. */
static ss_status check_free(const ss_fit_run *run, const ss_fit_constant *constant, ss_error *error)
{
  char prefix[SS_NAME_SIZE], problem[SS_MESSAGE_SIZE];
  const size_t length = (size_t)snprintf(prefix, sizeof prefix, "platform.%s=", constant->property->name);
  for (int64_t i = 0; i < run->options->common.override_count; ++i)
    if (strncmp(run->options->common.override[i], prefix, length) == 0)
      return refuse_constant(run, constant, error, "is set by --set; allowed: --set of what is not fitted");
  for (int64_t i = 0; i < run->measured.groups; ++i) {
    const ss_measured_group *group = &run->measured.group[i];
    for (int64_t k = 0; k < group->settings; ++k) {
      if (strncmp(group->setting[k].text, prefix, length) != 0) continue;
      (void)snprintf(problem, sizeof problem, "is set by the group %s, at %.*s:%d; allowed: what no group sets",
                     group->id, SS_PATH_SIZE, group->file, group->line);
      return refuse_constant(run, constant, error, problem);
    }
  }
  return SS_OK;
}

static ss_status load_points(ss_fit_run *run, ss_error *error)
{
  const ss_fit_plan *plan = &run->plan;
  const char *files[SS_FIT_FILES];
  for (int64_t i = 0; i < plan->measured_count; ++i) files[i] = plan->measured[i];
  ss_status status = ss_measurements_load(run->options, files, plan->measured_count, &run->measured, error);
  if (status == SS_OK) status = ss_fit_choose_groups(plan, &run->measured, error);
  if (status == SS_OK) status = ss_fit_points_init(&run->points, &run->measured, error);
  if (status == SS_OK && run->points.count == 0)
    status = ss_error_set(error, SS_ERROR_INPUT, plan->file, 0,
                          "has no point that is used; allowed: measurements with one or more");
  return status;
}

/* Reads all inputs and refuses those that make a fit meaningless. */
static ss_status open_fit(ss_fit_run *run, ss_error *error)
{
  const ss_options *options = run->options;
  ss_status status = ss_outputs_check(&options->output, options->argument, options->argument_count, error);
  const ss_subject drawn = ss_fit_subject(NULL);
  if (status == SS_OK) status = ss_drawings_check(&options->output, &drawn, error);
  if (status == SS_OK) status = ss_fit_load(options->argument[0], &run->plan, error);
  if (status == SS_OK) status = load_points(run, error);
  for (int64_t i = 0; status == SS_OK && i < run->plan.constants; ++i)
    status = check_free(run, &run->plan.constant[i], error);
  if (status == SS_OK) status = ss_fit_run_open(run, error);
  for (int64_t i = 0; status == SS_OK && i < run->plan.constants; ++i)
    status = find_start(run, &run->plan.constant[i], &run->fit.values[SS_FIT_START].of[i], error);
  return status;
}

static ss_status report(const ss_fit_run *run, ss_error *error)
{
  const char *json = run->options->output.json;
  const ss_fit_report all = {.fit = &run->fit, .write = ss_quantity_format, .fitted_to = run->plan.file};
  const ss_subject subject = ss_fit_subject(&all);
  ss_status status = json != NULL ? ss_report_fit_json(json, &all, error) : SS_OK;
  if (status == SS_OK) status = ss_drawings_write(&run->options->output, &subject, error);
  if (status == SS_OK && !ss_option_is_standard_output(json)) ss_report_fit_text(stdout, &all);
  return status;
}

int ss_command_fit(const ss_options *options)
{
  ss_fit_run run = {.options = options};
  ss_error error = {0};
  ss_status status = open_fit(&run, &error);
  if (status == SS_OK) status = ss_fit_run_all(&run, &error);
  ss_progress_clear(&options->common);
  if (status == SS_OK && ss_crew_is_first()) status = report(&run, &error);
  ss_fit_run_close(&run);
  return status == SS_OK ? SS_EXIT_DONE : ss_fail(&error);
}
