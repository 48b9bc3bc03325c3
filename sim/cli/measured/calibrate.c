/* calibrate: the constants of a platform, fitted to what was measured on it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/measured/sensitivity.h"
#include "sim/cli/measured/calibrated_platform.h"
#include "sim/cli/measured/calibration_files.h"
#include "sim/cli/measured/fit_run.h"
#include "sim/cli/measured/measurements.h"
#include "sim/cli/shared/commands.h"
#include "sim/cli/shared/comment.h"
#include "sim/cli/shared/exit_status.h"
#include "sim/crew/crew.h"
#include "sim/io/io.h"
#include "sim/report/report.h"
#include "sim/session/outputs.h"
#include "sim/session/progress.h"

/* What the command has. */
typedef struct calibration {
  ss_options options; /* those of the command line, without overrides of workloads, which are part of the rows */
  ss_machine machine;
  ss_calibration_inputs inputs;
  ss_free_constant free[SS_FREE_CONSTANTS];
  ss_fit_run run;
  double *sensitivity, *scratch; /* [SS_FREE_CONSTANTS][points.count] owned */
} calibration;

/* Evaluations for each constant in one search: more than a fit has, whose constants are chosen by hand. */
enum { EVALUATIONS = 200, DIGITS = 3 /* of bounds */ };

/* By how much a constant is changed to see what it does. */
#define CHANGE 1.1

static bool is_of_platform(const char *override)
{
  return strncmp(override, "platform.", 9) == 0;
}

static void take_options(calibration *c, const ss_options *options)
{
  ss_common_options *common = &c->options.common;
  c->options = *options;
  common->override_count = 0;
  for (int64_t i = 0; i < options->common.override_count; ++i)
    if (is_of_platform(options->common.override[i]))
      common->override[common->override_count++] = options->common.override[i];
}

static ss_status load_machine(calibration *c, ss_error *error)
{
  const ss_common_options *common = &c->options.common;
  ss_status status = ss_machine_load(c->options.argument[0], &c->machine, error);
  for (int64_t i = 0; status == SS_OK && i < common->override_count; ++i)
    status = ss_override(common->override[i], NULL, &c->machine, error);
  return status;
}

static ss_status read_files(calibration *c, const ss_options *options, ss_error *error)
{
  ss_status status = SS_OK;
  c->inputs = (ss_calibration_inputs){.options = options, .platform = options->argument[0], .machine = &c->machine};
  for (int64_t i = 1; status == SS_OK && i < options->argument_count; ++i) {
    status = ss_outputs_check_input(&options->output, options->argument[i], error);
    if (status == SS_OK) status = ss_calibration_read(&c->inputs, options->argument[i], error);
  }
  return status;
}

/* The measurements become those of the fit. */
static ss_status take_points(calibration *c, ss_error *error)
{
  ss_fit_run *run = &c->run;
  double sum = 0.0;
  run->options = &c->options;
  run->limit = EVALUATIONS;
  run->measured = c->inputs.measured;
  c->inputs.measured = (ss_measured){.points = 0};
  const ss_status status = ss_fit_points_init(&run->points, &run->measured, error);
  if (status != SS_OK) return status;
  ss_fit_points_split(&run->points);
  if (run->points.count > 0) ss_fit_points_balance(&run->points, c->inputs.weight);
  for (int64_t i = 0; i < run->points.count; ++i) sum += run->points.weight[i];
  if (sum > 0.0) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, c->options.argument[1], 0,
                      "no time in these files can be used; allowed: one or more, of weight above 0");
}

/* A constant that measurements set is not free. */
static void keep_set(calibration *c)
{
  for (int i = 0; i < SS_FREE_CONSTANTS; ++i)
    if (ss_measured_setter(&c->run.measured, c->free[i].constant.property->name) >= 0) c->free[i].fate = SS_FATE_SET;
}

