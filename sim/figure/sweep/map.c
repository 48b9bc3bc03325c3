/* The time of an iteration over both axes of a sweep. */
#include "sim/figure/sweep/map.h"

#include <inttypes.h>
#include <math.h>

#include "sim/figure/chart.h"
#include "sim/figure/figure.h"
#include "sim/figure/rows.h"
#include "sim/figure/sweep/points.h"
#include "sim/report/sweep/listing.h"

/* A cell: its time, as a share between the shortest and the longest, short ones dark. */
static void draw_cell(ss_svg *svg, const ss_sweep *sweep, int64_t index, ss_box box, const ss_extent *extent, bool best)
{
  const ss_sweep_point *point = &sweep->point[index];
  const ss_strategy *strategy = ss_sweep_best(point);
  char tip[512], text[SS_QUANTITY_SIZE] = "";
  const double time_s = strategy != NULL ? ss_strategy_time_s(strategy) : NAN;
  const double share = 1.0 - (0.98 * log(time_s / extent->first) + 1e-9) / (log(extent->last / extent->first) + 1e-9);
  (void)snprintf(tip, sizeof tip, "%s %s, %s %s: %s%s", sweep->axis[0].name, ss_sweep_value(sweep, index, 0),
                 sweep->axis[1].name, ss_sweep_value(sweep, index, 1),
                 strategy != NULL ? ss_quantity_text(SS_QUANTITY_TIME, time_s, 4, text) : point->refusal,
                 strategy != NULL && !strategy->memory.fits ? ", does not fit in memory" : "");
  ss_svg_box(svg, box, strategy != NULL ? ss_style_heat(fmax(share, 0.01)) : "row", tip);
  if (strategy != NULL) (void)ss_quantity_text(SS_QUANTITY_TIME, time_s, 3, text);
  if (strategy != NULL && !strategy->memory.fits)
    ss_svg_line(svg, (ss_point){box.x, box.y + box.height}, (ss_point){box.x + box.width, box.y}, "l-paper thick");
  else
    ss_rows_label(svg, box, ss_style_text_on_heat(fmax(share, 0.01)), text);
  if (!best) return;
  const ss_point corner[] = {{box.x, box.y},
                             {box.x + box.width, box.y},
                             {box.x + box.width, box.y + box.height},
                             {box.x, box.y + box.height},
                             {box.x, box.y}};
  ss_svg_path_begin(svg, "l-vermillion bold");
  for (int i = 0; i < 5; ++i) ss_svg_path_line(svg, corner[i]);
  ss_svg_path_end(svg);
}

static double draw_map_names(ss_svg *svg, const ss_sweep *sweep, const ss_rows *rows)
{
  const int64_t columns = sweep->axis[1].count;
  const double cell = rows->frame.width / (double)columns, bottom = rows->frame.y + rows->frame.height;
  double widest = 0.0;
  for (int64_t i = 0; i < columns; ++i) widest = fmax(widest, ss_svg_text_width(sweep->axis[1].value[i]));
  const int64_t every = (int64_t)ceil((fmin(widest, 90.0) + 6.0) / cell);
  for (int64_t i = 0; i < columns; i += every) {
    char cut[64];
    ss_svg_text(svg, (ss_point){rows->frame.x + cell * ((double)i + 0.5), bottom + 1.4 * SS_SVG_TEXT}, SS_ANCHOR_MIDDLE,
                "soft",
                ss_svg_text_cut(sweep->axis[1].value[i], fmax(cell * (double)every - 4.0, 24.0), cut, sizeof cut));
  }
  ss_svg_text(
      svg, (ss_point){fmax(rows->frame.x + rows->frame.width, ss_svg_text_width(sweep->axis[1].name)), bottom + 38.0},
      SS_ANCHOR_END, "soft", sweep->axis[1].name);
  return bottom + SS_RULER_BELOW;
}

double ss_sweep_draw_map(ss_svg *svg, const void *of)
{
  const ss_sweep_report *report = of;
  const ss_sweep *sweep = report->sweep;
  double widest = 0.0;
  for (int64_t i = 0; i < sweep->axis[0].count; ++i) widest = fmax(widest, ss_svg_text_width(sweep->axis[0].value[i]));
  const double y = ss_legend_draw_heat(svg, (ss_point){0.0, 2.0}, "slowest", "fastest") + SS_SVG_LINE;
  ss_rows rows = ss_rows_make(svg, y, sweep->axis[0].count, widest, 6.0);
  const ss_extent times = ss_sweep_times(report);
  const ss_extent columns = {0.0, (double)sweep->axis[1].count, rows.frame.x, rows.frame.x + rows.frame.width, false};
  const int64_t best = ss_sweep_best_point(report, -1);
  ss_svg_text(svg, (ss_point){0.0, y - 6.0}, SS_ANCHOR_START, "soft", sweep->axis[0].name);
  for (int64_t row = 0; row < sweep->axis[0].count; ++row) {
    ss_rows_name(svg, &rows, row, sweep->axis[0].value[row]);
    for (int pass = 0; pass < 2; ++pass)
      for (int64_t column = 0; column < sweep->axis[1].count; ++column) {
        const int64_t index = row * sweep->axis[1].count + column;
        ss_box box = ss_rows_bar(&rows, row, &columns, (double)column, (double)(column + 1));
        box.width -= 1.0;
        if ((index == best) == (pass == 1)) draw_cell(svg, sweep, index, box, &times, pass == 1);
      }
  }
  return draw_map_names(svg, sweep, &rows);
}
