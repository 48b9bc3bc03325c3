#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "model/input/workload.h"
#include "sim/report/calibration.h"
#include "sim/report/ignored.h"
#include "sim/report/interval.h"
#include "sim/report/strategies/shortcuts.h"
#include "sim/report/sweep/listing.h"

/* What the table has: its columns, and before them the axes with the width of each. */
typedef struct table {
  const ss_sweep_report *report;
  ss_listing listing;
  const char *name[SS_SWEEP_AXES];
  int width[SS_SWEEP_AXES];
  int used;    /* by them */
  bool folded; /* each point has them on a line of its own, as lines would be too long */
} table;

/* Before the columns where axes have a line of their own. */
enum { INDENT = 2 };

/* Extrema are listed up to so many; where there are more, only the deepest. */
enum { LISTED_EXTREMA = 12, DEEPEST_EXTREMA = 8 };

static int wider(int width, const char *text)
{
  const int length = (int)strlen(text);
  return length > width ? length : width;
}

/* The name of an attribute without that of its element. */
static const char *short_name(const char *name)
{
  const char *dot = strchr(name, '.');
  return dot != NULL ? dot + 1 : name;
}

/* Gives the axes their names, or short ones if these differ, and measures them. */
static void name_axes(table *t, bool is_short)
{
  const ss_sweep *sweep = t->report->sweep;
  for (int64_t i = 0; i < sweep->axes; ++i)
    for (int64_t j = 0; j < i; ++j)
      if (strcmp(short_name(sweep->axis[i].name), short_name(sweep->axis[j].name)) == 0) is_short = false;
  t->used = 0;
  for (int64_t i = 0; i < sweep->axes; ++i) {
    t->name[i] = is_short ? short_name(sweep->axis[i].name) : sweep->axis[i].name;
    t->width[i] = (int)strlen(t->name[i]);
    for (int64_t j = 0; j < sweep->axis[i].count; ++j) t->width[i] = wider(t->width[i], sweep->axis[i].value[j]);
    t->used += t->width[i] + 2;
  }
}

/* Lines that are too long get short names of the axes first, then fewer columns, then a line of their own for the axes.
 */
static table lay_out(const ss_sweep_report *report)
{
  table t = {.report = report, .listing = ss_sweep_listing(report)};
  name_axes(&t, false);
  if (ss_listing_narrow(&t.listing, SS_SWEEP_TEXT, t.used, report->columns) && ss_listing_is_whole(&t.listing))
    return t;
  name_axes(&t, true);
  t.folded = !ss_listing_narrow(&t.listing, SS_SWEEP_TEXT, t.used, report->columns);
  if (!t.folded) return t;
  name_axes(&t, false);
  t.used = INDENT;
  (void)ss_listing_narrow(&t.listing, SS_SWEEP_TEXT, t.used, report->columns);
  return t;
}

static void print_header(FILE *stream, const table *t)
{
  const ss_sweep *sweep = t->report->sweep;
  if (t->folded) (void)fprintf(stream, "%*s", INDENT, "");
  for (int64_t i = 0; !t->folded && i < sweep->axes; ++i) (void)fprintf(stream, "%*s", t->width[i] + 2, t->name[i]);
  ss_listing_print_header(stream, SS_SWEEP_TEXT, &t->listing);
  (void)fputc('\n', stream);
}

/* Where a point is on the axes: cells, or a line such as "parallelism.pp 8, parallelism.dp 2". */
static void print_place(FILE *stream, const table *t, int64_t index)
{
  const ss_sweep *sweep = t->report->sweep;
  for (int64_t i = 0; !t->folded && i < sweep->axes; ++i)
    (void)fprintf(stream, "%*s", t->width[i] + 2, ss_sweep_value(sweep, index, i));
  for (int64_t i = 0; t->folded && i < sweep->axes; ++i)
    (void)fprintf(stream, "%s%s %s", i > 0 ? ", " : "", t->name[i], ss_sweep_value(sweep, index, i));
  if (t->folded) (void)fprintf(stream, "\n%*s", INDENT, "");
}

