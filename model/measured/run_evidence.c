#include "model/measured/run_evidence.h"

#include <stdbool.h>

#include "model/base/statistics.h"

static const ss_run_evidence known[] = {
#define SS_RUN_EVIDENCE(figure, run, point, ratio) {SS_RUN_##figure, run, point, ratio},
#include "model/measured/run_evidence.def"
};

const ss_run_evidence *ss_run_evidence_known(int64_t *count)
{
  *count = sizeof known / sizeof known[0];
  return known;
}

/* How long a run takes is published in days or in GPU-hours. More goodput and more interruptions are less time. */
static bool tells(ss_run_quality quality, ss_run_figure figure)
{
  static const bool table[SS_QUALITIES][SS_RUN_FIGURES] = {
      [SS_QUALITY_TIME] = {[SS_RUN_DAYS] = true, [SS_RUN_GPU_HOURS] = true},
      [SS_QUALITY_GOODPUT] = {[SS_RUN_GOODPUT] = true},
      [SS_QUALITY_INTERRUPTIONS] = {[SS_RUN_INTERRUPTIONS] = true},
      [SS_QUALITY_ENERGY] = {[SS_RUN_GPU_ENERGY] = true, [SS_RUN_ENERGY] = true, [SS_RUN_CARBON] = true},
  };
  return table[quality][figure];
}

int64_t ss_run_evidence_of(ss_run_quality quality, double *ratio, int64_t room)
{
  static const bool is_inverse[SS_QUALITIES] = {[SS_QUALITY_GOODPUT] = true, [SS_QUALITY_INTERRUPTIONS] = true};
  int64_t all, count = 0;
  const ss_run_evidence *row = ss_run_evidence_known(&all);
  for (const ss_run_evidence *end = row + all; row < end && count < room; ++row)
    if (tells(quality, row->figure)) ratio[count++] = is_inverse[quality] ? 1.0 / row->ratio : row->ratio;
  ss_sort_values(ratio, count);
  return count;
}
