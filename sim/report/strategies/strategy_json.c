#include "model/input/workload.h"
#include "model/search/varied.h"
#include "sim/report/json.h"
#include "sim/report/strategies/strategy.h"

static void add_count(json_t *object, const char *key, int64_t count, bool *complete)
{
  ss_json_add(object, key, json_integer(count), complete);
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
static json_t *knobs_json(ss_knob_set knobs, const ss_candidate *candidate, bool *complete)
{
  json_t *object = json_object();
  for (int i = 0; i < SS_KNOB_TOTAL; ++i) {
    if ((knobs & SS_KNOB_BIT(i)) == 0) continue;
    const ss_attribute_index index = ss_knobs()[i].attribute;
    const ss_attribute *row = &ss_workload_attributes()[index];
    char key[SS_TEXT_SIZE], text[SS_TEXT_SIZE];
    (void)snprintf(key, sizeof key, "%s.%s", row->element, row->name);
    ss_knob_text(i, candidate, text, sizeof text);
    json_t *item = row->type == SS_ATTRIBUTE_COUNT ? json_integer(candidate->value.of[i]) : json_string(text);
    ss_json_add(object, key, item, complete);
  }
  return object;
}

void ss_json_add_candidate(json_t *object, const ss_candidate *candidate, ss_knob_set knobs, bool *complete)
{
  ss_json_add(object, "tensor", json_string(ss_word(SS_AT_parallelism_tensor, candidate->tensor)), complete);
  add_count(object, "dp", candidate->dp, complete);
  add_count(object, "tp", candidate->tp, complete);
  add_count(object, "tp2", candidate->tp2, complete);
  add_count(object, "cp", candidate->cp, complete);
  add_count(object, "pp", candidate->pp, complete);
  add_count(object, "micro_batch", candidate->micro_batch, complete);
  if (candidate->tensor == SS_TENSOR_SUMMA) add_count(object, "panels", candidate->panels, complete);
  if (knobs != 0) ss_json_add(object, "knobs", knobs_json(knobs, candidate, complete), complete);
  ss_json_add(object, "domain", domain_json(candidate, complete), complete);
}
