#include "sim/report/json.h"
#include "sim/report/report.h"

static void add_count(json_t *object, const char *key, int64_t count, bool *complete)
{
  ss_json_add(object, key, json_integer(count), complete);
}

/* How many candidates cannot be used, by reason: "memory", or the name of the row of refusals.def. */
static json_t *reasons_json(const ss_search *search, bool *complete)
{
  json_t *object = json_object();
  add_count(object, "memory", search->too_large, complete);
  for (int i = 0; i < SS_REFUSAL_TOTAL; ++i)
    if (search->refused[i] > 0) add_count(object, ss_refusals()[i].name, search->refused[i], complete);
  return object;
}

/* The sequence axis is cp or tp2; the other one has one GPU. */
static json_t *domain_json(const ss_candidate *candidate, bool *complete)
{
  const bool second = candidate->tensor != SS_TENSOR_1D;
  json_t *object = json_object();
  add_count(object, "tp", candidate->inside.tp, complete);
  add_count(object, "tp2", second ? candidate->inside.cp : 1, complete);
  add_count(object, "cp", second ? 1 : candidate->inside.cp, complete);
  add_count(object, "dp", candidate->inside.dp, complete);
  add_count(object, "pp", candidate->inside.pp, complete);
  return object;
}

/* The values of the knobs, by attribute: numbers, or words. */
static json_t *knobs_json(const ss_search_report *report, const ss_candidate *candidate, bool *complete)
{
  json_t *object = json_object();
  for (int i = 0; i < SS_KNOB_TOTAL; ++i) {
    if ((report->knobs & SS_KNOB_BIT(i)) == 0) continue;
    const ss_attribute_index index = ss_knobs()[i].attribute;
    const ss_attribute *row = &ss_workload_attributes()[index];
    const int value = candidate->value.of[i];
    char key[SS_TEXT_SIZE];
    (void)snprintf(key, sizeof key, "%s.%s", row->element, row->name);
    json_t *item = row->words != NULL ? json_string(ss_word(index, value)) : json_integer(value);
    ss_json_add(object, key, item, complete);
  }
  return object;
}

static json_t *strategy_json(const ss_search_report *report, const ss_strategy *strategy, bool *complete)
{
  const ss_candidate *candidate = &strategy->candidate;
  json_t *object = json_object();
  ss_json_add(object, "tensor", json_string(ss_word(SS_AT_parallelism_tensor, candidate->tensor)), complete);
  add_count(object, "dp", candidate->dp, complete);
  add_count(object, "tp", candidate->tp, complete);
  add_count(object, "tp2", candidate->tp2, complete);
  add_count(object, "cp", candidate->cp, complete);
  add_count(object, "pp", candidate->pp, complete);
  add_count(object, "micro_batch", candidate->micro_batch, complete);
  if (candidate->tensor == SS_TENSOR_SUMMA) add_count(object, "panels", candidate->panels, complete);
  if (report->knobs != 0) ss_json_add(object, "knobs", knobs_json(report, candidate, complete), complete);
  ss_json_add(object, "domain", domain_json(candidate, complete), complete);
  ss_json_add(object, "estimate", ss_json_breakdown(&strategy->estimate, complete), complete);
  if (strategy->simulated)
    ss_json_add(object, "simulation", ss_json_breakdown(&strategy->simulation, complete), complete);
  ss_json_add(object, "memory", ss_json_memory(&strategy->memory, complete), complete);
  return object;
}

static void append(json_t *array, json_t *value, bool *complete)
{
  if (json_array_append_new(array, value) != 0) *complete = false;
}

static json_t *findings_json(const ss_search_report *report, const ss_findings *findings, bool *complete)
{
  const ss_search *search = findings->search;
  json_t *object = json_object(), *top = json_array();
  ss_json_add(object, "stepsim", json_string(SS_VERSION), complete);
  ss_json_add(object, "workload", json_string(report->workload->model.name), complete);
  ss_json_add(object, "platform", json_string(report->machine->name), complete);
  ss_json_add(object, "objective", json_string(ss_objective_word(report->objective)), complete);
  add_count(object, "gpus", search->gpus, complete);
  add_count(object, "candidates", search->candidates, complete);
  add_count(object, "feasible", search->feasible, complete);
  ss_json_add(object, "infeasible", reasons_json(search, complete), complete);
  if (findings->replayed > 0) {
    add_count(object, "replayed", findings->replayed, complete);
    ss_json_add_real(object, "regret", findings->regret, complete);
  }
  for (int64_t i = 0; i < search->count; ++i) append(top, strategy_json(report, &search->top[i], complete), complete);
  ss_json_add(object, "top", top, complete);
  return object;
}

ss_status ss_report_search_json(const char *path, const ss_search_report *report, ss_error *error)
{
  bool complete = true;
  json_t *document = report->count == 1 ? findings_json(report, report->findings, &complete) : json_array();
  for (int64_t i = 0; report->count > 1 && i < report->count; ++i)
    append(document, findings_json(report, &report->findings[i], &complete), &complete);
  return ss_json_write(path, document, complete, error);
}