static void print_refusal(FILE *stream, const table *t, const char *refusal)
{
  (void)fputs("  refused: ", stream);
  if (t->report->columns > 0)
    ss_table_print_wrapped(stream, refusal, (size_t)t->used + strlen("  refused: "));
  else
    (void)fprintf(stream, "%s\n", refusal);
}

static void print_point(FILE *stream, const table *t, int64_t index)
{
  const ss_sweep_point *point = &t->report->sweep->point[index];
  const ss_line line = ss_sweep_line(&t->listing, point);
  print_place(stream, t, index);
  if (line.strategy == NULL) {
    print_refusal(stream, t, point->refusal);
    return;
  }
  ss_listing_print(stream, SS_SWEEP_TEXT, &line);
  (void)fputc('\n', stream);
  ss_strategy_print_folded(stream, &t->listing.strategy, &line.strategy->candidate, t->used + 2);
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
  const ss_table_unit unit = t->listing.unit;
  char others[512] = "", text[1024];
  for (int64_t i = 0; i < sweep->axes; ++i) {
    const size_t used = strlen(others);
    if (i != extremum->axis)
      (void)snprintf(others + used, sizeof others - used, " (%s %s)", sweep->axis[i].name,
                     ss_sweep_value(sweep, extremum->first, i));
  }
  const bool is_flat = extremum->last != extremum->first;
  (void)snprintf(text, sizeof text, "%s at %s %s%s%s%s: %.*f %s, driven by %s%s",
                 extremum->maximum ? "maximum" : "minimum", sweep->axis[extremum->axis].name,
                 ss_sweep_value(sweep, extremum->first, extremum->axis), is_flat ? " to " : "",
                 is_flat ? ss_sweep_value(sweep, extremum->last, extremum->axis) : "", others, unit.decimals,
                 unit.per_s * time->iteration_s, unit.name, ss_part_label(extremum->part),
                 fits(sweep, extremum) ? "" : "; does not fit in memory");
  (void)fprintf(stream, "  %s  ", extremum->simulated ? "replay     " : "closed form");
  ss_table_print_wrapped(stream, text, strlen("  closed form  "));
}

/* Whether an extremum is among the deepest, down to `least`; of those as deep, the first ones are. */
static bool is_deep(const ss_sweep_extremum *all, int64_t i, int64_t least)
{
  const bool first = i <= least;
  return all[i].depth_s > all[least].depth_s || (first && all[i].depth_s == all[least].depth_s);
}

/* The one that follows after the deepest, down to `least`; -1 of those stands for none of them. */
static int64_t next_deepest(const ss_sweep *sweep, int64_t least)
{
  int64_t next = -1;
  for (int64_t i = 0; i < sweep->extrema; ++i)
    if ((least < 0 || !is_deep(sweep->extremum, i, least)) && (next < 0 || is_deep(sweep->extremum, i, next))) next = i;
  return next;
}

/* All of few; of many the deepest, in their order, and how many others there are. */
static void print_extrema(FILE *stream, const table *t)
{
  const ss_sweep *sweep = t->report->sweep;
  const ss_table_unit unit = t->listing.unit;
  const bool few = sweep->extrema <= LISTED_EXTREMA;
  int64_t least = -1;
  if (sweep->extrema == 0) return;
  (void)fprintf(stream, "\nNot convex\n");
  for (int i = 0; !few && i < DEEPEST_EXTREMA; ++i) least = next_deepest(sweep, least);
  for (int64_t i = 0; i < sweep->extrema; ++i)
    if (few || is_deep(sweep->extremum, i, least)) print_extremum(stream, t, &sweep->extremum[i]);
  if (few) return;
  const double rest_s = sweep->extremum[next_deepest(sweep, least)].depth_s;
  ss_table_print_sentence(
      stream, "And %" PRId64 " less deep ones: at most %.2g %s to where the time turns again (--json has all).",
      sweep->extrema - DEEPEST_EXTREMA, rest_s * unit.per_s, unit.name);
}

