#include "sim/report/table.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

ss_time_unit ss_time_unit_of(double iteration_s)
{
  static const ss_time_unit units[] = {{"h", 1.0 / 3600.0, 4}, {"s", 1.0, 4}, {"ms", 1e3, 3}, {"us", 1e6, 2}};
  const double least_hours = 100.0;
  const size_t last = sizeof units / sizeof units[0] - 1;
  if (iteration_s * units[0].per_s >= least_hours) return units[0];
  size_t i = 1;
  while (i < last && iteration_s * units[i].per_s < 1.0) i++;
  return units[i];
}

bool ss_prints_as_zero(ss_time_unit unit, double time_s)
{
  return fabs(time_s) * unit.per_s * pow(10.0, unit.decimals) < 0.5;
}

double ss_percent(double part, double whole)
{
  return whole > 0.0 ? 100.0 * part / whole : 0.0;
}

void ss_print_time(FILE *stream, ss_time_unit unit, double time_s, double iteration_s)
{
  (void)fprintf(stream, "%*.*f %-2s%*.1f %%", SS_TIME_WIDTH - 3, unit.decimals, time_s * unit.per_s, unit.name,
                SS_PERCENT_WIDTH - 2, ss_percent(time_s, iteration_s));
}

void ss_print_difference(FILE *stream, ss_time_unit unit, double time_s)
{
  const bool zero = ss_prints_as_zero(unit, time_s);
  const int width = SS_TIME_WIDTH - 1 - (int)strlen(unit.name);
  (void)fprintf(stream, zero ? "%*.*f %s" : "%+*.*f %s", width, unit.decimals, zero ? 0.0 : time_s * unit.per_s,
                unit.name);
}
