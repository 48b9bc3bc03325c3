/* Strategies as lines through parallel axes, one for each size and knob in which they differ. */
#include "sim/figure/search/knobs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/workload.h"
#include "model/search/varied.h"
#include "sim/figure/chart.h"
#include "sim/figure/figure.h"
#include "sim/report/report.h"
#include "sim/report/strategies/strategy.h"

enum { AXES_MOST = 12, LINES_MOST = 60, VALUES_MOST = LINES_MOST, LABELS_MOST = 12, VALUE_SIZE = 40 };

/* The sizes of every strategy: X(name, value). */
#define SIZES(X)                                                                                                       \
  X("tp", tp)                                                                                                          \
  X("tp2", tp2)                                                                                                        \
  X("cp", cp)                                                                                                          \
  X("pp", pp)                                                                                                          \
  X("dp", dp)                                                                                                          \
  X("micro-batch", micro_batch)

static const char *const size_names[] = {
#define SIZE_NAME(name, field) name,
    SIZES(SIZE_NAME)
#undef SIZE_NAME
};
enum { SIZE_COUNT = sizeof size_names / sizeof size_names[0] };

static int64_t size_of(const ss_candidate *candidate, int size)
{
  const int64_t values[] = {
#define SIZE_VALUE(name, field) candidate->field,
      SIZES(SIZE_VALUE)
#undef SIZE_VALUE
  };
  return values[size];
}

/* An axis: a size, or a knob behind the sizes, and the values that occur, in order. */
typedef struct axis {
  int index;
  const char *name;
  int64_t values;
  char value[VALUES_MOST][VALUE_SIZE];
} axis;

static void value_text(int index, const ss_candidate *candidate, char text[VALUE_SIZE])
{
  if (index < SIZE_COUNT)
    (void)snprintf(text, VALUE_SIZE, "%" PRId64, size_of(candidate, index));
  else
    ss_knob_text(index - SIZE_COUNT, candidate, text, VALUE_SIZE);
  if (text[0] == '\0') (void)snprintf(text, VALUE_SIZE, "none");
}

static int compare_values(const void *left, const void *right)
{
  const double a = strtod(left, NULL), b = strtod(right, NULL);
  return a != b ? (a < b ? -1 : 1) : strcmp(left, right);
}

static int64_t find_value(const axis *a, const char *text)
{
  for (int64_t i = 0; i < a->values; ++i)
    if (strcmp(a->value[i], text) == 0) return i;
  return -1;
}

/* The values of an axis in a search; false where all strategies have the same. */
static bool fill_axis(axis *a, const ss_search *search)
{
  for (int64_t i = 0; i < search->count && i < LINES_MOST; ++i) {
    char text[VALUE_SIZE];
    value_text(a->index, &search->top[i].candidate, text);
    if (find_value(a, text) < 0) memcpy(a->value[a->values++], text, VALUE_SIZE);
  }
  qsort(a->value, (size_t)a->values, sizeof a->value[0], compare_values);
  return a->values > 1;
}

/* Those that differ, sizes before knobs. */
static int find_axes(axis axes[AXES_MOST], const ss_search_report *report, const ss_search *search)
{
  int count = 0;
  for (int i = 0; i < SIZE_COUNT + SS_KNOB_TOTAL && count < AXES_MOST; ++i) {
    const int knob = i - SIZE_COUNT;
    if (knob >= 0 && (report->knobs & SS_KNOB_BIT(knob)) == 0) continue;
    if (knob == SS_KNOB_cp) continue; /* a size */
    const char *name = knob < 0 ? size_names[i] : ss_workload_attributes()[ss_knobs()[knob].attribute].name;
    axes[count] = (axis){.index = i, .name = name};
    if (fill_axis(&axes[count], search)) ++count;
  }
  return count;
}

/* A drawing: axes beside one another, and that of the time behind them. */
typedef struct drawing {
  ss_svg *svg;
  const axis *axes;
  int count;
  ss_box frame;
  ss_ruler time;
} drawing;

static double x_of(const drawing *d, int index)
{
  return d->frame.x + d->frame.width * (double)index / (double)d->count;
}

static double y_of(const drawing *d, const axis *a, int64_t value)
{
  const double share = a->values > 1 ? (double)value / (double)(a->values - 1) : 0.5;
  return d->frame.y + d->frame.height * (1.0 - share);
}

