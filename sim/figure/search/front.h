/* Time against memory, and against the number of GPUs: figures of an ss_search_report. */
#ifndef STEPSIM_SIM_FIGURE_SEARCH_FRONT_H
#define STEPSIM_SIM_FIGURE_SEARCH_FRONT_H

#include "sim/draw/svg.h"

/* Return their heights. */
double ss_search_draw_front(ss_svg *svg, const void *report);
double ss_search_draw_sizes(ss_svg *svg, const void *report);

#endif
