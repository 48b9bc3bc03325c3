#include "model/sweep.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last value of a range may miss LAST by rounding. */
#define ROUNDING 1e-9

/* A piece of a text. */
typedef struct piece {
  const char *text;
  size_t length;
} piece;

/* FIRST..LAST*FACTOR or FIRST..LAST+STEP. */
typedef struct range {
  double first, last, by;
  bool multiplies;
  char unit[SS_SWEEP_TEXT_SIZE];
} range;

static ss_status refuse(ss_error *error, const char *text, piece value, const char *problem)
{
  return ss_error_set(error, SS_ERROR_INPUT, SS_SWEEP_OPTION, 0, "\"%.*s\" in \"%s\": %s",
                      (int)(value.length < SS_SWEEP_TEXT_SIZE ? value.length : SS_SWEEP_TEXT_SIZE), value.text, text,
                      problem);
}

static bool add_value(ss_sweep_axis *axis, piece value)
{
  if (axis->count == SS_SWEEP_VALUES) return false;
  (void)snprintf(axis->value[axis->count++], SS_SWEEP_TEXT_SIZE, "%.*s", (int)value.length, value.text);
  return true;
}

/* Splits "100GBps" into its number and what follows. */
static bool split_number(const char *text, double *number, const char **unit)
{
  char *end;
  *number = strtod(text, &end);
  *unit = end;
  return isdigit((unsigned char)*text) && isfinite(*number);
}

/* Reads a range, the name of whose unit may be left out at one of its ends. */
static bool read_range(char *text, range *r)
{
  const char *first_unit, *last_unit, *rest;
  char *last = strstr(text, ".."), *by = last + 2 + strcspn(last + 2, "*+");
  *last = '\0';
  last += 2;
  r->multiplies = *by == '*';
  if (*by == '\0') return false;
  *by++ = '\0';
  if (!split_number(text, &r->first, &first_unit) || !split_number(last, &r->last, &last_unit) ||
      !split_number(by, &r->by, &rest))
    return false;
  const bool same_unit = first_unit[0] == '\0' || last_unit[0] == '\0' || strcmp(first_unit, last_unit) == 0;
  (void)snprintf(r->unit, sizeof r->unit, "%s", first_unit[0] != '\0' ? first_unit : last_unit);
  return same_unit && rest[0] == '\0' && r->first <= r->last && r->by > (r->multiplies ? 1.0 : 0.0) &&
         (r->first > 0.0 || !r->multiplies);
}

static ss_status add_range(const char *text, piece given, ss_sweep_axis *axis, ss_error *error)
{
  char copy[SS_SWEEP_TEXT_SIZE], value[2 * SS_SWEEP_TEXT_SIZE];
  range r;
  (void)snprintf(copy, sizeof copy, "%.*s", (int)given.length, given.text);
  if (!read_range(copy, &r))
    return refuse(error, text, given,
                  "is not a range; allowed: FIRST..LAST*FACTOR or FIRST..LAST+STEP, such as 1..64*2 or "
                  "100GBps..400GBps+50");
  double number = r.first;
  for (int64_t i = 1; number <= r.last * (1.0 + ROUNDING); ++i) {
    const int length = snprintf(value, sizeof value, "%.12g%s", number, r.unit);
    if (!add_value(axis, (piece){value, (size_t)length})) return refuse(error, text, given, "has more than 64 values");
    number = r.multiplies ? number * r.by : r.first + (double)i * r.by;
  }
  return SS_OK;
}
_Static_assert(SS_SWEEP_VALUES == 64, "texts say so");

/* Paths may have dots, too; ranges begin with a digit. */
static bool is_range(piece value)
{
  const char *dots = strstr(value.text, "..");
  return isdigit((unsigned char)value.text[0]) && dots != NULL && dots < value.text + value.length;
}

static ss_status add(const char *text, piece value, ss_sweep_axis *axis, ss_error *error)
{
  if (value.length == 0 || value.length >= SS_SWEEP_TEXT_SIZE)
    return refuse(error, text, value, "is empty or too long for a value");
  if (is_range(value)) return add_range(text, value, axis, error);
  return add_value(axis, value) ? SS_OK : refuse(error, text, value, "is one more than 64 values");
}

