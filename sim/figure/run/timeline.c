/* What the stages of one replica of the model do over time, and the critical path through them. */
#include "sim/figure/run/timeline.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "sim/draw/ruler.h"

/* On a page, a view has a million units from the begin of the iteration to its end, so that scripts can go far into it.
 * Elsewhere it has those of the picture: not every renderer keeps the width of lines in a view that is compressed. */
#define PAGE_WIDTH 1e6

/* Passes that a page has room for: 4 MB, as each takes up to 70 bytes in both pictures and 110 in their data, with its
 * waits and messages. */
#define PASSES_MOST 24000

/* Steps of the critical path that are drawn, as a share of the iteration. */
#define STEP_LEAST 1e-3

/* Slices in which the path is looked at, in units of the picture, and how many there can be. */
#define SLICE_WIDTH 24.0
enum { SLICES_MOST = 128 };

enum { ROWS_HEIGHT = 480, ROW_LEAST = 7, ROW_MOST = 44 };

ss_shown_stages ss_timeline_stages(const ss_run_report *report)
{
  const int64_t stages = report->job->stages;
  const int64_t passes = report->history->pass_count / stages + 1, room = PASSES_MOST / passes;
  const int64_t most = room < 1 ? 1 : room < SS_STAGES_SHOWN ? room : SS_STAGES_SHOWN;
  return ss_stages_shown(stages, most, report->prediction->critical_stage);
}

/* A timeline in the making. */
typedef struct timeline {
  ss_svg *svg;
  const ss_history *history;
  ss_shown_stages shown;
  double row;   /* height */
  double width; /* of the view, in its units */
  ss_box frame; /* on the picture */
} timeline;

static double x_of(const timeline *t, double time_s)
{
  return t->width * time_s / t->history->end_s;
}

static ss_box place(const timeline *t, int64_t row, double start_s, double end_s)
{
  const double gap = t->row > 12.0 ? 2.0 : 1.0;
  return (ss_box){x_of(t, start_s), t->row * (double)row + 0.5 * gap, x_of(t, end_s - start_s), t->row - gap};
}

/* Passes of a kind, those of every other chunk paler. */
static void draw_passes(const timeline *t, ss_activity activity, ss_colour colour, bool odd)
{
  const ss_history *history = t->history;
  char class[SS_CLASS_SIZE];
  (void)snprintf(class, sizeof class, "%s%s", ss_style_fill(colour), odd ? " faint" : "");
  ss_svg_path_begin(t->svg, class);
  for (int64_t i = 0; i < history->pass_count; ++i) {
    const ss_history_pass *pass = &history->pass[i];
    const int64_t row = ss_stages_row(&t->shown, pass->stage);
    if (row >= 0 && pass->activity == activity && (pass->chunk > 0 && pass->chunk % 2 == 1) == odd)
      ss_svg_path_box(t->svg, place(t, row, pass->start_s, pass->end_s));
  }
  ss_svg_path_end(t->svg);
}

/* What passes wait for inside: the other stages are waited for between them. */
static void draw_waits(const timeline *t)
{
  const ss_history *history = t->history;
  ss_svg_path_begin(t->svg, ss_style_fill(SS_PALE));
  for (int64_t i = 0; i < history->wait_count; ++i) {
    const ss_history_wait *wait = &history->wait[i];
    const int64_t row = ss_stages_row(&t->shown, wait->stage);
    if (row >= 0 && wait->activity != SS_WAIT_PIPELINE)
      ss_svg_path_box(t->svg, place(t, row, wait->start_s, wait->end_s));
  }
  ss_svg_path_end(t->svg);
}

/* Collectives of data parallelism run beside passes: at the lower edge of a row. */
static void draw_collectives(const timeline *t)
{
  const ss_history *history = t->history;
  ss_svg_path_begin(t->svg, ss_style_fill(SS_PURPLE));
  for (int64_t i = 0; i < history->transfer_count; ++i) {
    const ss_history_transfer *transfer = &history->transfer[i];
    const int64_t row = ss_stages_row(&t->shown, transfer->from_stage);
    if (row < 0 || transfer->activity == SS_COMM_SEND) continue;
    ss_box box = place(t, row, transfer->start_s, transfer->end_s);
    box.y += 0.72 * box.height;
    box.height *= 0.28;
    ss_svg_path_box(t->svg, box);
  }
  ss_svg_path_end(t->svg);
}

