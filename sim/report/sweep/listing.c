#include "sim/report/sweep/listing.h"

#include <stdlib.h>
#include <string.h>

#include "model/input/workload.h"
#include "sim/report/calibration.h"
#include "sim/report/json.h"

/* Less of every iteration is not worth a column. */
#define LEAST_SHARE 0.01

/* The unit that the shortest iteration reaches. */
static ss_table_unit unit_of(const ss_sweep *sweep)
{
  double least_s = 1.0;
  for (int64_t i = 0; i < sweep->count; ++i) {
    const ss_strategy *best = ss_sweep_best(&sweep->point[i]);
    if (best != NULL && best->estimate.iteration_s < least_s) least_s = best->estimate.iteration_s;
  }
  return least_s >= 1.0 ? (ss_table_unit){"s", 1.0, 4} : (ss_table_unit){"ms", 1e3, 3};
}

static void see(ss_listing *listing, const ss_strategy *best)
{
  ss_strategy_columns_see(&listing->strategy, &best->candidate);
  for (int part = 0; part < SS_PART_COUNT; ++part)
    if (ss_breakdown_part(&best->estimate, (ss_part)part) > LEAST_SHARE * best->estimate.iteration_s)
      listing->shows_part[part] = true;
}

/* The GPUs that an axis has at a point; 0 where none has. */
static int64_t gpus_of(const ss_sweep *sweep, int64_t point)
{
  for (int64_t i = 0; i < sweep->axes; ++i)
    for (int64_t j = 0; j < sweep->axis[i].names; ++j) {
      const ss_sweep_setting setting = ss_sweep_setting_of(&sweep->axis[i], ss_sweep_value_index(sweep, point, i), j);
      if (strcmp(setting.name, SS_SWEEP_GPUS) == 0) return strtoll(setting.value, NULL, 10);
    }
  return 0;
}

ss_listing ss_sweep_listing(const ss_sweep_report *report)
{
  const ss_sweep *sweep = report->sweep;
  ss_listing listing = {.chosen = report->best != SS_BEST_NOTHING,
                        .replayed = report->replayed,
                        .priced = report->priced,
                        .objective = report->objective,
                        .powered = report->objective == SS_OBJECTIVE_ENERGY,
                        .gpus_vary = ss_sweep_varies(sweep, SS_SWEEP_GPUS),
                        .gpus_said = ss_sweep_varies(sweep, SS_SWEEP_GPUS),
                        .contest = report->contest,
                        .knobs = report->knobs,
                        .strategy = ss_strategy_columns_of(report->workload->parallelism.tensor, report->knobs),
                        .unit = unit_of(sweep)};
  for (int64_t i = 0; i < sweep->count; ++i) {
    const ss_strategy *best = ss_sweep_best(&sweep->point[i]);
    if (best != NULL) see(&listing, best);
    listing.costed = listing.costed || sweep->point[i].tariff.is_priced;
    if (best != NULL && gpus_of(sweep, i) != sweep->point[i].gpus) listing.gpus_said = false;
  }
  return listing;
}

ss_line ss_sweep_line(const ss_listing *listing, const ss_sweep_point *point)
{
  return (ss_line){.listing = listing,
                   .strategy = ss_sweep_best(point),
                   .favourite = point->count > 0 ? &point->top[0] : NULL,
                   .interval = &point->interval,
                   .tariff = &point->tariff,
                   .fitted = point->calibration.kernels == SS_KERNELS_FITTED,
                   .gpus = point->gpus,
                   .system_dollars = point->dollars};
}

/* The platforms of the points that are not refused, each once: [count], for the caller to free. NULL without memory. */
static ss_calibrated *list_platforms(const ss_sweep *sweep, int64_t *count)
{
  ss_calibrated *list = malloc((size_t)(sweep->count + 1) * sizeof *list);
  *count = 0;
  for (int64_t i = 0; list != NULL && i < sweep->count; ++i) {
    const ss_sweep_point *point = &sweep->point[i];
    if (point->refusal == NULL) *count = ss_calibrated_add(list, *count, point->platform, &point->calibration);
  }
  return list;
}

void ss_sweep_tell_calibration(FILE *stream, const ss_sweep *sweep, void (*tell)(FILE *stream, const char *sentence))
{
  int64_t count;
  ss_calibrated *list = list_platforms(sweep, &count);
  ss_calibration_tell(stream, list, count, tell);
  free(list);
}

json_t *ss_sweep_calibration_json(const ss_sweep *sweep, bool *complete)
{
  int64_t count;
  ss_calibrated *list = list_platforms(sweep, &count);
  json_t *array = json_array();
  *complete = *complete && list != NULL;
  for (int64_t i = 0; list != NULL && i < count; ++i) {
    json_t *object = ss_calibration_json(&list[i].calibration, complete);
    ss_json_add(object, "platform", json_string(list[i].platform), complete);
    ss_json_append(array, object, complete);
  }
  free(list);
  return array;
}

/* What points are compared by: that of the replay where there is one. */
static double value_of(const ss_sweep_point *point, ss_objective objective)
{
  const ss_shortlist_rule rule = {.objective = objective, .gpus = point->gpus, .tariff = point->tariff};
  ss_strategy strategy = *ss_sweep_best(point);
  if (strategy.simulated) strategy.estimate = strategy.simulation;
  return ss_strategy_value(&strategy, &rule);
}

/* Whether a point beats another: fits where that one does not, or has less of the objective. */
static bool is_better(const ss_sweep_point *point, const ss_sweep_point *other, ss_objective objective)
{
  const bool fits = ss_sweep_best(point)->memory.fits;
  if (fits != ss_sweep_best(other)->memory.fits) return fits;
  return value_of(point, objective) < value_of(other, objective);
}

int64_t ss_sweep_best_point(const ss_sweep_report *report, int64_t first)
{
  const ss_sweep *sweep = report->sweep;
  int64_t best = -1;
  for (int64_t i = 0; i < sweep->count; ++i) {
    if (ss_sweep_best(&sweep->point[i]) == NULL) continue;
    if (first >= 0 && ss_sweep_value_index(sweep, i, 0) != first) continue;
    if (best < 0 || is_better(&sweep->point[i], &sweep->point[best], report->objective)) best = i;
  }
  return best;
}

const char *ss_sweep_best_name(const ss_sweep_report *report)
{
  static const char *const names[SS_OBJECTIVE_COUNT] = {[SS_OBJECTIVE_TIME] = "The fastest",
                                                        [SS_OBJECTIVE_MEMORY] = "The one of least memory",
                                                        [SS_OBJECTIVE_GPU_HOURS] = "The one of fewest GPU hours",
                                                        [SS_OBJECTIVE_COST] = "The cheapest",
                                                        [SS_OBJECTIVE_ENERGY] = "The one of least energy"};
  return names[report->objective];
}
