#include "sim/report/strategies/cell.h"

#include <math.h>

#define MILLION 1e6

/* Numbers in this range have more than five digits, and are easier to read than powers of ten. */
#define WHOLE_FROM 1e5
#define WHOLE_TO   1e9

void ss_cell_count(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size)
{
  (void)column, (void)listing;
  (void)snprintf(text, size, "%.0f", value);
}

void ss_cell_five_digits(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size)
{
  (void)column, (void)listing;
  const bool is_whole = fabs(value) >= WHOLE_FROM && fabs(value) < WHOLE_TO;
  (void)snprintf(text, size, is_whole ? "%.0f" : "%.5g", value);
}

void ss_cell_millions(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size)
{
  (void)column, (void)listing;
  (void)snprintf(text, size, "%.2f", value / MILLION);
}

void ss_cell_answer(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size)
{
  (void)column, (void)listing;
  (void)snprintf(text, size, "%s", value > 0.0 ? "yes" : "no");
}

void ss_cell_bytes(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size)
{
  (void)column, (void)listing;
  (void)snprintf(text, size, "%.2f GiB", value / SS_GIB);
}

void ss_cell_percent(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size)
{
  (void)listing;
  (void)snprintf(text, size, column->is_signed ? "%+.2f %%" : "%.2f %%", 100.0 * value);
}

void ss_cell_time(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size)
{
  (void)column, (void)listing;
  if (value < 1.0)
    (void)snprintf(text, size, "%.3f ms", 1e3 * value);
  else
    (void)snprintf(text, size, "%.4f s", value);
}

/* With a blank before it, however wide the number is. */
void ss_cell_common_time(const ss_column *column, const ss_listing *listing, double value, char *text, size_t size)
{
  (void)column;
  (void)snprintf(text, size, " %.*f", listing->unit.decimals, listing->unit.per_s * value);
}
