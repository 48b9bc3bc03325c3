#include "sim/figure/rows.h"

#include <math.h>
#include <string.h>

#include "sim/figure/figure.h"

#define GAP 8.0

/* Wider names, as a share of the picture, stand above their bars. */
#define NAMES_MOST 0.45

ss_rows ss_rows_make(const ss_svg *svg, double y, int64_t count, double widest, double behind)
{
  const bool above = svg->width < SS_FIGURE_ROOMY || widest + GAP > NAMES_MOST * svg->width;
  ss_rows rows = {.above = above, .thick = above ? 18.0 : 22.0, .before = above ? SS_SVG_LINE + 2.0 : 4.0};
  rows.step = rows.before + rows.thick + (above ? 8.0 : 4.0);
  const double left = above ? 6.0 : widest + GAP;
  rows.frame = (ss_box){left, y, fmax(svg->width - left - fmax(behind, 10.0), 50.0), rows.step * (double)count};
  return rows;
}

ss_box ss_rows_bar(const ss_rows *rows, int64_t row, const ss_extent *scale, double from, double to)
{
  const double a = ss_extent_at(scale, from), b = ss_extent_at(scale, to);
  return (ss_box){fmin(a, b), rows->frame.y + rows->step * (double)row + rows->before, fabs(b - a), rows->thick};
}

void ss_rows_name(ss_svg *svg, const ss_rows *rows, int64_t row, const char *name)
{
  char cut[128];
  const double top = rows->frame.y + rows->step * (double)row;
  if (rows->above)
    ss_svg_text(svg, (ss_point){0.0, top + SS_SVG_TEXT}, SS_ANCHOR_START, "ink",
                ss_svg_text_cut(name, svg->width, cut, sizeof cut));
  else
    ss_svg_text(svg, (ss_point){rows->frame.x - GAP, top + rows->before + 0.5 * rows->thick + 0.36 * SS_SVG_TEXT},
                SS_ANCHOR_END, "ink", ss_svg_text_cut(name, rows->frame.x - GAP, cut, sizeof cut));
}

void ss_rows_text(ss_svg *svg, const ss_rows *rows, int64_t row, double x, const char *class, const char *text)
{
  const double y = rows->frame.y + rows->step * (double)row + rows->before + 0.5 * rows->thick + 0.36 * SS_SVG_TEXT;
  ss_svg_text(svg, (ss_point){x + 6.0, y}, SS_ANCHOR_START, class, text);
}

void ss_rows_label(ss_svg *svg, ss_box box, const char *class, const char *text)
{
  if (ss_svg_text_width(text) + 8.0 > box.width || box.height < SS_SVG_TEXT) return;
  ss_svg_text(svg, (ss_point){box.x + 0.5 * box.width, box.y + 0.5 * box.height + 0.36 * SS_SVG_TEXT}, SS_ANCHOR_MIDDLE,
              class, text);
}

/* Where bars begin; not through names that stand above them. */
static void draw_zero(ss_svg *svg, const ss_rows *rows, int64_t count, const ss_extent *scale)
{
  const double x = ss_extent_at(scale, 0.0);
  for (int64_t i = 0; i < count; ++i) {
    const double top = rows->frame.y + rows->step * (double)i, bottom = top + rows->step;
    ss_svg_line(svg, (ss_point){x, rows->above ? top + rows->before - 2.0 : top}, (ss_point){x, bottom}, "l-soft");
  }
}

/* A line across a bar, on a paler one so that it is seen on any. */
static void draw_mark(ss_svg *svg, ss_box bar, double x)
{
  const ss_point top = {x, bar.y - 2.0}, bottom = {x, bar.y + bar.height + 2.0};
  ss_svg_line(svg, top, bottom, "l-paper bold");
  ss_svg_line(svg, top, bottom, "l-ink thick");
}

double ss_rows_draw(ss_svg *svg, double y, const ss_row_value *value, int64_t count, const ss_ruler *axis)
{
  double widest = 0.0, behind = 0.0, least = 0.0, most = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    widest = fmax(widest, ss_svg_text_width(value[i].name));
    behind = fmax(behind, ss_svg_text_width(value[i].text) + 14.0);
    least = fmin(least, value[i].value);
    most = fmax(most, value[i].value);
    if (value[i].marked) most = fmax(most, value[i].mark);
  }
  const ss_rows rows = ss_rows_make(svg, y, count, widest, behind);
  ss_ruler below = *axis;
  below.scale =
      (ss_extent){least, most > least ? most : least + 1.0, rows.frame.x, rows.frame.x + rows.frame.width, false};
  ss_ruler_draw_below(svg, &below, rows.frame);
  for (int64_t i = 0; i < count; ++i) {
    const ss_box bar = ss_rows_bar(&rows, i, &below.scale, 0.0, value[i].value);
    char tip[256];
    (void)snprintf(tip, sizeof tip, "%s: %s", value[i].name, value[i].text);
    ss_rows_name(svg, &rows, i, value[i].name);
    ss_svg_box(svg, bar, ss_style_fill(value[i].colour), tip);
    const double mark = value[i].marked ? ss_extent_at(&below.scale, value[i].mark) : bar.x;
    if (value[i].marked) draw_mark(svg, bar, mark);
    ss_rows_text(svg, &rows, i, fmax(bar.x + bar.width, mark), "ink", value[i].text);
  }
  draw_zero(svg, &rows, count, &below.scale);
  return rows.frame.height + SS_RULER_BELOW;
}
