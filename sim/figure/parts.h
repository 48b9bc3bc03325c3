/* Parts of an iteration as stacked bars. */
#ifndef STEPSIM_SIM_FIGURE_PARTS_H
#define STEPSIM_SIM_FIGURE_PARTS_H

#include "model/result/prediction.h"
#include "sim/figure/rows.h"

/* Draws the parts of a breakdown one behind the other in a row, with names and shares where they fit. */
void ss_parts_draw(ss_svg *svg, const ss_rows *rows, int64_t row, const ss_extent *scale,
                   const ss_breakdown *breakdown);

/* Draws a legend of the parts that can be seen in any of the breakdowns; returns its height. `breakdown` [count] */
double ss_parts_draw_legend(ss_svg *svg, double y, const ss_breakdown *const *breakdown, int64_t count);

/* Draws a legend and a row with name and time for each breakdown, over one axis; returns the height of all.
 * `breakdown`, `name` [count] */
double ss_parts_draw_rows(ss_svg *svg, const ss_breakdown *const *breakdown, const char *const *name, int64_t count);

#endif
