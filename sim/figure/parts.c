#include "sim/figure/parts.h"

#include <math.h>
#include <stdio.h>

static const ss_colour colours[SS_PART_COUNT] = {
    [SS_PART_compute_s] = SS_BLUE,   [SS_PART_memory_s] = SS_SKY,     [SS_PART_tp_comm_s] = SS_VERMILLION,
    [SS_PART_cp_comm_s] = SS_ORANGE, [SS_PART_ep_comm_s] = SS_YELLOW, [SS_PART_dp_comm_s] = SS_PURPLE,
    [SS_PART_pp_comm_s] = SS_GREEN,  [SS_PART_bubble_s] = SS_PALE,    [SS_PART_optimizer_s] = SS_SLATE,
    [SS_PART_offload_s] = SS_TEAL,   [SS_PART_host_s] = SS_MAROON,    [SS_PART_other_s] = SS_GREY};

/* A part can be seen in the bar of an iteration. */
static bool is_seen(const ss_breakdown *breakdown, ss_part part)
{
  return ss_breakdown_part(breakdown, part) > 2e-4 * breakdown->iteration_s;
}

void ss_parts_draw(ss_svg *svg, const ss_rows *rows, int64_t row, const ss_extent *scale, const ss_breakdown *breakdown)
{
  double from_s = 0.0;
  for (int part = 0; part < SS_PART_COUNT; ++part) {
    const double part_s = ss_breakdown_part(breakdown, (ss_part)part);
    const double percent = 100.0 * part_s / breakdown->iteration_s;
    const ss_colour colour = colours[part];
    const char *label = ss_part_label((ss_part)part);
    char time[SS_QUANTITY_SIZE], tip[128], both[96], share[32];
    if (!is_seen(breakdown, (ss_part)part)) continue;
    const ss_box box = ss_rows_bar(rows, row, scale, from_s, from_s + part_s);
    (void)snprintf(tip, sizeof tip, "%s: %s, %.1f %%", label, ss_quantity_text(SS_QUANTITY_TIME, part_s, 4, time),
                   percent);
    (void)snprintf(share, sizeof share, "%.0f %%", percent);
    (void)snprintf(both, sizeof both, "%s %.0f %%", label, percent);
    ss_svg_box(svg, (ss_box){box.x, box.y, fmax(box.width - 1.0, 0.6), box.height}, ss_style_fill(colour), tip);
    const bool fits = ss_svg_text_width(both) + 8.0 <= box.width;
    ss_rows_label(svg, box, ss_style_text_on(colour), fits ? both : share);
    from_s += part_s;
  }
}

double ss_parts_draw_legend(ss_svg *svg, double y, const ss_breakdown *const *breakdown, int64_t count)
{
  ss_legend_entry entry[SS_PART_COUNT];
  int entries = 0;
  for (int part = 0; part < SS_PART_COUNT; ++part) {
    bool seen = false;
    for (int64_t i = 0; i < count; ++i) seen = seen || is_seen(breakdown[i], (ss_part)part);
    if (seen) entry[entries++] = (ss_legend_entry){ss_part_label((ss_part)part), colours[part], false};
  }
  return ss_legend_draw(svg, (ss_point){0.0, y}, entry, entries);
}

double ss_parts_draw_rows(ss_svg *svg, const ss_breakdown *const *breakdown, const char *const *name, int64_t count)
{
  double widest = 0.0, longest_s = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    widest = fmax(widest, ss_svg_text_width(name[i]));
    longest_s = fmax(longest_s, breakdown[i]->iteration_s);
  }
  const double y = ss_parts_draw_legend(svg, 0.0, breakdown, count);
  const ss_rows rows = ss_rows_make(svg, y, count, widest, 90.0);
  const ss_ruler ruler = {.quantity = SS_QUANTITY_TIME,
                          .label = "time of an iteration",
                          .scale = {0.0, longest_s, rows.frame.x, rows.frame.x + rows.frame.width, false}};
  ss_ruler_draw_below(svg, &ruler, rows.frame);
  for (int64_t i = 0; i < count; ++i) {
    char text[SS_QUANTITY_SIZE];
    ss_rows_name(svg, &rows, i, name[i]);
    ss_parts_draw(svg, &rows, i, &ruler.scale, breakdown[i]);
    ss_rows_text(svg, &rows, i, ss_extent_at(&ruler.scale, breakdown[i]->iteration_s), "ink",
                 ss_quantity_text(SS_QUANTITY_TIME, breakdown[i]->iteration_s, 4, text));
  }
  return y + rows.frame.height + SS_RULER_BELOW;
}
