/* How columns write their numbers as text: ss_column.write. All write into at most `size` bytes. */
#ifndef STEPSIM_SIM_REPORT_STRATEGIES_CELL_H
#define STEPSIM_SIM_REPORT_STRATEGIES_CELL_H

#include "sim/report/strategies/column.h"

/* A count. */
void ss_cell_count(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size);

/* Five significant digits, or a whole number where it has up to nine. */
void ss_cell_five_digits(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size);

/* Millions, with two decimals. */
void ss_cell_millions(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size);

/* "yes" above 0, else "no". */
void ss_cell_answer(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size);

/* Bytes in GiB. */
void ss_cell_bytes(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size);

/* A fraction in percent, with a sign where the column is signed. */
void ss_cell_percent(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size);

/* Seconds, in s or, below 1 s, in ms. */
void ss_cell_time(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size);

/* Seconds in the unit of the listing, which is printed elsewhere. */
void ss_cell_common_time(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size);

#endif
