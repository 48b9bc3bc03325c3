#include "sim/figure/sweep/points.h"

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
