#include "sim/draw/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a picture that stands by itself. */
#define MARGIN 16.0

bool ss_svg_init(ss_svg *svg, const char *name, double width)
{
  *svg = (ss_svg){.width = width, .name = name};
  svg->stream = open_memstream(&svg->body, &svg->size);
  return svg->stream != NULL;
}

void ss_svg_free(ss_svg *svg)
{
  if (svg->stream != NULL) (void)fclose(svg->stream);
  free(svg->body);
  *svg = (ss_svg){.stream = NULL};
}

void ss_svg_escape(FILE *stream, const char *text)
{
  for (; *text != '\0'; ++text) {
    const unsigned char c = (unsigned char)*text;
    switch (c) {
    case '&': (void)fputs("&amp;", stream); break;
    case '<': (void)fputs("&lt;", stream); break;
    case '>': (void)fputs("&gt;", stream); break;
    case '"': (void)fputs("&quot;", stream); break;
    default:
      if (c >= ' ' || c == '\t' || c == '\n') (void)fputc(c, stream);
    }
  }
}

static void write_element(FILE *stream, const char *element, const char *text)
{
  if (text == NULL) return;
  (void)fprintf(stream, "<%s>", element);
  ss_svg_escape(stream, text);
  (void)fprintf(stream, "</%s>", element);
}

/* Coordinates have a tenth of a unit, without what follows from nothing. */
static void write_number(FILE *stream, double value)
{
  const double tenths = round(10.0 * value);
  if (fmod(tenths, 10.0) == 0.0)
    (void)fprintf(stream, "%.0f", tenths / 10.0 + 0.0);
  else
    (void)fprintf(stream, "%.1f", tenths / 10.0);
}

static void write_attribute(FILE *stream, const char *name, double value)
{
  (void)fprintf(stream, " %s=\"", name);
  write_number(stream, value);
  (void)fputc('"', stream);
}

/* Ends a shape; with what it shows under a pointer. */
static void end_shape(ss_svg *svg, const char *element, const char *tip)
{
  if (tip == NULL) {
    (void)fputs("/>\n", svg->stream);
    return;
  }
  (void)fputc('>', svg->stream);
  write_element(svg->stream, "title", tip);
  (void)fprintf(svg->stream, "</%s>\n", element);
}

bool ss_svg_write(ss_svg *svg, const ss_svg_frame *frame, FILE *stream)
{
  const bool written = fclose(svg->stream) == 0;
  svg->stream = NULL;
  if (!written) return false;
  (void)fprintf(stream, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ss %s\" data-figure=\"%s\" role=\"img\"",
                frame->variant, svg->name);
  const double margin = frame->style != NULL ? MARGIN : 0.0;
  const double width = svg->width + 2.0 * margin, height = ceil(frame->height) + 2.0 * margin;
  (void)fprintf(stream, " viewBox=\"%.0f %.0f %.0f %.0f\"", -margin + 0.0, -margin + 0.0, width, height);
  if (frame->shown_width > 0.0)
    (void)fprintf(stream, " width=\"%.0f\" height=\"%.0f\"", frame->shown_width, height * frame->shown_width / width);
  (void)fputs(">\n", stream);
  write_element(stream, "title", frame->title);
  write_element(stream, "desc", frame->description);
  write_element(stream, "style", frame->style);
  if (frame->style != NULL)
    (void)fprintf(stream, "<rect class=\"paper\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"/>\n", -margin,
                  -margin, width, height);
  (void)fwrite(svg->body, 1, svg->size, stream);
  (void)fputs("</svg>\n", stream);
  return true;
}

void ss_svg_group_begin(ss_svg *svg, const char *look)
{
  (void)fprintf(svg->stream, "<g class=\"%s\">\n", look);
}

void ss_svg_group_end(ss_svg *svg)
{
  (void)fputs("</g>\n", svg->stream);
}

static void write_place(ss_svg *svg, ss_box box)
{
  write_attribute(svg->stream, "x", box.x);
  write_attribute(svg->stream, "y", box.y);
  write_attribute(svg->stream, "width", box.width);
  write_attribute(svg->stream, "height", box.height);
}

void ss_svg_view_begin(ss_svg *svg, ss_box box, double width, double height)
{
  (void)fputs("<svg class=\"view\" preserveAspectRatio=\"none\"", svg->stream);
  write_place(svg, box);
  (void)fprintf(svg->stream, " viewBox=\"0 0 %.1f %.1f\">\n", width, height);
}

void ss_svg_view_end(ss_svg *svg)
{
  (void)fputs("</svg>\n", svg->stream);
}

