/* sweep: a strategy, or the best one, at every value of one or two axes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/workload.h"
#include "model/search/varied.h"
#include "sim/cli/shared/commands.h"
#include "sim/cli/shared/drawings.h"
#include "sim/cli/shared/exit_status.h"
#include "sim/cli/shared/inputs.h"
#include "sim/cli/shared/terminal.h"
#include "sim/cli/sweep/cached_point.h"
#include "sim/cli/sweep/point.h"
#include "sim/crew/crew.h"
#include "sim/figure/sweep/sweep.h"
#include "sim/io/number.h"
#include "sim/report/report.h"
#include "sim/session/outputs.h"
#include "sim/session/progress.h"

/* The inputs, and what the points come to. */
typedef struct study {
  const ss_options *options;
  ss_session base; /* inputs and overrides of --set */
  ss_sweep sweep;
  ss_point_plan plan;
  ss_result_cache cache;
} study;

/* What is varied is not chosen. */
static void plan_choice(study *s)
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

static ss_status open_study(study *s, ss_outputs *outputs, ss_error *error)
{
  const ss_options *options = s->options;
  ss_status status = ss_inputs_session(&options->common, &s->base, error);
  const ss_subject drawn = ss_sweep_subject(NULL);
  if (status == SS_OK) status = ss_drawings_check(&options->output, &drawn, error);
  if (status == SS_OK) status = ss_outputs_open(outputs, &options->output, &options->common, &s->base, error);
  if (status == SS_OK) status = ss_sweep_init(&s->sweep, options->sweep.vary, options->sweep.vary_count, error);
  if (status != SS_OK) return status;
  plan_choice(s);
  status = ss_point_check(&s->plan, error);
  return status == SS_OK ? ss_result_cache_open(&s->cache, options->output.db, error) : status;
}

static void close_study(study *s)
{
  ss_result_cache_close(&s->cache);
  ss_sweep_free(&s->sweep);
  ss_session_close(&s->base);
}

static ss_status work_point(void *context, int64_t item, void *outcome, ss_error *error)
{
  const study *s = context;
  return ss_point_work(&s->plan, item, outcome, error);
}

static ss_status recall_point(void *context, int64_t item, void *outcome, bool *is_known, ss_error *error)
{
  study *s = context;
  return ss_cached_point_find(&s->cache, &s->plan, item, outcome, is_known, error);
}

static ss_status keep_point(void *context, int64_t item, const void *bytes, bool was_known, ss_error *error)
{
  study *s = context;
  const ss_point_outcome *outcome = bytes;
  ss_sweep_point *point = &s->sweep.point[item];
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
    return was_known ? SS_OK : ss_cached_point_store(&s->cache, &s->plan, item, outcome, error);
  point->count = 0;
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a point");
}

/* All points, on all cores. */
static ss_status work_points(study *s, ss_error *error)
{
  const ss_crew_work work = {.count = s->sweep.count,
                             .outcome_size = ss_point_outcome_size(&s->options->sweep),
                             .known = recall_point,
                             .work = work_point,
                             .done = keep_point,
                             .context = s,
                             .progress = ss_progress_of(&s->options->common)};
  const ss_status status = ss_crew_run(&work, error);
  ss_progress_clear(&s->options->common);
  if (status == SS_OK) ss_result_cache_tell(&s->cache, s->options->common.quiet, "points");
  return status;
}

static ss_status report(const study *s, ss_error *error)
{
  const ss_options *options = s->options;
  const bool varied = ss_sweep_varies(&s->sweep, SS_SWEEP_PLATFORM);
  const ss_sweep_report all = {.workload = &s->base.workload,
                               .platform = varied ? NULL : s->base.machine.name,
                               .cost = options->common.cost,
                               .best = options->sweep.best,
                               .objective = options->choice.objective,
                               .knobs = s->plan.knobs & ~SS_KNOBS_FOLLOWING,
                               .sweep = &s->sweep,
                               .replayed = options->sweep.replay > 0,
                               .priced = ss_choice_asks_prices(&options->choice),
                               .columns = ss_terminal_columns(&options->common),
                               .contest = ss_point_contest(&options->sweep),
                               .number = ss_number_of};
  const ss_output_options *output = &options->output;
  ss_status status = output->json != NULL ? ss_report_sweep_json(output->json, &all, error) : SS_OK;
  if (status == SS_OK && output->csv != NULL) status = ss_report_sweep_csv(output->csv, &all, error);
  const ss_subject subject = ss_sweep_subject(&all);
  if (status == SS_OK) status = ss_drawings_write(output, &subject, error);
  if (!ss_option_is_standard_output(output->json) && !ss_option_is_standard_output(output->csv))
    ss_report_sweep_text(stdout, &all);
  return status;
}

/* The exit status: done where any point fits, too large where none does, bad input where all are refused. */
static int exit_status(const ss_sweep *sweep)
{
  int status = SS_EXIT_USAGE;
  for (int64_t i = 0; i < sweep->count; ++i) {
    const ss_strategy *best = ss_sweep_best(&sweep->point[i]);
    if (best != NULL && best->memory.fits) return SS_EXIT_DONE;
    if (best != NULL || sweep->point[i].too_large) status = SS_EXIT_TOO_LARGE;
  }
  return status;
}

int ss_command_sweep(const ss_options *options)
{
  study s = {.options = options};
  ss_outputs outputs = {.count = 0};
  ss_error error = {0};
  ss_status status = open_study(&s, &outputs, &error);
  if (status == SS_OK) status = work_points(&s, &error);
  if (status == SS_OK) status = ss_sweep_turn(&s.sweep, &error);
  if (status == SS_OK && ss_crew_is_first()) status = report(&s, &error);
  const int done = status == SS_OK ? exit_status(&s.sweep) : SS_EXIT_FAILED;
  ss_outputs_close(&outputs);
  close_study(&s);
  return status == SS_OK ? done : ss_fail(&error);
}
