#include "sim/draw/ruler.h"

#include <math.h>
#include <stdio.h>

/* Room between two numbers of an axis. */
#define TICK_GAP_X 64.0
#define TICK_GAP_Y 34.0
#define TICK       5.0

/* Room for the name of a ruler with its unit. */
#define TITLE_SIZE 96

ss_quantity_unit ss_ruler_unit(const ss_ruler *axis)
{
  return ss_quantity_unit_for(axis->quantity, fmax(fabs(axis->scale.first), fabs(axis->scale.last)));
}

/* Numbers are round in the unit that they are printed in. */
static int find_ticks(const ss_ruler *axis, double gap, double tick[SS_TICKS_MAX])
{
  const int most = (int)(fabs(axis->scale.to - axis->scale.from) / gap);
  const int wanted = axis->ticks > 0 && axis->ticks < most ? axis->ticks : most;
  const double unit = axis->scale.logarithmic ? 1.0 : ss_ruler_unit(axis).size;
  ss_extent extent = axis->scale;
  extent.first /= unit;
  extent.last /= unit;
  const int count = ss_extent_ticks(&extent, wanted > 3 ? wanted : 3, tick);
  for (int i = 0; i < count; ++i) tick[i] *= unit;
  return count;
}

/* The number at a tick; on logarithms each has a unit of its own. */
static const char *number_of(const ss_ruler *axis, const double *tick, int i, char text[SS_QUANTITY_SIZE])
{
  if (axis->scale.logarithmic) {
    if (axis->quantity != SS_QUANTITY_PLAIN) return ss_quantity_text(axis->quantity, tick[i], 1, text);
    (void)snprintf(text, SS_QUANTITY_SIZE, "%g", tick[i]);
    return text;
  }
  return ss_quantity_number(ss_ruler_unit(axis), tick[i], i > 0 ? tick[i] - tick[i - 1] : tick[1] - tick[0], text);
}

static const char *title_of(const ss_ruler *axis, char text[TITLE_SIZE])
{
  const ss_quantity_unit unit = ss_ruler_unit(axis);
  const bool has_unit = unit.name[0] != '\0' && !axis->scale.logarithmic;
  (void)snprintf(text, TITLE_SIZE, has_unit ? "%s (%s)" : "%s", axis->label, unit.name);
  return text;
}

void ss_ruler_draw_below(ss_svg *svg, const ss_ruler *axis, ss_box frame)
{
  double tick[SS_TICKS_MAX];
  char text[TITLE_SIZE];
  const double bottom = frame.y + frame.height;
  double written = -INFINITY; /* up to where there are numbers: one that would touch the last is left out */
  const int count = find_ticks(axis, TICK_GAP_X, tick);
  for (int i = 0; i < count; ++i) {
    const double x = ss_extent_at(&axis->scale, tick[i]);
    if (!axis->no_grid) ss_svg_line(svg, (ss_point){x, frame.y}, (ss_point){x, bottom}, "l-grid");
    const double half = 0.5 * ss_svg_text_width(number_of(axis, tick, i, text));
    const double middle = fmax(fmin(x, svg->width - half), half);
    if (middle - half < written + TICK) continue;
    ss_svg_text(svg, (ss_point){middle, bottom + 1.4 * SS_SVG_TEXT}, SS_ANCHOR_MIDDLE, "soft", text);
    written = middle + half;
  }
  ss_svg_line(svg, (ss_point){frame.x, bottom}, (ss_point){frame.x + frame.width, bottom}, "l-soft");
  if (axis->label == NULL) return;
  const double right = frame.x + frame.width, width = ss_svg_text_width(title_of(axis, text));
  ss_svg_text(svg, (ss_point){fmax(right, width), bottom + SS_RULER_BELOW - 11.0}, SS_ANCHOR_END, "soft", text);
}

void ss_ruler_draw_left(ss_svg *svg, const ss_ruler *axis, ss_box frame)
{
  double tick[SS_TICKS_MAX];
  char text[TITLE_SIZE];
  const int count = find_ticks(axis, TICK_GAP_Y, tick);
  for (int i = 0; i < count; ++i) {
    const double y = ss_extent_at(&axis->scale, tick[i]);
    if (!axis->no_grid) ss_svg_line(svg, (ss_point){frame.x, y}, (ss_point){frame.x + frame.width, y}, "l-grid");
    ss_svg_text(svg, (ss_point){frame.x - TICK, y + 0.35 * SS_SVG_TEXT}, SS_ANCHOR_END, "soft",
                number_of(axis, tick, i, text));
  }
  if (axis->label != NULL)
    ss_svg_text(svg, (ss_point){frame.x - ss_ruler_width(axis), frame.y - 13.0}, SS_ANCHOR_START, "soft",
                title_of(axis, text));
}

double ss_ruler_width(const ss_ruler *axis)
{
  double tick[SS_TICKS_MAX], widest = 0.0;
  char text[SS_QUANTITY_SIZE];
  const int count = find_ticks(axis, TICK_GAP_Y, tick);
  for (int i = 0; i < count; ++i) widest = fmax(widest, ss_svg_text_width(number_of(axis, tick, i, text)));
  return widest + 2.0 * TICK;
}

double ss_legend_draw(ss_svg *svg, ss_point at, const ss_legend_entry *entry, int count)
{
  const double mark = 11.0, gap = 20.0;
  double x = at.x, y = at.y;
  for (int i = 0; i < count; ++i) {
    const double width = mark + 6.0 + ss_svg_text_width(entry[i].text);
    if (x > at.x && x + width > svg->width) {
      x = at.x;
      y += SS_SVG_LINE + 2.0;
    }
    const char *class = entry[i].colour < SS_COLOURS ? ss_style_fill(entry[i].colour) : "ink";
    if (entry[i].line)
      ss_svg_box(svg, (ss_box){x, y + 5.0, mark, 3.0}, class, NULL);
    else
      ss_svg_box(svg, (ss_box){x, y + 1.0, mark, mark}, class, NULL);
    ss_svg_text(svg, (ss_point){x + mark + 6.0, y + mark}, SS_ANCHOR_START, "ink", entry[i].text);
    x += width + gap;
  }
  return count > 0 ? y - at.y + SS_SVG_LINE + 8.0 : 0.0;
}

double ss_legend_draw_heat(ss_svg *svg, ss_point at, const char *least, const char *most)
{
  const double cell = 16.0, height = 11.0;
  double x = at.x + ss_svg_text_width(least) + 6.0;
  ss_svg_text(svg, (ss_point){at.x, at.y + height}, SS_ANCHOR_START, "soft", least);
  for (int i = 0; i < SS_HEAT_STEPS; ++i) {
    ss_svg_box(svg, (ss_box){x, at.y, cell, height}, ss_style_heat((i - 0.5) / (SS_HEAT_STEPS - 1)), NULL);
    x += cell;
  }
  ss_svg_text(svg, (ss_point){x + 6.0, at.y + height}, SS_ANCHOR_START, "soft", most);
  return SS_SVG_LINE + 8.0;
}
