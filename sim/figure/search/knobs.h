/* What the best strategies have in common: a figure of an ss_search_report. */
#ifndef STEPSIM_SIM_FIGURE_SEARCH_KNOBS_H
#define STEPSIM_SIM_FIGURE_SEARCH_KNOBS_H

#include "sim/draw/svg.h"

/* Returns its height. */
double ss_search_draw_knobs(ss_svg *svg, const void *report);

#endif
