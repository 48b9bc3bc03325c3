/* Time against memory, and the time of each number of GPUs. */
#include "sim/figure/search/front.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "sim/figure/chart.h"
#include "sim/figure/figure.h"
#include "sim/report/report.h"
#include "sim/report/strategies/strategy_name.h"

enum { COLOURED = 6 };

/* A strategy that was kept, and where it is from. */
typedef struct kept {
  const ss_strategy *strategy;
  int64_t findings;
  bool front; /* no other on as many GPUs is as fast with less memory, or faster with as much */
} kept;

static int64_t list(const ss_search_report *report, kept **all)
{
  int64_t count = 0, i = 0;
  for (int64_t f = 0; f < report->count; ++f) count += report->findings[f].search->count;
  *all = calloc((size_t)count + 1, sizeof **all);
  if (*all == NULL) return 0;
  for (int64_t f = 0; f < report->count; ++f)
    for (int64_t s = 0; s < report->findings[f].search->count; ++s)
      (*all)[i++] = (kept){.strategy = &report->findings[f].search->top[s], .findings = f};
  return i;
}

static int compare_times(const void *left, const void *right)
{
  const ss_strategy *a = ((const kept *)left)->strategy, *b = ((const kept *)right)->strategy;
  const int64_t a_findings = ((const kept *)left)->findings, b_findings = ((const kept *)right)->findings;
  if (a_findings != b_findings) return a_findings < b_findings ? -1 : 1;
  const double a_s = ss_strategy_time_s(a), b_s = ss_strategy_time_s(b);
  if (a_s != b_s) return a_s < b_s ? -1 : 1;
  return a->memory.total_bytes < b->memory.total_bytes ? -1 : a->memory.total_bytes > b->memory.total_bytes;
}

/* Sorts by number of GPUs and time, and finds those with less memory than all faster ones. */
static void find_front(kept *all, int64_t count)
{
  double least = INFINITY;
  if (count == 0) return;
  qsort(all, (size_t)count, sizeof *all, compare_times);
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0 && all[i].findings != all[i - 1].findings) least = INFINITY;
    all[i].front = all[i].strategy->memory.total_bytes < least;
    least = fmin(least, all[i].strategy->memory.total_bytes);
  }
}

static ss_colour colour_of(int64_t findings)
{
  return ss_style_series(findings % COLOURED);
}

/* The front of a number of GPUs. */
static void draw_line(ss_svg *svg, const ss_chart *chart, int64_t findings, const kept *all, int64_t count)
{
  ss_point at = {0.0, chart->frame.y};
  char look[SS_CLASS_SIZE];
  (void)snprintf(look, sizeof look, "%s thick", ss_style_line(colour_of(findings)));
  ss_svg_path_begin(svg, look);
  for (int64_t i = 0; i < count; ++i) {
    if (!all[i].front || all[i].findings != findings) continue;
    const ss_point next = ss_chart_at(chart, ss_strategy_time_s(all[i].strategy), all[i].strategy->memory.total_bytes);
    ss_svg_path_line(svg, (ss_point){next.x, at.y});
    ss_svg_path_line(svg, next);
    at = next;
  }
  ss_svg_path_line(svg, (ss_point){chart->frame.x + chart->frame.width, at.y});
  ss_svg_path_end(svg);
}

static void draw_points(ss_svg *svg, const ss_chart *chart, ss_knob_set knobs, const kept *all, int64_t count)
{
  for (int64_t i = 0; i < count; ++i) {
    const ss_strategy *strategy = all[i].strategy;
    char tip[SS_STRATEGY_NAME_SIZE + 128], text[SS_STRATEGY_NAME_SIZE], time[SS_QUANTITY_SIZE], bytes[SS_QUANTITY_SIZE];
    (void)snprintf(tip, sizeof tip, "%s: %s, %s", ss_strategy_name(strategy, knobs, text),
                   ss_quantity_text(SS_QUANTITY_TIME, ss_strategy_time_s(strategy), 4, time),
                   ss_quantity_text(SS_QUANTITY_BYTES, strategy->memory.total_bytes, 4, bytes));
    ss_svg_circle(svg, ss_chart_at(chart, ss_strategy_time_s(strategy), strategy->memory.total_bytes),
                  all[i].front ? 6.0 : 4.5, ss_style_fill(colour_of(all[i].findings)), tip);
  }
}

