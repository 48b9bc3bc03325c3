/* Predictions beside measurements, as JSON and CSV. */
#include <math.h>

#include "sim/report/json.h"
#include "sim/report/output.h"
#include "sim/report/report.h"

static void add_errors(json_t *object, const ss_validation *validation, const ss_validated *v, bool *complete)
{
  ss_json_add(object, "unused", json_integer(v->unused), complete);
  for (int predictor = 0; predictor < SS_PREDICTORS; ++predictor) {
    json_t *errors = ss_json_error_summary(&v->time[predictor], complete);
    if (v->worst[predictor] >= 0)
      ss_json_add(errors, "worst_point", json_string(validation->measured->point[v->worst[predictor]].id), complete);
    ss_json_add_real(errors, "rank_correlation", v->correlation[predictor], complete);
    ss_json_add(object, ss_predictor_field((ss_predictor)predictor), errors, complete);
  }
  if (v->memory.count > 0) ss_json_add(object, "memory", ss_json_error_summary(&v->memory, complete), complete);
}

static json_t *point_json(const ss_validation *validation, int64_t index, bool *complete)
{
  const ss_measured_point *point = &validation->measured->point[index];
  const ss_predicted *predicted = &validation->predicted[index];
  json_t *object = json_object();
  ss_json_add(object, "id", json_string(point->id), complete);
  if (point->sweep[0] != '\0') ss_json_add(object, "sweep", json_string(point->sweep), complete);
  if (point->notes[0] != '\0') ss_json_add(object, "notes", json_string(point->notes), complete);
  if (validation->measured->group[point->group].kind == SS_MEASURED_RUNS)
    ss_json_add(object, "time", json_string(ss_run_figure_time(point->figure)), complete);
  ss_json_add_real(object, "measured_s", point->measured_s, complete);
  if (point->limit != SS_LIMIT_NONE) ss_json_add(object, "limit", json_string(ss_limit_word(point->limit)), complete);
  ss_json_add_real(object, "measured_bytes", point->memory_bytes, complete);
  if (!point->used) {
    ss_json_add(object, "not_used", json_string(point->why), complete);
    return object;
  }
  ss_json_add_real(object, "estimate_s", predicted->time_s[SS_PREDICTOR_ESTIMATE], complete);
  ss_json_add_real(object, "simulation_s", predicted->time_s[SS_PREDICTOR_SIMULATION], complete);
  for (int i = 0; point->limit != SS_LIMIT_NONE && i < SS_PREDICTORS; ++i) {
    char key[32];
    (void)snprintf(key, sizeof key, "%s_keeps", ss_predictor_field((ss_predictor)i));
    ss_json_add(object, key, json_boolean(ss_validation_keeps(validation, index, (ss_predictor)i)), complete);
  }
  if (point->workload == NULL) return object;
  ss_json_add_real(object, "predicted_bytes", predicted->memory_bytes, complete);
  ss_json_add(object, "fits", json_boolean(predicted->fits), complete);
  for (int predictor = 0; predictor < SS_PREDICTORS; ++predictor)
    ss_json_add(object, ss_predictor_field((ss_predictor)predictor),
                ss_json_breakdown(&predicted->parts[predictor], complete), complete);
  return object;
}

static json_t *rivals_json(const ss_validation *validation, const ss_rivals *rivals, bool *complete)
{
  const ss_measured_point *point = validation->measured->point;
  json_t *object = json_object();
  ss_json_add(object, "strategies", json_integer(rivals->strategies), complete);
  ss_json_add(object, "best_point", json_string(point[rivals->best].id), complete);
  for (int predictor = 0; predictor < SS_PREDICTORS; ++predictor) {
    json_t *choice = json_object();
    ss_json_add(choice, "chosen_point", json_string(point[rivals->chosen[predictor]].id), complete);
    ss_json_add_real(choice, "regret", rivals->regret[predictor], complete);
    ss_json_add_real(choice, "rank_correlation", rivals->correlation[predictor], complete);
    ss_json_add(object, ss_predictor_field((ss_predictor)predictor), choice, complete);
  }
  return object;
}

/* The regret of a group, with its rivals; of all without them where the group is -1. */
static json_t *regret_json(const ss_validation *validation, const ss_regret *regret, int64_t group, bool *complete)
{
  const ss_regrets *regrets = &validation->regrets;
  json_t *object = json_object(), *list = json_array();
  ss_json_add(object, "tasks", json_integer(regret->rivals), complete);
  ss_json_add(object, "strategies", json_integer(regret->strategies), complete);
  for (int predictor = 0; predictor < SS_PREDICTORS; ++predictor) {
    json_t *sum = json_object();
    ss_json_add_real(sum, "mean", regret->mean[predictor], complete);
    ss_json_add_real(sum, "worst", regret->worst[predictor], complete);
    ss_json_add_real(sum, "rank_correlation", regret->correlation[predictor], complete);
    ss_json_add(object, ss_predictor_field((ss_predictor)predictor), sum, complete);
  }
  for (int64_t i = 0; i < regrets->count; ++i)
    if (regrets->rivals[i].group == group)
      ss_json_append(list, rivals_json(validation, &regrets->rivals[i], complete), complete);
  if (group >= 0)
    ss_json_add(object, "rivals", list, complete);
  else
    json_decref(list);
  return object;
}

