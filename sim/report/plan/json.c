#include <math.h>

#include "model/fabric/parts.h"
#include "model/run/power.h"
#include "model/run/price.h"
#include "sim/report/calibration.h"
#include "sim/report/interval.h"
#include "sim/report/json.h"
#include "sim/report/plan/differences.h"
#include "sim/report/plan/run_evidence.h"
#include "sim/report/report.h"

static json_t *time_json(const ss_whole_run_time *time, bool *complete)
{
  json_t *object = json_object();
#define ADD_PART(field, label, help) ss_json_add_real(object, #field, time->field, complete);
  SS_WHOLE_RUN_PART_LIST(ADD_PART)
#undef ADD_PART
  ss_json_add_real(object, "total_s", time->total_s, complete);
  ss_json_add_real(object, "goodput", ss_whole_run_goodput(time), complete);
  ss_json_add_real(object, "interruptions", time->interruptions, complete);
  return object;
}

static json_t *quantiles_json(const ss_quantiles *quantiles, bool *complete)
{
  json_t *object = json_object();
#define ADD_QUANTILE(field, share, label) ss_json_add_real(object, #field, quantiles->field, complete);
  SS_QUANTILE_LIST(ADD_QUANTILE)
#undef ADD_QUANTILE
  return object;
}

static json_t *campaign_json(const ss_campaign *campaign, bool *complete)
{
  json_t *object = json_object();
  ss_json_add(object, "n", json_integer(campaign->trials), complete);
  ss_json_add(object, "seed", json_integer(campaign->seed), complete);
  ss_json_add(object, "mean", time_json(&campaign->mean, complete), complete);
  ss_json_add_real(object, "std_s", campaign->std_s, complete);
  ss_json_add(object, "total_s", quantiles_json(&campaign->total_s, complete), complete);
  if (!campaign->uneven) return object;
  ss_json_add_real(object, "step_mean_over_iteration", campaign->step_mean, complete);
  ss_json_add_real(object, "step_std", campaign->step_std, complete);
  ss_json_add(object, "step", quantiles_json(&campaign->step, complete), complete);
  return object;
}

static json_t *difference_json(const ss_plan_difference *difference, const char *seconds, bool *complete)
{
  json_t *object = json_object();
  ss_json_add(object, "part", json_string(difference->key), complete);
  ss_json_add_real(object, seconds, difference->seconds, complete);
  ss_json_add_real(object, "standard_error_s", difference->error_s, complete);
  ss_json_add(object, "why", json_string(difference->why), complete);
  return object;
}

static json_t *simgrid_json(const ss_plan *plan, bool *complete)
{
  const ss_simgrid_campaign *simgrid = &plan->simgrid;
  ss_plan_difference step[SS_PLAN_SIMGRID_STEPS];
  json_t *object = json_object(), *list = json_array();
  ss_plan_simgrid_differences(plan, step);
  for (int i = 0; i < SS_PLAN_SIMGRID_STEPS; ++i)
    ss_json_append(list, difference_json(&step[i], "less_s", complete), complete);
  ss_json_add(object, "n", json_integer(simgrid->trials), complete);
  ss_json_add_real(object, "mean_s", simgrid->mean_s, complete);
  ss_json_add_real(object, "standard_error_s", simgrid->error_s, complete);
  ss_json_add(object, "total_s", quantiles_json(&simgrid->total_s, complete), complete);
  ss_json_add_real(object, "less_closed_form_s", simgrid->mean_s - plan->mean.total_s, complete);
  ss_json_add_real(object, "trial_apart_most_s", simgrid->apart_s, complete);
  ss_json_add(object, "differences", list, complete);
  return object;
}

static json_t *differences_json(const ss_plan *plan, bool *complete)
{
  ss_plan_difference difference[SS_PLAN_PARTS];
  const int count = ss_plan_differences(plan, difference);
  json_t *list = json_array();
  for (int i = 0; i < count; ++i)
    ss_json_append(list, difference_json(&difference[i], "trials_less_closed_form_s", complete), complete);
  return list;
}