void ss_svg_box(ss_svg *svg, ss_box box, const char *look, const char *tip)
{
  if (!(box.width > 0.0 && box.height > 0.0)) return;
  (void)fprintf(svg->stream, "<rect class=\"%s\"", look);
  write_place(svg, box);
  end_shape(svg, "rect", tip);
}

void ss_svg_line(ss_svg *svg, ss_point from, ss_point to, const char *look)
{
  (void)fprintf(svg->stream, "<line class=\"%s\"", look);
  write_attribute(svg->stream, "x1", from.x);
  write_attribute(svg->stream, "y1", from.y);
  write_attribute(svg->stream, "x2", to.x);
  write_attribute(svg->stream, "y2", to.y);
  end_shape(svg, "line", NULL);
}

void ss_svg_circle(ss_svg *svg, ss_point centre, double radius, const char *look, const char *tip)
{
  (void)fprintf(svg->stream, "<circle class=\"%s\"", look);
  write_attribute(svg->stream, "cx", centre.x);
  write_attribute(svg->stream, "cy", centre.y);
  write_attribute(svg->stream, "r", radius);
  end_shape(svg, "circle", tip);
}

void ss_svg_path_begin(ss_svg *svg, const char *look)
{
  (void)fprintf(svg->stream, "<path class=\"%s\" d=\"", look);
  svg->path_begun = false;
}

static void write_point(ss_svg *svg, char command, ss_point to)
{
  (void)fputc(command, svg->stream);
  write_number(svg->stream, to.x);
  (void)fputc(' ', svg->stream);
  write_number(svg->stream, to.y);
  svg->path_begun = true;
}

void ss_svg_path_line(ss_svg *svg, ss_point to)
{
  write_point(svg, svg->path_begun ? 'L' : 'M', to);
}

void ss_svg_path_box(ss_svg *svg, ss_box box)
{
  if (!(box.width > 0.0 && box.height > 0.0)) return;
  write_point(svg, 'M', (ss_point){box.x, box.y});
  const double sides[] = {box.width, box.height, -box.width};
  for (int side = 0; side < 3; ++side) {
    (void)fputc(side % 2 == 0 ? 'h' : 'v', svg->stream);
    write_number(svg->stream, sides[side]);
  }
  (void)fputc('z', svg->stream);
}

void ss_svg_path_end(ss_svg *svg)
{
  (void)fputs("\"/>\n", svg->stream);
}

void ss_svg_text(ss_svg *svg, ss_point at, ss_anchor anchor, const char *look, const char *text)
{
  static const char *const anchors[] = {
      [SS_ANCHOR_START] = "", [SS_ANCHOR_MIDDLE] = " middle", [SS_ANCHOR_END] = " end"};
  (void)fprintf(svg->stream, "<text class=\"%s%s\"", look, anchors[anchor]);
  write_attribute(svg->stream, "x", at.x);
  write_attribute(svg->stream, "y", at.y);
  (void)fputc('>', svg->stream);
  ss_svg_escape(svg->stream, text);
  (void)fputs("</text>\n", svg->stream);
}

/* Of a letter as a share of its height, in a wide font without serifs, so that texts have room in all of them. A byte
 * that continues a character is none. */
static double letter_width(unsigned char c)
{
  if ((c & 0xc0U) == 0x80U) return 0.0;
  if (strchr("ijl.,:;|'!", c) != NULL) return 0.34;
  if (strchr("frt()[]/ -", c) != NULL) return 0.42;
  if (strchr("mwMW%@", c) != NULL) return 0.95;
  return c >= 'A' && c <= 'Z' ? 0.72 : 0.63;
}

double ss_svg_text_width(const char *text)
{
  double width = 0.0;
  for (; *text != '\0'; ++text) width += SS_SVG_TEXT * letter_width((unsigned char)*text);
  return width;
}

const char *ss_svg_text_cut(const char *text, double width, char *buffer, size_t size)
{
  static const char dots[] = "...";
  if (ss_svg_text_width(text) <= width + 0.01 && strlen(text) < size) return text;
  double left = width - ss_svg_text_width(dots);
  size_t length = 0;
  while (text[length] != '\0' && length + sizeof dots < size) {
    left -= SS_SVG_TEXT * letter_width((unsigned char)text[length]);
    if (left < 0.0) break;
    buffer[length] = text[length];
    ++length;
  }
  while (length > 0 && ((unsigned char)text[length] & 0xc0U) == 0x80U) --length; /* no part of a character */
  (void)snprintf(buffer + length, size - length, "%s", dots);
  return buffer;
}
