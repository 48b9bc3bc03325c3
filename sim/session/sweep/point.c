#include "sim/session/sweep/point.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/spelling.h"
#include "model/estimate/estimate.h"
#include "model/input/workload.h"
#include "model/plan/check/refusal_row.h"
#include "model/plan/check/workload_check.h"
#include "model/plan/job_setup.h"
#include "model/search/varied.h"
#include "sim/io/io.h"
#include "sim/io/shipped.h"
#include "sim/session/outputs.h"
#include "sim/session/used.h"

/* A point while it is worked out. */
typedef struct point {
  const ss_point_plan *plan;
  ss_session session;
  int64_t gpus; /* that it is to have, or has; 0 where nothing says so */
  double value; /* of the best strategy so far, by the objective */
  ss_point_outcome *outcome;
} point;

int64_t ss_point_contest(const ss_sweep_options *options)
{
  return options->replay > 1 ? options->replay : 1;
}

size_t ss_point_outcome_size(const ss_sweep_options *options)
{
  return sizeof(ss_point_outcome) + (size_t)ss_point_contest(options) * sizeof(ss_strategy);
}

/* A number of GPUs, as --gpus takes it. */
static ss_status read_gpus(const char *text, int64_t *gpus, ss_error *error)
{
  char *end;
  errno = 0;
  *gpus = strtoll(text, &end, 10);
  if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *gpus >= 1 && *gpus <= INT32_MAX) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, SS_SWEEP_OPTION, 0,
                      SS_SWEEP_GPUS "=\"%s\": is not a number of GPUs; allowed: 1 to %" PRId32, text, INT32_MAX);
}

/* Sets what one name of an axis stands for. The platform has been read already. */
static ss_status set_value(point *p, const ss_sweep_setting *setting, ss_error *error)
{
  if (strcmp(setting->name, SS_SWEEP_GPUS) == 0) return read_gpus(setting->value, &p->gpus, error);
  if (strcmp(setting->name, SS_SWEEP_PLATFORM) == 0) return SS_OK;
  if (strchr(setting->name, '.') == NULL) {
    static const char *const names[] = {SS_SWEEP_GPUS, SS_SWEEP_PLATFORM, NULL};
    const ss_hint hint = ss_hint_of(setting->name, names);
    if (hint.text[0] != '\0')
      return ss_error_set(
          error, SS_ERROR_INPUT, SS_SWEEP_OPTION, 0,
          "\"%.40s\": is not what a sweep varies%s; allowed: ELEMENT.ATTRIBUTE, platform.PROPERTY, " SS_SWEEP_GPUS
          " or " SS_SWEEP_PLATFORM,
          setting->name, hint.text);
  }
  const size_t size = strlen(setting->name) + strlen(setting->value) + 2;
  char *text = malloc(size);
  if (text == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a value of an axis");
  (void)snprintf(text, size, "%s=%s", setting->name, setting->value);
  const ss_status status = ss_override(text, &p->session.workload, &p->session.machine, error);
  free(text);
  return status;
}

static ss_status set_values(point *p, int64_t axis, int64_t value, ss_error *error)
{
  const ss_sweep_axis *a = &p->plan->sweep->axis[axis];
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < a->names; ++i) {
    const ss_sweep_setting setting = ss_sweep_setting_of(a, value, i);
    status = set_value(p, &setting, error);
  }
  return status;
}

/* The inputs with a platform of their own, and what is overridden in it; the workload has its overrides already. */
static ss_status begin_on(point *p, const char *platform, ss_error *error)
{
  const ss_common_options *options = &p->plan->options->common;
  char path[SS_PATH_SIZE];
  ss_status status = ss_shipped_find(SS_SHIPPED_PLATFORMS, platform, path, error);
  p->session = *p->plan->base;
  if (status == SS_OK) status = ss_machine_load(path, &p->session.machine, error);
  for (int64_t i = 0; status == SS_OK && i < options->override_count; ++i)
    status = ss_override(options->override[i], &p->session.workload, &p->session.machine, error);
  return status;
}

/* Finds the platform that an axis sets at one of its values. False where it sets none; `setting` is undefined then. */
static bool find_platform(const ss_sweep_axis *axis, int64_t value, ss_sweep_setting *setting)
{
  for (int64_t i = 0; i < axis->names; ++i) {
    *setting = ss_sweep_setting_of(axis, value, i);
    if (strcmp(setting->name, SS_SWEEP_PLATFORM) == 0) return true;
  }
  return false;
}

