/* Rows of a figure: a name at the left, or above where there is little room for it, and a bar with a text behind it. */
#ifndef STEPSIM_SIM_FIGURE_ROWS_H
#define STEPSIM_SIM_FIGURE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/draw/ruler.h"

typedef struct ss_rows {
  ss_box frame;       /* of the bars */
  double step, thick; /* from row to row; of a bar */
  double before;      /* from the top of a row to its bar */
  bool above;         /* names stand above their bars */
} ss_rows;

/* Room for `count` rows from `y` on, whose names are as wide as `widest`, with `behind` left of the right edge free. */
ss_rows ss_rows_make(const ss_svg *svg, double y, int64_t count, double widest, double behind);

/* The bar of a row from one value to another. */
ss_box ss_rows_bar(const ss_rows *rows, int64_t row, const ss_extent *scale, double from, double to);

/* Names a row; and writes a text behind a place of it. */
void ss_rows_name(ss_svg *svg, const ss_rows *rows, int64_t row, const char *name);
void ss_rows_text(ss_svg *svg, const ss_rows *rows, int64_t row, double x, const char *class, const char *text);

/* A text in a box, where there is room for it. */
void ss_rows_label(ss_svg *svg, ss_box box, const char *class, const char *text);

/* A bar of a single value. */
typedef struct ss_row_value {
  const char *name, *text; /* `text` stands behind the bar */
  double value;
  ss_colour colour;
  bool marked; /* with a line where `mark` is */
  double mark;
} ss_row_value;

/* Draws values as bars from 0 on, to either side, with an axis below; returns the height. */
double ss_rows_draw(ss_svg *svg, double y, const ss_row_value *value, int64_t count, const ss_ruler *axis);

#endif
