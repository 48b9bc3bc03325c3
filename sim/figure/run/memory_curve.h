/* What a stage has in memory over time: what it always has, and what the micro-batches keep that it has begun. */
#ifndef STEPSIM_SIM_FIGURE_RUN_MEMORY_CURVE_H
#define STEPSIM_SIM_FIGURE_RUN_MEMORY_CURVE_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/figure/run/report.h"

typedef struct ss_memory_step {
  double time_s, bytes; /* from this time on */
} ss_memory_step;

typedef struct ss_memory_curve {
  double begin_bytes, peak_bytes;
  ss_memory_step *step; /* [count] owned */
  int64_t count;
} ss_memory_curve;

/* The curve of a stage that the history has, from the passes there: forward begins to keep, backward ends it. Its peak
 * is that of the prediction, which knows what is there beside. False where there is no memory; free it in any case. */
bool ss_memory_curve_init(ss_memory_curve *curve, const ss_run_report *report, int64_t stage);
void ss_memory_curve_free(ss_memory_curve *curve);

#endif
