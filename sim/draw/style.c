#include "sim/draw/style.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct colour_row {
  const char *class, *fill, *line, *light, *dark, *text;
} colour_row;

static const colour_row colours[SS_COLOURS] = {
#define SS_COLOUR_ROW(id, name, light, dark, text) {name, "f-" name, "l-" name, light, dark, "on " text},
    SS_COLOUR_LIST(SS_COLOUR_ROW)
#undef SS_COLOUR_ROW
};

/* One hue, from the ground to its opposite: brightness alone tells the steps apart. */
static const colour_row heat[SS_HEAT_STEPS] = {
    {"heat0", "f-heat0", NULL, "#f1f4f8", "#1e242c", "on ink"},
    {"heat1", "f-heat1", NULL, "#dbe7f3", "#1d3146", "on ink"},
    {"heat2", "f-heat2", NULL, "#bfd8ec", "#1b3f61", "on ink"},
    {"heat3", "f-heat3", NULL, "#9cc5e3", "#1b4e7c", "on ink"},
    {"heat4", "f-heat4", NULL, "#74add6", "#1f6098", "on black"},
    {"heat5", "f-heat5", NULL, "#4f93c6", "#2f76b3", "on white"},
    {"heat6", "f-heat6", NULL, "#3278b3", "#4f91c8", "on white"},
    {"heat7", "f-heat7", NULL, "#1c5d99", "#79aeda", "on paper"},
    {"heat8", "f-heat8", NULL, "#0f4379", "#a9ccea", "on paper"},
    {"heat9", "f-heat9", NULL, "#082b54", "#def0ff", "on paper"},
};

/* Of everything that is no series: X("class", "light", "dark"). */
#define SS_GROUND_LIST(X)                                                                                              \
  X("paper", "#ffffff", "#14181d")                                                                                     \
  X("ink", "#1a2129", "#e8edf2")                                                                                       \
  X("soft", "#5a6572", "#a3afbc")                                                                                      \
  X("grid", "#e3e7ec", "#2b323b")                                                                                      \
  X("row", "#f5f7f9", "#1b2027")

static const struct {
  const char *class, *light, *dark;
} grounds[] = {
#define SS_GROUND_ROW(class, light, dark) {class, light, dark},
    SS_GROUND_LIST(SS_GROUND_ROW)
#undef SS_GROUND_ROW
};
enum { GROUNDS = sizeof grounds / sizeof grounds[0] };

const char *ss_style_fill(ss_colour colour)
{
  return colours[colour].fill;
}

const char *ss_style_line(ss_colour colour)
{
  return colours[colour].line;
}

const char *ss_style_text_on(ss_colour colour)
{
  return colours[colour].text;
}

static int heat_step(double share)
{
  const double step = 1.0 + floor(share * (SS_HEAT_STEPS - 1));
  return !(share > 0.002) ? 0 : step >= SS_HEAT_STEPS ? SS_HEAT_STEPS - 1 : (int)step;
}

const char *ss_style_heat(double share)
{
  return heat[heat_step(share)].fill;
}

const char *ss_style_text_on_heat(double share)
{
  return heat[heat_step(share)].text;
}

ss_colour ss_style_series(long i)
{
  static const ss_colour order[] = {SS_BLUE, SS_VERMILLION, SS_GREEN, SS_PURPLE, SS_ORANGE,
                                    SS_SKY,  SS_SLATE,      SS_TEAL,  SS_MAROON};
  return order[i % (long)(sizeof order / sizeof order[0])];
}

static void write_row(FILE *stream, const colour_row *row, const char *value)
{
  (void)fprintf(stream, ".ss .f-%s{fill:%s}", row->class, value);
  if (row->line != NULL) (void)fprintf(stream, ".ss .l-%s{stroke:%s}", row->class, value);
}

static void write_ground(FILE *stream, const char *class, const char *value)
{
  (void)fprintf(stream, ".ss .%s,.ss .on.%s{fill:%s}.ss .l-%s{stroke:%s}", class, class, value, class, value);
}

static void write_colours(FILE *stream, bool dark)
{
  for (int i = 0; i < GROUNDS; ++i) write_ground(stream, grounds[i].class, dark ? grounds[i].dark : grounds[i].light);
  (void)fprintf(stream, ".ss .halo{stroke:%s}", dark ? grounds[0].dark : grounds[0].light);
  for (int i = 0; i < SS_COLOURS; ++i) write_row(stream, &colours[i], dark ? colours[i].dark : colours[i].light);
  for (int i = 0; i < SS_HEAT_STEPS; ++i) write_row(stream, &heat[i], dark ? heat[i].dark : heat[i].light);
}

/* Names of fonts in the order of preference: of the reader's system, and of renderers without one. */
static const char shapes[] =
    ".ss text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif}"
    ".ss .middle{text-anchor:middle}.ss .end{text-anchor:end}"
    ".ss .strong{font-weight:600}.ss .small{font-size:11px}"
    ".ss .on.white{fill:#fff}.ss .on.black{fill:#10151a}"
    ".ss path,.ss line{fill:none;stroke-width:1}.ss path[class^='f-'],.ss path.ink{stroke:none}"
    ".ss .thick{stroke-width:2;stroke-linejoin:round}.ss .bold{stroke-width:3}.ss .dashed{stroke-dasharray:4 3}"
    ".ss .faint{opacity:.55}.ss .still{vector-effect:non-scaling-stroke}.ss "
    ".halo{stroke-width:4;paint-order:stroke}.ss .ring{fill:none}.ss .hit{fill:none;pointer-events:all}\n";

void ss_style_write(ss_ground ground, FILE *stream)
{
  (void)fputs(shapes, stream);
  write_colours(stream, false);
  if (ground == SS_GROUND_LIGHT) return;
  (void)fputs("\n@media screen and (prefers-color-scheme:dark){", stream);
  write_colours(stream, true);
  (void)fputs(".ss .on.white{fill:#0b0f13}}\n", stream); /* colours are lighter there */
}