static ss_status begin(point *p, int64_t index, ss_error *error)
{
  const ss_sweep *sweep = p->plan->sweep;
  const ss_choice_options *choice = &p->plan->options->choice;
  ss_sweep_setting platform;
  ss_status status = SS_OK;
  p->session = *p->plan->base;
  p->gpus = choice->gpus_count > 0 ? choice->gpus[0] : 0;
  for (int64_t i = 0; status == SS_OK && i < sweep->axes; ++i)
    if (find_platform(&sweep->axis[i], ss_sweep_value_index(sweep, index, i), &platform))
      status = begin_on(p, platform.value, error);
  for (int64_t i = 0; status == SS_OK && i < sweep->axes; ++i)
    status = set_values(p, i, ss_sweep_value_index(sweep, index, i), error);
  return status;
}

/* Refuses an output that is the same file as one that an axis names. */
static ss_status check_inputs(const point *trial, ss_error *error)
{
  const ss_output_options *options = &trial->plan->options->output;
  ss_status status = ss_outputs_check_input(options, trial->session.machine.file, error);
  if (status == SS_OK) status = ss_outputs_check_input(options, trial->session.machine.routes, error);
  for (int i = 0; status == SS_OK && i < SS_WORKLOAD_FILES; ++i)
    status = ss_outputs_check_input(options, ss_workload_file(&trial->session.workload, i), error);
  return status;
}

/* Refuses settings that no point would have anything of. */
static ss_status check_used(const ss_point_plan *plan, const ss_session *session, ss_error *error)
{
  const ss_options *options = plan->options;
  ss_status status = ss_used_with_cost(&session->workload, &session->machine, options->common.cost, error);
  if (status == SS_OK) status = ss_used_without_trials(&session->machine, error);
  if (status != SS_OK || options->sweep.replay > 0) return status;
  return ss_used_without_replay(&session->machine, "--replay", error);
}

/* Tries each value of an axis; what the trial has of another axis does not matter. */
static ss_status check_axis(point *trial, int64_t axis, ss_error *error)
{
  const ss_sweep_axis *a = &trial->plan->sweep->axis[axis];
  ss_sweep_setting platform;
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < a->count; ++i) {
    if (find_platform(a, i, &platform)) status = begin_on(trial, platform.value, error);
    if (status == SS_OK) status = set_values(trial, axis, i, error);
    if (status == SS_OK) status = check_used(trial->plan, &trial->session, error);
    if (status == SS_OK) status = check_inputs(trial, error);
  }
  if (status != SS_OK && strcmp(error->file, SS_OVERRIDE_FILE) == 0)
    (void)snprintf(error->file, sizeof error->file, "%s", SS_SWEEP_OPTION);
  return status;
}

/* Whether any point can have the layout that has panels. */
static bool has_summa(const ss_point_plan *plan)
{
  const unsigned tensors = plan->options->choice.tensors;
  if (ss_sweep_varies_attribute(plan->sweep, SS_AT_parallelism_tensor)) return true;
  if (tensors != 0) return (tensors & SS_TENSOR_BIT(SS_TENSOR_SUMMA)) != 0;
  return plan->base->workload.parallelism.tensor == SS_TENSOR_SUMMA;
}

static ss_status check_names(const ss_point_plan *plan, ss_error *error)
{
  const ss_choice_options *choice = &plan->options->choice;
  const bool sized = choice->gpus_count > 0 || choice->budget > 0.0,
             chooses = plan->options->sweep.best != SS_BEST_NOTHING;
  const char *problem = NULL;
  if (sized && ss_sweep_varies(plan->sweep, SS_SWEEP_GPUS)) problem = "varies the GPUs, which --gpus or --budget fixes";
  if (choice->tensors != 0 && ss_sweep_varies_attribute(plan->sweep, SS_AT_parallelism_tensor))
    problem = "varies the tensor layout, which --tensor chooses";
  if (chooses && ss_sweep_varies_attribute(plan->sweep, SS_AT_parallelism_panels) && !has_summa(plan))
    problem = "varies parallelism.panels, which only the layout summa has";
  for (int i = 0; chooses && i < SS_ATTRIBUTE_TOTAL; ++i)
    if (strcmp(ss_workload_attributes()[i].element, "placement") == 0 && i != SS_AT_placement_free &&
        ss_sweep_varies_attribute(plan->sweep, (ss_attribute_index)i))
      problem = "varies the placement, which --best chooses";
  if (problem == NULL) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, SS_SWEEP_OPTION, 0, "%s; allowed: one of the two", problem);
}

