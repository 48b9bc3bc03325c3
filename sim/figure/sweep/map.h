/* Times over two axes: a figure of an ss_sweep_report. */
#ifndef STEPSIM_SIM_FIGURE_SWEEP_MAP_H
#define STEPSIM_SIM_FIGURE_SWEEP_MAP_H

#include "sim/draw/svg.h"

/* Returns its height. */
double ss_sweep_draw_map(ss_svg *svg, const void *report);

#endif
