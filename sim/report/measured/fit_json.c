/* A fit as JSON. */
#include "sim/report/json.h"
#include "sim/report/report.h"

static const char *const way_names[SS_FIT_WAYS] = {[SS_FIT_LOWER] = "lower", [SS_FIT_HIGHER] = "higher"};
static const char *const stage_names[SS_FIT_STAGES] = {[SS_FIT_START] = "start", [SS_FIT_FITTED] = "fitted"};

static json_t *change_json(const ss_fit_change *change, bool *complete)
{
  json_t *object = json_object();
  ss_json_add_real(object, "value", change->value, complete);
  ss_json_add_real(object, "mean_absolute", change->mean_absolute, complete);
  ss_json_add_real(object, "bias", change->bias, complete);
  return object;
}

static json_t *constant_json(const ss_fit_report *report, int64_t index, bool *complete)
{
  const ss_fit *fit = report->fit;
  const ss_fit_constant *constant = &fit->plan->constant[index];
  json_t *object = json_object(), *changes = json_object();
  char text[SS_NAME_SIZE];
  report->write(fit->values[SS_FIT_FITTED].of[index], constant->property->unit, text);
  ss_json_add(object, "property", json_string(constant->property->name), complete);
  ss_json_add(object, "text", json_string(text), complete);
  for (int stage = 0; stage < SS_FIT_STAGES; ++stage)
    ss_json_add_real(object, stage_names[stage], fit->values[stage].of[index], complete);
  ss_json_add_real(object, "from", constant->from, complete);
  ss_json_add_real(object, "to", constant->to, complete);
  const bool bound = ss_fit_is_on_bound(fit, index, SS_FIT_LOWER) || ss_fit_is_on_bound(fit, index, SS_FIT_HIGHER);
  ss_json_add(object, "on_bound", json_boolean(bound), complete);
  for (int way = 0; way < SS_FIT_WAYS; ++way)
    ss_json_add(changes, way_names[way], change_json(&fit->change[index][way], complete), complete);
  ss_json_add(object, "changes", changes, complete);
  return object;
}

static json_t *group_json(const ss_fit *fit, int64_t index, bool *complete)
{
  const ss_measured_group *group = &fit->points->measured->group[index];
  json_t *object = json_object();
  ss_json_add(object, "id", json_string(group->id), complete);
  ss_json_add(object, "file", json_string(group->file), complete);
  for (int stage = 0; stage < SS_FIT_STAGES; ++stage)
    ss_json_add(object, stage_names[stage], ss_json_error_summary(&fit->group[stage][index], complete), complete);
  return object;
}

static json_t *left_out_json(const ss_fit *fit, int64_t source, bool *complete)
{
  const ss_fit_left_out *left = &fit->left_out[source];
  json_t *object = json_object(), *constants = json_object();
  ss_json_add(object, "source", json_string(ss_fit_source_name(fit->points, source)), complete);
  for (int64_t i = 0; i < fit->plan->constants; ++i)
    ss_json_add_real(constants, fit->plan->constant[i].property->name, left->values.of[i], complete);
  ss_json_add(object, "constants", constants, complete);
  ss_json_add(object, "in_the_fit", ss_json_error_summary(&left->within, complete), complete);
  ss_json_add(object, "left_out", ss_json_error_summary(&left->without, complete), complete);
  return object;
}

static json_t *kept_json(const ss_fit_report *report, const ss_free_constant *kept, bool *complete)
{
  json_t *object = json_object();
  ss_json_add(object, "property", json_string(kept->constant.property->name), complete);
  ss_json_add_real(object, "value", kept->constant.start, complete);
  ss_json_add(object, "why", json_string(ss_fate_word(kept->fate)), complete);
  ss_json_add_real(object, "sensitivity", kept->weight, complete);
  if (kept->fate == SS_FATE_ALIKE)
    ss_json_add(object, "like", json_string(report->free[kept->like].constant.property->name), complete);
  ss_json_add(object, "measure", json_string(kept->tells), complete);
  return object;
}

/* The constants of a calibration that are not fitted. */
static void add_kept(json_t *object, const ss_fit_report *report, bool *complete)
{
  json_t *list = json_array();
  for (int i = 0; i < SS_FREE_CONSTANTS; ++i)
    if (report->free[i].fate != SS_FATE_FITTED && report->free[i].fate != SS_FATE_ABSENT)
      ss_json_append(list, kept_json(report, &report->free[i], complete), complete);
  ss_json_add(object, "not_fitted", list, complete);
}

static void add_stage(json_t *object, const ss_fit *fit, int stage, bool *complete)
{
  json_t *all = ss_json_error_summary(&fit->whole[stage], complete);
  ss_json_add_real(all, "objective", fit->objective[stage], complete);
  ss_json_add(object, stage_names[stage], all, complete);
}

static json_t *fit_document(const ss_fit_report *report, bool *complete)
{
  const ss_fit *fit = report->fit;
  const ss_predictor predictor = fit->replayed ? SS_PREDICTOR_SIMULATION : SS_PREDICTOR_ESTIMATE;
  json_t *object = json_object(), *constants = json_array(), *groups = json_array(), *sources = json_array();
  for (int64_t i = 0; i < fit->plan->constants; ++i)
    ss_json_append(constants, constant_json(report, i, complete), complete);
  for (int64_t i = 0; i < fit->points->measured->groups; ++i)
    ss_json_append(groups, group_json(fit, i, complete), complete);
  for (int64_t i = 0; fit->crossed && i < fit->points->sources; ++i)
    ss_json_append(sources, left_out_json(fit, i, complete), complete);
  ss_json_add(object, "stepsim", json_string(SS_VERSION), complete);
  ss_json_add(object, "fit", json_string(fit->plan->file), complete);
  ss_json_add(object, "predictor", json_string(ss_predictor_field(predictor)), complete);
  ss_json_add(object, "evaluations", json_integer(fit->evaluations), complete);
  ss_json_add(object, "limited", json_boolean(fit->limited), complete);
  ss_json_add(object, "constants", constants, complete);
  if (report->free != NULL) add_kept(object, report, complete);
  for (int stage = 0; stage < SS_FIT_STAGES; ++stage) add_stage(object, fit, stage, complete);
  if (fit->crossed) ss_json_add(object, "left_out", ss_json_error_summary(&fit->left_whole, complete), complete);
  ss_json_add(object, "groups", groups, complete);
  ss_json_add(object, "sources", sources, complete);
  return object;
}

ss_status ss_report_fit_json_text(const ss_fit_report *report, char **text, ss_error *error)
{
  bool complete = true;
  json_t *document = fit_document(report, &complete);
  return ss_json_text(document, complete, text, error);
}

ss_status ss_report_fit_json(const char *path, const ss_fit_report *report, ss_error *error)
{
  bool complete = true;
  json_t *document = fit_document(report, &complete);
  return ss_json_write(path, document, complete, error);
}
