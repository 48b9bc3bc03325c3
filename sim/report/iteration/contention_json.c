#include "sim/report/iteration/contention.h"
#include "sim/report/json.h"

static json_t *exposed_json(const ss_exposed *exposed, bool *complete)
{
  json_t *object = json_object();
#define EXPOSED_ADD(field, label, help) ss_json_add_real(object, #field, exposed->field, complete);
  SS_EXPOSED_LIST(EXPOSED_ADD)
#undef EXPOSED_ADD
  return object;
}

static json_t *links_json(const ss_busy_links *links, bool *complete)
{
  json_t *array = json_array();
  for (int64_t i = 0; i < links->count; ++i) {
    const ss_busy_link *link = &links->link[i];
    json_t *object = json_object();
    ss_json_add(object, "name", json_string(link->name), complete);
    ss_json_add(object, "alike", json_integer(link->alike), complete);
    ss_json_add_real(object, "bytes_per_s", link->bytes_per_s, complete);
    ss_json_add_real(object, "bytes", link->bytes, complete);
    ss_json_add_real(object, "utilisation", link->utilisation, complete);
    ss_json_add_real(object, "peak", link->peak, complete);
    ss_json_append(array, object, complete);
  }
  return array;
}

static json_t *leg_json(const ss_critical_path_leg *leg, bool *complete)
{
  const bool of_all = leg->replica == SS_PATH_ALL_REPLICAS;
  json_t *object = json_object();
  ss_json_add(object, "from_stage", json_integer(leg->from_stage), complete);
  ss_json_add(object, "to_stage", json_integer(leg->to_stage), complete);
  ss_json_add(object, "replica", of_all ? json_null() : json_integer(leg->replica), complete);
  ss_json_add(object, "gpu", json_integer(leg->gpu), complete);
  ss_json_add_real(object, "time_s", leg->time_s, complete);
  ss_json_add(object, "visits", json_integer(leg->visits), complete);
  return object;
}

static json_t *path_json(const ss_critical_path *path, bool *complete)
{
  json_t *object = json_object(), *legs = json_array();
#define PATH_ADD(field, label, help) ss_json_add_real(object, #field, path->field, complete);
  SS_PATH_LIST(PATH_ADD)
#undef PATH_ADD
  ss_json_add(object, "moves", json_integer(path->moves), complete);
  for (int64_t i = 0; i < path->legs; ++i) ss_json_append(legs, leg_json(&path->leg[i], complete), complete);
  ss_json_add(object, "legs", legs, complete);
  return object;
}

static json_t *folded_json(const ss_prediction *prediction, bool *complete)
{
  json_t *object = json_object();
  ss_json_add(object, "cells", json_integer(prediction->stage_replicas), complete);
  ss_json_add(object, "simulated", json_integer(prediction->simulated_stage_replicas), complete);
  ss_json_add(object, "crowded_links", json_integer(prediction->shortcuts.crowded_links), complete);
  ss_json_add(object, "presumed_flows", json_integer(prediction->shortcuts.presumed.flows), complete);
  ss_json_add_real(object, "presumed_ahead_s", prediction->shortcuts.presumed.ahead_s, complete);
  return object;
}

static json_t *beside_json(const ss_prediction *prediction, bool *complete)
{
  json_t *object = json_object();
  ss_json_add(object, "workload", json_string(prediction->beside), complete);
  ss_json_add(object, "iterations", json_integer(prediction->co_scheduled_iterations), complete);
  ss_json_add_real(object, "iteration_s", prediction->co_scheduled_iteration_s, complete);
  return object;
}

json_t *ss_contention_json(const ss_prediction *prediction, bool *complete)
{
  json_t *object = json_object();
  ss_json_add(object, "flows", json_integer(prediction->flows), complete);
  ss_json_add(object, "folded", folded_json(prediction, complete), complete);
  if (prediction->beside[0] != '\0') ss_json_add(object, "beside", beside_json(prediction, complete), complete);
  ss_json_add(object, "exposed", exposed_json(&prediction->exposed, complete), complete);
  ss_json_add(object, "links", links_json(&prediction->links, complete), complete);
  ss_json_add(object, "links_used", json_integer(prediction->links.used), complete);
  ss_json_add(object, "links_total", json_integer(prediction->links.total), complete);
  ss_json_add(object, "critical_path", path_json(&prediction->path, complete), complete);
  return object;
}