/* The middle of the row of a stage; between rows for one that has none. */
static double y_of(const timeline *t, int64_t stage)
{
  int64_t row = 0;
  while (row + 1 < t->shown.count && t->shown.stage[row + 1] <= stage) ++row;
  const int64_t first = t->shown.stage[row], next = row + 1 < t->shown.count ? t->shown.stage[row + 1] : first + 1;
  return t->row * ((double)row + 0.5 + (double)(stage - first) / (double)(next - first));
}

/* The next step that can be seen, from `from` on; the others are drawn by scripts where a reader goes near. */
static int64_t next_step(const ss_history *history, int64_t from)
{
  const int64_t last = history->step_count - 1;
  int64_t i = from;
  while (i > 0 && i < last && history->step[i].end_s - history->step[i].start_s < STEP_LEAST * history->end_s) ++i;
  return i;
}

/* The slice of the picture that a step is in. */
static int slice_of(const timeline *t, const ss_history_step *step)
{
  const double x = 0.5 * (step->start_s + step->end_s) / t->history->end_s * t->frame.width / SLICE_WIDTH;
  return x < SLICES_MOST - 1 ? (int)x : SLICES_MOST - 1;
}

/* Finds out where the path goes up and down so often that its lines would run together: more than twice over the height
 * of the picture within a slice, as where stages hand each chunk of an interleaved schedule on. */
static void find_crowds(const timeline *t, bool crowded[SLICES_MOST])
{
  const ss_history *history = t->history;
  double travelled[SLICES_MOST] = {0.0};
  double y = history->step_count > 0 ? y_of(t, history->step[0].to_stage) : 0.0;
  for (int64_t i = next_step(history, 0); i < history->step_count; i = next_step(history, i + 1)) {
    const ss_history_step *step = &history->step[i];
    const double to = y_of(t, step->to_stage), from = y_of(t, step->from_stage);
    travelled[slice_of(t, step)] += fabs(y - to) + fabs(to - from);
    y = from;
  }
  for (int i = 0; i < SLICES_MOST; ++i) crowded[i] = travelled[i] > 2.0 * t->frame.height;
}

/* The steps that are crowded, or those that are not, each run of them with the end of the step before it. */
static void draw_path_as(const timeline *t, const bool crowded[SLICES_MOST], bool which, const char *class)
{
  const ss_history *history = t->history;
  const ss_history_step *before = NULL;
  bool open = false;
  for (int64_t i = next_step(history, 0); i < history->step_count; i = next_step(history, i + 1)) {
    const ss_history_step *step = &history->step[i];
    const bool draws = crowded[slice_of(t, step)] == which;
    if (draws && !open) {
      ss_svg_path_begin(t->svg, class);
      if (before != NULL) ss_svg_path_line(t->svg, (ss_point){x_of(t, before->start_s), y_of(t, before->from_stage)});
    }
    if (draws) {
      ss_svg_path_line(t->svg, (ss_point){x_of(t, step->end_s), y_of(t, step->to_stage)});
      ss_svg_path_line(t->svg, (ss_point){x_of(t, step->start_s), y_of(t, step->from_stage)});
    } else if (open) {
      ss_svg_path_end(t->svg);
    }
    open = draws;
    before = step;
  }
  if (open) ss_svg_path_end(t->svg);
}

/* In crowds it is thin, and lets what is behind it through. */
static void draw_path(const timeline *t)
{
  bool crowded[SLICES_MOST];
  find_crowds(t, crowded);
  ss_svg_group_begin(t->svg, "path");
  draw_path_as(t, crowded, true, "l-ink faint still");
  draw_path_as(t, crowded, false, "l-paper bold still");
  draw_path_as(t, crowded, false, "l-ink thick still");
  ss_svg_group_end(t->svg);
}

