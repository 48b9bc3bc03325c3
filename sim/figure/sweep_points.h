/* Points of a sweep that figures ask for. */
#ifndef STEPSIM_SIM_FIGURE_SWEEP_POINTS_H
#define STEPSIM_SIM_FIGURE_SWEEP_POINTS_H

#include "sim/draw/extent.h"
#include "sim/report/report.h"

/* The extent of all times. */
ss_extent ss_sweep_times(const ss_sweep_report *report);

/* The fastest point that fits, or else the fastest; -1 where all are refused. `first`: with this value of the first
 * axis only, unless it is -1. */
int64_t ss_sweep_fastest(const ss_sweep_report *report, int64_t first);

#endif