ss_status ss_sweep_axis_parse(const char *text, ss_sweep_axis *axis, ss_error *error)
{
  const char *equals = strchr(text, '=');
  axis->count = 0;
  if (equals == NULL || equals == text || equals - text >= SS_SWEEP_TEXT_SIZE)
    return ss_error_set(error, SS_ERROR_INPUT, SS_SWEEP_OPTION, 0,
                        "\"%s\": is not a list of values; allowed: ELEMENT.ATTRIBUTE=VALUE,... or "
                        "platform.PROPERTY=VALUE,...",
                        text);
  (void)snprintf(axis->name, sizeof axis->name, "%.*s", (int)(equals - text), text);
  const char *separator = strchr(equals, ';') != NULL ? ";" : ",";
  const char *next = equals;
  ss_status status = SS_OK;
  do {
    const piece value = {next + 1, strcspn(next + 1, separator)};
    status = add(text, value, axis, error);
    next = value.text + value.length;
  } while (status == SS_OK && *next != '\0');
  return status;
}

ss_status ss_sweep_init(ss_sweep *sweep, const char *const *text, int64_t axes, ss_error *error)
{
  *sweep = (ss_sweep){.axes = axes, .count = 1};
  SS_ASSERT(axes >= 1 && axes <= SS_SWEEP_AXES);
  for (int64_t i = 0; i < axes; ++i) {
    const ss_status status = ss_sweep_axis_parse(text[i], &sweep->axis[i], error);
    if (status != SS_OK) return status;
    if (i > 0 && strcmp(sweep->axis[0].name, sweep->axis[i].name) == 0)
      return ss_error_set(error, SS_ERROR_INPUT, SS_SWEEP_OPTION, 0, "\"%s\": is varied twice; allowed: once", text[i]);
    sweep->count *= sweep->axis[i].count;
  }
  SS_ASSERT(sweep->count > 0); /* every axis has a value */
  sweep->point = calloc((size_t)sweep->count, sizeof *sweep->point);
  if (sweep->point != NULL) return SS_OK;
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for %lld points", (long long)sweep->count);
}

void ss_sweep_free(ss_sweep *sweep)
{
  for (int64_t i = 0; sweep->point != NULL && i < sweep->count; ++i) free(sweep->point[i].refusal);
  free(sweep->point);
  free(sweep->turning);
  *sweep = (ss_sweep){0};
}

/* Points between two neighbours along an axis. */
static int64_t stride_of(const ss_sweep *sweep, int64_t axis)
{
  return axis + 1 < sweep->axes ? sweep->axis[axis + 1].count : 1;
}

const char *ss_sweep_value(const ss_sweep *sweep, int64_t point, int64_t axis)
{
  return sweep->axis[axis].value[point / stride_of(sweep, axis) % sweep->axis[axis].count];
}

/* What is looked at along an axis: one of the two times of a point, or none. */
static const ss_breakdown *time_of(const ss_sweep_point *point, bool simulated)
{
  if (point->refusal != NULL || (simulated && !point->simulated)) return NULL;
  return simulated ? &point->simulation : &point->estimate;
}

/* One line of points along an axis, from point `start` on. */
static void turn_line(ss_sweep *sweep, int64_t axis, int64_t start, bool simulated)
{
  const ss_breakdown *curve[SS_SWEEP_VALUES];
  ss_turning found[SS_SWEEP_VALUES];
  const int64_t count = sweep->axis[axis].count, stride = stride_of(sweep, axis);
  for (int64_t i = 0; i < count; ++i) curve[i] = time_of(&sweep->point[start + i * stride], simulated);
  const int64_t turns = ss_turnings_find(curve, count, found);
  for (int64_t i = 0; i < turns; ++i)
    sweep->turning[sweep->turnings++] = (ss_sweep_turning){.axis = axis,
                                                           .first = start + found[i].first * stride,
                                                           .last = start + found[i].last * stride,
                                                           .simulated = simulated,
                                                           .maximum = found[i].maximum,
                                                           .part = found[i].part};
}

ss_status ss_sweep_turn(ss_sweep *sweep, ss_error *error)
{
  free(sweep->turning);
  sweep->turnings = 0;
  sweep->turning = malloc((size_t)(2 * sweep->axes * sweep->count) * sizeof *sweep->turning);
  if (sweep->turning == NULL)
    return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for %lld points", (long long)sweep->count);
  for (int64_t axis = 0; axis < sweep->axes; ++axis) {
    const int64_t stride = stride_of(sweep, axis);
    for (int simulated = 0; simulated < 2; ++simulated)
      for (int64_t i = 0; i < sweep->count; ++i)
        if (i / stride % sweep->axis[axis].count == 0) turn_line(sweep, axis, i, simulated != 0);
  }
  return SS_OK;
}