/* What is unknown becomes null. */
static void add_known(json_t *object, const char *key, bool known, double value, bool *complete)
{
  ss_json_add_real(object, key, known ? value : NAN, complete);
}

static json_t *bill_json(const ss_bill *bill, const ss_machine *machine, bool *complete)
{
  const ss_bill_known known = ss_bill_known_of(machine);
  json_t *object = json_object();
  ss_json_add_real(object, "gpu_s", bill->gpu_s, complete);
  add_known(object, "gpu_j", known.energy, bill->gpu_j, complete);
  add_known(object, "energy_j", known.energy, bill->energy_j, complete);
  add_known(object, "carbon_kg", known.carbon, bill->carbon_kg, complete);
  add_known(object, "machine_usd", known.dollars, bill->machine_dollars, complete);
  add_known(object, "energy_usd", known.energy_dollars, bill->energy_dollars, complete);
  add_known(object, "usd", known.dollars, ss_bill_dollars(bill), complete);
  return object;
}

static json_t *failures_json(const ss_failures *failures, bool *complete)
{
  json_t *object = json_object();
  for (int i = 0; i < SS_FAILURES; ++i) {
    json_t *kind = json_object();
    ss_json_add_real(kind, "parts", failures->parts[i], complete);
    ss_json_add_real(kind, "rate_per_s", failures->rate_per_s[i], complete);
    ss_json_add(object, ss_failure_key((ss_failure)i), kind, complete);
  }
  return object;
}

static json_t *slow_list_json(const ss_slow *slow, bool *complete)
{
  json_t *object = json_object();
  if (slow->place != NULL) {
    ss_json_add(object, "place", json_string(slow->place), complete);
    ss_json_add_real(object, "parts", slow->parts, complete);
    ss_json_add_real(object, "off_speed", slow->off_speed, complete);
    if (slow->link[0] != '\0') ss_json_add(object, "link", json_string(slow->link), complete);
  }
  ss_json_add_real(object, "rate_per_s", slow->rate_per_s, complete);
  ss_json_add_real(object, "speed", slow->speed, complete);
  ss_json_add_real(object, "stays_s", ss_slow_stays_s(slow), complete);
  return object;
}

/* Parts that become slow, those of the fabric place by place; without those of kinds that never do. */
static json_t *slow_json(const ss_whole_run *run, bool *complete)
{
  json_t *object = json_object();
  for (int i = 0; i < run->slows; ++i) {
    const ss_slow *slow = &run->slow[i];
    const char *key = ss_slow_key(slow->kind);
    if (slow->rate_per_s == 0.0) continue;
    json_t *list = slow_list_json(slow, complete);
    if (slow->place == NULL) {
      ss_json_add(object, key, list, complete);
      continue;
    }
    if (json_object_get(object, key) == NULL) ss_json_add(object, key, json_array(), complete);
    ss_json_append(json_object_get(object, key), list, complete);
  }
  return object;
}

static json_t *checkpoint_json(const ss_whole_run_parts *parts, bool *complete)
{
  const ss_checkpoint *checkpoint = &parts->checkpoint;
  const double rate_per_s = parts->run.breakage.rate_per_s;
  json_t *object = json_object();
  ss_json_add_real(object, "bytes", checkpoint->bytes, complete);
  ss_json_add_real(object, "pause_s", checkpoint->pause_s, complete);
  ss_json_add_real(object, "write_s", checkpoint->write_s, complete);
  ss_json_add_real(object, "read_s", checkpoint->read_s, complete);
  ss_json_add_real(object, "interval_s", parts->run.rhythm.interval_s, complete);
  ss_json_add_real(object, "best_s", ss_interval_best_s(checkpoint->pause_s, rate_per_s, 0.0), complete);
  ss_json_add_real(object, "young_s", ss_interval_young_s(checkpoint->pause_s, rate_per_s), complete);
  ss_json_add_real(object, "daly_s", ss_interval_daly_s(checkpoint->pause_s, rate_per_s), complete);
  return object;
}

