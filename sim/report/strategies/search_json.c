#include "model/input/workload.h"
#include "model/plan/check/refusal_row.h"
#include "sim/report/calibration.h"
#include "sim/report/interval.h"
#include "sim/report/json.h"
#include "sim/report/report.h"
#include "sim/report/strategies/listing.h"

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

typedef struct setting_list {
  json_t *array;
  bool *complete;
} setting_list;

/* A ss_tell_setting. */
static void add_setting(void *context, const char *setting)
{
  const setting_list *list = context;
  ss_json_append(list->array, json_string(setting), list->complete);
}

/* What --set takes to make the files of the search into the strategy. */
static json_t *settings_json(const ss_search_report *report, const ss_strategy *strategy, bool *complete)
{
  setting_list list = {json_array(), complete};
  ss_strategy_tell_settings(report, &strategy->candidate, add_setting, &list);
  return list.array;
}

static json_t *strategy_json(const ss_search_report *report, int64_t gpus, const ss_strategy *strategy, bool *complete)
{
  const ss_listing listing = {.chosen = true,
                              .priced = report->priced,
                              .powered = report->objective == SS_OBJECTIVE_ENERGY,
                              .costed = report->tariff.is_priced,
                              .knobs = report->knobs};
  const ss_line line = {.listing = &listing, .strategy = strategy, .tariff = &report->tariff, .gpus = gpus};
  json_t *object = json_object();
  ss_json_add(object, "set", settings_json(report, strategy, complete), complete);
  ss_listing_add_json(object, SS_SEARCH_JSON, &line, complete);
  return object;
}

/* The names of the knobs that are varied, or of those that are not. */
static json_t *knobs_json(ss_knob_set knobs, bool varied, bool *complete)
{
  json_t *array = json_array();
  for (int i = 0; i < SS_KNOB_TOTAL; ++i) {
    const char *name = ss_knob_listed(knobs, i, varied);
    if (name != NULL) ss_json_append(array, json_string(name), complete);
  }
  return array;
}

static json_t *findings_json(const ss_search_report *report, const ss_findings *findings, bool *complete)
{
  const ss_search *search = findings->search;
  json_t *object = json_object(), *top = json_array();
  ss_json_add(object, "stepsim", json_string(SS_VERSION), complete);
  ss_json_add(object, "workload", json_string(report->workload->model.name), complete);
  ss_json_add(object, "platform", json_string(report->machine->name), complete);
  const ss_calibration calibration = ss_calibration_of(report->machine);
  ss_json_add(object, "calibration", ss_calibration_json(&calibration, complete), complete);
  add_count(object, "global_batch", report->workload->training.global_batch, complete);
  ss_json_add(object, "cost", json_string(ss_cost_word(report->cost)), complete);
  ss_json_add(object, "objective", json_string(report->pareto ? "pareto" : ss_objective_word(report->objective)),
              complete);
  ss_json_add(object, "knobs_varied", knobs_json(report->knobs, true, complete), complete);
  ss_json_add(object, "knobs_not_varied", knobs_json(report->knobs, false, complete), complete);
  add_count(object, "gpus", search->gpus, complete);
  if (report->priced)
    ss_json_add_real(object, "system_dollars", ss_machine_gpu_dollars(report->machine) * (double)search->gpus,
                     complete);
  if (search->stopped) {
    add_count(object, "sizes_done", search->sizes_done, complete);
    add_count(object, "sizes", search->sizes, complete);
  }
  add_count(object, "candidates", search->candidates, complete);
  add_count(object, "feasible", search->feasible, complete);
  ss_json_add(object, "infeasible", reasons_json(search, complete), complete);
  if (findings->cut) ss_json_add(object, "replays_stopped", json_true(), complete);
  if (findings->replayed > 0) {
    add_count(object, "replayed", findings->replayed, complete);
    add_count(object, "not_replayed_faster", findings->open, complete);
    ss_json_add_real(object, "regret", findings->regret, complete);
  }
  if (search->count > 0 && !ss_cost_traits_of(report->cost).as_published)
    ss_json_add(object, "interval",
                ss_interval_json(&findings->interval, ss_strategy_time_s(&search->top[0]), complete), complete);
  for (int64_t i = 0; i < search->count; ++i)
    ss_json_append(top, strategy_json(report, search->gpus, &search->top[i], complete), complete);
  ss_json_add(object, "top", top, complete);
  return object;
}

static json_t *report_json(const ss_search_report *report, bool *complete)
{
  json_t *document = report->count == 1 ? findings_json(report, report->findings, complete) : json_array();
  for (int64_t i = 0; report->count > 1 && i < report->count; ++i)
    ss_json_append(document, findings_json(report, &report->findings[i], complete), complete);
  return document;
}

ss_status ss_report_search_json_text(const ss_search_report *report, char **text, ss_error *error)
{
  bool complete = true;
  json_t *document = report_json(report, &complete);
  return ss_json_text(document, complete, text, error);
}