static const struct {
  ss_activity activity;
  ss_colour colour;
  const char *name;
} kinds[] = {{SS_FORWARD, SS_BLUE, "forward"},
             {SS_BACKWARD, SS_ORANGE, "backward"},
             {SS_WEIGHT, SS_GREEN, "weight gradients"},
             {SS_OP_OPTIMIZER, SS_SLATE, "optimizer step"}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool has_kind(const ss_history *history, ss_activity activity)
{
  for (int64_t i = 0; i < history->pass_count; ++i)
    if (history->pass[i].activity == activity) return true;
  return false;
}

static double draw_legend(ss_svg *svg, const ss_history *history)
{
  ss_legend_entry entry[KINDS + 3];
  int count = 0;
  for (int i = 0; i < KINDS; ++i)
    if (has_kind(history, kinds[i].activity)) entry[count++] = (ss_legend_entry){kinds[i].name, kinds[i].colour, false};
  entry[count++] = (ss_legend_entry){"data parallel", SS_PURPLE, false};
  entry[count++] = (ss_legend_entry){"waits for transfers", SS_PALE, false};
  entry[count++] = (ss_legend_entry){"critical path", SS_COLOURS, true};
  return ss_legend_draw(svg, (ss_point){0.0, 0.0}, entry, count);
}

/* Numbers of stages, as many as there is room for. */
static void draw_names(const timeline *t)
{
  const int64_t every = (int64_t)ceil((SS_SVG_TEXT + 1.0) / t->row);
  for (int64_t row = 0; row < t->shown.count; ++row) {
    char text[32];
    const ss_box strip = {t->frame.x, t->frame.y + t->row * (double)row, t->frame.width, t->row};
    if (row % 2 == 0) ss_svg_box(t->svg, strip, "row", NULL);
    if (row % every != 0) continue;
    (void)snprintf(text, sizeof text, "%" PRId64, t->shown.stage[row]);
    ss_svg_text(t->svg, (ss_point){t->frame.x - 6.0, strip.y + 0.5 * t->row + 0.36 * SS_SVG_TEXT}, SS_ANCHOR_END,
                "soft", text);
  }
}

static void draw_view(const timeline *t)
{
  ss_svg_view_begin(t->svg, t->frame, t->width, t->frame.height);
  ss_svg_box(t->svg, (ss_box){0.0, 0.0, t->width, t->frame.height}, "hit", NULL);
  for (int i = 0; i < KINDS; ++i)
    for (int odd = 0; odd < 2; ++odd) draw_passes(t, kinds[i].activity, kinds[i].colour, odd == 1);
  draw_waits(t);
  draw_collectives(t);
  draw_path(t);
  ss_svg_view_end(t->svg);
}

double ss_run_draw_timeline(ss_svg *svg, const void *report)
{
  const ss_run_report *run = report;
  timeline t = {.svg = svg, .history = run->history, .shown = ss_timeline_stages(run)};
  const double left = ss_svg_text_width("stage") + 8.0;
  t.row = fmin(fmax((double)ROWS_HEIGHT / (double)t.shown.count, ROW_LEAST), ROW_MOST);
  const double y = draw_legend(svg, run->history) + SS_SVG_LINE;
  t.frame = (ss_box){left, y, svg->width - left - 6.0, t.row * (double)t.shown.count};
  t.width = svg->on_page ? PAGE_WIDTH : t.frame.width;
  ss_svg_text(svg, (ss_point){left - 6.0, y - 7.0}, SS_ANCHOR_END, "soft", "stage");
  draw_names(&t);
  const ss_ruler ruler = {.quantity = SS_QUANTITY_TIME,
                          .label = "time",
                          .scale = {0.0, run->history->end_s, t.frame.x, t.frame.x + t.frame.width, false}};
  ss_svg_group_begin(svg, "ruler");
  ss_ruler_draw_below(svg, &ruler, t.frame);
  ss_svg_group_end(svg);
  draw_view(&t);
  ss_svg_group_begin(svg, "overlay");
  ss_svg_group_end(svg);
  return t.frame.y + t.frame.height + SS_RULER_BELOW;
}
