#include "sim/figure/figure.h"

bool ss_figure_shows(const ss_subject *subject, const ss_figure_row *figure)
{
  return figure->shows == NULL || figure->shows(subject->report);
}

ss_status ss_figure_write(const ss_subject *subject, const ss_figure_row *figure, const ss_figure_size *size,
                          FILE *stream, ss_error *error)
{
  ss_svg svg;
  bool written = ss_svg_init(&svg, figure->name, size->width);
  svg.on_page = size->style == NULL;
  if (written) {
    const ss_svg_frame frame = {.title = figure->title,
                                .description = figure->note,
                                .style = size->style,
                                .variant = size->variant,
                                .height = figure->draw(&svg, subject->report),
                                .shown_width = size->shown_width};
    written = ss_svg_write(&svg, &frame, stream);
  }
  ss_svg_free(&svg);
  return written ? SS_OK : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a figure");
}