static json_t *phase_json(const ss_plan_phase *phase, const ss_machine *machine, bool *complete)
{
  json_t *object = json_object();
  ss_json_add(object, "settings", json_string(phase->settings), complete);
  if (phase->strategy[0] != '\0') ss_json_add(object, "strategy", json_string(phase->strategy), complete);
  ss_json_add(object, "gpus", json_integer(phase->gpus), complete);
  ss_json_add_real(object, "spare_gpus", phase->spare_gpus, complete);
  ss_json_add_real(object, "tokens", phase->tokens, complete);
  ss_json_add_real(object, "iterations", phase->iterations, complete);
  ss_json_add(object, "iteration", ss_json_breakdown(&phase->iteration, complete), complete);
  ss_json_add(object, "failures", failures_json(&phase->parts.failures, complete), complete);
  if (ss_whole_run_slow_per_s(&phase->parts.run) > 0.0)
    ss_json_add(object, "slow", slow_json(&phase->parts.run, complete), complete);
  ss_json_add(object, "checkpoint", checkpoint_json(&phase->parts, complete), complete);
  ss_json_add_real(object, "recovery_s", phase->parts.run.breakage.recovery_s, complete);
  ss_json_add_real(object, "node_recovery_s", phase->parts.run.breakage.node_recovery_s, complete);
  ss_json_add(object, "mean", time_json(&phase->mean, complete), complete);
  ss_json_add(object, "bill", bill_json(&phase->bill, machine, complete), complete);
  return object;
}

static json_t *power_json(const ss_plan *plan, bool *complete)
{
  const ss_power power = ss_power_of(plan->machine);
  json_t *object = json_object();
  for (int i = 0; i < SS_DRAWS; ++i)
    ss_json_add_real(object, ss_draw_key((ss_draw)i), ss_power_at_meter_w(&power, (ss_draw)i), complete);
  ss_json_add_real(object, "idle", ss_power_idle_w(&power), complete);
  ss_json_add_real(object, "pue", power.pue, complete);
  return object;
}

static json_t *step_json(const ss_power_curve *step, bool *complete)
{
  json_t *object = json_object(), *times = json_array(), *watts = json_array();
  ss_json_add_real(object, "most_w", step->most_w, complete);
  ss_json_add_real(object, "least_w", step->least_w, complete);
  ss_json_add_real(object, "mean_w", step->mean_w, complete);
  ss_json_add_real(object, "largest_jump_w", step->swing_w, complete);
  ss_json_add_real(object, "end_s", step->end_s, complete);
  for (int64_t i = 0; i < step->count; ++i) {
    ss_json_append(times, json_real(step->time_s[i]), complete);
    ss_json_append(watts, json_real(step->watts[i]), complete);
  }
  ss_json_add(object, "from_s", times, complete);
  ss_json_add(object, "watts", watts, complete);
  return object;
}

static json_t *fabric_json(const ss_machine *machine, bool *complete)
{
  const ss_fabric_parts parts = ss_fabric_parts_of(machine);
  const ss_prices prices = ss_prices_of(machine);
  json_t *object = json_object(), *levels = json_array();
  for (int i = 0; i < parts.levels; ++i) {
    json_t *level = json_object();
    ss_json_add(level, "cables", json_integer(parts.level[i].cables), complete);
    ss_json_add(level, "place", json_string(parts.level[i].place), complete);
    ss_json_add(level, "switches", json_integer(parts.level[i].switches), complete);
    ss_json_append(levels, level, complete);
  }
  ss_json_add(object, "nics", json_integer(parts.nics), complete);
  ss_json_add(object, "switches", json_integer(parts.switches), complete);
  ss_json_add(object, "cables", json_integer(parts.cables), complete);
  ss_json_add(object, "levels", levels, complete);
#define ADD_PRICE(field, label, key) ss_json_add_real(object, key "_usd_per_gpu", prices.field, complete);
  SS_PRICE_LIST(ADD_PRICE)
#undef ADD_PRICE
  return object;
}

