/* Pieces of a page: main numbers, and tables behind figures. */
#ifndef STEPSIM_SIM_FIGURE_HTML_H
#define STEPSIM_SIM_FIGURE_HTML_H

#include <stdio.h>

/* Writes the title of a page and, below it, a formatted line. */
void ss_html_title(FILE *stream, const char *title, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Writes a sentence below the title, which says what to look at first. */
void ss_html_alert(FILE *stream, const char *sentence);

/* Begins and ends the main numbers; writes one, with what it is above it and what more there is to say below. `id` is
 * for scripts. */
void ss_html_tiles_begin(FILE *stream);
void ss_html_tiles_end(FILE *stream);
void ss_html_tile(FILE *stream, const char *id, const char *name, const char *value, const char *more);

/* A table: its columns, then rows of cells, the first of which names the row. */
void ss_html_table_begin(FILE *stream, const char *const *column, int columns);
void ss_html_table_row(FILE *stream, const char *const *cell, int cells);
void ss_html_table_end(FILE *stream);

#endif
