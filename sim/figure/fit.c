#include "sim/figure/fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "sim/figure/html.h"
#include "sim/figure/rows.h"

enum { ENTRIES = 2 };

/* Of points. */
#define RADIUS 6.0

static const ss_legend_entry entries[ENTRIES] = {{"before", SS_GREY, false}, {"after", SS_BLUE, false}};

static const ss_fit *fit_of(const void *report)
{
  return ((const ss_fit_report *)report)->fit;
}

/* Groups that count, and then all of them (-1): a name, and the error before and after. */
static const char *name_of(const ss_fit *fit, int64_t group)
{
  return group < 0 ? "all" : fit->points->measured->group[group].id;
}

static const ss_error_summary *errors_of(const ss_fit *fit, int64_t group, int stage)
{
  return group < 0 ? &fit->whole[stage] : &fit->group[stage][group];
}

/* A line from the error before to that after, with a point for each. */
static void draw_change(ss_svg *svg, const ss_rows *rows, int64_t row, const ss_extent *extent, const ss_fit *fit,
                        int64_t group)
{
  ss_point at[SS_FIT_STAGES];
  char text[1024];
  for (int stage = 0; stage < SS_FIT_STAGES; ++stage) {
    const double error = errors_of(fit, group, stage)->mean_absolute;
    const ss_box box = ss_rows_bar(rows, row, extent, error, error);
    at[stage] = (ss_point){box.x, box.y + 0.5 * box.height};
  }
  ss_rows_name(svg, rows, row, name_of(fit, group));
  ss_svg_line(svg, at[SS_FIT_START], at[SS_FIT_FITTED], "l-soft thick");
  for (int stage = 0; stage < SS_FIT_STAGES; ++stage) {
    const ss_error_summary *errors = errors_of(fit, group, stage);
    (void)snprintf(text, sizeof text, "%s, %s: mean absolute error %.2f %%, bias %+.2f %%, %" PRId64 " points",
                   name_of(fit, group), entries[stage].text, 100.0 * errors->mean_absolute, 100.0 * errors->bias,
                   errors->count);
    ss_svg_circle(svg, at[stage], RADIUS, ss_style_fill(entries[stage].colour), text);
  }
  (void)snprintf(text, sizeof text, "%.1f to %.1f %%", 100.0 * errors_of(fit, group, SS_FIT_START)->mean_absolute,
                 100.0 * errors_of(fit, group, SS_FIT_FITTED)->mean_absolute);
  ss_rows_text(svg, rows, row, rows->frame.x + rows->frame.width + RADIUS, "ink", text);
}

static double draw_errors(ss_svg *svg, const void *report)
{
  const ss_fit *fit = fit_of(report);
  const int64_t groups = fit->points->measured->groups;
  double widest = 0.0, most = 0.0;
  int64_t count = 0;
  for (int64_t i = -1; i < groups; ++i) {
    if (i >= 0 && errors_of(fit, i, SS_FIT_START)->count == 0) continue;
    ++count;
    widest = fmax(widest, ss_svg_text_width(name_of(fit, i)));
    for (int stage = 0; stage < SS_FIT_STAGES; ++stage) most = fmax(most, errors_of(fit, i, stage)->mean_absolute);
  }
  const double y = ss_legend_draw(svg, (ss_point){0.0, 0.0}, entries, ENTRIES);
  const ss_rows rows = ss_rows_make(svg, y, count, widest, ss_svg_text_width("00.0 to 00.0 %") + 12.0 + RADIUS);
  const ss_ruler ruler = {.quantity = SS_QUANTITY_SHARE,
                          .label = "mean absolute error",
                          .scale = {0.0, most, rows.frame.x, rows.frame.x + rows.frame.width, false}};
  ss_ruler_draw_below(svg, &ruler, rows.frame);
  int64_t row = 0;
  for (int64_t i = 0; i < groups; ++i)
    if (errors_of(fit, i, SS_FIT_START)->count > 0) draw_change(svg, &rows, row++, &ruler.scale, fit, i);
  draw_change(svg, &rows, row, &ruler.scale, fit, -1);
  return y + rows.frame.height + SS_RULER_BELOW;
}

