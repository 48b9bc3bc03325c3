/* Charts: a frame with an axis below and one at the left, and the places of values in it. */
#ifndef STEPSIM_SIM_FIGURE_CHART_H
#define STEPSIM_SIM_FIGURE_CHART_H

#include "sim/draw/ruler.h"

typedef struct ss_chart {
  ss_ruler x, y; /* their extents reach over the frame */
  ss_box frame;
} ss_chart;

/* A chart as wide as the picture, from `top` on, with axes of the values that their extents have, widened to round
 * ones; and draws its axes. */
ss_chart ss_chart_draw(ss_svg *svg, double top, double height, ss_ruler x, ss_ruler y);

/* The same without an axis below, whose extent is that of the frame. */
ss_chart ss_chart_draw_left(ss_svg *svg, double top, double height, ss_ruler y);

/* The place of values. */
ss_point ss_chart_at(const ss_chart *chart, double x, double y);

/* The extent of values that is widened by each; begin with ss_chart_nothing. */
ss_extent ss_chart_nothing(void);
void ss_chart_reach(ss_extent *extent, double value);

/* The lower end of a chart. */
double ss_chart_end(const ss_chart *chart);

#endif
