/* fit: constants of platforms, fitted to published measurements. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/measurements.h"
#include "sim/cli/outputs.h"
#include "sim/cli/progress.h"
#include "sim/crew/crew.h"
#include "sim/io/io.h"
#include "sim/report/report.h"
#include "sim/solver/minimum.h"

enum {
  EVALUATIONS = 60, /* at most, for each constant, in one search */
  DIGITS = 4        /* of a fitted constant: what is printed is what the errors are of */
};

/* How much a constant is changed to see what it does. */
static const double change_by[SS_FIT_WAYS] = {[SS_FIT_LOWER] = 0.9, [SS_FIT_HIGHER] = 1.1};

/* A fit at work. */
typedef struct fit_run {
  const ss_options *options;
  ss_fit_plan plan;
  ss_measured measured;
  ss_fit_points points;
  ss_machine *machine; /* [points.count] owned */
  double *predicted_s; /* [points.count] of the last prediction; owned */
  double *left_out_s;  /* [points.count] each with its source left out of the fit; owned */
  int64_t *chosen;     /* [points.count] the points that are predicted at a time; owned */
  int64_t chosen_count;
  int64_t without;       /* the source that this search leaves out; or SS_FIT_ALL */
  int64_t searches_done; /* of all that there are */
  int64_t evaluations;   /* of this search */
  ss_fit fit;
} fit_run;

static ss_status predict_point(const fit_run *run, int64_t index, double *time_s, ss_error *error)
{
  const ss_predictor predictor = run->fit.replayed ? SS_PREDICTOR_SIMULATION : SS_PREDICTOR_ESTIMATE;
  const ss_measurements_question question = {.options = run->options,
                                             .measured = &run->measured,
                                             .point = run->points.point[index],
                                             .machine = &run->machine[index],
                                             .predictors = SS_PREDICTOR_BIT(predictor)};
  ss_predicted predicted = {.memory_bytes = 0.0};
  const ss_status status = ss_measurements_predict(&question, &predicted, error);
  if (status == SS_OK) *time_s = predicted.time_s[predictor];
  return status;
}

/* By threads: a closed form takes less time than to send it to another process. The error is that of the first point
 * that has one, whichever comes first in time. */
static ss_status estimate_chosen(fit_run *run, ss_error *error)
{
  ss_error first = {.code = SS_OK};
  int64_t refused = run->chosen_count;
#pragma omp parallel for schedule(dynamic)
  for (int64_t i = 0; i < run->chosen_count; ++i) {
    const int64_t index = run->chosen[i];
    ss_error own = {.code = SS_OK};
    if (predict_point(run, index, &run->predicted_s[index], &own) == SS_OK) continue;
#pragma omp critical
    if (i < refused) {
      refused = i;
      first = own;
    }
  }
  if (first.code != SS_OK) *error = first;
  return first.code;
}

static ss_status work(void *context, int64_t item, void *outcome, ss_error *error)
{
  const fit_run *run = context;
  return predict_point(run, run->chosen[item], outcome, error);
}

static ss_status done(void *context, int64_t item, const void *outcome, bool was_known, ss_error *error)
{
  fit_run *run = context;
  (void)was_known;
  (void)error;
  memcpy(&run->predicted_s[run->chosen[item]], outcome, sizeof *run->predicted_s);
  return SS_OK;
}

/* By processes. All that have joined learn the times, and so go the same way. */
static ss_status replay_chosen(fit_run *run, ss_error *error)
{
  const ss_crew_work all = {
      .count = run->chosen_count, .outcome_size = sizeof *run->predicted_s, .work = work, .done = done, .context = run};
  const ss_status status = ss_crew_run(&all, error);
  if (status != SS_OK) return status;
  return ss_crew_share(run->predicted_s, (size_t)run->points.count * sizeof *run->predicted_s, error);
}

