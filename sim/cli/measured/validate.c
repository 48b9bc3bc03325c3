/* validate: predictions against published measurements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/measured/measurements.h"
#include "sim/cli/shared/commands.h"
#include "sim/cli/shared/drawings.h"
#include "sim/cli/shared/exit_status.h"
#include "sim/crew/crew.h"
#include "sim/figure/validate.h"
#include "sim/report/report.h"
#include "sim/session/outputs.h"
#include "sim/session/progress.h"

/* By how much residuals may differ from those that the program is built with, as logarithms. */
#define MOST_DISTANCE 0.02

/* The measurements, and which of them are predicted. */
typedef struct validate {
  const ss_options *options;
  ss_measured measured;
  ss_validation validation;
  int64_t *item; /* [items] points that are predicted; owned */
  int64_t items;
  int64_t *twin;           /* [points of the measurements] whose prediction a point has; owned */
  ss_residuals *residuals; /* [residual_rows] of the predictions; owned */
  int64_t residual_rows;
} validate;

static ss_status work(void *context, int64_t item, void *outcome, ss_error *error)
{
  const validate *v = context;
  ss_machine *machine = malloc(sizeof *machine);
  const ss_measurements_question question = {.options = v->options,
                                             .measured = &v->measured,
                                             .point = v->item[item],
                                             .machine = machine,
                                             .predictors = SS_PREDICTOR_BIT(SS_PREDICTOR_ESTIMATE) |
                                                           SS_PREDICTOR_BIT(SS_PREDICTOR_SIMULATION)};
  if (machine == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a platform");
  ss_status status = ss_measurements_machine(v->options, &v->measured, question.point, machine, error);
  if (status == SS_OK) status = ss_measurements_predict(&question, outcome, error);
  free(machine);
  return status;
}

static ss_status done(void *context, int64_t item, const void *outcome, bool was_known, ss_error *error)
{
  validate *v = context;
  (void)was_known;
  (void)error;
  memcpy(&v->validation.predicted[v->item[item]], outcome, sizeof(ss_predicted));
  return SS_OK;
}

/* The points that are used are predicted, but for those that ask what an earlier one does. */
static ss_status list_items(validate *v, ss_error *error)
{
  v->item = malloc(((size_t)v->measured.points + 1) * sizeof *v->item);
  v->twin = malloc(((size_t)v->measured.points + 1) * sizeof *v->twin);
  if (v->item == NULL || v->twin == NULL)
    return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for predictions");
  for (int64_t i = 0; i < v->measured.points; ++i) {
    v->twin[i] = v->measured.point[i].used ? ss_measured_twin(&v->measured, i) : i;
    if (v->measured.point[i].used && v->twin[i] == i) v->item[v->items++] = i;
  }
  return SS_OK;
}

/* Predictions of points that ask what an earlier one does. */
static void copy_to_twins(validate *v)
{
  for (int64_t i = 0; i < v->measured.points; ++i)
    if (v->twin[i] != i) v->validation.predicted[i] = v->validation.predicted[v->twin[i]];
}

static ss_status predict_all(validate *v, ss_error *error)
{
  ss_status status = ss_validation_init(&v->validation, &v->measured, error);
  if (status == SS_OK) status = list_items(v, error);
  if (status != SS_OK) return status;
  const ss_crew_work all = {.count = v->items,
                            .outcome_size = sizeof(ss_predicted),
                            .work = work,
                            .done = done,
                            .context = v,
                            .progress = ss_progress_of(&v->options->common)};
  status = ss_crew_run(&all, error);
  ss_progress_clear(&v->options->common);
  copy_to_twins(v);
  if (status == SS_OK) status = ss_validation_sum(&v->validation, error);
  if (status != SS_OK) return status;
  v->residuals = ss_residuals_of(&v->measured, v->validation.predicted, &v->residual_rows);
  return v->residuals != NULL ? SS_OK : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for residuals");
}

static ss_status report(const validate *v, ss_error *error)
{
  const ss_output_options *o = &v->options->output;
  const bool instead = ss_option_is_standard_output(o->json) || ss_option_is_standard_output(o->csv) ||
                       ss_option_is_standard_output(o->residuals);
  ss_status status = o->json != NULL ? ss_report_validation_json(o->json, &v->validation, error) : SS_OK;
  if (status == SS_OK && o->csv != NULL) status = ss_report_validation_csv(o->csv, &v->validation, error);
  const ss_subject subject = ss_validation_subject(&v->validation);
  if (status == SS_OK) status = ss_drawings_write(o, &subject, error);
  if (status == SS_OK && o->residuals != NULL)
    status = ss_report_residuals(o->residuals, v->residuals, v->residual_rows, error);
  if (status == SS_OK && !instead) ss_report_validation_text(stdout, &v->validation, v->options->measurement.summary);
  return status;
}

/* Says on standard error that a group exceeds a bound. */
static int complain(const ss_measured_group *group, const char *what, int predictor, double value, double bound)
{
  (void)fprintf(stderr, "stepsim: %s: the mean %s of the %s is %.2f %%; bound: %.4g %%\n", group->id, what,
                ss_predictor_label((ss_predictor)predictor), 100.0 * value, 100.0 * bound);
  return SS_EXIT_FAILED;
}

/* The exit status: failed where a limit is not kept. Names each on standard error. */
static int check_limits(const validate *v)
{
  int status = SS_EXIT_DONE;
  for (int64_t i = 0; i < v->measured.points; ++i)
    for (int predictor = 0; predictor < SS_PREDICTORS; ++predictor) {
      const ss_measured_point *point = &v->measured.point[i];
      if (!point->used || point->limit == SS_LIMIT_NONE ||
          ss_validation_keeps(&v->validation, i, (ss_predictor)predictor))
        continue;
      (void)fprintf(stderr, "stepsim: %s %s: the %s is %.6g s; limit: %s, %.6g s\n", v->measured.group[point->group].id,
                    point->id, ss_predictor_label((ss_predictor)predictor),
                    v->validation.predicted[i].time_s[predictor], ss_limit_text(point->limit), point->measured_s);
      status = SS_EXIT_FAILED;
    }
  return status;
}

/* The exit status: failed where a group exceeds a bound. Names each that does on standard error. */
static int check_bounds(const validate *v)
{
  const ss_validation *validation = &v->validation;
  int status = SS_EXIT_DONE;
  for (int64_t i = 0; i < v->measured.groups; ++i)
    for (int predictor = 0; predictor < SS_PREDICTORS; ++predictor) {
      const ss_measured_group *group = &v->measured.group[i];
      if (ss_validation_exceeds(validation, i, (ss_predictor)predictor))
        status = complain(group, "absolute error", predictor, validation->group[i].time[predictor].mean_absolute,
                          group->bound);
      if (ss_validation_regrets(validation, i, (ss_predictor)predictor))
        status =
            complain(group, "regret", predictor, validation->regrets.group[i].mean[predictor], group->regret_bound);
    }
  return status;
}

/* The exit status: failed where the residuals of all that is shipped, as it is, are not those that the program knows.
 */
static int check_residuals(const validate *v)
{
  int64_t count;
  const ss_residuals *known = ss_residuals_known(&count);
  const double distance = ss_residuals_distance(known, count, v->residuals, v->residual_rows);
  if (v->options->argument_count > 0 || v->options->common.override_count > 0 || distance <= MOST_DISTANCE)
    return SS_EXIT_DONE;
  (void)fprintf(stderr,
                "stepsim: model/measured/residuals.def differs from the predictions by %.3g; bound: %.3g; "
                "validate --residuals writes it\n",
                distance, MOST_DISTANCE);
  return SS_EXIT_FAILED;
}

int ss_command_validate(const ss_options *options)
{
  validate v = {.options = options};
  ss_error error = {0};
  if (options->measurement.coverage) {
    if (ss_crew_is_first()) ss_report_coverage_text(stdout);
    return SS_EXIT_DONE;
  }
  const ss_subject drawn = ss_validation_subject(NULL);
  ss_status status = ss_outputs_check(&options->output, NULL, 0, &error);
  if (status == SS_OK) status = ss_drawings_check(&options->output, &drawn, &error);
  if (status == SS_OK)
    status = ss_measurements_load(options, options->argument, options->argument_count, &v.measured, &error);
  if (status == SS_OK) status = predict_all(&v, &error);
  if (status == SS_OK && ss_crew_is_first()) status = report(&v, &error);
  const bool checks = status == SS_OK && options->measurement.check && ss_crew_is_first();
  const int limits = checks ? check_limits(&v) : SS_EXIT_DONE;
  const int bounds = checks && limits == SS_EXIT_DONE ? check_bounds(&v) : limits;
  const int done_status = checks && bounds == SS_EXIT_DONE ? check_residuals(&v) : bounds;
  ss_validation_free(&v.validation);
  ss_measured_free(&v.measured);
  free(v.item);
  free(v.twin);
  free(v.residuals);
  return status == SS_OK ? done_status : ss_fail(&error);
}
