#include "sim/figure/plan.h"

#include <inttypes.h>
#include <math.h>

#include "sim/figure/chart.h"
#include "sim/figure/html.h"
#include "sim/report/report.h"

#define SECONDS_PER_DAY 86400.0

static double chart_height(const ss_svg *svg)
{
  return fmin(0.5 * svg->width, 380.0);
}

static bool has_step(const void *report)
{
  return ((const ss_plan_report *)report)->plan->step.count > 0;
}

/* Megawatts over an iteration: steps from one event to the next. */
static double draw_power(ss_svg *svg, const void *report)
{
  const ss_power_curve *step = &((const ss_plan_report *)report)->plan->step;
  ss_ruler x = {.quantity = SS_QUANTITY_TIME, .label = "in the step", .scale = {.first = 0.0, .last = step->end_s}};
  ss_ruler y = {.quantity = SS_QUANTITY_POWER, .label = "at the meter", .scale = {.first = 0.0, .last = step->most_w}};
  const ss_chart chart = ss_chart_draw(svg, 0.0, chart_height(svg), x, y);
  ss_svg_path_begin(svg, ss_style_line(SS_BLUE));
  for (int64_t i = 0; i < step->count; ++i) {
    const double until_s = i + 1 < step->count ? step->time_s[i + 1] : step->end_s;
    ss_svg_path_line(svg, ss_chart_at(&chart, step->time_s[i], step->watts[i]));
    ss_svg_path_line(svg, ss_chart_at(&chart, until_s, step->watts[i]));
  }
  ss_svg_path_end(svg);
  ss_svg_line(svg, ss_chart_at(&chart, 0.0, step->mean_w), ss_chart_at(&chart, step->end_s, step->mean_w),
              "l-soft dashed");
  return ss_chart_end(&chart);
}

static bool has_sizes(const void *report)
{
  const ss_plan_sizes *sizes = ((const ss_plan_report *)report)->sizes;
  int64_t shown = 0;
  for (int64_t i = 0; i < sizes->count; ++i) shown += sizes->size[i].refusal[0] == '\0';
  return shown > 1;
}

/* Dollars over days: a point for each number of GPUs, filled where the budget allows it. */
static double draw_sizes(ss_svg *svg, const void *report)
{
  const ss_plan_sizes *sizes = ((const ss_plan_report *)report)->sizes;
  ss_ruler x = {.quantity = SS_QUANTITY_DAYS, .label = "the run takes", .scale = ss_chart_nothing()};
  ss_ruler y = {.quantity = SS_QUANTITY_DOLLARS, .label = "it costs", .scale = ss_chart_nothing()};
  ss_chart_reach(&x.scale, 0.0);
  ss_chart_reach(&y.scale, 0.0);
  for (int64_t i = 0; i < sizes->count; ++i) {
    if (sizes->size[i].refusal[0] != '\0') continue;
    ss_chart_reach(&x.scale, 1.1 * sizes->size[i].mean.total_s);
    ss_chart_reach(&y.scale, ss_bill_dollars(&sizes->size[i].bill));
  }
  ss_chart_reach(&y.scale, sizes->budget_dollars);
  const ss_chart chart = ss_chart_draw(svg, 0.0, chart_height(svg), x, y);
  if (sizes->budget_dollars > 0.0)
    ss_svg_line(svg, (ss_point){chart.frame.x, ss_extent_at(&chart.y.scale, sizes->budget_dollars)},
                (ss_point){chart.frame.x + chart.frame.width, ss_extent_at(&chart.y.scale, sizes->budget_dollars)},
                "l-soft dashed");
  const int64_t best = ss_plan_sizes_best(sizes);
  for (int64_t i = 0; i < sizes->count; ++i) {
    const ss_plan_size *size = &sizes->size[i];
    char text[32];
    if (size->refusal[0] != '\0') continue;
    const ss_point at = ss_chart_at(&chart, size->mean.total_s, ss_bill_dollars(&size->bill));
    ss_svg_circle(svg, at, 4.5, ss_style_fill(i == best ? SS_ORANGE : SS_BLUE), size->strategy);
    if (!ss_plan_sizes_affords(sizes, size)) ss_svg_circle(svg, at, 2.5, "paper", size->strategy);
    (void)snprintf(text, sizeof text, "%" PRId64, size->gpus);
    ss_svg_text(svg, (ss_point){at.x + 8.0, at.y - 6.0}, SS_ANCHOR_START, "soft", text);
  }
  return ss_chart_end(&chart);
}

