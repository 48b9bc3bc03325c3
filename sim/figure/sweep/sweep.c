#include "sim/figure/sweep/sweep.h"

#include <inttypes.h>

#include "model/input/workload.h"
#include "sim/figure/html.h"
#include "sim/figure/parts.h"
#include "sim/figure/sweep/curves.h"
#include "sim/figure/sweep/map.h"
#include "sim/figure/sweep/points.h"
#include "sim/report/sweep/listing.h"

enum { ROWS_MOST = 40, NAME_SIZE = 128 };

static bool has_any(const void *report)
{
  return ss_sweep_best_point(report, -1) >= 0;
}

static bool has_two_axes(const void *report)
{
  return has_any(report) && ((const ss_sweep_report *)report)->sweep->axes > 1;
}

/* The values of a point. */
static const char *name_of(const ss_sweep *sweep, int64_t point, char text[NAME_SIZE])
{
  (void)snprintf(text, NAME_SIZE, "%s%s%s", ss_sweep_value(sweep, point, 0), sweep->axes > 1 ? ", " : "",
                 sweep->axes > 1 ? ss_sweep_value(sweep, point, 1) : "");
  return text;
}

/* The points of the rows: of each value of the first axis the best, and of these as many as there is room for. */
static int64_t find_rows(const ss_sweep_report *report, int64_t row[ROWS_MOST])
{
  const int64_t values = report->sweep->axis[0].count;
  const int64_t every = (values + ROWS_MOST - 1) / ROWS_MOST;
  int64_t count = 0;
  for (int64_t value = 0; value < values; value += every) {
    const int64_t point = ss_sweep_best_point(report, value);
    if (point >= 0) row[count++] = point;
  }
  return count;
}

double ss_sweep_draw_parts(ss_svg *svg, const void *of)
{
  const ss_sweep_report *report = of;
  const ss_sweep *sweep = report->sweep;
  int64_t row[ROWS_MOST];
  const ss_breakdown *time[ROWS_MOST];
  const char *rows[ROWS_MOST];
  char name[ROWS_MOST][NAME_SIZE];
  const int64_t count = find_rows(report, row);
  for (int64_t i = 0; i < count; ++i) {
    const ss_strategy *strategy = ss_sweep_best(&sweep->point[row[i]]);
    time[i] = strategy->simulated ? &strategy->simulation : &strategy->estimate;
    rows[i] = name_of(sweep, row[i], name[i]);
  }
  return ss_parts_draw_rows(svg, time, rows, count);
}

static void write_head(FILE *stream, const void *of)
{
  const ss_sweep_report *report = of;
  const ss_sweep *sweep = report->sweep;
  const int64_t at = ss_sweep_best_point(report, -1);
  char title[2 * SS_TEXT_SIZE], value[SS_QUANTITY_SIZE], more[2 * NAME_SIZE], name[NAME_SIZE];
  (void)snprintf(title, sizeof title, "%s%s%s", report->workload->model.name, report->platform != NULL ? " on " : "",
                 report->platform != NULL ? report->platform : "");
  ss_html_title(stream, title, "%" PRId64 " point%s of %s%s%s%s.", sweep->count, sweep->count == 1 ? "" : "s",
                sweep->axis[0].name, sweep->axes > 1 ? " and " : "", sweep->axes > 1 ? sweep->axis[1].name : "",
                report->best != SS_BEST_NOTHING ? ", the best strategy of each" : "");
  if (!ss_cost_traits_of(report->cost).as_published) ss_sweep_tell_calibration(stream, sweep, ss_html_alert);
  ss_html_tiles_begin(stream);
  if (at >= 0) {
    const ss_strategy *best = ss_sweep_best(&sweep->point[at]);
    (void)snprintf(more, sizeof more, "at %s%s", name_of(sweep, at, name),
                   best->memory.fits ? "" : "; no point fits in memory");
    ss_html_tile(stream, "best", ss_sweep_best_name(report),
                 ss_quantity_text(SS_QUANTITY_TIME, ss_strategy_time_s(best), 4, value), more);
    (void)snprintf(more, sizeof more, "of %.4g GiB", best->memory.capacity_bytes / SS_GIB);
    ss_html_tile(stream, "memory", "Its memory",
                 ss_quantity_text(SS_QUANTITY_BYTES, best->memory.total_bytes, 4, value), more);
  }
  (void)snprintf(value, sizeof value, "%" PRId64, sweep->extrema);
  ss_html_tile(stream, "extrema", "Local minima and maxima", value, "of the curves along an axis, between their ends");
  ss_html_tiles_end(stream);
}

static ss_status write_json(const void *report, char **text, ss_error *error)
{
  return ss_report_sweep_json_text(report, text, error);
}

/* The figures of a sweep whose best point is called so. */
/* clang-format off */
#define FIGURES(best) \
  {"curves", "Time along the first axis", \
   "Values as they were given, side by side. A ring is around the " best " that fits; arrows mark local minima and " \
   "maxima; hollow points do not fit in memory.", has_any, ss_sweep_draw_curves, NULL}, \
  {"map", "Time over both axes", \
   "Framed: the " best " that fits. Crossed out: does not fit in memory. Empty: refused.", \
   has_two_axes, ss_sweep_draw_map, NULL}, \
  {"parts", "Where the time goes", "The parts of the " best " point that fits of each value of the first axis.", \
   has_any, ss_sweep_draw_parts, NULL}
/* clang-format on */
static const ss_figure_row figures_of_time[] = {FIGURES("fastest")};
static const ss_figure_row figures_of_others[] = {FIGURES("best")};

ss_subject ss_sweep_subject(const ss_sweep_report *report)
{
  const bool of_others = report != NULL && report->objective != SS_OBJECTIVE_TIME;
  return (ss_subject){.command = "sweep",
                      .figure = of_others ? figures_of_others : figures_of_time,
                      .figures = sizeof figures_of_time / sizeof figures_of_time[0],
                      .report = report,
                      .head = write_head,
                      .json = write_json};
}