/* Whether --set overrides what an axis varies. */
static bool is_overridden(const ss_session *base, const char *name)
{
  const char *dot = strchr(name, '.');
  if (dot == NULL) return false;
  const ss_property *property = ss_machine_property(dot + 1);
  if (strncmp(name, "platform.", strlen("platform.")) == 0)
    return property != NULL && base->machine.line[property - ss_machine_properties()] == SS_LINE_OVERRIDE;
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i) {
    const ss_attribute *row = &ss_workload_attributes()[i];
    if (strcmp(row->name, dot + 1) == 0 && strlen(row->element) == (size_t)(dot - name) &&
        strncmp(row->element, name, (size_t)(dot - name)) == 0)
      return base->workload.line[i] == SS_LINE_OVERRIDE;
  }
  return false;
}

static ss_status check_overrides(const ss_point_plan *plan, ss_error *error)
{
  for (int64_t i = 0; i < plan->sweep->axes; ++i) {
    const ss_sweep_axis *axis = &plan->sweep->axis[i];
    for (int64_t j = 0; axis->count > 0 && j < axis->names; ++j) {
      const char *name = ss_sweep_setting_of(axis, 0, j).name;
      if (is_overridden(plan->base, name))
        return ss_error_set(error, SS_ERROR_INPUT, SS_SWEEP_OPTION, 0,
                            "varies %s, which --set fixes; allowed: one of the two", name);
    }
  }
  return SS_OK;
}

ss_status ss_point_check(const ss_point_plan *plan, ss_error *error)
{
  ss_status status = check_names(plan, error);
  if (status == SS_OK) status = check_overrides(plan, error);
  if (status == SS_OK) status = check_used(plan, plan->base, error);
  if (status == SS_OK) status = ss_choice_check(&plan->options->choice, &plan->base->workload, plan->sweep, error);
  if (status != SS_OK) return status;
  if (plan->options->sweep.best != SS_BEST_NOTHING) status = ss_session_check_unplaced(plan->base, "--best", error);
  if (status != SS_OK) return status;
  point *trial = malloc(sizeof *trial);
  if (trial == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory");
  *trial = (point){.plan = plan, .session = *plan->base};
  for (int64_t i = 0; status == SS_OK && i < plan->sweep->axes; ++i) status = check_axis(trial, i, error);
  free(trial);
  return status;
}

/* The GPUs that the budget buys, if there is one; refuses a question about money on a platform without prices. */
static ss_status count_money(point *p, ss_error *error)
{
  const ss_choice_options *options = &p->plan->options->choice;
  if (options->budget > 0.0) return ss_session_afford(&p->session, options->budget, &p->gpus, error);
  return ss_session_check_objective(&p->session, options->objective, error);
}

/* Sets dp to what the other sizes leave of the GPUs. */
static ss_status follow_dp(point *p, ss_error *error)
{
  ss_workload *w = &p->session.workload;
  const int64_t replica = ss_workload_gpus(w) / w->parallelism.dp, dp = p->gpus / replica;
  const bool varied = (p->plan->pins & SS_SIZE_BIT(SS_SIZE_dp)) != 0;
  if (p->gpus % replica != 0)
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0,
                        "%" PRId64
                        " GPUs: not a multiple of parallelism.tp * tp2 * cp * pp; allowed: multiples of %" PRId64,
                        p->gpus, replica);
  if (varied && w->parallelism.dp != dp)
    return ss_workload_refuse(w, SS_AT_parallelism_dp, error,
                              "makes %" PRId64 " GPUs of %" PRId64 " with the other sizes; allowed: %" PRId64,
                              replica * w->parallelism.dp, p->gpus, dp);
  w->parallelism.dp = dp;
  return SS_OK;
}

/* Says why a search has found nothing: the most frequent reason among its candidates. */
static ss_status refuse_all(point *p, const ss_search *search, ss_error *error)
{
  const ss_machine *machine = &p->session.machine;
  int most = 0;
  p->outcome->searched = true;
  for (int i = 1; i < SS_REFUSAL_TOTAL; ++i)
    if (search->refused[i] > search->refused[most]) most = i;
  p->outcome->too_large = p->outcome->too_large || search->too_large > 0;
  if (search->candidates == 0)
    return ss_error_set(
        error, SS_ERROR_INPUT, NULL, 0,
        "nothing divides %" PRId64 " GPUs, the global batch and %sdomains of %" PRId64 " evenly%s%s", search->gpus,
        ss_places_free_gpus(&p->session.places) != NULL ? "what is free of " : "", machine->domain_size,
        p->plan->pins != 0 ? ", with the sizes as they are varied" : "",
        (p->plan->knobs & SS_KNOB_BIT(SS_KNOB_layout)) == 0 ? "; allowed: others, or --knobs uneven-stages" : "");
  if (search->too_large > 0)
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "none of %" PRId64 " candidates fits in %.2f GiB",
                        search->candidates, ss_machine_tensor_bytes(machine) / SS_GIB);
  const ss_attribute *blamed = &ss_workload_attributes()[ss_refusals()[most].blamed];
  return ss_error_set(error, SS_ERROR_INPUT, NULL, 0,
                      "none of %" PRId64 " candidates can be used: most are refused for %s.%s", search->candidates,
                      blamed->element, blamed->name);
}

