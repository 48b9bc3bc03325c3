/* Where the time goes: closed form beside replay, why they differ, and what better machines would do. */
#include "sim/figure/run/parts.h"

#include <math.h>
#include <stdio.h>

#include "model/input/slow_parts.h"
#include "sim/figure/figure.h"
#include "sim/figure/parts.h"
#include "sim/figure/run/report.h"

/* How sure the time is: an error bar of measured iterations of jobs alike around the replay, and the closed form. */
double ss_run_draw_times(ss_svg *svg, const void *report)
{
  const ss_prediction *p = ((const ss_run_report *)report)->prediction;
  const double replay_s = p->simulation.iteration_s, estimate_s = p->estimate.iteration_s;
  const double low_s = replay_s * p->interval.low, high_s = replay_s * p->interval.high;
  const char *const names[] = {"closed form", "replay", "as measured"};
  const ss_rows rows = ss_rows_make(svg, 4.0, 3, ss_svg_text_width(names[2]), 90.0);
  const double margin_s = 0.25 * (fmax(high_s, estimate_s) - fmin(low_s, estimate_s));
  ss_ruler axis = {.quantity = SS_QUANTITY_TIME, .label = "iteration"};
  axis.scale = (ss_extent){fmin(low_s, estimate_s) - margin_s, fmax(high_s, estimate_s) + margin_s, rows.frame.x,
                           rows.frame.x + rows.frame.width, false};
  ss_ruler_draw_below(svg, &axis, rows.frame);
  const double times_s[] = {estimate_s, replay_s};
  const ss_colour colours[] = {SS_BLUE, SS_VERMILLION};
  char text[SS_QUANTITY_SIZE], tip[160];
  for (int row = 0; row < 2; ++row) {
    const ss_box at = ss_rows_bar(&rows, row, &axis.scale, times_s[row], times_s[row]);
    const ss_point centre = {at.x, at.y + 0.5 * at.height};
    (void)snprintf(tip, sizeof tip, "%s: %s", names[row], ss_quantity_text(SS_QUANTITY_TIME, times_s[row], 4, text));
    ss_rows_name(svg, &rows, row, names[row]);
    ss_svg_circle(svg, centre, 6.0, ss_style_fill(colours[row]), tip);
    ss_rows_text(svg, &rows, row, at.x + 6.0, "ink", ss_quantity_text(SS_QUANTITY_TIME, times_s[row], 4, text));
  }
  const ss_box bar = ss_rows_bar(&rows, 2, &axis.scale, low_s, high_s);
  (void)snprintf(tip, sizeof tip, "%.0f %% of measured iterations of such jobs are in here", 100.0 * SS_INTERVAL_SHARE);
  ss_rows_name(svg, &rows, 2, names[2]);
  ss_svg_box(svg, (ss_box){bar.x, bar.y + 0.25 * bar.height, bar.width, 0.5 * bar.height}, ss_style_fill(SS_ORANGE),
             tip);
  ss_rows_text(svg, &rows, 2, bar.x + bar.width, "ink", "80 %");
  return rows.frame.y + rows.frame.height + SS_RULER_BELOW;
}

double ss_run_draw_parts(ss_svg *svg, const void *report)
{
  const ss_prediction *p = ((const ss_run_report *)report)->prediction;
  const ss_breakdown *const both[] = {&p->estimate, &p->simulation};
  const char *const names[] = {"closed form", "replay"};
  const double y = ss_parts_draw_legend(svg, 0.0, both, 2);
  ss_rows rows = ss_rows_make(svg, y, 2, ss_svg_text_width(names[0]), ss_svg_text_width("1000.0 ms") + 10.0);
  rows.step += 20.0;
  rows.thick += 20.0;
  rows.frame.height = 2.0 * rows.step;
  ss_ruler axis = {.quantity = SS_QUANTITY_TIME, .label = "time of an iteration"};
  axis.scale = (ss_extent){0.0, fmax(both[0]->iteration_s, both[1]->iteration_s), rows.frame.x,
                           rows.frame.x + rows.frame.width, false};
  ss_ruler_draw_below(svg, &axis, rows.frame);
  for (int row = 0; row < 2; ++row) {
    char text[SS_QUANTITY_SIZE];
    ss_rows_name(svg, &rows, row, names[row]);
    ss_parts_draw(svg, &rows, row, &axis.scale, both[row]);
    ss_rows_text(svg, &rows, row, ss_extent_at(&axis.scale, both[row]->iteration_s), "ink strong",
                 ss_quantity_text(SS_QUANTITY_TIME, both[row]->iteration_s, 4, text));
  }
  return rows.frame.y + rows.frame.height + SS_RULER_BELOW;
}

/* Room for a time with a sign and a share. */
typedef struct value_text {
  char text[SS_QUANTITY_SIZE + 32];
} value_text;

/* What is less than this share of an iteration is rounding. */
#define ROUNDING 1e-9

static bool is_rounding(double time_s, double of_s)
{
  return fabs(time_s) < ROUNDING * of_s;
}

