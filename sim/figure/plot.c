#include "sim/figure/plot.h"

#include <stdlib.h>
#include <string.h>

#include "sim/draw/png/png.h"
#include "sim/draw/style.h"
#include "sim/report/report.h"

static const struct {
  double width, shown_width, scale;
} sizes[SS_PLOT_SIZES] = {
#define SS_PLOT_SIZE_ROW(id, word, width, shown, scale, help) [id] = {width, shown, scale},
    SS_PLOT_SIZE_LIST(SS_PLOT_SIZE_ROW)
#undef SS_PLOT_SIZE_ROW
};

static bool ends_in(const char *path, const char *extension)
{
  const char *dot = strrchr(path, '.');
  return dot != NULL && strcmp(dot, extension) == 0;
}

static const ss_figure_row *find_figure(const ss_subject *subject, const char *name)
{
  for (int64_t i = 0; i < subject->figures; ++i)
    if (strcmp(subject->figure[i].name, name) == 0) return &subject->figure[i];
  return NULL;
}

/* The figures that `shows` says of their report, or all, in a list. */
static void list_figures(const ss_subject *subject, bool shown, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (int64_t i = 0; i < subject->figures && used < size; ++i) {
    if (shown && !ss_figure_shows(subject, &subject->figure[i])) continue;
    used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", subject->figure[i].name);
  }
}

ss_status ss_plot_check(const ss_plot *plot, const ss_subject *subject, ss_error *error)
{
  char names[512];
  const bool png = ends_in(plot->path, ".png");
  if (!png && !ends_in(plot->path, ".svg"))
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "plot file \"%s\": unknown extension; allowed: .svg, .png",
                        plot->path);
  if (png && ss_module_load("png", error) == NULL)
    return ss_error_set(
        error, SS_ERROR_INPUT, NULL, 0,
        "plot file \"%s\": this stepsim has no stepsim_png.so, which a build with librsvg has; allowed: "
        ".svg",
        plot->path);
  if (plot->figure == NULL || find_figure(subject, plot->figure) != NULL) return SS_OK;
  list_figures(subject, false, names, sizeof names);
  return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "--figure \"%s\": is no figure of %s; allowed: %s", plot->figure,
                      subject->command, names);
}

static const ss_figure_row *choose(const ss_plot *plot, const ss_subject *subject)
{
  if (plot->figure != NULL) {
    const ss_figure_row *figure = find_figure(subject, plot->figure);
    return ss_figure_shows(subject, figure) ? figure : NULL;
  }
  for (int64_t i = 0; i < subject->figures; ++i)
    if (ss_figure_shows(subject, &subject->figure[i])) return &subject->figure[i];
  return NULL;
}

static char *style_text(void)
{
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (stream == NULL) return NULL;
  ss_style_write(SS_GROUND_LIGHT, stream);
  return fclose(stream) == 0 ? text : NULL;
}

static ss_status write_png(const ss_plot *plot, const char *svg, size_t size, ss_error *error)
{
  const ss_png_methods *png = ss_module_load("png", error);
  const ss_png_source source = {svg, size, sizes[plot->size].scale};
  unsigned char *bytes = NULL;
  size_t count = 0;
  if (png == NULL) return SS_ERROR_MODULE;
  ss_status status = png->render(&source, &bytes, &count, error);
  if (status != SS_OK) return status;
  status = ss_report_data(plot->path, bytes, count, error);
  free(bytes);
  return status;
}

/* The figure as a document of its own. */
static ss_status draw(const ss_plot *plot, const ss_subject *subject, const ss_figure_row *figure, FILE *stream,
                      ss_error *error)
{
  char *style = style_text();
  const ss_figure_size size = {.variant = "plot",
                               .width = sizes[plot->size].width,
                               .shown_width = sizes[plot->size].shown_width,
                               .style = style};
  const ss_status status = style != NULL ? ss_figure_write(subject, figure, &size, stream, error)
                                         : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a plot");
  free(style);
  return status;
}

ss_status ss_plot_write(const ss_plot *plot, const ss_subject *subject, ss_error *error)
{
  const ss_figure_row *figure = choose(plot, subject);
  char names[512], *svg = NULL;
  size_t size = 0;
  if (figure == NULL) {
    list_figures(subject, true, names, sizeof names);
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "--plot: there is nothing to draw; allowed: --figure of %s",
                        names[0] != '\0' ? names : "another result");
  }
  FILE *stream = open_memstream(&svg, &size);
  ss_status status = stream != NULL ? draw(plot, subject, figure, stream, error) : SS_ERROR_MEMORY;
  if (stream == NULL || fclose(stream) != 0)
    status = ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a plot");
  if (status == SS_OK)
    status =
        ends_in(plot->path, ".png") ? write_png(plot, svg, size, error) : ss_report_data(plot->path, svg, size, error);
  free(svg);
  return status;
}