/* Keeps the result of a search if it is better than all before. */
static void keep_found(point *p, const ss_search *found, const ss_search_options *options)
{
  const ss_shortlist_rule rule = {.objective = options->objective, .gpus = found->gpus, .tariff = options->tariff};
  const double value = found->count > 0 ? ss_strategy_value(&found->top[0], &rule) : INFINITY;
  if (value >= p->value) return;
  p->value = value;
  p->gpus = found->gpus;
  p->outcome->count = found->count;
  memcpy(p->outcome->top, found->top, (size_t)found->count * sizeof *found->top);
}

/* The best strategies or placements, into the outcome: on all the GPUs, and on fewer where those may be left over. */
static ss_status search(point *p, ss_search_options *options, ss_error *error)
{
  const ss_session *session = &p->session;
  const int64_t gpus = p->gpus, domain = session->machine.domain_size;
  const int64_t fewest = p->plan->options->sweep.fewer ? 1 : gpus;
  const int64_t most = ss_session_gpus(session);
  if (gpus > most)
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "%" PRId64 " GPUs: %s has %" PRId64 "%s", gpus,
                        session->machine.name, most, most < session->machine.gpus ? " that are free" : "");
  ss_status status = SS_OK, refused = SS_OK;
  p->value = INFINITY;
  for (options->gpus = gpus; status == SS_OK && options->gpus >= fewest;
       options->gpus = (options->gpus - 1) / domain * domain) {
    ss_search found;
    status = ss_search_run(&found, &session->workload, &session->machine, options, error);
    if (status == SS_OK) keep_found(p, &found, options);
    if (status == SS_OK && found.count == 0 && refused == SS_OK) refused = refuse_all(p, &found, error);
    ss_search_free(&found);
  }
  return status == SS_OK && p->outcome->count == 0 ? refused : status;
}

static ss_search_options search_options_of(const point *p)
{
  const ss_options *options = p->plan->options;
  return (ss_search_options){.tensors = SS_TENSOR_BIT(p->session.workload.parallelism.tensor),
                             .pins = SS_SIZES_ALL,
                             .cost = options->common.cost,
                             .objective = options->choice.objective,
                             .tariff = ss_tariff_of(&p->session.machine),
                             .top = ss_point_contest(&options->sweep),
                             .free_gpus = ss_places_free_gpus(&p->session.places)};
}

/* Placements are those of several segments, where a search tries these by itself. */
static ss_knob_set segment_knob(const ss_session *session)
{
  return ss_knobs_by_themselves(&session->workload, &session->machine, 0) & SS_KNOB_BIT(SS_KNOB_segment);
}

/* Chooses the placement; all else is as the workload says. */
static ss_status choose_placement(point *p, ss_error *error)
{
  ss_session *session = &p->session;
  ss_status status = ss_session_check(session, &p->plan->options->common, error);
  if (status == SS_OK) status = ss_workload_check(&session->workload, error);
  if (status == SS_OK) status = ss_workload_check_machine(&session->workload, &session->machine, error);
  if (status == SS_OK) status = ss_session_load_files(session, error);
  p->gpus = ss_workload_gpus(&session->workload);
  ss_search_options options = search_options_of(p);
  options.knobs = segment_knob(session);
  return status == SS_OK ? search(p, &options, error) : status;
}

static ss_status choose_strategy(point *p, ss_error *error)
{
  ss_session *session = &p->session;
  ss_status status = ss_session_check(session, &p->plan->options->common, error);
  if (status == SS_OK) status = ss_workload_check_machine(&session->workload, &session->machine, error);
  if (status == SS_OK) status = ss_session_load_files(session, error);
  if (p->gpus == 0) p->gpus = ss_session_gpus(session);
  ss_search_options options = search_options_of(p);
  if (p->plan->options->choice.tensors != 0) options.tensors = p->plan->options->choice.tensors;
  options.knobs = p->plan->knobs | segment_knob(session);
  options.pins = p->plan->pins;
  return status == SS_OK ? search(p, &options, error) : status;
}

