/* How the numbers of columns are written as text: ss_column.write. */
#ifndef STEPSIM_SIM_REPORT_CELL_H
#define STEPSIM_SIM_REPORT_CELL_H

#include "sim/report/column.h"

/* A count; five digits; millions; yes or no; GiB; a fraction as a percentage. */
void ss_cell_count(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size);
void ss_cell_five_digits(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size);
void ss_cell_millions(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size);
void ss_cell_answer(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size);
void ss_cell_bytes(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size);
void ss_cell_percent(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size);

/* Seconds, in s or ms, whichever suits the line; in the unit of the listing, which says it elsewhere. */
void ss_cell_time(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size);
void ss_cell_common_time(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size);

#endif
