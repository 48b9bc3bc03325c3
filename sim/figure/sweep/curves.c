/* The time of an iteration along the first axis of a sweep, and over both. */
#include "sim/figure/sweep/curves.h"

#include <inttypes.h>
#include <math.h>

#include "sim/figure/chart.h"
#include "sim/figure/figure.h"
#include "sim/figure/sweep/points.h"
#include "sim/report/sweep/listing.h"

enum { LINES_MOST = 8 };

/* Curves in the making: values lie beside one another in the order in which they were given. */
typedef struct curves {
  ss_svg *svg;
  const ss_sweep *sweep;
  ss_box frame;
  ss_ruler y;
} curves;

static double x_of(const curves *c, int64_t value)
{
  const int64_t count = c->sweep->axis[0].count;
  return c->frame.x + c->frame.width * ((double)value + 0.5) / (double)count;
}

static int64_t lines_of(const ss_sweep *sweep)
{
  return sweep->axes > 1 ? sweep->axis[1].count : 1;
}

static int64_t point_of(const ss_sweep *sweep, int64_t value, int64_t line)
{
  return sweep->axes > 1 ? value * sweep->axis[1].count + line : value;
}

/* Values of the first axis, as many as there is room for. */
static void draw_values(const curves *c)
{
  const ss_sweep_axis *axis = &c->sweep->axis[0];
  const double bottom = c->frame.y + c->frame.height, gap = c->frame.width / (double)axis->count;
  double widest = 0.0;
  for (int64_t i = 0; i < axis->count; ++i) widest = fmax(widest, ss_svg_text_width(axis->value[i]));
  const int64_t every = (int64_t)ceil((fmin(widest, 120.0) + 8.0) / gap);
  ss_svg_line(c->svg, (ss_point){c->frame.x, bottom}, (ss_point){c->frame.x + c->frame.width, bottom}, "l-soft");
  for (int64_t i = 0; i < axis->count; i += every) {
    char cut[64];
    ss_svg_text(c->svg, (ss_point){x_of(c, i), bottom + 1.4 * SS_SVG_TEXT}, SS_ANCHOR_MIDDLE, "soft",
                ss_svg_text_cut(axis->value[i], fmax(gap * (double)every - 6.0, 24.0), cut, sizeof cut));
  }
  ss_svg_text(c->svg, (ss_point){fmax(c->frame.x + c->frame.width, ss_svg_text_width(axis->name)), bottom + 38.0},
              SS_ANCHOR_END, "soft", axis->name);
}

static void draw_curve(const curves *c, int64_t line, bool simulated, const char *look)
{
  ss_svg_path_begin(c->svg, look);
  for (int64_t i = 0; i < c->sweep->axis[0].count; ++i) {
    const ss_breakdown *time = ss_sweep_time(&c->sweep->point[point_of(c->sweep, i, line)], simulated);
    if (time != NULL) ss_svg_path_line(c->svg, (ss_point){x_of(c, i), ss_extent_at(&c->y.scale, time->iteration_s)});
  }
  ss_svg_path_end(c->svg);
}

/* Points that fit are filled. */
static void draw_points(const curves *c, int64_t line, bool simulated, ss_colour colour)
{
  for (int64_t i = 0; i < c->sweep->axis[0].count; ++i) {
    const int64_t index = point_of(c->sweep, i, line);
    const ss_breakdown *time = ss_sweep_time(&c->sweep->point[index], simulated);
    char tip[256], text[SS_QUANTITY_SIZE];
    if (time == NULL) continue;
    const bool fits = ss_sweep_best(&c->sweep->point[index])->memory.fits;
    (void)snprintf(tip, sizeof tip, "%s %s%s%s: %s%s", c->sweep->axis[0].name, c->sweep->axis[0].value[i],
                   c->sweep->axes > 1 ? ", " : "", c->sweep->axes > 1 ? ss_sweep_value(c->sweep, index, 1) : "",
                   ss_quantity_text(SS_QUANTITY_TIME, time->iteration_s, 4, text),
                   fits ? "" : ", does not fit in memory");
    const ss_point at = {x_of(c, i), ss_extent_at(&c->y.scale, time->iteration_s)};
    ss_svg_circle(c->svg, at, 4.5, ss_style_fill(colour), tip);
    if (!fits) ss_svg_circle(c->svg, at, 2.5, "paper", tip);
  }
}