/* Of the model; 0 where it is not the same at all points, or none can be had. */
static double parameters_of(const ss_sweep *sweep)
{
  double parameters = 0.0;
  for (int64_t i = 0; i < sweep->count; ++i) {
    const ss_strategy *best = ss_sweep_best(&sweep->point[i]);
    if (best != NULL && parameters > 0.0 && best->parameters != parameters) return 0.0;
    if (best != NULL) parameters = best->parameters;
  }
  return parameters;
}

/* What the closed form ignores of any of the platforms. */
static ss_replayed_set only_replayed_of(const ss_sweep *sweep)
{
  ss_replayed_set set = 0;
  for (int64_t i = 0; i < sweep->count; ++i)
    if (sweep->point[i].refusal == NULL) set |= sweep->point[i].only_replayed;
  return set;
}

static void print_title(FILE *stream, const table *t)
{
  const ss_sweep_report *report = t->report;
  char choice[128] = "";
  if (report->best != SS_BEST_NOTHING)
    (void)snprintf(choice, sizeof choice, ", best %s of each point by %s", ss_best_word(report->best),
                   ss_objective_word(report->objective));
  char model[2 * SS_TEXT_SIZE];
  ss_table_model(report->workload->model.name, parameters_of(report->sweep), model, sizeof model);
  ss_table_print_sentence(stream, "%s%s%s, %s costs%s: times in %s, parts of the closed form", model,
                          report->platform != NULL ? " on " : "", report->platform != NULL ? report->platform : "",
                          ss_cost_word(report->cost), choice, t->listing.unit.name);
  if (!ss_cost_traits_of(report->cost).as_published)
    ss_sweep_tell_calibration(stream, report->sweep, ss_calibration_print_sentence);
  if (!report->replayed) ss_ignored_print(stream, only_replayed_of(report->sweep));
  (void)fputc('\n', stream);
}

static void print_shortcuts(FILE *stream, const ss_sweep *sweep)
{
  ss_shortcut_bound bound = {0};
  for (int64_t i = 0; i < sweep->count; ++i) {
    const ss_strategy *strategy = ss_sweep_best(&sweep->point[i]);
    if (strategy != NULL) ss_shortcut_bound_see(&bound, strategy);
  }
  ss_shortcut_bound_print(stream, &bound);
}

/* How sure the best point is, of those that fit, if any do. */
static void print_interval(FILE *stream, const ss_sweep_report *report)
{
  bool all_fit = true;
  char label[SS_TEXT_SIZE];
  const int64_t index = ss_sweep_best_point(report, -1);
  if (index < 0) return;
  const ss_sweep_point *first = &report->sweep->point[index];
  const ss_strategy *best = ss_sweep_best(first);
  for (int64_t i = 0; i < report->sweep->count; ++i) {
    const ss_strategy *strategy = ss_sweep_best(&report->sweep->point[i]);
    if (strategy != NULL && !strategy->memory.fits) all_fit = false;
  }
  (void)snprintf(label, sizeof label, "%s%s:", ss_sweep_best_name(report),
                 all_fit             ? ""
                 : best->memory.fits ? " that fits"
                                     : ", none fits");
  (void)fputc('\n', stream);
  ss_interval_print(stream, &first->interval, label, ss_strategy_time_s(best));
  if (ss_workload_draws_documents(report->workload))
    ss_interval_print_draws(stream, best->simulated, "which run --trials 20 shows");
}

void ss_report_sweep_text(FILE *stream, const ss_sweep_report *report)
{
  const table t = lay_out(report);
  print_title(stream, &t);
  if (report->best != SS_BEST_NOTHING) ss_strategy_print_common(stream, &t.listing.strategy);
  print_header(stream, &t);
  for (int64_t i = 0; i < report->sweep->count; ++i) print_point(stream, &t, i);
  ss_listing_print_basis(stream, SS_SWEEP_TEXT, &t.listing);
  ss_listing_print_peak(stream, SS_SWEEP_TEXT, &t.listing, report->workload->training.precision);
  print_shortcuts(stream, report->sweep);
  ss_listing_print_left_out(stream, &t.listing);
  if (!ss_cost_traits_of(report->cost).as_published) print_interval(stream, report);
  print_extrema(stream, &t);
}