/* Predicts all points but those of a source with these constants. */
static ss_status predict(fit_run *run, const ss_fit_values *values, int64_t without, ss_error *error)
{
  run->chosen_count = 0;
  for (int64_t i = 0; i < run->points.count; ++i) {
    if (run->points.source[i] == without) continue;
    ss_fit_apply(&run->plan, values, &run->machine[i]);
    run->chosen[run->chosen_count++] = i;
  }
  return run->fit.replayed ? replay_chosen(run, error) : estimate_chosen(run, error);
}

static void show_progress(const fit_run *run)
{
  const ss_progress progress = ss_progress_of(run->options);
  const int64_t limit = EVALUATIONS * run->plan.constants;
  const int64_t searches = 1 + (run->fit.crossed ? run->points.sources : 0);
  if (progress == NULL || !ss_crew_is_first()) return;
  progress(((double)run->searches_done + (double)run->evaluations / (double)limit) / (double)searches);
}

/* The value within the bounds that is printed for another one. */
static double readable(const ss_fit_constant *constant, double value)
{
  const double rounded = ss_quantity_round(value, constant->property->unit, DIGITS);
  return fmin(fmax(rounded, constant->from), constant->to);
}

static ss_status objective(fit_run *run, const ss_fit_values *values, double *value, ss_error *error)
{
  const ss_status status = predict(run, values, run->without, error);
  if (status == SS_OK) *value = ss_fit_objective(&run->points, run->predicted_s, run->without);
  return status;
}

static ss_status evaluate(void *context, const double *at, double *value, ss_error *error)
{
  fit_run *run = context;
  ss_fit_values values;
  for (int64_t i = 0; i < run->plan.constants; ++i) values.of[i] = ss_fit_value(&run->plan.constant[i], at[i]);
  const ss_status status = objective(run, &values, value, error);
  run->evaluations++;
  show_progress(run);
  return status;
}

/* A constant that makes nothing better where it has gone goes back to its start: the points know nothing about it. */
static ss_status settle(fit_run *run, ss_fit_values *values, ss_error *error)
{
  double least;
  ss_status status = objective(run, values, &least, error);
  for (int64_t i = 0; status == SS_OK && i < run->plan.constants; ++i) {
    ss_fit_values other = *values;
    double value;
    other.of[i] = run->fit.values[SS_FIT_START].of[i];
    status = objective(run, &other, &value, error);
    if (status == SS_OK && value <= least) *values = other;
    if (status == SS_OK) least = fmin(least, value);
  }
  return status;
}

/* The constants that suit all points but those of a source best. */
static ss_status search(fit_run *run, int64_t without, ss_fit_values *values, ss_error *error)
{
  const ss_fit_plan *plan = &run->plan;
  const ss_minimum_search downhill = {.count = plan->constants,
                                      .evaluate = evaluate,
                                      .context = run,
                                      .limit = EVALUATIONS * plan->constants,
                                      .tolerance = SS_FIT_TOLERANCE};
  double at[SS_FIT_CONSTANTS];
  ss_minimum minimum;
  for (int64_t i = 0; i < plan->constants; ++i)
    at[i] = ss_fit_coordinate(&plan->constant[i], run->fit.values[SS_FIT_START].of[i]);
  run->without = without;
  run->evaluations = 0;
  ss_status status = ss_minimum_find(&downhill, at, &minimum, error);
  for (int64_t i = 0; status == SS_OK && i < plan->constants; ++i)
    values->of[i] = readable(&plan->constant[i], ss_fit_value(&plan->constant[i], at[i]));
  if (status == SS_OK) status = settle(run, values, error);
  run->searches_done++;
  return status;
}

static ss_status summarise(const fit_run *run, ss_fit_part part, ss_error_summary *summary, ss_error *error)
{
  return ss_fit_summarise(&run->points, run->predicted_s, part, summary, error);
}

static const ss_fit_part everything = {SS_FIT_ALL, SS_FIT_ALL};

