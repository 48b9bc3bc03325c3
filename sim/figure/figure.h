/* Figures: pictures of results, each drawn by one function, in pages and in files of their own. */
#ifndef STEPSIM_SIM_FIGURE_FIGURE_H
#define STEPSIM_SIM_FIGURE_FIGURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/base/error.h"
#include "sim/draw/svg.h"

/* A picture of what a command has found. */
typedef struct ss_figure_row {
  const char *name;                                /* of --figure */
  const char *title, *note;                        /* `note` says how to read it */
  bool (*shows)(const void *report);               /* there is something to draw; NULL: always */
  double (*draw)(ss_svg *svg, const void *report); /* from the top on; returns the height */
  void (*table)(FILE *stream, const void *report); /* its numbers as HTML, below it on a page; or NULL */
} ss_figure_row;

/* What a command has found, and all that can be drawn of it. */
typedef struct ss_subject {
  const char *command;
  const ss_figure_row *figure; /* [figures] in the order of the page */
  int64_t figures;
  const void *report;
  void (*head)(FILE *stream, const void *report); /* title and main numbers of a page, as HTML */
  /* What --json writes, to be freed. */
  ss_status (*json)(const void *report, char **text, ss_error *error);
  void (*write_data)(FILE *stream, const void *report); /* what a script needs beside that, as JSON; or NULL */
} ss_subject;

/* Widths that pages are drawn for: of a screen, and of a telephone. */
#define SS_FIGURE_WIDE   960.0
#define SS_FIGURE_NARROW 380.0

/* Below this width labels stand above what they name. */
#define SS_FIGURE_ROOMY 600.0

/* How a figure is drawn: `ground` as in sim/draw/style.h, inside a page without a style sheet. */
typedef struct ss_figure_size {
  const char *variant;
  double width, shown_width;
  const char *style;
} ss_figure_size;

/* Draws a figure to a stream. SS_ERROR_MEMORY. */
ss_status ss_figure_write(const ss_subject *subject, const ss_figure_row *figure, const ss_figure_size *size,
                          FILE *stream, ss_error *error);

/* Whether there is something to draw. */
bool ss_figure_shows(const ss_subject *subject, const ss_figure_row *figure);

#endif
