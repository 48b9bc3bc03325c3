/* What is in memory: figures of an ss_run_report. */
#ifndef STEPSIM_SIM_FIGURE_RUN_MEMORY_H
#define STEPSIM_SIM_FIGURE_RUN_MEMORY_H

#include "sim/draw/svg.h"

/* The stages at their fullest, and over time. Return their heights. */
double ss_run_draw_memory(ss_svg *svg, const void *report);
double ss_run_draw_memory_time(ss_svg *svg, const void *report);

#endif