/* The errors of a stage, whose constants are there. */
static ss_status sum_stage(fit_run *run, int stage, ss_error *error)
{
  ss_fit *fit = &run->fit;
  ss_status status = predict(run, &fit->values[stage], SS_FIT_ALL, error);
  if (status != SS_OK) return status;
  fit->objective[stage] = ss_fit_objective(&run->points, run->predicted_s, SS_FIT_ALL);
  status = summarise(run, everything, &fit->whole[stage], error);
  for (int64_t i = 0; status == SS_OK && i < run->measured.groups; ++i)
    status = summarise(run, (ss_fit_part){i, SS_FIT_ALL}, &fit->group[stage][i], error);
  for (int64_t i = 0; status == SS_OK && i < run->points.sources; ++i)
    status = summarise(run, (ss_fit_part){SS_FIT_ALL, i}, &fit->left_out[i].within, error);
  return status;
}

/* What one constant does around the fit. */
static ss_status change(fit_run *run, int64_t constant, int way, ss_error *error)
{
  const ss_fit_constant *c = &run->plan.constant[constant];
  const ss_error_summary *whole = &run->fit.whole[SS_FIT_FITTED];
  ss_fit_values values = run->fit.values[SS_FIT_FITTED];
  ss_fit_change *effect = &run->fit.change[constant][way];
  ss_error_summary changed;
  const double fitted = values.of[constant];
  values.of[constant] = readable(c, change_by[way] * fitted);
  *effect = (ss_fit_change){.value = values.of[constant], .mean_absolute = NAN, .bias = NAN};
  if (effect->value == fitted) return SS_OK;
  ss_status status = predict(run, &values, SS_FIT_ALL, error);
  if (status == SS_OK) status = summarise(run, everything, &changed, error);
  if (status != SS_OK) return status;
  effect->mean_absolute = changed.mean_absolute - whole->mean_absolute;
  effect->bias = changed.bias - whole->bias;
  return SS_OK;
}

/* What the fit is worth where it has not been fitted. */
static ss_status leave_out(fit_run *run, int64_t source, ss_error *error)
{
  ss_fit_left_out *left = &run->fit.left_out[source];
  ss_status status = search(run, source, &left->values, error);
  if (status == SS_OK) status = predict(run, &left->values, SS_FIT_ALL, error);
  if (status == SS_OK) status = summarise(run, (ss_fit_part){SS_FIT_ALL, source}, &left->without, error);
  for (int64_t i = 0; status == SS_OK && i < run->points.count; ++i)
    if (run->points.source[i] == source) run->left_out_s[i] = run->predicted_s[i];
  return status;
}

static ss_status fit_all(fit_run *run, ss_error *error)
{
  ss_fit *fit = &run->fit;
  ss_status status = sum_stage(run, SS_FIT_START, error);
  if (status == SS_OK) status = search(run, SS_FIT_ALL, &fit->values[SS_FIT_FITTED], error);
  fit->evaluations = run->evaluations;
  fit->limited = run->evaluations >= EVALUATIONS * run->plan.constants;
  if (status == SS_OK) status = sum_stage(run, SS_FIT_FITTED, error);
  for (int64_t i = 0; i < run->plan.constants; ++i)
    for (int way = 0; status == SS_OK && way < SS_FIT_WAYS; ++way) status = change(run, i, way, error);
  for (int64_t i = 0; status == SS_OK && fit->crossed && i < run->points.sources; ++i)
    status = leave_out(run, i, error);
  if (status != SS_OK || !fit->crossed) return status;
  return ss_fit_summarise(&run->points, run->left_out_s, everything, &fit->left_whole, error);
}

/* A machine for each point. Those of a group have most often one in common, which is read once. */
static ss_status load_machines(fit_run *run, ss_error *error)
{
  const ss_measured_point *points = run->measured.point;
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < run->points.count; ++i) {
    const ss_measured_point *point = &points[run->points.point[i]];
    const ss_measured_point *last = i > 0 ? &points[run->points.point[i - 1]] : NULL;
    if (last != NULL && last->group == point->group && strcmp(last->platform, point->platform) == 0)
      run->machine[i] = run->machine[i - 1];
    else
      status = ss_measurements_machine(run->options, &run->measured, run->points.point[i], &run->machine[i], error);
  }
  return status;
}

