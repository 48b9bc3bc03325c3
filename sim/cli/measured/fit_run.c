#include "sim/cli/measured/fit_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/measured/measurements.h"
#include "sim/crew/crew.h"
#include "sim/io/io.h"
#include "sim/session/progress.h"
#include "sim/solver/minimum.h"

enum {
  DIGITS = 4,        /* of a fitted constant: the errors are those of the printed value */
  WORTH_THREADS = 16 /* points; for fewer, starting the threads takes longer than the work */
};

/* How much a constant is changed to see what it does. */
static const double change_by[SS_FIT_WAYS] = {[SS_FIT_LOWER] = 0.9, [SS_FIT_HIGHER] = 1.1};

/* Whether the machine of a point is that of the one before. */
static bool shares_machine(const ss_measured_point *last, const ss_measured_point *point)
{
  return last != NULL && last->own == NULL && point->own == NULL && last->group == point->group &&
         strcmp(last->platform, point->platform) == 0;
}

/* Loads a machine for each point. Most groups use one machine for all points; it is read once. */
static ss_status load_machines(ss_fit_run *run, ss_error *error)
{
  const ss_measured_point *points = run->measured.point;
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < run->points.count; ++i) {
    const ss_measured_point *point = &points[run->points.point[i]];
    const ss_measured_point *last = i > 0 ? &points[run->points.point[i - 1]] : NULL;
    if (shares_machine(last, point))
      run->machine[i] = run->machine[i - 1];
    else
      status = ss_measurements_machine(run->options, &run->measured, run->points.point[i], &run->machine[i], error);
  }
  return status;
}

static ss_status allocate(ss_fit_run *run, ss_error *error)
{
  const size_t count = (size_t)run->points.count;
  run->machine = malloc(count * sizeof *run->machine);
  run->predicted_s = calloc(count, sizeof *run->predicted_s);
  run->left_out_s = calloc(count, sizeof *run->left_out_s);
  run->chosen = malloc(count * sizeof *run->chosen);
  if (run->machine != NULL && run->predicted_s != NULL && run->left_out_s != NULL && run->chosen != NULL) return SS_OK;
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a fit");
}

ss_status ss_fit_run_open(ss_fit_run *run, ss_error *error)
{
  ss_status status = allocate(run, error);
  if (status == SS_OK) status = ss_fit_init(&run->fit, &run->plan, &run->points, error);
  if (status == SS_OK) status = load_machines(run, error);
  run->fit.replayed = run->options->measurement.replay;
  run->fit.crossed = !run->options->measurement.quick && run->points.sources > 1;
  return status;
}

void ss_fit_run_close(ss_fit_run *run)
{
  ss_fit_free(&run->fit);
  ss_fit_points_free(&run->points);
  ss_measured_free(&run->measured);
  free(run->machine);
  free(run->predicted_s);
  free(run->left_out_s);
  free(run->chosen);
}

static ss_status predict_point(const ss_fit_run *run, int64_t index, double *time_s, ss_error *error)
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

/* By threads: a closed form takes less time than sending it to another process would. The error is that of the first
 * point that has one, whichever comes first in time. */
static ss_status estimate_chosen(ss_fit_run *run, ss_error *error)
{
  ss_error first = {.code = SS_OK};
  int64_t refused = run->chosen_count;
#pragma omp parallel for schedule(dynamic) if (run->chosen_count >= WORTH_THREADS)
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
  const ss_fit_run *run = context;
  return predict_point(run, run->chosen[item], outcome, error);
}

static ss_status done(void *context, int64_t item, const void *outcome, bool was_known, ss_error *error)
{
  ss_fit_run *run = context;
  (void)was_known;
  (void)error;
  memcpy(&run->predicted_s[run->chosen[item]], outcome, sizeof *run->predicted_s);
  return SS_OK;
}

/* By processes. All processes of the job learn the times, so that all take the same decisions. */
static ss_status replay_chosen(ss_fit_run *run, ss_error *error)
{
  const ss_crew_work all = {
      .count = run->chosen_count, .outcome_size = sizeof *run->predicted_s, .work = work, .done = done, .context = run};
  const ss_status status = ss_crew_run(&all, error);
  if (status != SS_OK) return status;
  return ss_crew_share(run->predicted_s, (size_t)run->points.count * sizeof *run->predicted_s, error);
}

/* Predicts all points but those of a source with these constants. */
static ss_status predict(ss_fit_run *run, const ss_fit_values *values, int64_t without, ss_error *error)
{
  run->chosen_count = 0;
  for (int64_t i = 0; i < run->points.count; ++i) {
    if (run->points.source[i] == without) continue;
    ss_fit_apply(&run->plan, values, &run->machine[i]);
    run->chosen[run->chosen_count++] = i;
  }
  return run->fit.replayed ? replay_chosen(run, error) : estimate_chosen(run, error);
}

