#include "model/base/range.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The last value of a range may miss LAST by rounding. */
#define ROUNDING 1e-9

/* Splits "100GBps" into its number and what follows. */
static bool split_number(const char *text, double *number, const char **unit)
{
  char *end;
  *number = strtod(text, &end);
  *unit = end;
  return isdigit((unsigned char)*text) && isfinite(*number);
}

/* Takes off what follows the last number; what the step ends in may be its unit. */
static bool split_step(char *last, ss_range *range, const char **unit)
{
  char *by = last + strcspn(last, "*+");
  range->multiplies = *by == '*';
  range->by = 1.0;
  *unit = "";
  if (*by == '\0') return true;
  *by = '\0';
  return split_number(by + 1, &range->by, unit) && ((*unit)[0] == '\0' || !range->multiplies);
}

bool ss_range_read(char *text, ss_range *range)
{
  const char *first_unit, *last_unit, *step_unit;
  char *last = strstr(text, "..");
  if (last == NULL) return false;
  *last = '\0';
  last += 2;
  const bool has_step = last[strcspn(last, "*+")] != '\0';
  if (!split_step(last, range, &step_unit) || !split_number(text, &range->first, &first_unit) ||
      !split_number(last, &range->last, &last_unit))
    return false;
  const bool same_unit = first_unit[0] == '\0' || last_unit[0] == '\0' || strcmp(first_unit, last_unit) == 0;
  range->unit = first_unit[0] != '\0' ? first_unit : last_unit;
  const bool steps_in_unit = step_unit[0] == '\0' || strcmp(step_unit, range->unit) == 0;
  return same_unit && steps_in_unit && (has_step || range->unit[0] == '\0') && range->first <= range->last &&
         range->by > (range->multiplies ? 1.0 : 0.0) && (range->first > 0.0 || !range->multiplies);
}

bool ss_range_has(const ss_range *range, double number)
{
  return number <= range->last * (1.0 + ROUNDING);
}

double ss_range_next(const ss_range *range, double number, long long index)
{
  return range->multiplies ? number * range->by : range->first + (double)index * range->by;
}