/* The plan of the constants that have a fate. `index` [SS_FIT_CONSTANTS] is where in the list each of them is. */
static void plan_of(calibration *c, ss_fate fate, int *index)
{
  ss_fit_plan *plan = &c->run.plan;
  plan->constants = 0;
  for (int i = 0; i < SS_FREE_CONSTANTS; ++i) {
    if (c->free[i].fate != fate || plan->constants == SS_FIT_CONSTANTS) continue;
    index[plan->constants] = i;
    c->run.fit.values[SS_FIT_START].of[plan->constants] = c->free[i].constant.start;
    plan->constant[plan->constants++] = c->free[i].constant;
  }
}
_Static_assert((int)SS_FREE_CONSTANTS <= (int)SS_FIT_CONSTANTS, "a plan has room for all");

/* d ln t / d ln c of every point, between the constant a tenth higher and lower, within its bounds. */
static ss_status find_sensitivity(calibration *c, int64_t constant, double *sensitivity, ss_error *error)
{
  const ss_fit_constant *row = &c->run.plan.constant[constant];
  const int64_t count = c->run.points.count;
  ss_fit_values low = c->run.fit.values[SS_FIT_START], high = low;
  low.of[constant] = fmax(row->from, row->start / CHANGE);
  high.of[constant] = fmin(row->to, row->start * CHANGE);
  const double step = log(high.of[constant] / low.of[constant]);
  ss_status status = ss_fit_run_times(&c->run, &low, sensitivity, error);
  if (status == SS_OK) status = ss_fit_run_times(&c->run, &high, c->scratch, error);
  for (int64_t i = 0; status == SS_OK && i < count; ++i)
    sensitivity[i] = step > 0.0 ? log(c->scratch[i] / sensitivity[i]) / step : 0.0;
  return status;
}

/* Decides which constants are fitted. */
static ss_status choose(calibration *c, ss_error *error)
{
  int index[SS_FIT_CONSTANTS];
  const size_t count = (size_t)c->run.points.count;
  ss_status status = SS_OK;
  ss_free_constants_of(&c->machine, c->free);
  for (int i = 0; i < SS_FREE_CONSTANTS; ++i) {
    ss_fit_constant *row = &c->free[i].constant;
    row->from = fmin(ss_quantity_round(row->from, row->property->unit, DIGITS), row->start);
    row->to = fmax(ss_quantity_round(row->to, row->property->unit, DIGITS), row->start);
  }
  keep_set(c);
  c->sensitivity = calloc(SS_FREE_CONSTANTS * count, sizeof *c->sensitivity);
  c->scratch = calloc(SS_FREE_CONSTANTS * count, sizeof *c->scratch);
  if (c->sensitivity == NULL || c->scratch == NULL)
    return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for sensitivities");
  for (size_t i = 0; i < SS_FREE_CONSTANTS; ++i) c->free[i].sensitivity = c->sensitivity + i * count;
  plan_of(c, SS_FATE_IDLE, index);
  for (int64_t i = 0; status == SS_OK && i < c->run.plan.constants; ++i)
    status = find_sensitivity(c, i, c->free[index[i]].sensitivity, error);
  if (status == SS_OK) status = ss_fit_run_times(&c->run, &c->run.fit.values[SS_FIT_START], c->scratch, error);
  if (status != SS_OK) return status;
  ss_free_constants_choose(c->free, &c->run.points, c->scratch);
  plan_of(c, SS_FATE_FITTED, index);
  if (c->run.plan.constants > 0) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, c->options.argument[0], 0,
                      "no constant of the platform is told by these files; allowed: larger collectives or iterations");
}

/* A row that no machine of the kind can have done moves constants to their bounds. One of weight 0 moves nothing. */
static ss_status check_peaks(const calibration *c, ss_error *error)
{
  const ss_fit_run *run = &c->run;
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < run->points.count; ++i) {
    const ss_measurements_question question = {.options = run->options,
                                               .measured = &run->measured,
                                               .point = run->points.point[i],
                                               .machine = &run->machine[i]};
    if (run->points.weight[i] > 0.0) status = ss_measurements_check_peak(&question, error);
  }
  return status;
}

static ss_status open_calibration(calibration *c, const ss_options *options, ss_error *error)
{
  take_options(c, options);
  ss_status status = ss_outputs_check(&options->output, options->argument, 1, error);
  if (status == SS_OK) status = load_machine(c, error);
  if (status == SS_OK) status = read_files(c, options, error);
  if (status == SS_OK) status = take_points(c, error);
  if (status == SS_OK) status = ss_fit_run_open(&c->run, error);
  if (status == SS_OK) status = check_peaks(c, error);
  return status == SS_OK ? choose(c, error) : status;
}

