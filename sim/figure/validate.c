#include "sim/figure/validate.h"

#include <inttypes.h>
#include <math.h>

#include "sim/figure/chart.h"
#include "sim/figure/html.h"
#include "sim/figure/rows.h"
#include "sim/report/report.h"

/* Errors beyond this are drawn at the edge. */
#define ERROR_MOST 0.6

static bool is_shown(const ss_validation *v, int64_t point, ss_measured_kind kind)
{
  const ss_measured_point *p = &v->measured->point[point];
  return p->used && p->limit == SS_LIMIT_NONE && v->measured->group[p->group].kind == kind;
}

/* The how manieth group of its kind a group is, for its colour. */
static ss_colour colour_of(const ss_validation *v, int64_t group)
{
  long before = 0;
  for (int64_t i = 0; i < group; ++i) before += v->measured->group[i].kind == v->measured->group[group].kind;
  return ss_style_series(before);
}

static void point_text(const ss_validation *v, int64_t point, char *text, size_t size)
{
  const ss_measured_point *p = &v->measured->point[point];
  char measured[SS_QUANTITY_SIZE], predicted[SS_QUANTITY_SIZE];
  (void)snprintf(text, size, "%s, %s: measured %s, replayed %s (%+.1f %%)", v->measured->group[p->group].id, p->id,
                 ss_quantity_text(SS_QUANTITY_TIME, p->measured_s, 4, measured),
                 ss_quantity_text(SS_QUANTITY_TIME, v->predicted[point].time_s[SS_PREDICTOR_SIMULATION], 4, predicted),
                 100.0 * ss_validation_error(v, point, SS_PREDICTOR_SIMULATION));
}

/* Predicted is `ratio` times measured, as far as it is in the chart. */
static void draw_ratio(ss_svg *svg, const ss_chart *chart, double ratio, const char *look)
{
  const double first = fmax(chart->x.scale.first, chart->y.scale.first / ratio);
  const double last = fmin(chart->x.scale.last, chart->y.scale.last / ratio);
  ss_svg_line(svg, ss_chart_at(chart, first, ratio * first), ss_chart_at(chart, last, ratio * last), look);
}

static double draw_predicted(ss_svg *svg, const ss_validation *v, ss_measured_kind kind)
{
  ss_ruler x = {.quantity = SS_QUANTITY_TIME, .label = "measured", .scale = ss_chart_nothing()};
  for (int64_t i = 0; i < v->measured->points; ++i) {
    if (!is_shown(v, i, kind)) continue;
    ss_chart_reach(&x.scale, v->measured->point[i].measured_s);
    ss_chart_reach(&x.scale, v->predicted[i].time_s[SS_PREDICTOR_SIMULATION]);
  }
  x.scale.logarithmic = true;
  ss_ruler y = x;
  y.label = "replayed; dashed: 10 % off";
  const ss_chart chart = ss_chart_draw(svg, 0.0, fmin(0.62 * svg->width, 560.0), x, y);
  draw_ratio(svg, &chart, 1.0, "l-ink");
  draw_ratio(svg, &chart, 1.1, "l-soft dashed");
  draw_ratio(svg, &chart, 1.0 / 1.1, "l-soft dashed");
  for (int64_t i = 0; i < v->measured->points; ++i) {
    char tip[2 * SS_NAME_SIZE + 160];
    if (!is_shown(v, i, kind)) continue;
    point_text(v, i, tip, sizeof tip);
    ss_svg_circle(
        svg, ss_chart_at(&chart, v->measured->point[i].measured_s, v->predicted[i].time_s[SS_PREDICTOR_SIMULATION]),
        3.5, ss_style_fill(colour_of(v, v->measured->point[i].group)), tip);
  }
  return ss_chart_end(&chart);
}

static int64_t count_groups(const ss_validation *v, ss_measured_kind kind)
{
  int64_t count = 0;
  for (int64_t i = 0; i < v->measured->groups; ++i)
    count += v->measured->group[i].kind == kind && v->group[i].time[SS_PREDICTOR_SIMULATION].count > 0;
  return count;
}

/* What the rows of a figure of errors are: groups of measurements, or kinds of jobs. */
typedef struct rows_of {
  const ss_validated *list; /* [count] */
  int64_t count;
  ss_measured_kind kind;
} rows_of;