static json_t *worth_json(const ss_worth *worth, const ss_machine *machine, bool *complete)
{
  json_t *object = json_object();
  ss_json_add(object, "measure", json_string(ss_measure_key(worth->measure)), complete);
  ss_json_add(object, "mean", time_json(&worth->mean, complete), complete);
  ss_json_add(object, "bill", bill_json(&worth->bill, machine, complete), complete);
  return object;
}

static json_t *size_json(const ss_plan_sizes *sizes, int64_t i, const ss_machine *machine, bool *complete)
{
  const ss_plan_size *size = &sizes->size[i];
  json_t *object = json_object();
  ss_json_add(object, "gpus", json_integer(size->gpus), complete);
  if (size->refusal[0] != '\0') {
    ss_json_add(object, "refused", json_string(size->refusal), complete);
    return object;
  }
  ss_json_add(object, "strategy", json_string(size->strategy), complete);
  ss_json_add(object, "affordable", json_boolean(ss_plan_sizes_affords(sizes, size)), complete);
  ss_json_add(object, "chosen", json_boolean(ss_plan_sizes_best(sizes) == i), complete);
  ss_json_add(object, "mean", time_json(&size->mean, complete), complete);
  ss_json_add(object, "bill", bill_json(&size->bill, machine, complete), complete);
  return object;
}

static json_t *plan_json(const ss_plan *plan, const ss_plan_sizes *sizes, bool *complete)
{
  json_t *object = json_object(), *phases = json_array(), *worths = json_array(), *list = json_array();
  for (int64_t i = 0; i < sizes->count; ++i)
    ss_json_append(list, size_json(sizes, i, plan->machine, complete), complete);
  for (int64_t i = 0; i < plan->phases; ++i)
    ss_json_append(phases, phase_json(&plan->phase[i], plan->machine, complete), complete);
  for (int64_t i = 0; i < plan->worths; ++i)
    ss_json_append(worths, worth_json(&plan->worth[i], plan->machine, complete), complete);
  ss_json_add(object, "stepsim", json_string(SS_VERSION), complete);
  ss_json_add(object, "workload", json_string(plan->workload), complete);
  ss_json_add(object, "platform", json_string(plan->platform), complete);
  ss_json_add(object, "calibration", ss_calibration_json(&plan->calibration, complete), complete);
  ss_json_add(object, "interval", ss_interval_json(&plan->interval, plan->phase[0].iteration.iteration_s, complete),
              complete);
  ss_json_add(object, "published_over_predicted", ss_run_evidence_json(complete), complete);
  ss_json_add(object, "mean", time_json(&plan->mean, complete), complete);
  ss_json_add(object, "trials", campaign_json(&plan->campaign, complete), complete);
  if (plan->simgrid.trials > 0) ss_json_add(object, "simgrid", simgrid_json(plan, complete), complete);
  ss_json_add(object, "differences", differences_json(plan, complete), complete);
  ss_json_add(object, "bill", bill_json(&plan->bill, plan->machine, complete), complete);
  ss_json_add(object, "watts_per_gpu", power_json(plan, complete), complete);
  if (plan->step.count > 0) ss_json_add(object, "power_over_step", step_json(&plan->step, complete), complete);
  ss_json_add(object, "fabric", fabric_json(plan->machine, complete), complete);
  ss_json_add(object, "sizes", list, complete);
  ss_json_add(object, "phases", phases, complete);
  ss_json_add(object, "measures", worths, complete);
  return object;
}

ss_status ss_report_plan_json(const char *path, const ss_plan *plan, const ss_plan_sizes *sizes, ss_error *error)
{
  bool complete = true;
  json_t *object = plan_json(plan, sizes, &complete);
  return ss_json_write(path, object, complete, error);
}

ss_status ss_report_plan_json_text(const ss_plan *plan, const ss_plan_sizes *sizes, char **text, ss_error *error)
{
  bool complete = true;
  json_t *object = plan_json(plan, sizes, &complete);
  return ss_json_text(object, complete, text, error);
}
