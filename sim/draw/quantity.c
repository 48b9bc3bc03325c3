#include "sim/draw/quantity.h"

#include <math.h>
#include <stdio.h>

enum { UNITS_MOST = 5 };

static const ss_quantity_unit units[][UNITS_MOST] = {
#define SS_QUANTITY_ROW(id, ...) [id] = {__VA_ARGS__},
    SS_QUANTITY_LIST(SS_QUANTITY_ROW)
#undef SS_QUANTITY_ROW
};

ss_quantity_unit ss_quantity_unit_for(ss_quantity quantity, double largest)
{
  const ss_quantity_unit *list = units[quantity];
  int best = 0;
  while (best + 1 < UNITS_MOST && list[best + 1].name != NULL && fabs(largest) >= 0.9995 * list[best + 1].size) ++best;
  /* Nothing has no unit of its own: the largest, as all others are read beside it. */
  while (largest == 0.0 && best + 1 < UNITS_MOST && list[best + 1].name != NULL) ++best;
  return list[best];
}

/* Decimals of a number with so many digits that count. */
static int decimals_of(double number, int digits)
{
  const int decimals = number == 0.0 ? 0 : digits - 1 - (int)floor(log10(fabs(number)) + 1e-9);
  return decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
}

/* A millionth of the smallest unit is what a difference of equal numbers leaves. */
#define LEAST_OF_UNIT 1e-6

char *ss_quantity_text(ss_quantity quantity, double value, int digits, char text[SS_QUANTITY_SIZE])
{
  if (fabs(value) < LEAST_OF_UNIT * units[quantity][0].size) value = 0.0;
  const ss_quantity_unit unit = ss_quantity_unit_for(quantity, value);
  const double number = value / unit.size;
  (void)snprintf(text, SS_QUANTITY_SIZE, "%.*f%s%s", decimals_of(number, digits), number,
                 unit.name[0] != '\0' ? " " : "", unit.name);
  return text;
}

char *ss_quantity_number(ss_quantity_unit unit, double value, double step, char text[SS_QUANTITY_SIZE])
{
  const double number = value / unit.size, gap = step / unit.size;
  const int decimals = gap >= 1.0 || !(gap > 0.0) ? 0 : (int)ceil(-log10(gap) - 1e-9);
  (void)snprintf(text, SS_QUANTITY_SIZE, "%.*f", decimals > 9 ? 9 : decimals, number == 0.0 ? 0.0 : number);
  return text;
}
