/* What the busiest links carried over time. */
#include "sim/figure/run/links.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "sim/figure/rows.h"
#include "sim/figure/run/report.h"

#define NAME_SIZE (SS_LINK_NAME_SIZE + 48)

static const char *name_of(const ss_busy_link *link, char text[NAME_SIZE])
{
  (void)snprintf(text, NAME_SIZE, link->alike > 1 ? "%s (%" PRId64 " alike)" : "%s", link->name, link->alike);
  return text;
}

static void draw_row(ss_svg *svg, const ss_rows *rows, const ss_ruler *axis, const ss_history *history, int64_t row)
{
  const ss_history_link *link = &history->link[row];
  char text[NAME_SIZE + 96], from[SS_QUANTITY_SIZE], to[SS_QUANTITY_SIZE];
  ss_rows_name(svg, rows, row, name_of(&link->link, text));
  for (int64_t i = 0; i < history->slices; ++i) {
    const double from_s = history->boundary_s[i], to_s = history->boundary_s[i + 1];
    ss_box box = ss_rows_bar(rows, row, &axis->scale, from_s, to_s);
    box.width += 0.3; /* no seams */
    (void)snprintf(text, sizeof text, "%s, %s to %s: %.1f %% of %.4g GB/s", link->link.name,
                   ss_quantity_text(SS_QUANTITY_TIME, from_s, 3, from), ss_quantity_text(SS_QUANTITY_TIME, to_s, 3, to),
                   100.0 * link->utilisation[i], link->link.bytes_per_s / 1e9);
    ss_svg_box(svg, box, ss_style_heat(link->utilisation[i]), text);
  }
  (void)snprintf(text, sizeof text, "%.1f %%", 100.0 * link->link.utilisation);
  ss_rows_text(svg, rows, row, rows->frame.x + rows->frame.width, "ink", text);
}

double ss_run_draw_links(ss_svg *svg, const void *report)
{
  const ss_history *history = ((const ss_run_report *)report)->history;
  char text[NAME_SIZE];
  double widest = 0.0;
  for (int64_t i = 0; i < history->link_count; ++i)
    widest = fmax(widest, ss_svg_text_width(name_of(&history->link[i].link, text)));
  const double y = ss_legend_draw_heat(svg, (ss_point){0.0, 2.0}, "idle", "full");
  const ss_rows rows = ss_rows_make(svg, y, history->link_count, widest, 62.0);
  ss_ruler axis = {.quantity = SS_QUANTITY_TIME, .label = "time", .no_grid = true};
  axis.scale = (ss_extent){0.0, history->end_s, rows.frame.x, rows.frame.x + rows.frame.width, false};
  ss_ruler_draw_below(svg, &axis, rows.frame);
  ss_svg_text(svg, (ss_point){svg->width, y - 9.0}, SS_ANCHOR_END, "soft", "mean");
  for (int64_t row = 0; row < history->link_count; ++row) draw_row(svg, &rows, &axis, history, row);
  return y + rows.frame.height + SS_RULER_BELOW;
}
