#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "model/input/workload.h"
#include "sim/report/interval.h"
#include "sim/report/sweep_listing.h"

/* What the table has: its columns, and before them the axes with the width of each. */
typedef struct table {
  const ss_sweep_report *report;
  ss_listing listing;
  int width[SS_SWEEP_AXES];
} table;

static int wider(int width, const char *text)
{
  const int length = (int)strlen(text);
  return length > width ? length : width;
}

static table lay_out(const ss_sweep_report *report)
{
  const ss_sweep *sweep = report->sweep;
  table t = {.report = report, .listing = ss_sweep_listing(report)};
  int used = 0;
  for (int64_t i = 0; i < sweep->axes; ++i) {
    t.width[i] = (int)strlen(sweep->axis[i].name);
    for (int64_t j = 0; j < sweep->axis[i].count; ++j) t.width[i] = wider(t.width[i], sweep->axis[i].value[j]);
    used += t.width[i] + 2;
  }
  ss_listing_narrow(&t.listing, SS_SWEEP_TEXT, used, report->columns);
  return t;
}

static void print_header(FILE *stream, const table *t)
{
  const ss_sweep *sweep = t->report->sweep;
  for (int64_t i = 0; i < sweep->axes; ++i) (void)fprintf(stream, "%*s", t->width[i] + 2, sweep->axis[i].name);
  ss_listing_print_header(stream, SS_SWEEP_TEXT, &t->listing);
  (void)fputc('\n', stream);
}

static void print_point(FILE *stream, const table *t, int64_t index)
{
  const ss_sweep *sweep = t->report->sweep;
  const ss_sweep_point *point = &sweep->point[index];
  const ss_line line = ss_sweep_line(&t->listing, point);
  for (int64_t i = 0; i < sweep->axes; ++i)
    (void)fprintf(stream, "%*s", t->width[i] + 2, ss_sweep_value(sweep, index, i));
  if (line.strategy == NULL)
    (void)fprintf(stream, "  refused: %s", point->refusal);
  else
    ss_listing_print(stream, SS_SWEEP_TEXT, &line);
  (void)fputc('\n', stream);
}

static bool fits(const ss_sweep *sweep, const ss_sweep_extremum *extremum)
{
  return ss_sweep_best(&sweep->point[extremum->first])->memory.fits;
}

/* "minimum at parallelism.pp 8 (parallelism.dp 2): 12.0000 s, driven by bubble" */
static void print_extremum(FILE *stream, const table *t, const ss_sweep_extremum *extremum)
{
  const ss_sweep *sweep = t->report->sweep;
  const ss_breakdown *time = ss_sweep_time(&sweep->point[extremum->first], extremum->simulated);
  (void)fprintf(stream, "  %s  %s at %s %s", extremum->simulated ? "replay     " : "closed form",
                extremum->maximum ? "maximum" : "minimum", sweep->axis[extremum->axis].name,
                ss_sweep_value(sweep, extremum->first, extremum->axis));
  if (extremum->last != extremum->first)
    (void)fprintf(stream, " to %s", ss_sweep_value(sweep, extremum->last, extremum->axis));
  for (int64_t i = 0; i < sweep->axes; ++i)
    if (i != extremum->axis)
      (void)fprintf(stream, " (%s %s)", sweep->axis[i].name, ss_sweep_value(sweep, extremum->first, i));
  const ss_table_unit unit = t->listing.unit;
  (void)fprintf(stream, ": %.*f %s, driven by %s%s\n", unit.decimals, unit.per_s * time->iteration_s, unit.name,
                ss_part_label(extremum->part), fits(sweep, extremum) ? "" : "; does not fit in memory");
}

static void print_title(FILE *stream, const table *t)
{
  const ss_sweep_report *report = t->report;
  (void)fprintf(stream, "%s%s%s, %s costs", report->workload->model.name, report->platform != NULL ? " on " : "",
                report->platform != NULL ? report->platform : "", ss_cost_word(report->cost));
  if (report->best != SS_BEST_NOTHING)
    (void)fprintf(stream, ", best %s of each point by %s", ss_best_word(report->best),
                  ss_objective_word(report->objective));
  (void)fprintf(stream, ": times in %s, parts of the closed form\n", t->listing.unit.name);
  if (!ss_cost_traits_of(report->cost).as_published) ss_sweep_print_calibration(stream, report->sweep);
  (void)fputc('\n', stream);
}

/* Whether a point beats another: fits where that one does not, or is faster. */
static bool is_better(const ss_strategy *best, const ss_strategy *other)
{
  if (best->memory.fits != other->memory.fits) return best->memory.fits;
  return ss_strategy_time_s(best) < ss_strategy_time_s(other);
}

/* How sure the fastest point is, of those that fit, if any do. */
static void print_interval(FILE *stream, const ss_sweep *sweep)
{
  const ss_sweep_point *fastest = NULL;
  bool all_fit = true;
  for (int64_t i = 0; i < sweep->count; ++i) {
    const ss_strategy *best = ss_sweep_best(&sweep->point[i]);
    if (best == NULL) continue;
    if (fastest == NULL || is_better(best, ss_sweep_best(fastest))) fastest = &sweep->point[i];
    if (!best->memory.fits) all_fit = false;
  }
  if (fastest == NULL) return;
  const ss_strategy *best = ss_sweep_best(fastest);
  const char *label = all_fit             ? "The fastest:"
                      : best->memory.fits ? "The fastest that fits:"
                                          : "The fastest, none fits:";
  (void)fputc('\n', stream);
  ss_interval_print(stream, &fastest->interval, label, ss_strategy_time_s(best));
}

void ss_report_sweep_text(FILE *stream, const ss_sweep_report *report)
{
  const table t = lay_out(report);
  print_title(stream, &t);
  if (report->best != SS_BEST_NOTHING) ss_strategy_print_common(stream, &t.listing.strategy);
  print_header(stream, &t);
  for (int64_t i = 0; i < report->sweep->count; ++i) print_point(stream, &t, i);
  ss_listing_print_left_out(stream, &t.listing);
  if (!ss_cost_traits_of(report->cost).as_published) print_interval(stream, report->sweep);
  if (report->sweep->extrema > 0) (void)fprintf(stream, "\nNot convex\n");
  for (int64_t i = 0; i < report->sweep->extrema; ++i) print_extremum(stream, &t, &report->sweep->extremum[i]);
}
