#include "sim/report/calibration.h"
#include "sim/report/figures.h"
#include "sim/report/interval.h"
#include "sim/report/iteration/contention.h"
#include "sim/report/iteration/routes.h"
#include "sim/report/iteration/trials.h"
#include "sim/report/json.h"
#include "sim/report/report.h"

#ifndef SS_VERSION
#error "the build defines SS_VERSION, the version of stepsim as a string"
#endif

/* The numbers that the table of figures has under a name, as an object. */
static json_t *figures_json(const ss_prediction *prediction, const char *name, bool *complete)
{
  json_t *object = json_object();
  ss_figures_add_json(object, name, prediction, complete);
  return object;
}

static json_t *critical_json(const ss_prediction *prediction, bool *complete)
{
  json_t *object = json_object();
  ss_json_add(object, "stage", json_integer(prediction->critical_stage), complete);
  ss_json_add(object, "replica", json_integer(prediction->critical_replica), complete);
  if (prediction->behind_s > 0.0) ss_json_add_real(object, "behind_s", prediction->behind_s, complete);
  return object;
}

static json_t *stability_json(const ss_prediction *prediction, bool *complete)
{
  const ss_stability *stability = &prediction->stability;
  const double iteration_s = prediction->simulation.iteration_s;
  json_t *object = json_object();
  ss_json_add_real(object, "kernel_noise", SS_SHAKE, complete);
  ss_json_add_real(object, "iteration_s", stability->shaken_s, complete);
  ss_json_add_real(object, "change", ss_stability_change(stability, iteration_s), complete);
  ss_json_add(object, "stable", json_boolean(ss_stability_is_stable(stability, iteration_s)), complete);
  return object;
}

static json_t *stages_json(const ss_prediction *prediction, bool *complete)
{
  json_t *array = json_array();
  for (int64_t stage = 0; stage < prediction->stages; stage++)
    ss_json_append(array, ss_json_memory(&prediction->stage_memory[stage], complete), complete);
  return array;
}

static json_t *fullest_json(const ss_prediction *prediction, bool *complete)
{
  json_t *object = ss_json_memory(&prediction->memory, complete);
  ss_json_add(object, "stages", stages_json(prediction, complete), complete);
  return object;
}

static json_t *metrics_json(const ss_prediction *prediction, bool *complete)
{
  json_t *object = figures_json(prediction, "metrics", complete);
  ss_json_add(object, "products", json_string(ss_engine_name(prediction->metrics.products)), complete);
  return object;
}

static json_t *prediction_json(const ss_prediction *prediction, bool *complete)
{
  const double iteration_s = ss_prediction_iteration(prediction)->iteration_s;
  json_t *object = json_object();
  ss_json_add(object, "stepsim", json_string(SS_VERSION), complete);
  ss_json_add(object, "workload", json_string(prediction->workload), complete);
  ss_json_add(object, "platform", json_string(prediction->platform), complete);
  if (prediction->stack != NULL) ss_json_add(object, "stack", json_string(prediction->stack), complete);
  ss_json_add(object, "calibration", ss_calibration_json(&prediction->calibration, complete), complete);
  ss_json_add(object, "gpus", json_integer(prediction->gpus), complete);
  if (prediction->routes != NULL) ss_json_add(object, "routes", ss_routes_json(prediction->routes, complete), complete);
  if (prediction->segment < prediction->domain_size)
    ss_json_add(object, "segment", json_integer(prediction->segment), complete);
  ss_json_add(object, "micro_batches", json_integer(prediction->micro_batches), complete);
  ss_json_add(object, "estimate", ss_json_breakdown(&prediction->estimate, complete), complete);
  if (!prediction->as_published)
    ss_json_add(object, "interval", ss_interval_json(&prediction->interval, iteration_s, complete), complete);
  if (prediction->eager_host_s > 0.0) ss_json_add_real(object, "eager_host_s", prediction->eager_host_s, complete);
  if (prediction->simulated) {
    ss_json_add(object, "simulation", ss_json_breakdown(&prediction->simulation, complete), complete);
    ss_json_add(object, "explanation", figures_json(prediction, "explanation", complete), complete);
    ss_json_add(object, "critical", critical_json(prediction, complete), complete);
    ss_json_add(object, "replay", ss_contention_json(prediction, complete), complete);
    if (prediction->stability.measured)
      ss_json_add(object, "stability", stability_json(prediction, complete), complete);
    ss_json_add_trials(object, prediction, complete);
  }
  ss_json_add(object, "memory", fullest_json(prediction, complete), complete);
  if (prediction->offload.available_bytes_per_s > 0.0)
    ss_json_add(object, "offload", figures_json(prediction, "offload", complete), complete);
  ss_json_add(object, "metrics", metrics_json(prediction, complete), complete);
  if (prediction->outlay.iteration_dollars > 0.0)
    ss_json_add(object, "dollars", figures_json(prediction, "dollars", complete), complete);
  return object;
}

ss_status ss_report_json_text(const ss_prediction *prediction, char **text, ss_error *error)
{
  bool complete = true;
  json_t *object = prediction_json(prediction, &complete);
  return ss_json_text(object, complete, text, error);
}

/* What B takes beyond A, part by part. */
static json_t *excess_json(const ss_breakdown *a, const ss_breakdown *b, bool *complete)
{
  const ss_breakdown excess = {
#define EXCESS(field, label, help) .field = b->field - a->field,
      SS_PART_LIST(EXCESS)
#undef EXCESS
          .iteration_s = b->iteration_s - a->iteration_s};
  return ss_json_breakdown(&excess, complete);
}

static json_t *excess_memory_json(const ss_memory *a, const ss_memory *b, bool *complete)
{
  json_t *object = json_object();
#define EXCESS(field, label) ss_json_add_real(object, #field, b->field - a->field, complete);
  SS_MEMORY_LIST(EXCESS)
#undef EXCESS
  ss_json_add_real(object, "total_bytes", b->total_bytes - a->total_bytes, complete);
  return object;
}

static json_t *difference_json(const ss_prediction *a, const ss_prediction *b, bool *complete)
{
  json_t *object = json_object();
  ss_json_add(object, "estimate", excess_json(&a->estimate, &b->estimate, complete), complete);
  if (a->simulated) {
    ss_json_add(object, "simulation", excess_json(&a->simulation, &b->simulation, complete), complete);
    ss_json_add_real(object, "presumed_ahead_s", a->shortcuts.presumed.ahead_s + b->shortcuts.presumed.ahead_s,
                     complete);
  }
  ss_json_add(object, "memory", excess_memory_json(&a->memory, &b->memory, complete), complete);
  return object;
}

ss_status ss_report_pair_json_text(const ss_pair_report *report, char **text, ss_error *error)
{
  bool complete = true;
  json_t *object = json_object(), *changes = json_array();
  for (int64_t i = 0; i < report->changes; ++i) ss_json_append(changes, json_string(report->change[i]), &complete);
  ss_json_add(object, "against", changes, &complete);
  ss_json_add(object, "a", prediction_json(report->a, &complete), &complete);
  ss_json_add(object, "b", prediction_json(report->b, &complete), &complete);
  ss_json_add(object, "difference", difference_json(report->a, report->b, &complete), &complete);
  return ss_json_text(object, complete, text, error);
}