/* A constant between its bounds. */
static void draw_constant(ss_svg *svg, const ss_rows *rows, int64_t row, const ss_fit_report *report)
{
  const ss_fit *fit = report->fit;
  const ss_fit_constant *constant = &fit->plan->constant[row];
  const ss_extent extent = {0.0, 1.0, rows->frame.x, rows->frame.x + rows->frame.width, false};
  const ss_box all = ss_rows_bar(rows, row, &extent, 0.0, 1.0);
  char from[SS_NAME_SIZE], to[SS_NAME_SIZE], value[SS_NAME_SIZE], text[4 * SS_NAME_SIZE];
  report->write(constant->from, constant->property->unit, from);
  report->write(constant->to, constant->property->unit, to);
  ss_rows_name(svg, rows, row, constant->property->name);
  (void)snprintf(text, sizeof text, "%s: %s to %s", constant->property->name, from, to);
  ss_svg_box(svg, (ss_box){all.x, all.y + 0.4 * all.height, all.width, 0.2 * all.height}, ss_style_fill(SS_PALE), text);
  for (int stage = 0; stage < SS_FIT_STAGES; ++stage) {
    const double share = fmax(fmin(ss_fit_coordinate(constant, fit->values[stage].of[row]), 1.0), 0.0);
    report->write(fit->values[stage].of[row], constant->property->unit, value);
    (void)snprintf(text, sizeof text, "%s, %s: %s", constant->property->name, entries[stage].text, value);
    ss_svg_circle(svg, (ss_point){ss_extent_at(&extent, share), all.y + 0.5 * all.height}, RADIUS,
                  ss_style_fill(entries[stage].colour), text);
  }
  ss_rows_text(svg, rows, row, all.x + all.width + RADIUS, "ink", value);
}

static double draw_constants(ss_svg *svg, const void *of)
{
  const ss_fit_report *report = of;
  const ss_fit_plan *plan = report->fit->plan;
  double widest = 0.0, behind = 0.0;
  for (int64_t i = 0; i < plan->constants; ++i) {
    char value[SS_NAME_SIZE];
    report->write(report->fit->values[SS_FIT_FITTED].of[i], plan->constant[i].property->unit, value);
    widest = fmax(widest, ss_svg_text_width(plan->constant[i].property->name));
    behind = fmax(behind, ss_svg_text_width(value) + 12.0 + RADIUS);
  }
  const double y = ss_legend_draw(svg, (ss_point){0.0, 0.0}, entries, ENTRIES);
  const ss_rows rows = ss_rows_make(svg, y, plan->constants, widest, behind);
  for (int64_t row = 0; row < plan->constants; ++row) draw_constant(svg, &rows, row, report);
  return y + rows.frame.height + 6.0;
}

static void write_constants(FILE *stream, const void *of)
{
  static const char *const columns[] = {"constant", "before", "after", "from", "to"};
  const ss_fit_report *report = of;
  const ss_fit *fit = report->fit;
  ss_html_table_begin(stream, columns, 5);
  for (int64_t i = 0; i < fit->plan->constants; ++i) {
    const ss_fit_constant *constant = &fit->plan->constant[i];
    const double values[] = {fit->values[SS_FIT_START].of[i], fit->values[SS_FIT_FITTED].of[i], constant->from,
                             constant->to};
    char text[4][SS_NAME_SIZE];
    for (int k = 0; k < 4; ++k) report->write(values[k], constant->property->unit, text[k]);
    const char *const cells[] = {constant->property->name, text[0], text[1], text[2], text[3]};
    ss_html_table_row(stream, cells, 5);
  }
  ss_html_table_end(stream);
}

static void write_head(FILE *stream, const void *report)
{
  const ss_fit *fit = fit_of(report);
  char value[SS_QUANTITY_SIZE], more[160];
  ss_html_title(stream, "Platform constants, fitted", "%" PRId64 " constant%s by %" PRId64 " point%s and the %s: %s.",
                fit->plan->constants, fit->plan->constants == 1 ? "" : "s", fit->points->count,
                fit->points->count == 1 ? "" : "s",
                ss_predictor_label(fit->replayed ? SS_PREDICTOR_SIMULATION : SS_PREDICTOR_ESTIMATE), fit->plan->file);
  ss_html_tiles_begin(stream);
  (void)snprintf(value, sizeof value, "%.2f %%", 100.0 * fit->whole[SS_FIT_FITTED].mean_absolute);
  (void)snprintf(more, sizeof more, "%.2f %% before", 100.0 * fit->whole[SS_FIT_START].mean_absolute);
  ss_html_tile(stream, "error", "Mean absolute error", value, more);
  if (fit->crossed) {
    (void)snprintf(value, sizeof value, "%.2f %%", 100.0 * fit->left_whole.mean_absolute);
    ss_html_tile(stream, "left-out", "Of what is left out", value, "each source predicted without being fitted to");
  }
  (void)snprintf(value, sizeof value, "%" PRId64, fit->evaluations);
  ss_html_tile(stream, "evaluations", "Evaluations", value, fit->limited ? "the limit" : "to the end of the search");
  ss_html_tiles_end(stream);
}

static ss_status write_json(const void *report, char **text, ss_error *error)
{
  return ss_report_fit_json_text(report, text, error);
}

static const ss_figure_row figures[] = {
    {"errors", "Errors before and after", "A row is a group of measurements.", NULL, draw_errors, NULL},
    {"constants", "The constants",
     "Each between its bounds: at the left the least that the fit may choose, at the right the most.", NULL,
     draw_constants, write_constants},
};

ss_subject ss_fit_subject(const ss_fit_report *report)
{
  return (ss_subject){.command = "fit",
                      .figure = figures,
                      .figures = sizeof figures / sizeof figures[0],
                      .report = report,
                      .head = write_head,
                      .json = write_json};
}
