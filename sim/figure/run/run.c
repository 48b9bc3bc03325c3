#include "sim/figure/run/run.h"

#include <inttypes.h>
#include <math.h>

#include "model/input/slow_parts.h"
#include "sim/draw/quantity.h"
#include "sim/figure/html.h"
#include "sim/figure/parts.h"
#include "sim/figure/run/data.h"
#include "sim/figure/run/links.h"
#include "sim/figure/run/memory.h"
#include "sim/figure/run/parts.h"
#include "sim/figure/run/timeline.h"
#include "sim/report/calibration.h"
#include "sim/report/interval.h"
#include "sim/report/margin.h"
#include "sim/report/report.h"

static bool has_interval(const void *report)
{
  const ss_prediction *p = ((const ss_run_report *)report)->prediction;
  return !p->as_published && !isnan(p->interval.low);
}

static bool has_links(const void *report)
{
  return ((const ss_run_report *)report)->history->link_count > 0;
}

static bool has_slow_parts(const void *report)
{
  return ((const ss_run_report *)report)->prediction->slow_parts != NULL;
}

static void write_iteration(FILE *stream, const ss_prediction *p)
{
  const double time_s = p->simulation.iteration_s;
  char time[SS_QUANTITY_SIZE], low[SS_QUANTITY_SIZE], high[SS_QUANTITY_SIZE],
      more[2 * SS_TEXT_SIZE + SS_INTERVAL_OUTSIDE_SIZE];
  char outside[SS_INTERVAL_OUTSIDE_SIZE];
  (void)ss_interval_outside(&p->interval, outside);
  if (p->as_published)
    (void)snprintf(more, sizeof more, "with the costs of a paper");
  else if (isnan(p->interval.low))
    (void)snprintf(more, sizeof more, "how sure that is, is not known: %s", p->interval.like);
  else
    (void)snprintf(more, sizeof more, "%.0f %% between %s and %s: like %" PRId64 " measured ones %s%s%s",
                   100.0 * SS_INTERVAL_SHARE, ss_quantity_text(SS_QUANTITY_TIME, time_s * p->interval.low, 4, low),
                   ss_quantity_text(SS_QUANTITY_TIME, time_s * p->interval.high, 4, high), p->interval.rows,
                   p->interval.like, outside[0] != '\0' ? "." : "", outside);
  ss_html_tile(stream, "iteration", "Iteration, replayed", ss_quantity_text(SS_QUANTITY_TIME, time_s, 4, time), more);
}

static void write_memory(FILE *stream, const ss_memory *memory)
{
  char total[SS_QUANTITY_SIZE], capacity[SS_QUANTITY_SIZE], more[128];
  (void)snprintf(more, sizeof more, "of %s on stage %" PRId64 ": %s",
                 ss_quantity_text(SS_QUANTITY_BYTES, memory->capacity_bytes, 4, capacity), memory->stage,
                 memory->fits ? "fits" : "does not fit");
  ss_html_tile(stream, "memory", "Memory of the fullest GPU",
               ss_quantity_text(SS_QUANTITY_BYTES, memory->total_bytes, 4, total), more);
}

static void write_metrics(FILE *stream, const ss_prediction *p)
{
  char value[SS_QUANTITY_SIZE], more[128];
  (void)snprintf(value, sizeof value, "%.2f %%", 100.0 * p->metrics.mfu);
  (void)snprintf(more, sizeof more, "of the 16-bit peak, %.4g Tflop/s; HFU %.2f %%", p->metrics.peak_flop_per_s / 1e12,
                 100.0 * p->metrics.hfu);
  ss_html_tile(stream, "mfu", "Model flop utilisation", value, more);
  (void)snprintf(value, sizeof value, "%.5g", p->metrics.tokens_per_s_per_gpu);
  if (p->metrics.days > 0.0)
    (void)snprintf(more, sizeof more, "per GPU; the whole training takes %.4g days", p->metrics.days);
  else
    (void)snprintf(more, sizeof more, "per GPU");
  ss_html_tile(stream, "tokens", "Tokens per second", value, more);
}

static void write_head(FILE *stream, const void *report)
{
  const ss_prediction *p = ((const ss_run_report *)report)->prediction;
  char title[2 * SS_TEXT_SIZE];
  (void)snprintf(title, sizeof title, "%s on %s", p->workload, p->platform);
  ss_html_title(stream, title,
                "One training iteration on %" PRId64 " GPUs: %" PRId64 " stage%s, %" PRId64
                " micro-batch%s per replica%s%s.",
                p->gpus, p->stages, p->stages == 1 ? "" : "s", p->micro_batches, p->micro_batches == 1 ? "" : "es",
                p->stack != NULL ? ", stack " : "", p->stack != NULL ? p->stack : "");
  const int64_t told = p->slow_parts != NULL ? ss_slow_parts_told(p->slow_parts, p->simulation.iteration_s) : 0;
  for (int64_t i = 0; i < told; ++i) ss_html_alert(stream, p->slow_parts->part[i].sentence);
  const ss_calibrated platform = {p->platform, p->calibration};
  if (!p->as_published) ss_calibration_tell(stream, &platform, 1, ss_html_alert);
  ss_margin_tell(stream, &p->memory, "Memory", ss_html_alert);
  ss_html_tiles_begin(stream);
  write_iteration(stream, p);
  write_metrics(stream, p);
  write_memory(stream, &p->memory);
  ss_html_tiles_end(stream);
}

static ss_status write_json(const void *report, char **text, ss_error *error)
{
  return ss_report_json_text(((const ss_run_report *)report)->prediction, text, error);
}

