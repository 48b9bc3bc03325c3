/* Axes with round numbers, units and a grid; legends; and bars with labels. */
#ifndef STEPSIM_SIM_DRAW_RULER_H
#define STEPSIM_SIM_DRAW_RULER_H

#include "sim/draw/extent.h"
#include "sim/draw/quantity.h"
#include "sim/draw/style.h"
#include "sim/draw/svg.h"

/* An axis of a plot: `label` is what it shows, without the unit. */
typedef struct ss_ruler {
  ss_extent scale;
  ss_quantity quantity;
  const char *label;
  int ticks;    /* about how many; 0: as many as there is room for */
  bool no_grid; /* only the numbers */
} ss_ruler;

/* The unit that an axis is in. */
ss_quantity_unit ss_ruler_unit(const ss_ruler *axis);

/* Draws an axis along the lower edge of a frame, its numbers below, its name and unit below these; or along the left
 * edge, its numbers to the left, its name above the frame. */
void ss_ruler_draw_below(ss_svg *svg, const ss_ruler *axis, ss_box frame);
void ss_ruler_draw_left(ss_svg *svg, const ss_ruler *axis, ss_box frame);

/* Room that an axis takes below a frame, and that its name takes above one. */
#define SS_RULER_BELOW 46.0
#define SS_RULER_ABOVE 30.0

/* The widest number of an axis at the left. */
double ss_ruler_width(const ss_ruler *axis);

/* An entry of a legend; SS_COLOURS is the colour of texts. */
typedef struct ss_legend_entry {
  const char *text;
  ss_colour colour;
  bool line; /* else a filled square */
} ss_legend_entry;

/* Draws entries one after the other from `y` on, in as many lines as they need between `x` and the right edge of the
 * picture; returns the height that they take. */
double ss_legend_draw(ss_svg *svg, ss_point at, const ss_legend_entry *entry, int count);

/* Draws the scale of a heat map with what its ends mean, as wide as it is; returns its height. */
double ss_legend_draw_heat(ss_svg *svg, ss_point at, const char *least, const char *most);

#endif