static const char *row_name(const ss_validation *v, const ss_validated *row)
{
  return row->group >= 0 ? v->measured->group[row->group].id : row->name;
}

/* Whether a row has points, and is of the kind of measurements that is drawn. */
static bool is_row(const ss_validation *v, const rows_of *rows, int64_t i)
{
  const int64_t group = rows->list[i].group;
  return (group < 0 || v->measured->group[group].kind == rows->kind) &&
         rows->list[i].time[SS_PREDICTOR_SIMULATION].count > 0;
}

/* Where a row is drawn. */
typedef struct place {
  const ss_rows *rows;
  int64_t row;
  const ss_extent *extent;
} place;

static ss_box error_box(const place *at, double error)
{
  const double drawn = fmax(fmin(error, ERROR_MOST), -ERROR_MOST);
  return ss_rows_bar(at->rows, at->row, at->extent, drawn, drawn);
}

static void draw_points(ss_svg *svg, const ss_validation *v, const place *at, const ss_validated *of,
                        ss_measured_kind kind)
{
  for (int64_t i = 0; i < v->measured->points; ++i) {
    char tip[2 * SS_NAME_SIZE + 160];
    if (!is_shown(v, i, kind) || !ss_validated_has(v, of, kind, i)) continue;
    const ss_box box = error_box(at, ss_validation_error(v, i, SS_PREDICTOR_SIMULATION));
    point_text(v, i, tip, sizeof tip);
    ss_svg_circle(svg, (ss_point){box.x, box.y + 0.5 * box.height}, 3.5,
                  ss_style_fill(colour_of(v, v->measured->point[i].group)), tip);
  }
}

/* A row: its points, and a stroke at their mean. */
static void draw_row(ss_svg *svg, const ss_validation *v, const place *at, const ss_validated *of,
                     ss_measured_kind kind)
{
  const ss_error_summary *errors = &of->time[SS_PREDICTOR_SIMULATION];
  const ss_box mean = error_box(at, errors->bias);
  char text[32];
  ss_rows_name(svg, at->rows, at->row, row_name(v, of));
  draw_points(svg, v, at, of, kind);
  ss_svg_line(svg, (ss_point){mean.x, mean.y + 1.0}, (ss_point){mean.x, mean.y + mean.height - 1.0}, "l-ink bold");
  (void)snprintf(text, sizeof text, "%.1f %%", 100.0 * errors->mean_absolute);
  ss_rows_text(svg, at->rows, at->row, at->rows->frame.x + at->rows->frame.width, "ink", text);
}

static double draw_errors(ss_svg *svg, const ss_validation *v, const rows_of *of)
{
  double widest = 0.0, most = 0.05;
  int64_t count = 0;
  for (int64_t i = 0; i < of->count; ++i) {
    if (!is_row(v, of, i)) continue;
    widest = fmax(widest, ss_svg_text_width(row_name(v, &of->list[i])));
    ++count;
  }
  for (int64_t i = 0; i < v->measured->points; ++i)
    if (is_shown(v, i, of->kind)) most = fmax(most, fabs(ss_validation_error(v, i, SS_PREDICTOR_SIMULATION)));
  most = fmin(0.1 * ceil(10.0 * most), ERROR_MOST);
  const double top = SS_SVG_LINE + 6.0;
  const ss_rows rows = ss_rows_make(svg, top, count, widest, 76.0);
  const ss_ruler ruler = {.quantity = SS_QUANTITY_SHARE,
                          .label = "error of the replay",
                          .scale = {-most, most, rows.frame.x, rows.frame.x + rows.frame.width, false}};
  ss_ruler_draw_below(svg, &ruler, rows.frame);
  ss_svg_text(svg, (ss_point){svg->width, top - 8.0}, SS_ANCHOR_END, "soft", "mean absolute");
  int64_t row = 0;
  for (int64_t i = 0; i < of->count; ++i)
    if (is_row(v, of, i)) draw_row(svg, v, &(place){&rows, row++, &ruler.scale}, &of->list[i], of->kind);
  return top + rows.frame.height + SS_RULER_BELOW;
}

static bool has_kinds(const void *report)
{
  return ((const ss_validation *)report)->kinds > 0;
}

static double errors_kinds(ss_svg *svg, const void *report)
{
  const ss_validation *v = report;
  return draw_errors(svg, v, &(rows_of){v->kind, v->kinds, SS_MEASURED_ITERATIONS});
}