/* The run of the longest phase with an interval between checkpoints. */
static double goodput_at(const ss_plan_phase *phase, double interval_s)
{
  ss_whole_run run = phase->parts.run;
  run.rhythm.interval_s = interval_s;
  const ss_whole_run_time time = ss_whole_run_mean(&run);
  return ss_whole_run_goodput(&time);
}

static bool breaks(const void *report)
{
  return ss_plan_longest(((const ss_plan_report *)report)->plan)->parts.run.breakage.rate_per_s > 0.0;
}

/* The share of the time that is work, over the interval between checkpoints. */
static double draw_interval(ss_svg *svg, const void *report)
{
  enum { POINTS = 120 };
  const ss_plan_phase *phase = ss_plan_longest(((const ss_plan_report *)report)->plan);
  const double first_s = phase->iteration.iteration_s, last_s = fmax(SECONDS_PER_DAY, 2.0 * first_s);
  ss_ruler x = {.quantity = SS_QUANTITY_TIME,
                .label = "work between checkpoints",
                .scale = {first_s, last_s, .logarithmic = true}};
  ss_ruler y = {.quantity = SS_QUANTITY_SHARE, .label = "goodput", .scale = {.first = 0.0, .last = 1.0}};
  const ss_chart chart = ss_chart_draw(svg, 0.0, chart_height(svg), x, y);
  ss_svg_path_begin(svg, ss_style_line(SS_BLUE));
  for (int i = 0; i <= POINTS; ++i) {
    const double interval_s = first_s * pow(last_s / first_s, (double)i / POINTS);
    ss_svg_path_line(svg, ss_chart_at(&chart, interval_s, goodput_at(phase, interval_s)));
  }
  ss_svg_path_end(svg);
  const double interval_s = phase->parts.run.rhythm.interval_s;
  if (interval_s >= first_s && interval_s <= last_s)
    ss_svg_circle(svg, ss_chart_at(&chart, interval_s, goodput_at(phase, interval_s)), 4.5, ss_style_fill(SS_ORANGE),
                  "the interval of the plan");
  return ss_chart_end(&chart);
}

static void write_head(FILE *stream, const void *report)
{
  const ss_plan *plan = ((const ss_plan_report *)report)->plan;
  char value[64], more[64];
  ss_html_title(stream, "A whole run", "%s on %s.", plan->workload, plan->platform);
  ss_html_tiles_begin(stream);
  (void)snprintf(value, sizeof value, "%.1f days", plan->mean.total_s / SECONDS_PER_DAY);
  (void)snprintf(more, sizeof more, "%.1f to %.1f in nine of ten trials", plan->campaign.total_s.p5 / SECONDS_PER_DAY,
                 plan->campaign.total_s.p95 / SECONDS_PER_DAY);
  ss_html_tile(stream, "days", "Time", value, more);
  (void)snprintf(value, sizeof value, "%.1f %%", 100.0 * ss_whole_run_goodput(&plan->mean));
  (void)snprintf(more, sizeof more, "%.0f interruptions", plan->mean.interruptions);
  ss_html_tile(stream, "goodput", "Goodput", value, more);
  (void)snprintf(value, sizeof value, "%.4g MWh", plan->bill.energy_j / 3.6e9);
  const bool priced = ss_bill_known_of(plan->machine).dollars;
  (void)snprintf(more, sizeof more, priced ? "%.4g USD in all" : "cost unknown", ss_bill_dollars(&plan->bill));
  ss_html_tile(stream, "energy", "Energy", value, more);
  ss_html_tiles_end(stream);
}

static ss_status write_json(const void *report, char **text, ss_error *error)
{
  const ss_plan_report *r = report;
  return ss_report_plan_json_text(r->plan, r->sizes, text, error);
}

static const ss_figure_row figures[] = {
    {"interval", "Goodput and the interval between checkpoints",
     "The share of the time that is work, by closed form, for all that the interval could be; the point is that of the "
     "plan.",
     breaks, draw_interval, NULL},
    {"sizes", "Numbers of GPUs",
     "Each with its best strategy. Orange is the best, hollow is beyond the budget, which is dashed.", has_sizes,
     draw_sizes, NULL},
    {"power", "Power over a step",
     "What all GPUs draw at the meter with their part of everything else, in a replay of one replica that stands for "
     "all. Dashed: the mean.",
     has_step, draw_power, NULL},
};

ss_subject ss_plan_subject(const ss_plan_report *report)
{
  return (ss_subject){.command = "plan",
                      .figure = figures,
                      .figures = sizeof figures / sizeof figures[0],
                      .report = report,
                      .head = write_head,
                      .json = write_json};
}
