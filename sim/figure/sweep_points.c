#include "sim/figure/sweep_points.h"

#include "sim/figure/chart.h"

ss_extent ss_sweep_times(const ss_sweep_report *report)
{
  ss_extent extent = ss_chart_nothing();
  for (int64_t i = 0; i < report->sweep->count; ++i)
    for (int simulated = 0; simulated <= (report->replayed ? 1 : 0); ++simulated) {
      const ss_breakdown *time = ss_sweep_time(&report->sweep->point[i], simulated == 1);
      if (time != NULL) ss_chart_reach(&extent, time->iteration_s);
    }
  return extent;
}

static bool is_better(const ss_strategy *a, const ss_strategy *b)
{
  if (b == NULL) return true;
  if (a->memory.fits != b->memory.fits) return a->memory.fits;
  return ss_strategy_time_s(a) < ss_strategy_time_s(b);
}

int64_t ss_sweep_fastest(const ss_sweep_report *report, int64_t first)
{
  const ss_sweep *sweep = report->sweep;
  const ss_strategy *best = NULL;
  int64_t fastest = -1;
  for (int64_t i = 0; i < sweep->count; ++i) {
    const ss_strategy *strategy = ss_sweep_best(&sweep->point[i]);
    if (strategy == NULL || (first >= 0 && ss_sweep_value_index(sweep, i, 0) != first)) continue;
    if (!is_better(strategy, best)) continue;
    best = strategy;
    fastest = i;
  }
  return fastest;
}