/* The figures of the kinds of measurements: X(kind, name of its functions). */
#define KINDS(X)                                                                                                       \
  X(SS_MEASURED_ITERATIONS, iterations)                                                                                \
  X(SS_MEASURED_COLLECTIVES, collectives)                                                                              \
  X(SS_MEASURED_RUNS, runs)

#define KIND_FUNCTIONS(kind, name)                                                                                     \
  static bool has_##name(const void *report)                                                                           \
  {                                                                                                                    \
    return count_groups(report, kind) > 0;                                                                             \
  }                                                                                                                    \
  static double predicted_##name(ss_svg *svg, const void *report)                                                      \
  {                                                                                                                    \
    return draw_predicted(svg, report, kind);                                                                          \
  }                                                                                                                    \
  static double errors_##name(ss_svg *svg, const void *report)                                                         \
  {                                                                                                                    \
    const ss_validation *v = report;                                                                                   \
    return draw_errors(svg, v, &(rows_of){v->group, v->measured->groups, kind});                                       \
  }
KINDS(KIND_FUNCTIONS)
#undef KIND_FUNCTIONS

static void write_head(FILE *stream, const void *report)
{
  const ss_validation *v = report;
  static const char *const names[] = {
#define KIND_NAME(kind, name) #name,
      KINDS(KIND_NAME)
#undef KIND_NAME
  };
  ss_html_title(stream, "Predictions beside measurements", "%" PRId64 " measured points of %" PRId64 " groups.",
                v->measured->points, v->measured->groups);
  ss_html_tiles_begin(stream);
  for (int kind = 0; kind < SS_MEASURED_COUNT; ++kind) {
    const ss_error_summary *errors = &v->whole[kind].time[SS_PREDICTOR_SIMULATION];
    char value[SS_QUANTITY_SIZE], more[160], name[64];
    if (errors->count == 0) continue;
    (void)snprintf(name, sizeof name, "Mean absolute error, %s", names[kind]);
    (void)snprintf(value, sizeof value, "%.2f %%", 100.0 * errors->mean_absolute);
    (void)snprintf(more, sizeof more, "of %" PRId64 " replays; bias %+.2f %%, nine of ten within %.1f %%",
                   errors->count, 100.0 * errors->bias, 100.0 * errors->p90);
    ss_html_tile(stream, names[kind], name, value, more);
  }
  ss_html_tiles_end(stream);
}

static ss_status write_json(const void *report, char **text, ss_error *error)
{
  return ss_report_validation_json_text(report, text, error);
}

#define ERRORS_NOTE                                                                                                    \
  "A row is a group of measurements, a point one of them, the stroke their mean; at the right the mean absolute "      \
  "error. Below 0, "                                                                                                   \
  "replays are too fast. Points beyond 60 % are at the edge."
#define KINDS_NOTE                                                                                                     \
  "A row is a kind of jobs, a point an iteration, in the colour of its group, the stroke their mean; at the right "    \
  "the mean absolute error."
#define PREDICTED_NOTE "A point is a measurement, in the colour of its group; both axes are logarithmic."

static const ss_figure_row figures[] = {
    {"errors", "Errors of iterations", ERRORS_NOTE, has_iterations, errors_iterations, NULL},
    {"errors-kinds", "Errors of kinds of jobs", KINDS_NOTE, has_kinds, errors_kinds, NULL},
    {"predicted", "Replayed over measured iterations", PREDICTED_NOTE, has_iterations, predicted_iterations, NULL},
    {"errors-collectives", "Errors of collectives", ERRORS_NOTE, has_collectives, errors_collectives, NULL},
    {"predicted-collectives", "Replayed over measured collectives", PREDICTED_NOTE, has_collectives,
     predicted_collectives, NULL},
    {"errors-runs", "Errors of times of runs", ERRORS_NOTE, has_runs, errors_runs, NULL},
    {"predicted-runs", "Predicted over measured times of runs", PREDICTED_NOTE, has_runs, predicted_runs, NULL},
};

ss_subject ss_validation_subject(const ss_validation *validation)
{
  return (ss_subject){.command = "validate",
                      .figure = figures,
                      .figures = sizeof figures / sizeof figures[0],
                      .report = validation,
                      .head = write_head,
                      .json = write_json};
}
