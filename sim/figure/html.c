#include "sim/figure/html.h"

#include <stdarg.h>

#include "sim/draw/svg.h"

void ss_html_title(FILE *stream, const char *title, const char *format, ...)
{
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  (void)fputs("<h1>", stream);
  ss_svg_escape(stream, title);
  (void)fputs("</h1>\n<p class=\"lead\">", stream);
  ss_svg_escape(stream, line);
  (void)fputs("</p>\n", stream);
}

void ss_html_alert(FILE *stream, const char *sentence)
{
  (void)fputs("<p class=\"alert\">", stream);
  ss_svg_escape(stream, sentence);
  (void)fputs("</p>\n", stream);
}

void ss_html_tiles_begin(FILE *stream)
{
  (void)fputs("<dl class=\"tiles\">\n", stream);
}

void ss_html_tiles_end(FILE *stream)
{
  (void)fputs("</dl>\n", stream);
}

void ss_html_tile(FILE *stream, const char *id, const char *name, const char *value, const char *more)
{
  (void)fprintf(stream, "<div id=\"tile-%s\"><dt>", id);
  ss_svg_escape(stream, name);
  (void)fputs("</dt><dd><strong>", stream);
  ss_svg_escape(stream, value);
  (void)fputs("</strong><span>", stream);
  ss_svg_escape(stream, more);
  (void)fputs("</span></dd></div>\n", stream);
}

static void write_row(FILE *stream, const char *const *cell, int cells, const char *element)
{
  (void)fputs("<tr>", stream);
  for (int i = 0; i < cells; ++i) {
    const char *kind = i == 0 ? "th" : element;
    (void)fprintf(stream, "<%s>", kind);
    ss_svg_escape(stream, cell[i]);
    (void)fprintf(stream, "</%s>", kind);
  }
  (void)fputs("</tr>\n", stream);
}

void ss_html_table_begin(FILE *stream, const char *const *column, int columns)
{
  (void)fputs("<div class=\"scroll\"><table>\n<thead>", stream);
  write_row(stream, column, columns, "th");
  (void)fputs("</thead><tbody>\n", stream);
}

void ss_html_table_row(FILE *stream, const char *const *cell, int cells)
{
  write_row(stream, cell, cells, "td");
}

void ss_html_table_end(FILE *stream)
{
  (void)fputs("</tbody></table></div>\n", stream);
}
