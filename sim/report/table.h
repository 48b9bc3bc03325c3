/* Units and columns that the tables about one prediction have in common. */
#ifndef STEPSIM_SIM_REPORT_TABLE_H
#define STEPSIM_SIM_REPORT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

/* Columns: a label, then numbers with their units. */
#define SS_LABEL_WIDTH   19
#define SS_TIME_WIDTH    15
#define SS_PERCENT_WIDTH 9

/* Unit of all times of a report, so that its columns add up: the first one that the iteration reaches. */
typedef struct ss_time_unit {
  const char *name;
  double per_s;
  int decimals;
} ss_time_unit;

ss_time_unit ss_time_unit_of(double iteration_s);
bool ss_prints_as_zero(ss_time_unit unit, double time_s);

/* A part in percent of the whole; 0 without one. */
double ss_percent(double part, double whole);

/* Prints a time and its share of the iteration; a signed time, where what rounds to zero has no sign. */
void ss_print_time(FILE *stream, ss_time_unit unit, double time_s, double iteration_s);
void ss_print_difference(FILE *stream, ss_time_unit unit, double time_s);

#endif
