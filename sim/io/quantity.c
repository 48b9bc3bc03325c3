/* Quantities with units, in the spelling of SimGrid. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/io/io.h"

typedef struct scale {
  const char *text;
  double factor;
} scale;

/* SimGrid refuses K for 1000 and k for 1024; so do we. */
static const scale decimal_prefixes[] = {{"k", 1e3},  {"M", 1e6},  {"G", 1e9},  {"T", 1e12}, {"P", 1e15},
                                         {"E", 1e18}, {"Z", 1e21}, {"Y", 1e24}, {"", 1},     {NULL, 0}};
static const scale size_prefixes[] = {{"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40}, {"Pi", 0x1p50},
                                      {"Ei", 0x1p60}, {"k", 1e3},     {"M", 1e6},     {"G", 1e9},     {"T", 1e12},
                                      {"P", 1e15},    {"E", 1e18},    {"", 1},        {NULL, 0}};
static const scale time_prefixes[] = {{"m", 1e-3}, {"u", 1e-6}, {"n", 1e-9}, {"p", 1e-12}, {"", 1}, {NULL, 0}};
static const scale power_prefixes[] = {{"k", 1e3}, {"M", 1e6}, {"", 1}, {NULL, 0}};
static const scale no_prefixes[] = {{"", 1}, {NULL, 0}};

static const scale none_suffixes[] = {{"", 1}, {NULL, 0}};
static const scale flop_suffixes[] = {{"f", 1}, {NULL, 0}};
static const scale bandwidth_suffixes[] = {{"Bps", 1}, {"bps", 0.125}, {NULL, 0}};
static const scale size_suffixes[] = {{"B", 1}, {"b", 0.125}, {NULL, 0}};
static const scale time_suffixes[] = {{"s", 1}, {NULL, 0}};
static const scale power_suffixes[] = {{"W", 1}, {NULL, 0}};

static const struct {
  const scale *prefixes, *suffixes;
} spellings[SS_UNIT_COUNT] = {
    [SS_UNIT_NONE] = {no_prefixes, none_suffixes},
    [SS_UNIT_FLOP_PER_S] = {decimal_prefixes, flop_suffixes},
    [SS_UNIT_BYTES_PER_S] = {size_prefixes, bandwidth_suffixes},
    [SS_UNIT_BYTES] = {size_prefixes, size_suffixes},
    [SS_UNIT_SECONDS] = {time_prefixes, time_suffixes},
    [SS_UNIT_FLOP] = {decimal_prefixes, flop_suffixes},
    [SS_UNIT_WATTS] = {power_prefixes, power_suffixes},
};

static const char *skip_digits(const char *text)
{
  while (*text >= '0' && *text <= '9') text++;
  return text;
}

/* The end of a decimal number at `text`; NULL if there is none. strtod alone would also accept hexadecimal numbers,
 * infinities and leading space. */
static const char *number_end(const char *text)
{
  if (*text == '+' || *text == '-') text++;
  const char *whole = skip_digits(text), *end = whole;
  if (*end == '.') end = skip_digits(end + 1);
  if (end - text - (*whole == '.') < 1) return NULL;
  if (*end != 'e' && *end != 'E') return end;
  const char *exponent = end + 1;
  if (*exponent == '+' || *exponent == '-') exponent++;
  const char *exponent_end = skip_digits(exponent);
  return exponent_end > exponent ? exponent_end : end;
}

/* The factor of a whole suffix such as "GBps"; 0 if it is not one. */
static double suffix_factor(const char *text, const scale *prefixes, const scale *suffixes)
{
  for (const scale *prefix = prefixes; prefix->text != NULL; prefix++) {
    const size_t length = strlen(prefix->text);
    if (strncmp(text, prefix->text, length) != 0) continue;
    for (const scale *suffix = suffixes; suffix->text != NULL; suffix++)
      if (strcmp(text + length, suffix->text) == 0) return prefix->factor * suffix->factor;
  }
  return 0;
}

int ss_quantity_parse(const char *text, ss_unit unit, double *value)
{
  SS_ASSERT((unsigned)unit < SS_UNIT_COUNT);
  const char *end = number_end(text);
  if (end == NULL) return -1;
  const double factor = suffix_factor(end, spellings[unit].prefixes, spellings[unit].suffixes);
  errno = 0;
  const double number = strtod(text, NULL);
  /* SimGrid stops on numbers that underflow, too. */
  if (factor == 0 || errno == ERANGE || !isfinite(number * factor)) return -1;
  *value = number * factor;
  return 0;
}

/* Powers of ten come last: people read them least easily. */
static size_t reading_length(const char *text)
{
  return strlen(text) + (strchr(text, 'e') != NULL ? SS_QUANTITY_SIZE : 0);
}

static void write_digits(double value, ss_unit unit, const scale *prefix, int digits, char text[SS_QUANTITY_SIZE])
{
  (void)snprintf(text, SS_QUANTITY_SIZE, "%.*g%s%s", digits, value / prefix->factor, prefix->text,
                 spellings[unit].suffixes[0].text);
}

/* Shortens `best` to NUMBER + suffix if that reads as the same value. */
static void shorten(double value, ss_unit unit, const scale *prefix, char best[SS_QUANTITY_SIZE])
{
  for (int digits = 1; digits <= 17; digits++) {
    char text[SS_QUANTITY_SIZE];
    double read;
    write_digits(value, unit, prefix, digits, text);
    const bool shorter = best[0] == '\0' || reading_length(text) < reading_length(best);
    if (shorter && ss_quantity_parse(text, unit, &read) == 0 && read == value) memcpy(best, text, sizeof text);
  }
}

void ss_quantity_format(double value, ss_unit unit, char text[SS_QUANTITY_SIZE])
{
  SS_ASSERT((unsigned)unit < SS_UNIT_COUNT);
  memset(text, 0, SS_QUANTITY_SIZE);
  for (const scale *prefix = spellings[unit].prefixes; prefix->text != NULL; prefix++)
    shorten(value, unit, prefix, text);
  SS_ASSERT(text[0] != '\0');
}

double ss_quantity_round(double value, ss_unit unit, int digits)
{
  size_t shortest = SIZE_MAX;
  double rounded = value;
  for (const scale *prefix = spellings[unit].prefixes; prefix->text != NULL; prefix++) {
    char text[SS_QUANTITY_SIZE];
    double read;
    write_digits(value, unit, prefix, digits, text);
    if (reading_length(text) >= shortest || ss_quantity_parse(text, unit, &read) != 0) continue;
    shortest = reading_length(text);
    rounded = read;
  }
  return rounded;
}
