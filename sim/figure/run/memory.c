/* What is in memory, stage by stage: at its fullest, and over time. */
#include "sim/figure/run/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "sim/figure/figure.h"
#include "sim/figure/rows.h"
#include "sim/figure/run/memory_curve.h"
#include "sim/figure/run/report.h"
#include "sim/figure/run/stages.h"

enum { ROWS_MOST = 12, LINES_MOST = 6 };

static const struct {
  const char *label;
  ss_colour colour;
} kinds[] = {
    {"weights", SS_BLUE}, {"gradients", SS_ORANGE}, {"optimizer states", SS_GREEN}, {"activations", SS_VERMILLION}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void draw_stage(ss_svg *svg, const ss_rows *rows, int64_t row, const ss_extent *scale, const ss_memory *memory)
{
  const double bytes[KINDS] = {memory->weights_bytes, memory->gradients_bytes, memory->optimizer_bytes,
                               memory->activations_bytes};
  char name[32], text[96], amount[SS_QUANTITY_SIZE];
  double from = 0.0;
  (void)snprintf(name, sizeof name, "stage %" PRId64, memory->stage);
  ss_rows_name(svg, rows, row, name);
  for (int i = 0; i < KINDS; ++i) {
    ss_box box = ss_rows_bar(rows, row, scale, from, from + bytes[i]);
    (void)snprintf(text, sizeof text, "%s: %s", kinds[i].label,
                   ss_quantity_text(SS_QUANTITY_BYTES, bytes[i], 4, amount));
    ss_svg_box(svg, (ss_box){box.x, box.y, fmax(box.width - 1.0, 0.0), box.height}, ss_style_fill(kinds[i].colour),
               text);
    ss_rows_label(svg, box, ss_style_text_on(kinds[i].colour), amount);
    from += bytes[i];
  }
  (void)snprintf(text, sizeof text, "%s%s", ss_quantity_text(SS_QUANTITY_BYTES, memory->total_bytes, 4, amount),
                 memory->fits ? "" : " does not fit");
  ss_rows_text(svg, rows, row, ss_extent_at(scale, memory->total_bytes), "ink", text);
}

static void draw_capacity(ss_svg *svg, ss_point from, ss_point to, double capacity_bytes)
{
  char text[96], amount[SS_QUANTITY_SIZE];
  (void)snprintf(text, sizeof text, "capacity %s", ss_quantity_text(SS_QUANTITY_BYTES, capacity_bytes, 4, amount));
  ss_svg_line(svg, from, to, "l-ink thick dashed");
  const double x = fmax(fmax(from.x, to.x), ss_svg_text_width(text));
  ss_svg_text(svg, (ss_point){x, fmin(from.y, to.y) - 5.0}, SS_ANCHOR_END, "ink", text);
}

double ss_run_draw_memory(ss_svg *svg, const void *report)
{
  const ss_prediction *p = ((const ss_run_report *)report)->prediction;
  const ss_shown_stages shown = ss_stages_shown(p->stages, ROWS_MOST, p->memory.stage);
  ss_legend_entry entry[KINDS];
  for (int i = 0; i < KINDS; ++i) entry[i] = (ss_legend_entry){kinds[i].label, kinds[i].colour, false};
  const double y = ss_legend_draw(svg, (ss_point){0.0, 0.0}, entry, KINDS) + SS_SVG_LINE;
  const ss_rows rows =
      ss_rows_make(svg, y, shown.count, ss_svg_text_width("stage 000"), ss_svg_text_width("1000 GiB does not fit"));
  ss_ruler axis = {.quantity = SS_QUANTITY_BYTES, .label = "memory of a GPU at its fullest"};
  axis.scale = (ss_extent){0.0, fmax(p->memory.total_bytes, p->memory.capacity_bytes), rows.frame.x,
                           rows.frame.x + rows.frame.width, false};
  ss_ruler_draw_below(svg, &axis, rows.frame);
  for (int64_t row = 0; row < shown.count; ++row)
    draw_stage(svg, &rows, row, &axis.scale, &p->stage_memory[shown.stage[row]]);
  const double x = ss_extent_at(&axis.scale, p->memory.capacity_bytes);
  draw_capacity(svg, (ss_point){x, y - 2.0}, (ss_point){x, y + rows.frame.height}, p->memory.capacity_bytes);
  return y + rows.frame.height + SS_RULER_BELOW;
}

static void draw_line(ss_svg *svg, const ss_memory_curve *curve, const ss_ruler *x, const ss_ruler *y, ss_colour colour)
{
  char class[SS_CLASS_SIZE];
  (void)snprintf(class, sizeof class, "%s thick", ss_style_line(colour));
  ss_svg_path_begin(svg, class);
  double before = ss_extent_at(&y->scale, curve->begin_bytes);
  ss_svg_path_line(svg, (ss_point){x->scale.from, before});
  for (int64_t i = 0; i < curve->count; ++i) {
    const double at = ss_extent_at(&x->scale, curve->step[i].time_s),
                 now = ss_extent_at(&y->scale, curve->step[i].bytes);
    ss_svg_path_line(svg, (ss_point){at, before});
    ss_svg_path_line(svg, (ss_point){at, now});
    before = now;
  }
  ss_svg_path_line(svg, (ss_point){x->scale.to, before});
  ss_svg_path_end(svg);
}

double ss_run_draw_memory_time(ss_svg *svg, const void *report)
{
  const ss_run_report *run = report;
  const ss_prediction *p = run->prediction;
  const ss_shown_stages shown = ss_stages_shown(p->stages, LINES_MOST, p->memory.stage);
  ss_legend_entry entry[LINES_MOST];
  char names[LINES_MOST][32];
  for (int64_t i = 0; i < shown.count; ++i) {
    (void)snprintf(names[i], sizeof names[i], "stage %" PRId64, shown.stage[i]);
    entry[i] = (ss_legend_entry){names[i], ss_style_series(i), true};
  }
  const double top = ss_legend_draw(svg, (ss_point){0.0, 0.0}, entry, (int)shown.count) + SS_RULER_ABOVE;
  const double height = svg->width < SS_FIGURE_ROOMY ? 220.0 : 300.0;
  ss_ruler y = {.quantity = SS_QUANTITY_BYTES, .label = "memory of a GPU"};
  y.scale = (ss_extent){0.0, 1.04 * fmax(p->memory.total_bytes, p->memory.capacity_bytes), top + height, top, false};
  const double left = ss_ruler_width(&y);
  const ss_box frame = {left, top, svg->width - left - 8.0, height};
  const ss_ruler x = {.quantity = SS_QUANTITY_TIME,
                      .label = "time",
                      .no_grid = true,
                      .scale = {0.0, run->history->end_s, frame.x, frame.x + frame.width, false}};
  ss_ruler_draw_left(svg, &y, frame);
  ss_ruler_draw_below(svg, &x, frame);
  for (int64_t i = 0; i < shown.count; ++i) {
    ss_memory_curve curve;
    if (ss_memory_curve_init(&curve, run, shown.stage[i])) draw_line(svg, &curve, &x, &y, entry[i].colour);
    ss_memory_curve_free(&curve);
  }
  const double capacity_y = ss_extent_at(&y.scale, p->memory.capacity_bytes);
  draw_capacity(svg, (ss_point){frame.x, capacity_y}, (ss_point){frame.x + frame.width, capacity_y},
                p->memory.capacity_bytes);
  return top + height + SS_RULER_BELOW;
}
