#include "sim/report/strategies/record_value.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* A result that was kept before there was such a member has none. */
static double value_in(const char *parts, const char *key)
{
  json_t *strategies = json_loads(parts, 0, NULL);
  const json_t *member = json_object_get(json_array_get(strategies, 0), key);
  const double value = json_is_number(member) ? json_number_value(member) : NAN;
  json_decref(strategies);
  return value;
}

double ss_record_value(const ss_record *record, const char *key)
{
#define COUNT_VALUE(field, name, meaning)                                                                              \
  if (strcmp(key, name) == 0) return record->field >= 0 ? (double)record->field : NAN;
#define REAL_VALUE(field, name, meaning)                                                                               \
  if (strcmp(key, name) == 0) return record->field;
  SS_RECORD_COUNTS(COUNT_VALUE)
  SS_RECORD_REALS(REAL_VALUE)
#undef COUNT_VALUE
#undef REAL_VALUE
  return value_in(record->parts, key);
}
