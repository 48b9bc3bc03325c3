/* Pieces of JSON for the scripts of pages. */
#ifndef STEPSIM_SIM_FIGURE_DATA_H
#define STEPSIM_SIM_FIGURE_DATA_H

#include <stdio.h>

/* Writes a text with its quotes. */
void ss_data_write_text(FILE *stream, const char *text);

/* Writes a number with the digits that a picture can use, null where it is none. */
void ss_data_write_number(FILE *stream, double value);

#endif
