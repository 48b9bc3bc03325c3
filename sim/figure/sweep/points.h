/* Points of a sweep that figures ask for. */
#ifndef STEPSIM_SIM_FIGURE_SWEEP_POINTS_H
#define STEPSIM_SIM_FIGURE_SWEEP_POINTS_H

#include "sim/draw/extent.h"
#include "sim/report/report.h"

/* The extent of all times. */
ss_extent ss_sweep_times(const ss_sweep_report *report);

#endif