static json_t *group_json(const ss_validation *validation, int64_t index, bool *complete)
{
  const ss_measured_group *group = &validation->measured->group[index];
  json_t *object = json_object(), *points = json_array(), *sweeps = json_array();
  ss_json_add(object, "id", json_string(group->id), complete);
  ss_json_add(object, "kind", json_string(ss_measured_word(group->kind)), complete);
  ss_json_add(object, "title", json_string(group->title), complete);
  ss_json_add(object, "source", json_string(group->source), complete);
  ss_json_add_real(object, "bound", group->bound, complete);
  add_errors(object, validation, &validation->group[index], complete);
  for (int64_t i = 0; i < validation->sweeps; ++i) {
    if (validation->sweep[i].group != index) continue;
    json_t *sweep = json_object();
    ss_json_add(sweep, "name", json_string(validation->sweep[i].name), complete);
    add_errors(sweep, validation, &validation->sweep[i], complete);
    ss_json_append(sweeps, sweep, complete);
  }
  ss_json_add(object, "sweeps", sweeps, complete);
  if (group->kind == SS_MEASURED_ITERATIONS) {
    ss_json_add_real(object, "regret_bound", group->regret_bound, complete);
    ss_json_add(object, "regret", regret_json(validation, &validation->regrets.group[index], index, complete),
                complete);
  }
  for (int64_t i = group->first; i < group->first + group->count; ++i)
    ss_json_append(points, point_json(validation, i, complete), complete);
  ss_json_add(object, "points", points, complete);
  return object;
}

static json_t *kinds_json(const ss_validation *validation, bool *complete)
{
  json_t *list = json_array();
  for (int64_t i = 0; i < validation->kinds; ++i) {
    json_t *kind = json_object();
    ss_json_add(kind, "name", json_string(validation->kind[i].name), complete);
    add_errors(kind, validation, &validation->kind[i], complete);
    ss_json_append(list, kind, complete);
  }
  return list;
}

static json_t *validation_document(const ss_validation *validation, bool *complete)
{
  json_t *object = json_object(), *groups = json_array();
  ss_json_add(object, "stepsim", json_string(SS_VERSION), complete);
  for (int kind = 0; kind < SS_MEASURED_COUNT; ++kind) {
    json_t *whole = json_object();
    add_errors(whole, validation, &validation->whole[kind], complete);
    ss_json_add(object, ss_measured_word((ss_measured_kind)kind), whole, complete);
  }
  ss_json_add(object, "kinds", kinds_json(validation, complete), complete);
  ss_json_add(object, "regret", regret_json(validation, &validation->regrets.whole, -1, complete), complete);
  for (int64_t i = 0; i < validation->measured->groups; ++i)
    ss_json_append(groups, group_json(validation, i, complete), complete);
  ss_json_add(object, "groups", groups, complete);
  return object;
}

ss_status ss_report_validation_json_text(const ss_validation *validation, char **text, ss_error *error)
{
  bool complete = true;
  json_t *document = validation_document(validation, &complete);
  return ss_json_text(document, complete, text, error);
}

ss_status ss_report_validation_json(const char *path, const ss_validation *validation, ss_error *error)
{
  bool complete = true;
  json_t *document = validation_document(validation, &complete);
  return ss_json_write(path, document, complete, error);
}

/* A field of its own, empty where there is no number. */
static void print_number(ss_output *output, double value, bool known)
{
  ss_output_print(output, ",");
  if (known && !isnan(value)) ss_output_print(output, "%.17g", value);
}

static void print_row(ss_output *output, const ss_validation *validation, int64_t index)
{
  const ss_measured_point *point = &validation->measured->point[index];
  const ss_predicted *predicted = &validation->predicted[index];
  const char *const texts[] = {validation->measured->group[point->group].id, point->id, point->sweep,
                               point->used ? "yes" : "no"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    if (i > 0) ss_output_print(output, ",");
    ss_output_print_field(output, texts[i]);
  }
  print_number(output, point->measured_s, true);
  for (int predictor = 0; predictor < SS_PREDICTORS; ++predictor) {
    print_number(output, predicted->time_s[predictor], point->used);
    print_number(output, ss_validation_error(validation, index, (ss_predictor)predictor), point->used);
  }
  print_number(output, point->memory_bytes, true);
  print_number(output, predicted->memory_bytes, point->used && point->workload != NULL);
  print_number(output, ss_validation_memory_error(validation, index), point->used);
  ss_output_print(output, ",");
  ss_output_print_field(output, point->used ? point->notes : point->why);
  ss_output_print(output, ",%s\n", point->limit != SS_LIMIT_NONE ? ss_limit_word(point->limit) : "");
}

ss_status ss_report_validation_csv(const char *path, const ss_validation *validation, ss_error *error)
{
  ss_output output = {0};
  ss_status status = ss_output_open(&output, path, error);
  if (status != SS_OK) return status;
  ss_output_print(&output, "group,point,sweep,used,measured_s");
  for (int predictor = 0; predictor < SS_PREDICTORS; ++predictor) {
    const char *field = ss_predictor_field((ss_predictor)predictor);
    ss_output_print(&output, ",%s_s,%s_error", field, field);
  }
  ss_output_print(&output, ",measured_bytes,predicted_bytes,memory_error,notes,limit\n");
  for (int64_t i = 0; i < validation->measured->points; ++i) print_row(&output, validation, i);
  status = ss_output_close(&output, error);
  ss_output_free(&output);
  return status;
}
