#include "sim/session/sweep/study.h"

#include <stdlib.h>
#include <string.h>

#include "model/input/workload.h"
#include "model/search/varied.h"
#include "sim/crew/crew.h"
#include "sim/io/number.h"
#include "sim/session/progress.h"
#include "sim/session/sweep/cached_point.h"

/* A study while its points are worked out. */
typedef struct pass {
  ss_study *study;
  ss_result_cache *cache;
} pass;

/* What is varied is not chosen. */
static void plan_choice(ss_study *s)
{
  const ss_options *options = s->options;
  s->plan = (ss_point_plan){
      .options = options,
      .base = &s->base,
      .sweep = &s->sweep,
      .knobs = ss_knob_unique(ss_choice_named_knobs(&options->choice, &s->base.workload) | SS_KNOBS_FOLLOWING),
      .pins = ss_sizes_overridden(&s->base.workload)};
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i) {
    if (!ss_sweep_varies_attribute(&s->sweep, (ss_attribute_index)i)) continue;
    s->plan.pins |= ss_size_of((ss_attribute_index)i);
    for (int knob = 0; knob < SS_KNOB_TOTAL; ++knob)
      if (ss_knobs()[knob].attribute == (ss_attribute_index)i) s->plan.knobs &= ~SS_KNOB_BIT(knob);
  }
}

ss_status ss_study_prepare(ss_study *study, const ss_options *options, ss_error *error)
{
  study->options = options;
  const ss_status status = ss_sweep_init(&study->sweep, options->sweep.vary, options->sweep.vary_count, error);
  if (status != SS_OK) return status;
  plan_choice(study);
  return ss_point_check(&study->plan, error);
}

void ss_study_close(ss_study *study)
{
  ss_sweep_free(&study->sweep);
  ss_session_close(&study->base);
}

static ss_status work_point(void *context, int64_t item, void *outcome, ss_error *error)
{
  const pass *p = context;
  return ss_point_work(&p->study->plan, item, outcome, error);
}

static ss_status recall_point(void *context, int64_t item, void *outcome, bool *is_known, ss_error *error)
{
  const pass *p = context;
  return ss_cached_point_find(p->cache, &p->study->plan, item, outcome, is_known, error);
}

static ss_status keep_point(void *context, int64_t item, const void *bytes, bool was_known, ss_error *error)
{
  const pass *p = context;
  const ss_point_outcome *outcome = bytes;
  ss_sweep_point *point = &p->study->sweep.point[item];
  *point = (ss_sweep_point){.too_large = outcome->too_large,
                            .calibration = outcome->calibration,
                            .only_replayed = outcome->only_replayed,
                            .interval = outcome->interval,
                            .gpus = outcome->gpus,
                            .dollars = outcome->dollars,
                            .tariff = outcome->tariff,
                            .count = outcome->count,
                            .best = outcome->best};
  memcpy(point->platform, outcome->platform, sizeof point->platform);
  if (outcome->refused)
    point->refusal = strdup(outcome->refusal);
  else
    point->top = malloc((size_t)outcome->count * sizeof *point->top);
  if (point->top != NULL) memcpy(point->top, outcome->top, (size_t)outcome->count * sizeof *point->top);
  if (point->refusal != NULL || point->top != NULL)
    return was_known ? SS_OK : ss_cached_point_store(p->cache, &p->study->plan, item, outcome, error);
  point->count = 0;
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a point");
}

ss_status ss_study_run(ss_study *study, ss_result_cache *cache, ss_error *error)
{
  pass p = {study, cache};
  const ss_common_options *common = &study->options->common;
  const ss_crew_work work = {.count = study->sweep.count,
                             .outcome_size = ss_point_outcome_size(&study->options->sweep),
                             .known = recall_point,
                             .work = work_point,
                             .done = keep_point,
                             .context = &p,
                             .stop = common->stop,
                             .progress = ss_progress_of(common)};
  const ss_status status = ss_crew_run(&work, error);
  ss_progress_clear(common);
  return status == SS_OK ? ss_sweep_turn(&study->sweep, error) : status;
}

ss_sweep_report ss_study_report(const ss_study *study)
{
  const ss_options *options = study->options;
  const bool varied = ss_sweep_varies(&study->sweep, SS_SWEEP_PLATFORM);
  return (ss_sweep_report){.workload = &study->base.workload,
                           .platform = varied ? NULL : study->base.machine.name,
                           .cost = options->common.cost,
                           .best = options->sweep.best,
                           .objective = options->choice.objective,
                           .knobs = study->plan.knobs & ~SS_KNOBS_FOLLOWING,
                           .sweep = &study->sweep,
                           .replayed = options->sweep.replay > 0,
                           .priced = ss_choice_asks_prices(&options->choice),
                           .contest = ss_point_contest(&options->sweep),
                           .number = ss_number_of};
}
