#include "sim/report/table.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

ss_table_unit ss_table_unit_for(double iteration_s)
{
  static const ss_table_unit units[] = {{"h", 1.0 / 3600.0, 4}, {"s", 1.0, 4}, {"ms", 1e3, 3}, {"us", 1e6, 2}};
  const double least_hours = 100.0;
  const size_t last = sizeof units / sizeof units[0] - 1;
  if (iteration_s * units[0].per_s >= least_hours) return units[0];
  size_t i = 1;
  while (i < last && iteration_s * units[i].per_s < 1.0) i++;
  return units[i];
}

bool ss_table_is_zero(ss_table_unit unit, double time_s)
{
  return fabs(time_s) * unit.per_s * pow(10.0, unit.decimals) < 0.5;
}

double ss_table_percent(double part, double whole)
{
  return whole > 0.0 ? 100.0 * part / whole : 0.0;
}

void ss_table_print_time(FILE *stream, ss_table_unit unit, double time_s, double whole_s)
{
  (void)fprintf(stream, " %*.*f %-2s%*.1f %%", SS_TABLE_TIME - 4, unit.decimals, time_s * unit.per_s, unit.name,
                SS_TABLE_PERCENT - 2, ss_table_percent(time_s, whole_s));
}

void ss_table_print_difference(FILE *stream, ss_table_unit unit, double time_s)
{
  const bool zero = ss_table_is_zero(unit, time_s);
  const int width = SS_TABLE_TIME - 2 - (int)strlen(unit.name);
  (void)fprintf(stream, zero ? " %*.*f %s" : " %+*.*f %s", width, unit.decimals, zero ? 0.0 : time_s * unit.per_s,
                unit.name);
}

void ss_table_print_error(FILE *stream, double fraction)
{
  if (isnan(fraction))
    (void)fprintf(stream, "%10s", "-");
  else
    (void)fprintf(stream, "%+8.2f %%", 100.0 * fraction);
}

void ss_table_print_size(FILE *stream, double fraction)
{
  if (isnan(fraction))
    (void)fprintf(stream, "%10s", "-");
  else
    (void)fprintf(stream, "%8.2f %%", 100.0 * fraction);
}

/* Divides by 1000 until four digits have at most three before the point; returns how often, at most `most` times. */
static int reduce(double *value, int most)
{
  int times = 0;
  for (; times < most && *value >= 999.95; ++times) *value /= 1000.0;
  return times;
}

void ss_table_scale(double value, const char *unit, char text[SS_TABLE_SCALED_SIZE])
{
  static const char *const prefix[] = {"", "k", "M", "G", "T", "P", "E"};
  const int times = reduce(&value, (int)(sizeof prefix / sizeof prefix[0]) - 1);
  (void)snprintf(text, SS_TABLE_SCALED_SIZE, "%.4g %s%s", value, prefix[times], unit);
}

void ss_table_count(double value, char text[SS_TABLE_SCALED_SIZE])
{
  static const char *const word[] = {"", " thousand", " million", " billion", " trillion"};
  const int times = reduce(&value, (int)(sizeof word / sizeof word[0]) - 1);
  (void)snprintf(text, SS_TABLE_SCALED_SIZE, "%.4g%s", value, word[times]);
}

void ss_table_model(const char *name, double parameters, char *text, size_t size)
{
  char count[SS_TABLE_SCALED_SIZE];
  ss_table_count(parameters, count);
  if (parameters > 0.0)
    (void)snprintf(text, size, "%s (%s parameters)", name, count);
  else
    (void)snprintf(text, size, "%s", name);
}

void ss_table_print_wrapped(FILE *stream, const char *text, size_t indent)
{
  const size_t least = 16, room = indent + least;
  const size_t end = room > SS_TABLE_COLUMNS ? room : SS_TABLE_COLUMNS;
  size_t column = indent;
  while (*text != '\0') {
    const size_t length = strcspn(text, " ");
    if (column > indent && column + 1 + length > end) {
      (void)fprintf(stream, "\n%*s", (int)indent, "");
      column = indent;
    } else if (column > indent) {
      (void)fputc(' ', stream);
      column++;
    }
    (void)fprintf(stream, "%.*s", (int)length, text);
    column += length;
    text += length + strspn(text + length, " ");
  }
  (void)fputc('\n', stream);
}

void ss_table_print_sentence(FILE *stream, const char *format, ...)
{
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  ss_table_print_wrapped(stream, text, 0);
}

void ss_table_print_row(FILE *stream, ss_table_unit unit, const char *label, double time_s, double whole_s,
                        const char *help)
{
  (void)fprintf(stream, "  %-*s", SS_TABLE_LABEL - 2, label);
  ss_table_print_time(stream, unit, time_s, whole_s);
  (void)fprintf(stream, "  ");
  ss_table_print_wrapped(stream, help, SS_TABLE_LABEL + SS_TABLE_TIME + SS_TABLE_PERCENT + 2);
}
