/* Cells of the tables that people read: a label, then times with their units and percentages, then what it is. */
#ifndef STEPSIM_SIM_REPORT_TABLE_H
#define STEPSIM_SIM_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Characters of a line, and of a label, a time and a percentage. */
#define SS_TABLE_COLUMNS 80
#define SS_TABLE_LABEL   19
#define SS_TABLE_TIME    14
#define SS_TABLE_PERCENT 9

/* Unit of all times of a report, so that its columns add up: the first one that the iteration reaches. */
typedef struct ss_table_unit {
  const char *name;
  double per_s;
  int decimals;
} ss_table_unit;

ss_table_unit ss_table_unit_for(double iteration_s);

/* Whether nothing of a time shows at the decimals of its unit. */
bool ss_table_is_zero(ss_table_unit unit, double time_s);

/* A part in percent of a whole; 0 of nothing. */
double ss_table_percent(double part, double whole);

/* Prints a time, and what it is in percent of a whole; the caller ends the line. A blank is ahead of all times, however
 * long. */
void ss_table_print_time(FILE *stream, ss_table_unit unit, double time_s, double whole_s);

/* Prints a signed time; what rounds to zero has no sign. */
void ss_table_print_difference(FILE *stream, ss_table_unit unit, double time_s);

/* Prints a fraction as a percentage with its sign, and without, in 10 columns; "-" where there is none (NaN). */
void ss_table_print_error(FILE *stream, double fraction);
void ss_table_print_size(FILE *stream, double fraction);

/* Writes four digits of a quantity of at least 0 with the prefix of its unit: "1.074 GB". */
#define SS_TABLE_SCALED_SIZE 24
void ss_table_scale(double value, const char *unit, char text[SS_TABLE_SCALED_SIZE]);

/* Four digits of a count of at least 0 in words: "70.55 billion". */
void ss_table_count(double value, char text[SS_TABLE_SCALED_SIZE]);

/* Prints words from column `indent` on, breaks lines before SS_TABLE_COLUMNS, but leaves 16 for words, and ends the
 * last. */
void ss_table_print_wrapped(FILE *stream, const char *text, size_t indent);

/* The same of a sentence that is formatted, from the first column on. */
void ss_table_print_sentence(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints a line of a label, a time, its share of a whole and, wrapped, what it is. */
void ss_table_print_row(FILE *stream, ss_table_unit unit, const char *label, double time_s, double whole_s,
                        const char *help);

/* The name of a model with its parameters, where these are known: "NAME (8.03 billion parameters)". */
void ss_table_model(const char *name, double parameters, char *text, size_t size);

#endif
