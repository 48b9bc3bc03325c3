/* Writes a picture as SVG, element by element, into memory: shapes with classes of the style (sim/draw/style.h). */
#ifndef STEPSIM_SIM_DRAW_SVG_H
#define STEPSIM_SIM_DRAW_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Height of letters, and of a line of text, in the units of a picture. */
#define SS_SVG_TEXT 13.0
#define SS_SVG_LINE 18.0

typedef struct ss_point {
  double x, y;
} ss_point;

typedef struct ss_box {
  double x, y, width, height;
} ss_box;

/* A picture in the making. */
typedef struct ss_svg {
  FILE *stream;
  char *body; /* what the stream has written, owned */
  size_t size;
  double width;     /* of the picture, in units of about a pixel */
  const char *name; /* of the picture, in identifiers; borrowed */
  bool on_page;     /* scripts may go into it */
  bool path_begun;  /* a point of the path in progress is there */
} ss_svg;

/* Where a text is about its point. */
typedef enum ss_anchor { SS_ANCHOR_START, SS_ANCHOR_MIDDLE, SS_ANCHOR_END } ss_anchor;

/* Begins a picture of a width. False where there is no memory; free it in any case. */
bool ss_svg_init(ss_svg *svg, const char *name, double width);
void ss_svg_free(ss_svg *svg);

/* How a picture is put into a document. `variant` is a class; `style` is a style sheet that it brings along, with
 * a margin, or NULL inside a page; `shown_width` is in pixels, or 0 where the page decides. */
typedef struct ss_svg_frame {
  const char *title, *description, *style, *variant;
  double height, shown_width;
} ss_svg_frame;

/* Ends a picture and writes it to a stream. False where there was no memory for it. */
bool ss_svg_write(ss_svg *svg, const ss_svg_frame *frame, FILE *stream);

/* Writes a text as the content of an element or of an attribute of XML; characters that XML does not have are left out.
 */
void ss_svg_escape(FILE *stream, const char *text);

/* A group of shapes with a class, by which scripts find it. */
void ss_svg_group_begin(ss_svg *svg, const char *look);
void ss_svg_group_end(ss_svg *svg);

/* A view: what is drawn in it has coordinates of its own, `width` and `height` of which fill the box, and is cut off
 * around it. Lines of the class "still" keep their width. */
void ss_svg_view_begin(ss_svg *svg, ss_box box, double width, double height);
void ss_svg_view_end(ss_svg *svg);

/* A filled rectangle; with what a pointer on it shows, unless that is NULL. Nothing where it has no area. */
void ss_svg_box(ss_svg *svg, ss_box box, const char *look, const char *tip);

void ss_svg_line(ss_svg *svg, ss_point from, ss_point to, const char *look);
void ss_svg_circle(ss_svg *svg, ss_point centre, double radius, const char *look, const char *tip);

/* A path: points joined by lines after ss_svg_path_begin, and rectangles. */
void ss_svg_path_begin(ss_svg *svg, const char *look);
void ss_svg_path_line(ss_svg *svg, ss_point to);
void ss_svg_path_box(ss_svg *svg, ss_box box);
void ss_svg_path_end(ss_svg *svg);

/* A line of text. */
void ss_svg_text(ss_svg *svg, ss_point at, ss_anchor anchor, const char *look, const char *text);

/* About how wide a text is, and how many bytes of it fit into a width. */
double ss_svg_text_width(const char *text);

/* The same text, or the beginning of it with an ellipsis where it is wider than `width`, in a buffer of `size` bytes.
 */
const char *ss_svg_text_cut(const char *text, double width, char *buffer, size_t size);

#endif