static double draw_legend(ss_svg *svg, const ss_search_report *report)
{
  ss_legend_entry entry[COLOURED];
  char names[COLOURED][32];
  int count = 0;
  for (; count < report->count && count < COLOURED; ++count) {
    (void)snprintf(names[count], sizeof names[count], "%" PRId64 " GPUs", report->findings[count].search->gpus);
    entry[count] = (ss_legend_entry){names[count], ss_style_series(count), false};
  }
  return count > 1 ? ss_legend_draw(svg, (ss_point){0.0, 0.0}, entry, count) : 0.0;
}

double ss_search_draw_front(ss_svg *svg, const void *of)
{
  const ss_search_report *report = of;
  kept *all = NULL;
  const int64_t count = list(report, &all);
  ss_ruler x = {.quantity = SS_QUANTITY_TIME, .label = "time of an iteration", .scale = ss_chart_nothing()};
  ss_ruler y = {.quantity = SS_QUANTITY_BYTES, .label = "memory of the fullest GPU", .scale = {.first = 0.0}};
  for (int64_t i = 0; i < count; ++i) {
    ss_chart_reach(&x.scale, ss_strategy_time_s(all[i].strategy));
    ss_chart_reach(&y.scale, all[i].strategy->memory.total_bytes);
  }
  const double top = draw_legend(svg, report);
  const ss_chart chart = ss_chart_draw(svg, top, svg->width < SS_FIGURE_ROOMY ? 240.0 : 340.0, x, y);
  find_front(all, count);
  for (int64_t i = 0; i < report->count; ++i)
    if (report->findings[i].search->count > 0) draw_line(svg, &chart, i, all, count);
  draw_points(svg, &chart, report->knobs, all, count);
  free(all);
  return ss_chart_end(&chart);
}

double ss_search_draw_sizes(ss_svg *svg, const void *of)
{
  const ss_search_report *report = of;
  ss_ruler x = {.quantity = SS_QUANTITY_PLAIN, .label = "GPUs", .scale = ss_chart_nothing()};
  ss_ruler y = {.quantity = SS_QUANTITY_TIME, .label = "time of the best iteration", .scale = ss_chart_nothing()};
  for (int64_t i = 0; i < report->count; ++i) {
    const ss_search *search = report->findings[i].search;
    ss_chart_reach(&x.scale, (double)search->gpus);
    if (search->count > 0) ss_chart_reach(&y.scale, ss_strategy_time_s(&search->top[0]));
  }
  x.scale.logarithmic = y.scale.logarithmic = true;
  const ss_chart chart = ss_chart_draw(svg, 0.0, svg->width < SS_FIGURE_ROOMY ? 220.0 : 300.0, x, y);
  for (int64_t i = 0; i < report->count; ++i) {
    const ss_search *search = report->findings[i].search;
    char tip[SS_STRATEGY_NAME_SIZE + 96], text[SS_STRATEGY_NAME_SIZE], time[SS_QUANTITY_SIZE];
    if (search->count == 0) continue;
    const double time_s = ss_strategy_time_s(&search->top[0]);
    (void)snprintf(tip, sizeof tip, "%" PRId64 " GPUs: %s with %s", search->gpus,
                   ss_quantity_text(SS_QUANTITY_TIME, time_s, 4, time),
                   ss_strategy_name(&search->top[0], report->knobs, text));
    ss_svg_circle(svg, ss_chart_at(&chart, (double)search->gpus, time_s), 6.0, ss_style_fill(SS_BLUE), tip);
  }
  return ss_chart_end(&chart);
}
