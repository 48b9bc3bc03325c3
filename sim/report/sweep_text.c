#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "sim/report/report.h"
#include "sim/report/strategy.h"

#define DOLLARS_PER_COLUMN 1e6 /* the column is in millions */

/* Less of every iteration is not worth a column. */
#define LEAST_SHARE 0.01

/* What the table has: widths of the axes, parts that some point spends time on, one unit for all times. */
typedef struct table {
  const ss_sweep_report *report;
  ss_strategy_columns strategy;
  int width[SS_SWEEP_AXES];
  bool shown[SS_PART_COUNT];
  double per_s;
  int decimals;
  const char *unit;
} table;

static int larger(int a, int b)
{
  return a > b ? a : b;
}

/* The unit that the shortest iteration reaches. */
static void choose_unit(table *t)
{
  const ss_sweep *sweep = t->report->sweep;
  double least_s = 1.0;
  for (int64_t i = 0; i < sweep->count; ++i) {
    const ss_strategy *best = ss_sweep_best(&sweep->point[i]);
    if (best != NULL && best->estimate.iteration_s < least_s) least_s = best->estimate.iteration_s;
  }
  const bool seconds = least_s >= 1.0;
  t->per_s = seconds ? 1.0 : 1e3;
  t->decimals = seconds ? 4 : 3;
  t->unit = seconds ? "s" : "ms";
}

static table lay_out(const ss_sweep_report *report)
{
  const ss_sweep *sweep = report->sweep;
  table t = {.report = report};
  choose_unit(&t);
  for (int64_t i = 0; i < sweep->axes; ++i) {
    t.width[i] = (int)strlen(sweep->axis[i].name);
    for (int64_t j = 0; j < sweep->axis[i].count; ++j)
      t.width[i] = larger(t.width[i], (int)strlen(sweep->axis[i].value[j]));
  }
  t.strategy = ss_strategy_columns_of(report->workload->parallelism.tensor, report->knobs);
  for (int64_t i = 0; i < sweep->count; ++i) {
    const ss_strategy *best = ss_sweep_best(&sweep->point[i]);
    if (best == NULL) continue;
    ss_strategy_columns_see(&t.strategy, &best->candidate);
    for (int part = 0; part < SS_PART_COUNT; ++part)
      if (ss_breakdown_part(&best->estimate, (ss_part)part) > LEAST_SHARE * best->estimate.iteration_s)
        t.shown[part] = true;
  }
  return t;
}

static int part_width(int part)
{
  return 2 + larger((int)strlen(ss_part_label((ss_part)part)), 9);
}

static void print_header(FILE *stream, const table *t)
{
  const ss_sweep *sweep = t->report->sweep;
  for (int64_t i = 0; i < sweep->axes; ++i) (void)fprintf(stream, "%*s", t->width[i] + 2, sweep->axis[i].name);
  (void)fprintf(stream, "%7s", "GPUs");
  if (t->report->priced) (void)fprintf(stream, "%9s", "M$");
  if (t->report->best != SS_BEST_NOTHING) ss_strategy_print_header(stream, &t->strategy);
  (void)fprintf(stream, "%12s", "iteration");
  for (int part = 0; part < SS_PART_COUNT; ++part)
    if (t->shown[part]) (void)fprintf(stream, "%*s", part_width(part), ss_part_label((ss_part)part));
  (void)fprintf(stream, "%14s%6s", "memory", "fits");
  if (t->report->replayed) (void)fprintf(stream, "%12s", "replay");
  if (t->report->contest > 1) (void)fprintf(stream, "%12s", "favourite");
  (void)fputc('\n', stream);
}

static void print_time(FILE *stream, const table *t, int width, double time_s)
{
  (void)fprintf(stream, " %*.*f", width - 1, t->decimals, t->per_s * time_s);
}

/* What the replays say; of the closed form's favourite how much longer it takes than the best. */
static void print_replays(FILE *stream, const table *t, const ss_sweep_point *point)
{
  const ss_strategy *best = ss_sweep_best(point), *favourite = &point->top[0];
  if (best->simulated) print_time(stream, t, 12, best->simulation.iteration_s);
  if (t->report->contest > 1)
    (void)fprintf(stream, "%+10.2f %%",
                  100.0 * (favourite->simulation.iteration_s / best->simulation.iteration_s - 1.0));
}

static void print_point(FILE *stream, const table *t, int64_t index)
{
  const ss_sweep *sweep = t->report->sweep;
  const ss_sweep_point *point = &sweep->point[index];
  const ss_strategy *best = ss_sweep_best(point);
  for (int64_t i = 0; i < sweep->axes; ++i)
    (void)fprintf(stream, "%*s", t->width[i] + 2, ss_sweep_value(sweep, index, i));
  if (best == NULL) {
    (void)fprintf(stream, "  refused: %s\n", point->refusal);
    return;
  }
  (void)fprintf(stream, "%7" PRId64, point->gpus);
  if (t->report->priced) (void)fprintf(stream, "%9.2f", point->dollars / DOLLARS_PER_COLUMN);
  if (t->report->best != SS_BEST_NOTHING) ss_strategy_print(stream, &t->strategy, &best->candidate);
  print_time(stream, t, 12, best->estimate.iteration_s);
  for (int part = 0; part < SS_PART_COUNT; ++part)
    if (t->shown[part]) print_time(stream, t, part_width(part), ss_breakdown_part(&best->estimate, (ss_part)part));
  (void)fprintf(stream, "%10.2f GiB%6s", best->memory.total_bytes / SS_GIB, best->memory.fits ? "yes" : "no");
  if (t->report->replayed) print_replays(stream, t, point);
  (void)fputc('\n', stream);
}

static bool fits(const ss_sweep *sweep, const ss_sweep_extremum *extremum)
{
  return ss_sweep_best(&sweep->point[extremum->first])->memory.fits;
}

/* "minimum at parallelism.pp 8 (parallelism.dp 2): 12.0000 s, turned by bubble" */
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
  (void)fprintf(stream, ": ");
  (void)fprintf(stream, "%.*f %s, turned by %s%s\n", t->decimals, t->per_s * time->iteration_s, t->unit,
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
  (void)fprintf(stream, ": times in %s, parts of the closed form\n\n", t->unit);
}

void ss_report_sweep_text(FILE *stream, const ss_sweep_report *report)
{
  const table t = lay_out(report);
  print_title(stream, &t);
  if (report->best != SS_BEST_NOTHING) ss_strategy_print_common(stream, &t.strategy);
  print_header(stream, &t);
  for (int64_t i = 0; i < report->sweep->count; ++i) print_point(stream, &t, i);
  if (report->sweep->extrema > 0) (void)fprintf(stream, "\nNot convex\n");
  for (int64_t i = 0; i < report->sweep->extrema; ++i) print_extremum(stream, &t, &report->sweep->extremum[i]);
}
