/* A picture of predictions: a panel for each kind of measurement with predicted
 * against measured times, both on logarithms, and below it the errors of each
 * group. */
#include <math.h>

#include "sim/report/output.h"
#include "sim/report/report.h"

enum { PANEL = 560, MARGIN = 70, TOP = 50, LEGEND = 250, ROW = 18, TICK = 5 };
enum { ERRORS_TOP = TOP + PANEL + 2 * MARGIN };

/* Groups take turns with these, those of Okabe and Ito, which colour-blind
 * readers can tell apart; after the last one the marks are squares. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};
enum { COLOURS = sizeof colours / sizeof colours[0] };

typedef struct panel {
  ss_output *output;
  const ss_validation *validation;
  ss_measured_kind kind;
  double left;                  /* of the frame */
  double smallest_s, largest_s; /* that the frame reaches */
} panel;

static const ss_measured_group *group_of(const panel *p, int64_t point)
{
  return &p->validation->measured->group[p->validation->measured->point[point].group];
}

static bool is_shown(const panel *p, int64_t point)
{
  return p->validation->measured->point[point].used && group_of(p, point)->kind == p->kind;
}

static double share_of(const panel *p, double time_s)
{
  return log(time_s / p->smallest_s) / log(p->largest_s / p->smallest_s);
}

static double x_of(const panel *p, double time_s)
{
  return p->left + PANEL * share_of(p, time_s);
}

static double y_of(const panel *p, double time_s)
{
  return TOP + PANEL * (1.0 - share_of(p, time_s));
}

/* False where there is nothing to show. The frame reaches 30 % further than the
 * points. */
static bool find_range(panel *p)
{
  const ss_measured *measured = p->validation->measured;
  double least = INFINITY, most = 0.0;
  for (int64_t i = 0; i < measured->points; ++i) {
    if (!is_shown(p, i)) continue;
    const double predicted_s = p->validation->predicted[i].time_s[SS_PREDICTOR_SIMULATION];
    least = fmin(least, fmin(measured->point[i].measured_s, predicted_s));
    most = fmax(most, fmax(measured->point[i].measured_s, predicted_s));
  }
  p->smallest_s = least / 1.3;
  p->largest_s = most * 1.3;
  return most > 0.0;
}