static void close_calibration(calibration *c)
{
  ss_fit_run_close(&c->run);
  ss_calibration_inputs_free(&c->inputs);
  free(c->sensitivity);
  free(c->scratch);
}

static ss_status report(const calibration *c, const char *fitted_to, ss_error *error)
{
  const ss_output_options *output = &c->options.output;
  const bool apart = ss_option_is_standard_output(output->file);
  const ss_fit_report all = {.fit = &c->run.fit,
                             .write = ss_quantity_format,
                             .fitted_to = fitted_to[0] != '\0' ? fitted_to : NULL,
                             .written = output->file,
                             .free = c->free};
  const ss_status status = output->json != NULL ? ss_report_fit_json(output->json, &all, error) : SS_OK;
  if (status != SS_OK || ss_option_is_standard_output(output->json)) return status;
  FILE *stream = apart ? stderr : stdout;
  ss_calibration_print_notes(&c->inputs, stream);
  if (c->inputs.notes > 0) (void)fputc('\n', stream);
  ss_report_fit_text(stream, &all);
  return SS_OK;
}

static void print_origin(FILE *stream, const void *what)
{
  (void)fputc('\n', stream);
  ss_comment_made_by(stream, what);
}

/* The collectives of nccl-tests as validate and fit read them. */
static ss_status write_measured(const calibration *c, ss_error *error)
{
  const char *file = c->options.output.measured;
  char *text = NULL;
  if (file == NULL) return SS_OK;
  char *comment = ss_comment_make(print_origin, &c->options);
  if (comment == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for measurements");
  ss_status status = ss_measured_write(&c->run.measured, comment, &text, error);
  if (status == SS_OK) status = ss_report_bytes(file, text, error);
  free(text);
  free(comment);
  return status;
}

/* The weighted mean of |ln(predicted / measured)| above which constants on their bounds are worth a warning: a third
 * more or less. Published iterations are predicted within a third of that, collectives within two. */
#define LARGE_ERROR 0.3

/* Bounds are wide: who ends there with large errors has measured something else than the rows say. */
static void warn_of_bounds(const calibration *c)
{
  const ss_fit *fit = &c->run.fit;
  const double error = fit->objective[SS_FIT_FITTED];
  for (int64_t i = 0; error > LARGE_ERROR && i < fit->plan->constants; ++i) {
    if (!ss_fit_is_on_bound(fit, i, SS_FIT_LOWER) && !ss_fit_is_on_bound(fit, i, SS_FIT_HIGHER)) continue;
    (void)fprintf(stderr,
                  "stepsim: warning: %s ends on its bound, and predictions are still off by a factor of %.2f in the "
                  "mean: measurements, jobs and platform do not belong together\n",
                  fit->plan->constant[i].property->name, exp(error));
  }
}

int ss_command_calibrate(const ss_options *options)
{
  calibration *c = calloc(1, sizeof *c);
  ss_error error = {0};
  char fitted_to[SS_FITTED_TO_SIZE];
  if (c == NULL) {
    (void)ss_error_set(&error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a calibration");
    return ss_fail(&error);
  }
  ss_status status = open_calibration(c, options, &error);
  if (status == SS_OK) status = ss_fit_run_all(&c->run, &error);
  ss_progress_clear(&options->common);
  if (status != SS_OK) ss_calibration_print_notes(&c->inputs, stderr);
  if (status == SS_OK && ss_crew_is_first()) {
    ss_calibrated_name_source(options, &c->run.fit, fitted_to);
    status = ss_calibrated_platform_write(options, &c->machine, &c->run.fit, fitted_to, &error);
    if (status == SS_OK) status = write_measured(c, &error);
    if (status == SS_OK) status = report(c, fitted_to, &error);
    if (status == SS_OK) warn_of_bounds(c);
  }
  close_calibration(c);
  free(c);
  return status == SS_OK ? SS_EXIT_DONE : ss_fail(&error);
}