static const char *difference_text(value_text *room, double time_s, double of_s)
{
  char time[SS_QUANTITY_SIZE];
  if (is_rounding(time_s, of_s)) return "none";
  (void)snprintf(room->text, sizeof room->text, "%s%s (%+.1f %%)", time_s > 0.0 ? "+" : "",
                 ss_quantity_text(SS_QUANTITY_TIME, time_s, 3, time), 100.0 * time_s / of_s);
  return room->text;
}

double ss_run_draw_causes(ss_svg *svg, const void *report)
{
  static const char *const names[] = {
#define SS_CAUSE_NAME(field, label, help) label,
      SS_CAUSE_LIST(SS_CAUSE_NAME)
#undef SS_CAUSE_NAME
          "all of it"};
  enum { CAUSES = sizeof names / sizeof names[0] };
  const ss_prediction *p = ((const ss_run_report *)report)->prediction;
  const double values_s[CAUSES] = {
#define SS_CAUSE_VALUE(field, label, help) p->explanation.field,
      SS_CAUSE_LIST(SS_CAUSE_VALUE)
#undef SS_CAUSE_VALUE
          p->simulation.iteration_s -
      p->estimate.iteration_s};
  value_text texts[CAUSES];
  ss_row_value values[CAUSES];
  for (int i = 0; i < CAUSES; ++i)
    values[i] = (ss_row_value){.name = names[i],
                               .text = difference_text(&texts[i], values_s[i], p->estimate.iteration_s),
                               .value = is_rounding(values_s[i], p->estimate.iteration_s) ? 0.0 : values_s[i],
                               .colour = i + 1 == CAUSES     ? SS_SLATE
                                         : values_s[i] > 0.0 ? SS_VERMILLION
                                                             : SS_BLUE};
  const ss_ruler axis = {.quantity = SS_QUANTITY_TIME, .label = "replay longer than closed form by"};
  return ss_rows_draw(svg, 4.0, values, CAUSES, &axis);
}

double ss_run_draw_slow_parts(ss_svg *svg, const void *report)
{
  const ss_prediction *p = ((const ss_run_report *)report)->prediction;
  value_text texts[SS_SLOW_PARTS];
  ss_row_value values[SS_SLOW_PARTS];
  char names[SS_SLOW_PARTS][SS_NAME_SIZE + 48];
  for (int64_t i = 0; i < p->slow_parts->count; ++i) {
    const ss_slow_part *part = &p->slow_parts->part[i];
    (void)snprintf(names[i], sizeof names[i], "%s %s", part->property->name, part->entry);
    values[i] = (ss_row_value){.name = names[i],
                               .text = difference_text(&texts[i], part->cost_s, part->without_s),
                               .value = part->cost_s,
                               .colour = part->cost_s > 0.0 ? SS_VERMILLION : SS_BLUE};
  }
  const ss_ruler axis = {.quantity = SS_QUANTITY_TIME, .label = "iteration longer by"};
  return ss_rows_draw(svg, 4.0, values, p->slow_parts->count, &axis);
}

/* The bar of a machine: the replay with a line at the closed form, or the closed form alone. `base` is the machine as
 * it is, or NULL for itself. */
static ss_row_value upgrade_value(const ss_run_report *run, const char *name, const ss_row_value *base, int upgrade,
                                  value_text *room)
{
  const ss_prediction *p = run->prediction;
  const bool replayed = run->replayed_s != NULL;
  const double estimate_s = base == NULL ? p->estimate.iteration_s : run->upgraded_s[upgrade];
  const double replay_s = !replayed ? NAN : base == NULL ? p->simulation.iteration_s : run->replayed_s[upgrade];
  ss_row_value value = {.name = name,
                        .text = room->text,
                        .value = replayed ? replay_s : estimate_s,
                        .colour = base == NULL ? SS_SLATE
                                  : replayed   ? SS_VERMILLION
                                               : SS_BLUE,
                        .marked = replayed,
                        .mark = estimate_s};
  char time[SS_QUANTITY_SIZE];
  ss_quantity_text(SS_QUANTITY_TIME, value.value, 4, time);
  if (base == NULL)
    (void)snprintf(room->text, sizeof room->text, "%s", time);
  else
    (void)snprintf(room->text, sizeof room->text, "%s (%+.1f %%)", time, 100.0 * (value.value / base->value - 1.0));
  return value;
}

double ss_run_draw_upgrades(ss_svg *svg, const void *report)
{
  const ss_run_report *run = report;
  value_text texts[SS_UPGRADES + 1];
  ss_row_value values[SS_UPGRADES + 1] = {upgrade_value(run, "as it is", NULL, 0, &texts[0])};
  for (int i = 0; i < SS_UPGRADES; ++i)
    values[i + 1] = upgrade_value(run, ss_upgrade_text((ss_upgrade)i), values, i, &texts[i + 1]);
  static const ss_legend_entry entry[] = {{"replay", SS_VERMILLION, false}, {"closed form", SS_COLOURS, true}};
  const double y = run->replayed_s != NULL ? ss_legend_draw(svg, (ss_point){0.0, 0.0}, entry, 2) : 4.0;
  const ss_ruler axis = {.quantity = SS_QUANTITY_TIME,
                         .label = run->replayed_s != NULL ? "time of an iteration"
                                                          : "time of an iteration by the closed form"};
  return y + ss_rows_draw(svg, y, values, SS_UPGRADES + 1, &axis);
}