static ss_status estimate(point *p, ss_error *error)
{
  ss_session *session = &p->session;
  const ss_status status = ss_session_complete(session, &p->plan->options->common, error);
  if (status != SS_OK) return status;
  p->gpus = ss_workload_gpus(&session->workload);
  p->outcome->count = 1;
  ss_strategy_weigh(&p->outcome->top[0], &session->job);
  ss_strategy_time(&p->outcome->top[0], &session->job);
  ss_strategy_count_flop(&p->outcome->top[0], &session->job);
  return SS_OK;
}

static ss_status choose(point *p, ss_error *error)
{
  const ss_best best = p->plan->options->sweep.best;
  ss_status status = count_money(p, error);
  if (status == SS_OK && p->gpus > 0 && best != SS_BEST_STRATEGY) status = follow_dp(p, error);
  if (status != SS_OK) return status;
  switch (best) {
  case SS_BEST_PLACEMENT: return choose_placement(p, error);
  case SS_BEST_STRATEGY: return choose_strategy(p, error);
  case SS_BEST_NOTHING:
  case SS_BEST_COUNT: break;
  }
  return estimate(p, error);
}

/* Replays a strategy. The job of a given one is there; a chosen one gets its job here. */
static ss_status replay(point *p, ss_strategy *strategy, ss_error *error)
{
  const ss_options *options = p->plan->options;
  const ss_replay_options replay_options = ss_replay_options_of(&options->replay);
  ss_session *session = &p->session;
  ss_replay_result result;
  ss_status status = SS_OK;
  if (options->sweep.best != SS_BEST_NOTHING) {
    ss_candidate_apply(&strategy->candidate, &session->workload);
    ss_job_free(&session->job);
    status = ss_job_init(&session->job, &session->workload, &session->machine,
                         ss_places_options(&session->places, options->common.cost), error);
  }
  if (status == SS_OK) status = ss_replay(&session->job, &replay_options, &result, error);
  if (status == SS_OK) {
    strategy->simulation = result.breakdown;
    strategy->shortcuts = result.shortcuts;
  }
  strategy->simulated = status == SS_OK;
  return status;
}

/* Replays all and notes the best; of equals the one that the closed form prefers. */
static ss_status replay_all(point *p, ss_error *error)
{
  ss_point_outcome *outcome = p->outcome;
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < outcome->count; ++i) {
    status = replay(p, &outcome->top[i], error);
    if (outcome->top[i].simulation.iteration_s < outcome->top[outcome->best].simulation.iteration_s) outcome->best = i;
  }
  return status;
}

/* The text of a refusal, with the file and line that it blames where that is no option. */
static void keep_refusal(ss_point_outcome *outcome, const ss_error *error)
{
  outcome->refused = true;
  outcome->count = 0;
  ss_error_text(error, outcome->refusal);
  if (strcmp(error->file, SS_OVERRIDE_FILE) == 0)
    (void)snprintf(outcome->refusal, sizeof outcome->refusal, "%s", error->message);
}

ss_status ss_point_inputs(const ss_point_plan *plan, int64_t index, ss_session *session, int64_t *gpus, ss_error *error)
{
  *session = *plan->base;
  point *p = malloc(sizeof *p);
  if (p == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory");
  *p = (point){.plan = plan};
  const ss_status status = begin(p, index, error);
  *session = p->session;
  *gpus = p->gpus;
  free(p);
  return status;
}

ss_status ss_point_work(const ss_point_plan *plan, int64_t index, ss_point_outcome *outcome, ss_error *error)
{
  point *p = malloc(sizeof *p);
  if (p == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory");
  *p = (point){.plan = plan, .outcome = outcome};
  ss_status status = begin(p, index, error);
  (void)snprintf(outcome->platform, sizeof outcome->platform, "%s", p->session.machine.name);
  outcome->calibration = ss_calibration_of(&p->session.machine);
  outcome->only_replayed = ss_replayed_of(&p->session.machine);
  if (status == SS_OK) status = choose(p, error);
  if (status == SS_OK) {
    outcome->gpus = p->gpus;
    outcome->interval = ss_cost_traits_of(plan->options->common.cost).as_published
                            ? (ss_interval){.low = NAN, .high = NAN}
                            : ss_session_interval(&p->session, p->gpus);
    outcome->tariff = ss_tariff_of(&p->session.machine);
    outcome->dollars = ss_machine_gpu_dollars(&p->session.machine) * (double)p->gpus;
  }
  if (status == SS_OK && plan->options->sweep.replay > 0) status = replay_all(p, error);
  if (status == SS_ERROR_INPUT) keep_refusal(outcome, error);
  ss_session_close(&p->session);
  free(p);
  return status == SS_ERROR_INPUT ? SS_OK : status;
}
