/* What the busiest links carried: a figure of an ss_run_report. */
#ifndef STEPSIM_SIM_FIGURE_RUN_LINKS_H
#define STEPSIM_SIM_FIGURE_RUN_LINKS_H

#include "sim/draw/svg.h"

/* Utilisation over time. Returns its height. */
double ss_run_draw_links(ss_svg *svg, const void *report);

#endif
