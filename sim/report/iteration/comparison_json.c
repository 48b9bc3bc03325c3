#include "model/profile/comparison.h"
#include "sim/report/json.h"
#include "sim/report/report.h"

static json_t *classes_json(const ss_profile *profile, bool *complete)
{
  json_t *object = json_object();
  for (int kind = 0; kind < SS_CLASS_COUNT; ++kind) {
    const ss_class_time *time = &profile->of[kind];
    if (time->active_s <= 0.0) continue;
    json_t *row = json_object();
    ss_json_add_real(row, "kernels", time->kernels, complete);
    ss_json_add_real(row, "sum_s", time->sum_s, complete);
    ss_json_add_real(row, "active_s", time->active_s, complete);
    ss_json_add_real(row, "iteration_s", time->alone_s, complete);
    ss_json_add(object, ss_class_word((ss_kernel_class)kind), row, complete);
  }
  return object;
}

static json_t *layers_json(const ss_profile *profile, bool *complete)
{
  json_t *array = json_array();
  for (int64_t i = 0; i < profile->layers; ++i) ss_json_append(array, json_real(profile->layer[i].sum_s), complete);
  return array;
}

static json_t *profile_json(const ss_profile *profile, bool *complete)
{
  json_t *object = json_object();
  ss_json_add_real(object, "iteration_s", profile->iteration_s, complete);
  ss_json_add_real(object, "compute_s", profile->compute_s, complete);
  ss_json_add_real(object, "communication_s", profile->beside_s, complete);
  ss_json_add_real(object, "hidden_s", profile->hidden_s, complete);
  ss_json_add_real(object, "idle_s", profile->idle_s, complete);
  ss_json_add_real(object, "gaps", profile->gaps, complete);
  ss_json_add(object, "classes", classes_json(profile, complete), complete);
  ss_json_add(object, "layers_s", layers_json(profile, complete), complete);
  return object;
}

static json_t *trace_json(const ss_compared_trace *trace, bool *complete)
{
  json_t *object = json_object();
  const ss_measurement *measured = &trace->measured;
  ss_json_add(object, "file", json_string(trace->path), complete);
  ss_json_add(object, "rank", json_integer(trace->rank), complete);
  ss_json_add(object, "device", json_integer(measured->device), complete);
  ss_json_add(object, "kernels", json_integer(measured->records), complete);
  ss_json_add(object, "by_dependencies", json_boolean(measured->by_dependencies), complete);
  ss_json_add(object, "layers_by_range", json_boolean(measured->layers_by_range), complete);
  ss_json_add(object, "steps", json_integer(measured->steps), complete);
  ss_json_add(object, "step", measured->step >= 0 ? json_integer(measured->step) : json_null(), complete);
  ss_json_add_real(object, "shortest_s", measured->shortest_s, complete);
  ss_json_add_real(object, "median_s", measured->median_s, complete);
  ss_json_add_real(object, "longest_s", measured->longest_s, complete);
  ss_json_add(object, "measured", profile_json(&measured->profile, complete), complete);
  ss_json_add(object, "predicted", profile_json(&trace->predicted, complete), complete);
  return object;
}

static json_t *parts_json(const ss_comparison *comparison, bool *complete)
{
  ss_compared_part part[SS_COMPARED_PARTS];
  const int count = ss_comparison_parts(comparison, part);
  json_t *array = json_array();
  for (int i = 0; i < count; ++i) {
    json_t *row = json_object();
    ss_json_add(row, "part", json_string(ss_compared_part_name(part[i].kind)), complete);
    ss_json_add_real(row, "measured_s", part[i].measured_s, complete);
    ss_json_add_real(row, "predicted_s", part[i].predicted_s, complete);
    ss_json_append(array, row, complete);
  }
  return array;
}

ss_status ss_report_comparison_json(const char *path, const ss_comparison *comparison, ss_error *error)
{
  bool complete = true;
  json_t *object = json_object(), *traces = json_array();
  for (int64_t i = 0; i < comparison->count; ++i)
    ss_json_append(traces, trace_json(&comparison->trace[i], &complete), &complete);
  ss_json_add(object, "workload", json_string(comparison->workload), &complete);
  ss_json_add(object, "platform", json_string(comparison->platform), &complete);
  ss_json_add(object, "gpus", json_integer(comparison->gpus), &complete);
  ss_json_add(object, "parts", parts_json(comparison, &complete), &complete);
  ss_json_add(object, "traces", traces, &complete);
  return ss_json_write(path, object, complete, error);
}