/* The parts of both predictions, which the figure shows only where they can be seen. */
static void write_parts(FILE *stream, const void *report)
{
  static const char *const columns[] = {"part", "closed form", "replay", "difference"};
  const ss_prediction *p = ((const ss_run_report *)report)->prediction;
  char cell[3][SS_QUANTITY_SIZE];
  ss_html_table_begin(stream, columns, 4);
  for (int part = 0; part <= SS_PART_COUNT; ++part) {
    const bool all = part == SS_PART_COUNT;
    const double estimate_s = all ? p->estimate.iteration_s : ss_breakdown_part(&p->estimate, (ss_part)part);
    const double replay_s = all ? p->simulation.iteration_s : ss_breakdown_part(&p->simulation, (ss_part)part);
    if (estimate_s == 0.0 && replay_s == 0.0) continue;
    const char *const cells[] = {all ? "iteration" : ss_part_label((ss_part)part),
                                 ss_quantity_text(SS_QUANTITY_TIME, estimate_s, 5, cell[0]),
                                 ss_quantity_text(SS_QUANTITY_TIME, replay_s, 5, cell[1]),
                                 ss_quantity_text(SS_QUANTITY_TIME, replay_s - estimate_s, 3, cell[2])};
    ss_html_table_row(stream, cells, 4);
  }
  ss_html_table_end(stream);
}

static void write_slow_parts(FILE *stream, const void *report)
{
  static const char *const columns[] = {"part", "costs", "who waits"};
  const ss_slow_parts *parts = ((const ss_run_report *)report)->prediction->slow_parts;
  char cost[SS_QUANTITY_SIZE];
  ss_html_table_begin(stream, columns, 3);
  for (int64_t i = 0; i < parts->count; ++i) {
    const ss_slow_part *part = &parts->part[i];
    const char *const cells[] = {part->entry, ss_quantity_text(SS_QUANTITY_TIME, part->cost_s, 4, cost),
                                 part->sentence};
    ss_html_table_row(stream, cells, 3);
  }
  ss_html_table_end(stream);
}

static void write_upgrades(FILE *stream, const void *report)
{
  static const char *const columns[] = {"machine", "closed form", "replay"};
  const ss_run_report *run = report;
  const ss_prediction *p = run->prediction;
  char cell[2][SS_QUANTITY_SIZE];
  ss_html_table_begin(stream, columns, run->replayed_s != NULL ? 3 : 2);
  for (int row = 0; row <= SS_UPGRADES; ++row) {
    const double estimate_s = row == 0 ? p->estimate.iteration_s : run->upgraded_s[row - 1];
    const double replay_s = run->replayed_s != NULL && row > 0 ? run->replayed_s[row - 1] : p->simulation.iteration_s;
    const char *const cells[] = {row == 0 ? "as it is" : ss_upgrade_text((ss_upgrade)(row - 1)),
                                 ss_quantity_text(SS_QUANTITY_TIME, estimate_s, 5, cell[0]),
                                 ss_quantity_text(SS_QUANTITY_TIME, replay_s, 5, cell[1])};
    ss_html_table_row(stream, cells, run->replayed_s != NULL ? 3 : 2);
  }
  ss_html_table_end(stream);
}

static const ss_figure_row figures[] = {
    {"times", "How sure the time is",
     "Closed form and replay, and between which times 80 % of measured iterations of jobs like this one were, if the "
     "predictions for them were the replay's.",
     has_interval, ss_run_draw_times, NULL},
    {"parts", "Where the time goes",
     "Exposed times, which add up to the iteration: of the closed form, and of the rank that finishes last in the "
     "replay.",
     NULL, ss_run_draw_parts, write_parts},
    {"causes", "Why closed form and replay differ",
     "One cause after the other is taken away from both; what the difference changes by is its share.", NULL,
     ss_run_draw_causes, NULL},
    {"slow", "What slow parts cost",
     "How much longer the iteration takes with each slow GPU or link than without it. Costs of several do not add up.",
     has_slow_parts, ss_run_draw_slow_parts, write_slow_parts},
    {"timeline", "What the stages do",
     "The replica of the model that finishes last, stage by stage. Paler passes are of every other chunk. The line is "
     "the "
     "critical path: what the end of the iteration depends on, back to its begin.",
     NULL, ss_run_draw_timeline, NULL},
    {"memory", "What is in memory", "The GPUs of a stage, at the moment when most is there.", NULL, ss_run_draw_memory,
     NULL},
    {"memory-time", "Memory over time",
     "Weights, gradients and optimizer states stay; activations come with each forward pass and go with its backward "
     "pass.",
     NULL, ss_run_draw_memory_time, NULL},
    {"links", "What the links carry",
     "The busiest links, of those that carry the same one, and which share of their bandwidth is used in each slice of "
     "the "
     "iteration.",
     has_links, ss_run_draw_links, NULL},
    {SS_RUN_FIGURE_UPGRADES, "What better machines would do",
     "The machine with one thing changed at a time; algorithms are chosen anew, and links of the fabric follow the "
     "NICs. "
     "Where replays would take long, all is by the closed form.",
     NULL, ss_run_draw_upgrades, write_upgrades},
};

ss_subject ss_run_subject(const ss_run_report *report)
{
  return (ss_subject){.command = "run",
                      .figure = figures,
                      .figures = sizeof figures / sizeof figures[0],
                      .report = report,
                      .head = write_head,
                      .json = write_json,
                      .write_data = ss_run_write_data};
}
