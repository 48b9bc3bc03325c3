#include "model/input/slow_parts.h"
#include "model/result/trials.h"
#include "sim/report/iteration/trials.h"

static json_t *pacers_json(const ss_trials *trials, bool *complete)
{
  json_t *array = json_array();
  for (int64_t i = 0; i < trials->pacers; ++i) {
    const ss_pacer *pacer = &trials->pacer[i];
    json_t *object = json_object();
    ss_json_add(object, "gpu", json_integer(pacer->gpu), complete);
    ss_json_add(object, "stage", json_integer(pacer->stage), complete);
    ss_json_add(object, "replica", json_integer(pacer->replica), complete);
    ss_json_add_real(object, "mean_s", pacer->time_s / (double)trials->count, complete);
    ss_json_add(object, "most_in_trials", json_integer(pacer->trials), complete);
    ss_json_append(array, object, complete);
  }
  return array;
}

static json_t *trials_json(const ss_trials *trials, bool *complete)
{
  json_t *object = json_object(), *all = json_array();
  for (int64_t i = 0; i < trials->count; ++i) ss_json_append(all, json_real(trials->iteration_s[i]), complete);
  ss_json_add(object, "seed", json_integer(trials->seed), complete);
  ss_json_add(object, "n", json_integer(trials->count), complete);
#define ADD_FIGURE(field, label) ss_json_add_real(object, #field, trials->field, complete);
  SS_TRIALS_LIST(ADD_FIGURE)
#undef ADD_FIGURE
  ss_json_add(object, "iteration_s", all, complete);
  ss_json_add(object, "longest_chain", pacers_json(trials, complete), complete);
  return object;
}

static json_t *slow_parts_json(const ss_slow_parts *parts, bool *complete)
{
  json_t *array = json_array();
  for (int64_t i = 0; i < parts->count; ++i) {
    const ss_slow_part *part = &parts->part[i];
    json_t *object = json_object();
    ss_json_add(object, "property", json_string(part->property->name), complete);
    ss_json_add(object, "entry", json_string(part->entry), complete);
    ss_json_add_real(object, "without_s", part->without_s, complete);
    ss_json_add_real(object, "cost_s", part->cost_s, complete);
    ss_json_add(object, "sentence", json_string(part->sentence), complete);
    ss_json_append(array, object, complete);
  }
  return array;
}

void ss_json_add_trials(json_t *object, const ss_prediction *prediction, bool *complete)
{
  if (prediction->trials != NULL) ss_json_add(object, "trials", trials_json(prediction->trials, complete), complete);
  if (prediction->slow_parts != NULL)
    ss_json_add(object, "slow_parts", slow_parts_json(prediction->slow_parts, complete), complete);
}
