#include "sim/report/json.h"
#include "model/input/workload.h"
#include "sim/report/interval.h"
#include "sim/report/report.h"
#include "sim/report/sweep/listing.h"
#include "sim/report/sweep/values.h"

static json_t *point_json(const ss_sweep_report *report, const ss_listing *listing, int64_t index, bool *complete)
{
  const ss_sweep_point *point = &report->sweep->point[index];
  const ss_line line = ss_sweep_line(listing, point);
  json_t *object = json_object();
  ss_json_add(object, "values", ss_sweep_values_json(report, index, complete), complete);
  if (point->refusal != NULL) {
    ss_json_add(object, "refused", json_string(point->refusal), complete);
    return object;
  }
  ss_listing_add_json(object, SS_SWEEP_JSON, &line, complete);
  if (!ss_cost_traits_of(report->cost).as_published) {
    const double time_s = ss_strategy_time_s(line.strategy);
    ss_json_add(object, "interval", ss_interval_json(&point->interval, time_s, complete), complete);
  }
  if (point->best > 0) { /* the closed form would have chosen another one */
    const ss_line other = {.listing = listing, .strategy = line.favourite, .tariff = line.tariff, .gpus = point->gpus};
    json_t *favourite = json_object();
    ss_listing_add_json(favourite, SS_FAVOURITE_JSON, &other, complete);
    ss_json_add(object, "favourite", favourite, complete);
  }
  return object;
}

static json_t *extremum_json(const ss_sweep_report *report, const ss_sweep_extremum *extremum, bool *complete)
{
  const ss_sweep *sweep = report->sweep;
  const ss_breakdown *time = ss_sweep_time(&sweep->point[extremum->first], extremum->simulated);
  json_t *object = json_object();
  ss_json_add(object, "axis", json_string(sweep->axis[extremum->axis].name), complete);
  ss_json_add(object, "of", json_string(extremum->simulated ? "simulation" : "estimate"), complete);
  ss_json_add(object, "kind", json_string(extremum->maximum ? "maximum" : "minimum"), complete);
  ss_json_add(object, "first", ss_sweep_values_json(report, extremum->first, complete), complete);
  ss_json_add(object, "last", ss_sweep_values_json(report, extremum->last, complete), complete);
  ss_json_add_real(object, "iteration_s", time->iteration_s, complete);
  ss_json_add_real(object, "depth_s", extremum->depth_s, complete);
  ss_json_add(object, "part", json_string(ss_part_field(extremum->part)), complete);
  return object;
}

static json_t *sweep_document(const ss_sweep_report *report, bool *complete)
{
  const ss_sweep *sweep = report->sweep;
  const ss_listing listing = ss_sweep_listing(report);
  json_t *object = json_object(), *points = json_array(), *extrema = json_array();
  ss_json_add(object, "stepsim", json_string(SS_VERSION), complete);
  ss_json_add(object, "workload", json_string(report->workload->model.name), complete);
  if (report->platform != NULL) ss_json_add(object, "platform", json_string(report->platform), complete);
  ss_json_add(object, "cost", json_string(ss_cost_word(report->cost)), complete);
  ss_json_add(object, "best", json_string(ss_best_word(report->best)), complete);
  if (report->best != SS_BEST_NOTHING)
    ss_json_add(object, "objective", json_string(ss_objective_word(report->objective)), complete);
  ss_json_add(object, "calibration", ss_sweep_calibration_json(sweep, complete), complete);
  ss_json_add(object, "axes", ss_sweep_axes_json(report, complete), complete);
  for (int64_t i = 0; i < sweep->count; ++i)
    ss_json_append(points, point_json(report, &listing, i, complete), complete);
  ss_json_add(object, "points", points, complete);
  for (int64_t i = 0; i < sweep->extrema; ++i)
    ss_json_append(extrema, extremum_json(report, &sweep->extremum[i], complete), complete);
  ss_json_add(object, "non_convex", extrema, complete);
  return object;
}

ss_status ss_report_sweep_json_text(const ss_sweep_report *report, char **text, ss_error *error)
{
  bool complete = true;
  json_t *document = sweep_document(report, &complete);
  return ss_json_text(document, complete, text, error);
}

ss_status ss_report_sweep_json(const char *path, const ss_sweep_report *report, ss_error *error)
{
  bool complete = true;
  json_t *document = sweep_document(report, &complete);
  return ss_json_write(path, document, complete, error);
}