/* Evaluations of one search at most. */
static int64_t limit_of(const ss_fit_run *run)
{
  return (run->limit > 0 ? run->limit : SS_FIT_EVALUATIONS) * run->plan.constants;
}

static void show_progress(const ss_fit_run *run)
{
  const ss_progress progress = ss_progress_of(&run->options->common);
  const int64_t limit = limit_of(run);
  const int64_t searches = 1 + (run->fit.crossed ? run->points.sources : 0);
  if (progress == NULL || !ss_crew_is_first()) return;
  progress(((double)run->searches_done + (double)run->evaluations / (double)limit) / (double)searches);
}

/* The nearest value within the bounds that has the digits of the report. */
static double readable(const ss_fit_constant *constant, double value)
{
  const double rounded = ss_quantity_round(value, constant->property->unit, DIGITS);
  return fmin(fmax(rounded, constant->from), constant->to);
}

static ss_status objective(ss_fit_run *run, const ss_fit_values *values, double *value, ss_error *error)
{
  const ss_status status = predict(run, values, run->without, error);
  if (status == SS_OK) *value = ss_fit_objective(&run->points, run->predicted_s, run->without);
  return status;
}

static ss_status evaluate(void *context, const double *at, double *value, ss_error *error)
{
  ss_fit_run *run = context;
  ss_fit_values values;
  for (int64_t i = 0; i < run->plan.constants; ++i) values.of[i] = ss_fit_value(&run->plan.constant[i], at[i]);
  const ss_status status = objective(run, &values, value, error);
  run->evaluations++;
  show_progress(run);
  return status;
}

/* Returns a constant to its start where the fitted value improves nothing: the points do not depend on it. */
static ss_status settle(ss_fit_run *run, ss_fit_values *values, ss_error *error)
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
static ss_status search(ss_fit_run *run, int64_t without, ss_fit_values *values, ss_error *error)
{
  const ss_fit_plan *plan = &run->plan;
  const ss_minimum_search downhill = {.count = plan->constants,
                                      .evaluate = evaluate,
                                      .context = run,
                                      .limit = limit_of(run),
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

static ss_status summarise(const ss_fit_run *run, ss_fit_part part, ss_error_summary *summary, ss_error *error)
{
  return ss_fit_summarise(&run->points, run->predicted_s, part, summary, error);
}

static const ss_fit_part everything = {SS_FIT_ALL, SS_FIT_ALL};

/* The errors of a stage whose constants are known. */
static ss_status sum_stage(ss_fit_run *run, int stage, ss_error *error)
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
static ss_status change(ss_fit_run *run, int64_t constant, int way, ss_error *error)
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

/* Fits without a source and predicts the points of that source: errors on measurements that the fit has not seen. */
static ss_status leave_out(ss_fit_run *run, int64_t source, ss_error *error)
{
  ss_fit_left_out *left = &run->fit.left_out[source];
  ss_status status = search(run, source, &left->values, error);
  if (status == SS_OK) status = predict(run, &left->values, SS_FIT_ALL, error);
  if (status == SS_OK) status = summarise(run, (ss_fit_part){SS_FIT_ALL, source}, &left->without, error);
  for (int64_t i = 0; status == SS_OK && i < run->points.count; ++i)
    if (run->points.source[i] == source) run->left_out_s[i] = run->predicted_s[i];
  return status;
}

ss_status ss_fit_run_times(ss_fit_run *run, const ss_fit_values *values, double *time_s, ss_error *error)
{
  const ss_status status = predict(run, values, SS_FIT_ALL, error);
  if (status == SS_OK) memcpy(time_s, run->predicted_s, (size_t)run->points.count * sizeof *time_s);
  return status;
}

ss_status ss_fit_run_all(ss_fit_run *run, ss_error *error)
{
  ss_fit *fit = &run->fit;
  ss_status status = sum_stage(run, SS_FIT_START, error);
  if (status == SS_OK) status = search(run, SS_FIT_ALL, &fit->values[SS_FIT_FITTED], error);
  fit->evaluations = run->evaluations;
  fit->limited = run->evaluations >= limit_of(run);
  if (status == SS_OK) status = sum_stage(run, SS_FIT_FITTED, error);
  for (int64_t i = 0; i < run->plan.constants; ++i)
    for (int way = 0; status == SS_OK && way < SS_FIT_WAYS; ++way) status = change(run, i, way, error);
  for (int64_t i = 0; status == SS_OK && fit->crossed && i < run->points.sources; ++i)
    status = leave_out(run, i, error);
  if (status != SS_OK || !fit->crossed) return status;
  return ss_fit_summarise(&run->points, run->left_out_s, everything, &fit->left_whole, error);
}
