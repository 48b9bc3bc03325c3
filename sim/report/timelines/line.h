/* A line of text that is put together by hand: a timeline has millions, and printf would take most of their time. */
#ifndef STEPSIM_SIM_REPORT_TIMELINES_LINE_H
#define STEPSIM_SIM_REPORT_TIMELINES_LINE_H

#include <stdint.h>

#include "sim/report/output.h"

#define SS_LINE_SIZE 512

/* Zeroed: empty. What is put behind the end of the buffer is a programming error. */
typedef struct ss_text_line {
  size_t length;
  char text[SS_LINE_SIZE];
} ss_text_line;

void ss_line_text(ss_text_line *line, const char *text);
void ss_line_integer(ss_text_line *line, int64_t number);

/* A decimal fraction: number / 10^decimals, not below 0. */
void ss_line_decimal(ss_text_line *line, int64_t number, int decimals);

/* A quantity, as a whole number where it is one that a double holds exactly. */
void ss_line_quantity(ss_text_line *line, double quantity);

/* Writes the line and empties it. */
void ss_line_write(ss_text_line *line, ss_output *output);

#endif