static void mark_extrema(const curves *c)
{
  for (int64_t i = 0; i < c->sweep->extrema; ++i) {
    const ss_sweep_extremum *e = &c->sweep->extremum[i];
    const ss_breakdown *time = ss_sweep_time(&c->sweep->point[e->first], e->simulated);
    const int64_t line = c->sweep->axes > 1 ? ss_sweep_value_index(c->sweep, e->first, 1) : 0;
    if (e->axis != 0 || time == NULL || line >= LINES_MOST) continue;
    const double x = x_of(c, ss_sweep_value_index(c->sweep, e->first, 0)),
                 y = ss_extent_at(&c->y.scale, time->iteration_s);
    const double to = e->maximum ? y - 18.0 : y + 18.0, tip = e->maximum ? y - 8.0 : y + 8.0;
    ss_svg_path_begin(c->svg, "l-ink thick");
    ss_svg_path_line(c->svg, (ss_point){x - 4.0, to});
    ss_svg_path_line(c->svg, (ss_point){x, tip});
    ss_svg_path_line(c->svg, (ss_point){x + 4.0, to});
    ss_svg_path_end(c->svg);
  }
}

/* Of the replay where there is one, as the map has it. */
static void mark_best(const curves *c, const ss_sweep_report *report)
{
  const int64_t index = ss_sweep_best_point(report, -1);
  if (index < 0 || (c->sweep->axes > 1 && ss_sweep_value_index(c->sweep, index, 1) >= LINES_MOST)) return;
  const ss_strategy *best = ss_sweep_best(&c->sweep->point[index]);
  if (!best->memory.fits) return;
  const ss_point at = {x_of(c, ss_sweep_value_index(c->sweep, index, 0)),
                       ss_extent_at(&c->y.scale, ss_strategy_time_s(best))};
  ss_svg_circle(c->svg, at, 9.0, "l-ink thick ring", NULL);
}

static double draw_legend(ss_svg *svg, const ss_sweep_report *report)
{
  const ss_sweep *sweep = report->sweep;
  const int64_t lines = lines_of(sweep);
  ss_legend_entry entry[LINES_MOST + 1];
  char names[LINES_MOST][160];
  int count = 0;
  for (; lines > 1 && count < lines && count < LINES_MOST; ++count) {
    (void)snprintf(names[count], sizeof names[count], "%s %s", sweep->axis[1].name, sweep->axis[1].value[count]);
    entry[count] = (ss_legend_entry){names[count], ss_style_series(count), true};
  }
  if (lines == 1) entry[count++] = (ss_legend_entry){"closed form", SS_BLUE, true};
  if (lines == 1 && report->replayed) entry[count++] = (ss_legend_entry){"replay", SS_VERMILLION, true};
  return ss_legend_draw(svg, (ss_point){0.0, 0.0}, entry, count);
}

double ss_sweep_draw_curves(ss_svg *svg, const void *of)
{
  const ss_sweep_report *report = of;
  const double top = draw_legend(svg, report), height = svg->width < SS_FIGURE_ROOMY ? 240.0 : 320.0;
  ss_ruler y = {.quantity = SS_QUANTITY_TIME, .label = "time of an iteration", .scale = ss_sweep_times(report)};
  y.scale.logarithmic = y.scale.last > 8.0 * y.scale.first;
  if (!y.scale.logarithmic) y.scale.first = 0.0;
  const ss_chart chart = ss_chart_draw_left(svg, top, height, y);
  const curves c = {svg, report->sweep, chart.frame, chart.y};
  const int64_t lines = lines_of(report->sweep);
  draw_values(&c);
  for (int64_t line = 0; line < lines && line < LINES_MOST; ++line) {
    char look[SS_CLASS_SIZE];
    const ss_colour colour = lines > 1 ? ss_style_series(line) : SS_BLUE;
    (void)snprintf(look, sizeof look, "%s thick", ss_style_line(colour));
    draw_curve(&c, line, false, look);
    draw_points(&c, line, false, colour);
    if (lines > 1 || !report->replayed) continue;
    draw_curve(&c, line, true, "l-vermillion thick");
    draw_points(&c, line, true, SS_VERMILLION);
  }
  mark_extrema(&c);
  mark_best(&c, report);
  return ss_chart_end(&chart);
}