static ss_status refuse_constant(const fit_run *run, const ss_fit_constant *constant, ss_error *error,
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

/* Where a search begins that nobody has told: at what all platforms say. */
static ss_status find_start(const fit_run *run, const ss_fit_constant *constant, double *start, ss_error *error)
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

/* Nobody else may say what a constant is. */
static ss_status check_free(const fit_run *run, const ss_fit_constant *constant, ss_error *error)
{
  char prefix[SS_NAME_SIZE], problem[SS_MESSAGE_SIZE];
  const size_t length = (size_t)snprintf(prefix, sizeof prefix, "platform.%s=", constant->property->name);
  for (int64_t i = 0; i < run->options->override_count; ++i)
    if (strncmp(run->options->override[i], prefix, length) == 0)
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

static ss_status allocate(fit_run *run, ss_error *error)
{
  const size_t count = (size_t)run->points.count;
  run->machine = malloc(count * sizeof *run->machine);
  run->predicted_s = calloc(count, sizeof *run->predicted_s);
  run->left_out_s = calloc(count, sizeof *run->left_out_s);
  run->chosen = malloc(count * sizeof *run->chosen);
  if (run->machine == NULL || run->predicted_s == NULL || run->left_out_s == NULL || run->chosen == NULL)
    return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a fit");
  return ss_fit_init(&run->fit, &run->plan, &run->points, error);
}

static ss_status load_points(fit_run *run, ss_error *error)
{
  const ss_fit_plan *plan = &run->plan;
  const char *files[SS_FIT_FILES];
  for (int64_t i = 0; i < plan->measured_count; ++i) files[i] = plan->measured[i];
  ss_status status = ss_measurements_load(run->options, files, plan->measured_count, &run->measured, error);
  if (status == SS_OK) status = ss_fit_points_init(&run->points, &run->measured, error);
  if (status == SS_OK && run->points.count == 0)
    status = ss_error_set(error, SS_ERROR_INPUT, plan->file, 0,
                          "has no point that is used; allowed: measurements with one or more");
  return status;
}

/* Reads it all, and refuses what the fit could not be trusted with. */
static ss_status open_fit(fit_run *run, ss_error *error)
{
  const ss_options *options = run->options;
  ss_status status = ss_outputs_check(options, options->file, options->file_count, error);
  if (status == SS_OK) status = ss_fit_load(options->file[0], &run->plan, error);
  if (status == SS_OK) status = load_points(run, error);
  for (int64_t i = 0; status == SS_OK && i < run->plan.constants; ++i)
    status = check_free(run, &run->plan.constant[i], error);
  if (status == SS_OK) status = allocate(run, error);
  if (status == SS_OK) status = load_machines(run, error);
  for (int64_t i = 0; status == SS_OK && i < run->plan.constants; ++i)
    status = find_start(run, &run->plan.constant[i], &run->fit.values[SS_FIT_START].of[i], error);
  run->fit.replayed = options->replay > 0;
  run->fit.crossed = !options->quick && run->points.sources > 1;
  return status;
}

static void close_fit(fit_run *run)
{
  ss_fit_free(&run->fit);
  ss_fit_points_free(&run->points);
  ss_measured_free(&run->measured);
  free(run->machine);
  free(run->predicted_s);
  free(run->left_out_s);
  free(run->chosen);
}

static ss_status report(const fit_run *run, ss_error *error)
{
  const char *json = run->options->json;
  const ss_fit_report all = {.fit = &run->fit, .write = ss_quantity_format};
  const ss_status status = json != NULL ? ss_report_fit_json(json, &all, error) : SS_OK;
  if (status == SS_OK && !ss_option_is_standard_output(json)) ss_report_fit_text(stdout, &all);
  return status;
}

int ss_command_fit(const ss_options *options)
{
  fit_run run = {.options = options};
  ss_error error = {0};
  ss_status status = open_fit(&run, &error);
  if (status == SS_OK) status = fit_all(&run, &error);
  ss_progress_clear(options);
  if (status == SS_OK && ss_crew_is_first()) status = report(&run, &error);
  close_fit(&run);
  return status == SS_OK ? SS_EXIT_DONE : ss_fail(&error);
}
