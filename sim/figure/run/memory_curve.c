#include "sim/figure/run/memory_curve.h"

#include <math.h>
#include <stdlib.h>

#include "model/estimate/estimate.h"

/* A change of what is kept; `bytes` is the change at first. */
static void add(ss_memory_curve *curve, double time_s, double bytes)
{
  if (bytes != 0.0) curve->step[curve->count++] = (ss_memory_step){time_s, bytes};
}

static void add_pass(ss_memory_curve *curve, const ss_history_pass *pass, ss_kept kept)
{
  switch (pass->activity) {
  case SS_FORWARD: add(curve, pass->start_s, kept.stored_bytes); break;
  case SS_BACKWARD: add(curve, pass->end_s, kept.deferred_bytes - kept.stored_bytes); break;
  case SS_WEIGHT: add(curve, pass->end_s, -kept.deferred_bytes); break;
  default: break;
  }
}

/* What is let go of comes first, as its memory is used again. */
static int compare_steps(const void *left, const void *right)
{
  const ss_memory_step *a = left, *b = right;
  if (a->time_s != b->time_s) return a->time_s < b->time_s ? -1 : 1;
  return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

/* Changes become what is there, as much above nothing as makes the peak what it is. */
static void add_up(ss_memory_curve *curve, double peak_bytes)
{
  double now = 0.0, most = 0.0;
  for (int64_t i = 0; i < curve->count; ++i) {
    now += curve->step[i].bytes;
    curve->step[i].bytes = now;
    most = fmax(most, now);
  }
  curve->peak_bytes = peak_bytes;
  curve->begin_bytes = peak_bytes - most;
  for (int64_t i = 0; i < curve->count; ++i) curve->step[i].bytes += curve->begin_bytes;
}

bool ss_memory_curve_init(ss_memory_curve *curve, const ss_run_report *report, int64_t stage)
{
  const ss_history *history = report->history;
  *curve = (ss_memory_curve){.step = malloc((size_t)(history->pass_count + 1) * sizeof *curve->step)};
  if (curve->step == NULL) return false;
  bool weights = false;
  for (int64_t i = 0; i < history->pass_count; ++i)
    weights = weights || (history->pass[i].stage == stage && history->pass[i].activity == SS_WEIGHT);
  for (int64_t i = 0; i < history->pass_count; ++i) {
    const ss_history_pass *pass = &history->pass[i];
    if (pass->stage != stage || pass->chunk < 0) continue;
    ss_kept kept = ss_estimate_kept(report->job, (ss_chunk){stage, pass->chunk});
    if (!weights) kept.deferred_bytes = 0.0;
    add_pass(curve, pass, kept);
  }
  qsort(curve->step, (size_t)curve->count, sizeof *curve->step, compare_steps);
  add_up(curve, report->prediction->stage_memory[stage].total_bytes);
  return true;
}

void ss_memory_curve_free(ss_memory_curve *curve)
{
  free(curve->step);
  *curve = (ss_memory_curve){.count = 0};
}
