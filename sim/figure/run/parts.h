/* Where the time of an iteration goes: figures of an ss_run_report. */
#ifndef STEPSIM_SIM_FIGURE_RUN_PARTS_H
#define STEPSIM_SIM_FIGURE_RUN_PARTS_H

#include "sim/draw/svg.h"

/* Closed form, replay and measured times of such jobs; the parts of both; why they differ; slow parts; better machines.
 * Return their heights. */
double ss_run_draw_times(ss_svg *svg, const void *report);
double ss_run_draw_parts(ss_svg *svg, const void *report);
double ss_run_draw_causes(ss_svg *svg, const void *report);
double ss_run_draw_slow_parts(ss_svg *svg, const void *report);
double ss_run_draw_upgrades(ss_svg *svg, const void *report);

#endif