static void draw_axes(const drawing *d)
{
  const double bottom = d->frame.y + d->frame.height;
  for (int i = 0; i < d->count; ++i) {
    const double x = x_of(d, i), room = d->frame.width / d->count - 10.0;
    char cut[64];
    ss_svg_line(d->svg, (ss_point){x, d->frame.y}, (ss_point){x, bottom}, "l-soft");
    ss_svg_text(d->svg, (ss_point){x, d->frame.y - 12.0}, i == 0 ? SS_ANCHOR_START : SS_ANCHOR_MIDDLE, "ink strong",
                ss_svg_text_cut(d->axes[i].name, room, cut, sizeof cut));
    const int64_t every = (d->axes[i].values + LABELS_MOST - 1) / LABELS_MOST;
    for (int64_t v = 0; v < d->axes[i].values; v += every)
      ss_svg_text(d->svg, (ss_point){x + 6.0, y_of(d, &d->axes[i], v) + 4.0}, SS_ANCHOR_START, "ink halo",
                  ss_svg_text_cut(d->axes[i].value[v], room, cut, sizeof cut));
  }
  const double x = d->frame.x + d->frame.width;
  ss_svg_line(d->svg, (ss_point){x, d->frame.y}, (ss_point){x, bottom}, "l-soft");
  ss_svg_text(d->svg, (ss_point){x + 40.0, d->frame.y - 12.0}, SS_ANCHOR_END, "ink strong", "time");
}

static void draw_strategy(const drawing *d, const ss_strategy *strategy, const char *look)
{
  ss_svg_path_begin(d->svg, look);
  for (int i = 0; i < d->count; ++i) {
    char text[VALUE_SIZE];
    value_text(d->axes[i].index, &strategy->candidate, text);
    ss_svg_path_line(d->svg, (ss_point){x_of(d, i), y_of(d, &d->axes[i], find_value(&d->axes[i], text))});
  }
  ss_svg_path_line(d->svg,
                   (ss_point){d->frame.x + d->frame.width, ss_extent_at(&d->time.scale, ss_strategy_time_s(strategy))});
  ss_svg_path_end(d->svg);
}

static void draw_time(const drawing *d, const ss_strategy *strategy)
{
  char text[SS_QUANTITY_SIZE];
  const double time_s = ss_strategy_time_s(strategy);
  ss_svg_text(d->svg, (ss_point){d->frame.x + d->frame.width + 6.0, ss_extent_at(&d->time.scale, time_s) + 4.0},
              SS_ANCHOR_START, "ink halo", ss_quantity_text(SS_QUANTITY_TIME, time_s, 3, text));
}

double ss_search_draw_knobs(ss_svg *svg, const void *of)
{
  const ss_search_report *report = of;
  const ss_search *search = report->findings[0].search;
  const int64_t shown = search->count < LINES_MOST ? search->count : LINES_MOST;
  axis *axes = calloc(AXES_MOST, sizeof *axes);
  if (axes == NULL) return 0.0;
  drawing d = {.svg = svg, .axes = axes, .count = find_axes(axes, report, search)};
  const int most = (int)(svg->width / 74.0);
  if (d.count > most) d.count = most;
  if (d.count < 1) d.count = 1;
  d.frame = (ss_box){2.0, 34.0, svg->width - 76.0, 300.0};
  const ss_strategy *slowest = &search->top[0];
  for (int64_t i = 1; i < shown; ++i)
    if (ss_strategy_time_s(&search->top[i]) > ss_strategy_time_s(slowest)) slowest = &search->top[i];
  d.time.scale = (ss_extent){ss_strategy_time_s(&search->top[0]), ss_strategy_time_s(slowest),
                             d.frame.y + d.frame.height, d.frame.y, false};
  for (int64_t i = shown - 1; i > 0; --i) draw_strategy(&d, &search->top[i], "l-blue thick faint");
  draw_strategy(&d, &search->top[0], "l-vermillion bold");
  draw_axes(&d);
  draw_time(&d, &search->top[0]);
  if (slowest != &search->top[0]) draw_time(&d, slowest);
  free(axes);
  return d.frame.y + d.frame.height + 16.0;
}