static void print_text(const panel *p, double x, double y, const char *anchor, const char *text)
{
  ss_output_print(p->output, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
  for (; *text != '\0'; ++text) {
    if (*text == '&' || *text == '<')
      ss_output_print(p->output, *text == '&' ? "&amp;" : "&lt;");
    else
      ss_output_print(p->output, "%c", *text);
  }
  ss_output_print(p->output, "</text>\n");
}

static void print_line(const panel *p, const double from[2], const double to[2], const char *style)
{
  ss_output_print(p->output, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", from[0], from[1], to[0],
                  to[1], style);
}

/* Predicted is `ratio` times measured; clipped to the frame. */
static void print_ratio(const panel *p, double ratio, const char *style)
{
  const double first_s = fmax(p->smallest_s, p->smallest_s / ratio), last_s = fmin(p->largest_s, p->largest_s / ratio);
  const double from[] = {x_of(p, first_s), y_of(p, ratio * first_s)}, to[] = {x_of(p, last_s), y_of(p, ratio * last_s)};
  print_line(p, from, to, style);
}

static void label_time(double time_s, char *text, size_t size)
{
  if (time_s < 0.9e-3)
    (void)snprintf(text, size, "%g us", round(1e6 * time_s));
  else if (time_s < 0.9)
    (void)snprintf(text, size, "%g ms", round(1e3 * time_s));
  else
    (void)snprintf(text, size, "%g s", round(time_s));
}

static void print_tick(const panel *p, double time_s)
{
  char text[32];
  const double x = x_of(p, time_s), y = y_of(p, time_s), bottom = TOP + PANEL;
  const double frame[][2] = {{x, TOP}, {x, bottom}, {p->left, y}, {p->left + PANEL, y}};
  if (time_s < p->smallest_s || time_s > p->largest_s) return;
  print_line(p, frame[0], frame[1], "class=\"grid\"");
  print_line(p, frame[2], frame[3], "class=\"grid\"");
  label_time(time_s, text, sizeof text);
  print_text(p, x, bottom + ROW, "middle", text);
  print_text(p, p->left - TICK, y + TICK, "end", text);
}

/* Decades, and where there are few of them twice and five times as much. */
static void print_ticks(const panel *p)
{
  const bool fine = p->largest_s / p->smallest_s < 1e4;
  const int first = (int)floor(log10(p->smallest_s)), last = (int)floor(log10(p->largest_s));
  for (int decade = first; decade <= last; ++decade) {
    print_tick(p, pow(10.0, decade));
    if (fine) print_tick(p, 2.0 * pow(10.0, decade));
    if (fine) print_tick(p, 5.0 * pow(10.0, decade));
  }
}

static void print_frame(const panel *p)
{
  char title[96];
  print_ticks(p);
  ss_output_print(p->output,
                  "<rect class=\"frame\" x=\"%.1f\" y=\"%d\" width=\"%d\" "
                  "height=\"%d\"/>\n",
                  p->left, TOP, PANEL, PANEL);
  print_ratio(p, 1.0, "class=\"equal\"");
  print_ratio(p, 1.1, "class=\"tenth\"");
  print_ratio(p, 1.0 / 1.1, "class=\"tenth\"");
  (void)snprintf(title, sizeof title, "%s: replay against measurement; dashed: 10 %% off", ss_measured_word(p->kind));
  print_text(p, p->left + PANEL / 2.0, TOP - ROW, "middle", title);
  print_text(p, p->left + PANEL / 2.0, TOP + PANEL + 2.4 * ROW, "middle", "measured");
  ss_output_print(p->output,
                  "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" "
                  "transform=\"rotate(-90 %.1f %.1f)\">predicted</text>\n",
                  p->left - MARGIN + ROW, TOP + PANEL / 2.0, p->left - MARGIN + ROW, TOP + PANEL / 2.0);
}

/* The mark of a group. */
static void print_mark(const panel *p, int64_t group, double x, double y)
{
  int64_t before = 0;
  for (int64_t i = 0; i < group; ++i) before += p->validation->measured->group[i].kind == p->kind;
  const char *colour = colours[before % COLOURS];
  if (before / COLOURS % 2 == 0)
    ss_output_print(p->output, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n", x, y, colour);
  else
    ss_output_print(p->output,
                    "<rect class=\"mark\" x=\"%.1f\" y=\"%.1f\" width=\"7\" "
                    "height=\"7\" fill=\"%s\"/>\n",
                    x - 3.5, y - 3.5, colour);
}

static void print_points(const panel *p)
{
  const ss_measured *measured = p->validation->measured;
  for (int64_t i = 0; i < measured->points; ++i)
    if (is_shown(p, i))
      print_mark(p, measured->point[i].group, x_of(p, measured->point[i].measured_s),
                 y_of(p, p->validation->predicted[i].time_s[SS_PREDICTOR_SIMULATION]));
}

/* Each group with its mean absolute error. */
static void print_legend(const panel *p)
{
  const double x = p->left + PANEL + ROW;
  double y = TOP + ROW;
  for (int64_t i = 0; i < p->validation->measured->groups; ++i) {
    char text[SS_NAME_SIZE + 32];
    const ss_error_summary *errors = &p->validation->group[i].time[SS_PREDICTOR_SIMULATION];
    if (p->validation->measured->group[i].kind != p->kind || errors->count == 0) continue;
    (void)snprintf(text, sizeof text, "%s: %.1f %%", p->validation->measured->group[i].id,
                   100.0 * errors->mean_absolute);
    print_mark(p, i, x, y - TICK);
    print_text(p, x + ROW, y, "start", text);
    y += 1.3 * ROW;
  }
}

/* How far the axis of errors reaches on both sides: the next tenth. */
static double error_range(const panel *p)
{
  double most = 0.0;
  for (int64_t i = 0; i < p->validation->measured->points; ++i)
    if (is_shown(p, i)) most = fmax(most, fabs(ss_validation_error(p->validation, i, SS_PREDICTOR_SIMULATION)));
  return fmax(0.1, 0.1 * ceil(10.0 * most));
}

static double error_x(const panel *p, double range, double error)
{
  return p->left + PANEL * (0.5 + 0.5 * error / range);
}

/* Grid and labels of the axis of errors, over `height` from `top` on. */
static void print_error_axis(const panel *p, double range, double top, double height)
{
  const int steps = (int)lround(10.0 * range), wide = steps > 5 ? 2 : 1;
  for (int i = -steps; i <= steps; ++i) {
    char text[16];
    if (i % wide != 0) continue;
    const double x = error_x(p, range, 0.1 * i), from[] = {x, top}, to[] = {x, top + height};
    (void)snprintf(text, sizeof text, i == 0 ? "0" : "%+d %%", 10 * i);
    print_line(p, from, to, i == 0 ? "class=\"equal\"" : "class=\"grid\"");
    print_text(p, x, top + height + ROW, "middle", text);
  }
}

/* The errors of a group in a row at `y`: a mark for each point, and a stroke at
 * their mean. */
static void print_group_errors(const panel *p, int64_t group, double range, double y)
{
  const ss_measured_group *g = &p->validation->measured->group[group];
  const double mean = error_x(p, range, p->validation->group[group].time[SS_PREDICTOR_SIMULATION].bias);
  const double from[] = {mean, y - 0.4 * ROW}, to[] = {mean, y + 0.4 * ROW};
  for (int64_t i = g->first; i < g->first + g->count; ++i)
    if (is_shown(p, i))
      print_mark(p, group, error_x(p, range, ss_validation_error(p->validation, i, SS_PREDICTOR_SIMULATION)), y);
  print_line(p, from, to, "class=\"mean\"");
  print_text(p, p->left + PANEL + ROW, y + TICK, "start", g->id);
}

static int64_t shown_groups(const panel *p)
{
  int64_t count = 0;
  for (int64_t i = 0; i < p->validation->measured->groups; ++i)
    count += p->validation->measured->group[i].kind == p->kind &&
             p->validation->group[i].time[SS_PREDICTOR_SIMULATION].count > 0;
  return count;
}

/* Below the other panel: a row for each group, as in its legend. */
static void print_errors(const panel *p)
{
  const double range = error_range(p), height = (double)(shown_groups(p) * ROW);
  double y = ERRORS_TOP + 0.5 * ROW;
  char title[96];
  (void)snprintf(title, sizeof title, "%s: errors of the replay by group; stroke: their mean",
                 ss_measured_word(p->kind));
  print_text(p, p->left + PANEL / 2.0, ERRORS_TOP - ROW, "middle", title);
  print_error_axis(p, range, ERRORS_TOP, height);
  for (int64_t i = 0; i < p->validation->measured->groups; ++i) {
    if (p->validation->measured->group[i].kind != p->kind ||
        p->validation->group[i].time[SS_PREDICTOR_SIMULATION].count == 0)
      continue;
    print_group_errors(p, i, range, y);
    y += ROW;
  }
  ss_output_print(p->output,
                  "<rect class=\"frame\" x=\"%.1f\" y=\"%d\" width=\"%d\" "
                  "height=\"%.1f\"/>\n",
                  p->left, ERRORS_TOP, PANEL, height);
}

ss_status ss_report_validation_svg(const char *path, const ss_validation *validation, ss_error *error)
{
  ss_output output = {0};
  panel panels[SS_MEASURED_COUNT];
  int shown = 0;
  int64_t rows = 0;
  for (int kind = 0; kind < SS_MEASURED_COUNT; ++kind) {
    panels[shown] =
        (panel){&output, validation, (ss_measured_kind)kind, MARGIN + shown * (PANEL + LEGEND + MARGIN), 0.0, 0.0};
    if (!find_range(&panels[shown])) continue;
    rows = shown_groups(&panels[shown]) > rows ? shown_groups(&panels[shown]) : rows;
    shown++;
  }
  ss_status status = ss_output_open(&output, path, error);
  if (status != SS_OK) return status;
  const int width = shown * (MARGIN + PANEL + LEGEND), height = ERRORS_TOP + (int)rows * ROW + MARGIN;
  ss_output_print(&output,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d "
                  "%d\" width=\"%d\" height=\"%d\" "
                  "font-family=\"sans-serif\" font-size=\"13\">\n",
                  width, height, width, height);
  ss_output_print(&output, "<style>.grid{stroke:#e0e0e0}.frame{fill:none;stroke:#444}."
                           "equal{stroke:#444}"
                           ".tenth{stroke:#888;stroke-dasharray:5 "
                           "4}.mean{stroke:#000;stroke-width:3}circle,.mark{fill-"
                           "opacity:.7}</style>\n"
                           "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n");
  for (int i = 0; i < shown; ++i) {
    print_frame(&panels[i]);
    print_points(&panels[i]);
    print_legend(&panels[i]);
    print_errors(&panels[i]);
  }
  ss_output_print(&output, "</svg>\n");
  status = ss_output_close(&output, error);
  ss_output_free(&output);
  return status;
}
