/* Times along an axis: a figure of an ss_sweep_report. */
#ifndef STEPSIM_SIM_FIGURE_SWEEP_CURVES_H
#define STEPSIM_SIM_FIGURE_SWEEP_CURVES_H

#include "sim/draw/svg.h"

/* Returns its height. */
double ss_sweep_draw_curves(ss_svg *svg, const void *report);

#endif
