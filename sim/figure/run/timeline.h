/* Which stages and passes the timeline of a run shows: its picture and its data show the same. */
#ifndef STEPSIM_SIM_FIGURE_RUN_TIMELINE_H
#define STEPSIM_SIM_FIGURE_RUN_TIMELINE_H

#include "sim/draw/svg.h"
#include "sim/figure/run/report.h"
#include "sim/figure/run/stages.h"

/* The stages in the rows of a timeline: all, where these and their passes are not too many for a page. */
ss_shown_stages ss_timeline_stages(const ss_run_report *report);

/* The timeline, a figure of an ss_run_report. Returns its height. */
double ss_run_draw_timeline(ss_svg *svg, const void *report);

#endif
