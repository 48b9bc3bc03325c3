#include "model/search/sweep.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/range.h"
#include "model/input/workload.h"
#include "model/search/varied.h"

static const char *const choices[] = {
#define SS_BEST_WORD(id, word, help) word,
    SS_BEST_LIST(SS_BEST_WORD)
#undef SS_BEST_WORD
};

const char *ss_best_word(ss_best best)
{
  return choices[best];
}

/* A piece of a text. */
typedef struct piece {
  const char *text;
  size_t length;
} piece;

/* What a message shows of a text, so that there is room for the rest of it. */
#define SHOWN 200

static ss_status refuse(ss_error *error, const char *text, piece value, const char *problem)
{
  return ss_error_set(error, SS_ERROR_INPUT, SS_SWEEP_OPTION, 0, "\"%.*s\" in \"%.*s\": %s",
                      (int)(value.length < SHOWN ? value.length : SHOWN), value.text, SHOWN, text, problem);
}

static ss_status out_of_memory(ss_error *error)
{
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for the values of an axis");
}

/* A text, and its parts behind it: what is between slashes, or, unless it `splits`, all of it once more. NULL where
 * there is no memory. */
static char *keep_text(piece text, bool splits)
{
  const size_t size = text.length + 1;
  char *kept = malloc(2 * size);
  if (kept == NULL) return NULL;
  memcpy(kept, text.text, text.length);
  kept[text.length] = '\0';
  memcpy(kept + size, kept, size);
  for (char *c = kept + size; splits && c < kept + 2 * size; ++c)
    if (*c == '/') *c = '\0';
  return kept;
}

static const char *part_of(const char *kept, int64_t index)
{
  const char *part = kept + strlen(kept) + 1;
  for (; index > 0; --index) part += strlen(part) + 1;
  return part;
}

static ss_status add_value(const char *text, piece given, piece value, ss_sweep_axis *axis, ss_error *error)
{
  if (axis->count == SS_SWEEP_VALUES) return refuse(error, text, given, "is more than 4096 values");
  if (axis->count == axis->capacity) {
    const int64_t capacity = axis->capacity > 0 ? 2 * axis->capacity : 16;
    char **grown = realloc((void *)axis->value, (size_t)capacity * sizeof *grown);
    if (grown == NULL) return out_of_memory(error);
    axis->value = grown;
    axis->capacity = capacity;
  }
  char *kept = keep_text(value, axis->names > 1);
  if (kept == NULL) return out_of_memory(error);
  axis->value[axis->count++] = kept;
  return SS_OK;
}
_Static_assert(SS_SWEEP_VALUES == 4096, "texts say so");

static ss_status add_range_values(const char *text, piece given, const ss_range *r, ss_sweep_axis *axis,
                                  ss_error *error)
{
  const size_t size = strlen(r->unit) + 32;
  char *value = malloc(size);
  if (value == NULL) return out_of_memory(error);
  ss_status status = SS_OK;
  double number = r->first;
  for (int64_t i = 1; status == SS_OK && ss_range_has(r, number); ++i) {
    const int length = snprintf(value, size, "%.12g%s", number, r->unit);
    status = add_value(text, given, (piece){value, (size_t)length}, axis, error);
    number = ss_range_next(r, number, i);
  }
  free(value);
  return status;
}

static ss_status add_range(const char *text, piece given, ss_sweep_axis *axis, ss_error *error)
{
  ss_range r;
  char *copy = keep_text(given, false);
  if (copy == NULL) return out_of_memory(error);
  const ss_status status = ss_range_read(copy, &r)
                               ? add_range_values(text, given, &r, axis, error)
                               : refuse(error, text, given,
                                        "is not a range; allowed: " SS_RANGE_FORM
                                        " and without a unit, such as 1..64*2 or 100GBps..400GBps+50");
  free(copy);
  return status;
}

/* Parts of a text with slashes between them. */
static int64_t count_parts(piece text)
{
  int64_t count = 1;
  for (size_t i = 0; i < text.length; ++i) count += text.text[i] == '/';
  return count;
}

/* Paths may have dots, too; ranges begin with a digit. */
static bool is_range(piece value)
{
  const char *dots = strstr(value.text, "..");
  return isdigit((unsigned char)value.text[0]) && dots != NULL && dots < value.text + value.length;
}

static ss_status add(const char *text, piece value, ss_sweep_axis *axis, ss_error *error)
{
  if (value.length == 0) return refuse(error, text, value, "is empty; allowed: a value");
  if (axis->names == 1 && is_range(value)) return add_range(text, value, axis, error);
  if (axis->names > 1 && count_parts(value) != axis->names)
    return refuse(error, text, value, "needs a part for each name, such as 1/64 for parallelism.pp/parallelism.dp");
  return add_value(text, value, value, axis, error);
}

ss_status ss_sweep_axis_parse(const char *text, ss_sweep_axis *axis, ss_error *error)
{
  const char *equals = strchr(text, '=');
  *axis = (ss_sweep_axis){.count = 0};
  if (equals == NULL || equals == text)
    return ss_error_set(error, SS_ERROR_INPUT, SS_SWEEP_OPTION, 0,
                        "\"%.*s\": is not a list of values; allowed: ELEMENT.ATTRIBUTE=VALUE,..., "
                        "platform.PROPERTY=VALUE,..., gpus=N,... or platform=FILE,...",
                        SHOWN, text);
  const piece name = {text, (size_t)(equals - text)};
  axis->names = count_parts(name);
  axis->name = keep_text(name, axis->names > 1);
  if (axis->name == NULL) return out_of_memory(error);
  for (size_t i = 0; i < 2 * (name.length + 1); ++i)
    if (axis->name[i] == '_') axis->name[i] = '-';
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

void ss_sweep_axis_free(ss_sweep_axis *axis)
{
  for (int64_t i = 0; i < axis->count; ++i) free(axis->value[i]);
  free((void *)axis->value);
  free(axis->name);
  *axis = (ss_sweep_axis){.count = 0};
}

ss_sweep_setting ss_sweep_setting_of(const ss_sweep_axis *axis, int64_t value, int64_t index)
{
  SS_ASSERT(axis->value != NULL && value >= 0 && value < axis->count && index >= 0 && index < axis->names);
  return (ss_sweep_setting){part_of(axis->name, index), part_of(axis->value[value], index)};
}

static int64_t count_name(const ss_sweep *sweep, const char *name)
{
  int64_t count = 0;
  for (int64_t i = 0; i < sweep->axes; ++i)
    for (int64_t j = 0; sweep->axis[i].count > 0 && j < sweep->axis[i].names; ++j)
      count += strcmp(ss_sweep_setting_of(&sweep->axis[i], 0, j).name, name) == 0;
  return count;
}

bool ss_sweep_varies(const ss_sweep *sweep, const char *name)
{
  return count_name(sweep, name) > 0;
}

bool ss_sweep_varies_attribute(const ss_sweep *sweep, ss_attribute_index attribute)
{
  const ss_attribute *row = &ss_workload_attributes()[attribute];
  char name[128]; /* the words of the table are shorter */
  (void)snprintf(name, sizeof name, "%s.%s", row->element, row->name);
  return ss_sweep_varies(sweep, name);
}

static ss_status check_once(const ss_sweep *sweep, const char *text, const ss_sweep_axis *axis, ss_error *error)
{
  for (int64_t i = 0; i < axis->names; ++i)
    if (count_name(sweep, ss_sweep_setting_of(axis, 0, i).name) > 1)
      return ss_error_set(error, SS_ERROR_INPUT, SS_SWEEP_OPTION, 0, "\"%s\": is varied twice; allowed: once", text);
  return SS_OK;
}

ss_status ss_sweep_init(ss_sweep *sweep, const char *const *text, int64_t axes, ss_error *error)
{
  *sweep = (ss_sweep){.axes = axes, .count = 1};
  SS_ASSERT(axes >= 1 && axes <= SS_SWEEP_AXES);
  for (int64_t i = 0; i < axes; ++i) {
    ss_status status = ss_sweep_axis_parse(text[i], &sweep->axis[i], error);
    if (status == SS_OK) status = check_once(sweep, text[i], &sweep->axis[i], error);
    if (status != SS_OK) return status;
    sweep->count *= sweep->axis[i].count;
  }
  SS_ASSERT(sweep->count > 0); /* every axis has a value */
  if (sweep->count > SS_SWEEP_POINTS)
    return ss_error_set(error, SS_ERROR_INPUT, SS_SWEEP_OPTION, 0, "has %lld points; allowed: up to %d",
                        (long long)sweep->count, SS_SWEEP_POINTS);
  sweep->point = calloc((size_t)sweep->count, sizeof *sweep->point);
  if (sweep->point != NULL) return SS_OK;
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for %lld points", (long long)sweep->count);
}

void ss_sweep_free(ss_sweep *sweep)
{
  for (int64_t i = 0; sweep->point != NULL && i < sweep->count; ++i) {
    free(sweep->point[i].refusal);
    free(sweep->point[i].top);
  }
  for (int64_t i = 0; i < sweep->axes; ++i) ss_sweep_axis_free(&sweep->axis[i]);
  free(sweep->point);
  free(sweep->extremum);
  *sweep = (ss_sweep){0};
}

/* Points between two neighbours along an axis. */
static int64_t stride_of(const ss_sweep *sweep, int64_t axis)
{
  return axis + 1 < sweep->axes ? sweep->axis[axis + 1].count : 1;
}

int64_t ss_sweep_value_index(const ss_sweep *sweep, int64_t point, int64_t axis)
{
  return point / stride_of(sweep, axis) % sweep->axis[axis].count;
}

const char *ss_sweep_value(const ss_sweep *sweep, int64_t point, int64_t axis)
{
  return sweep->axis[axis].value[ss_sweep_value_index(sweep, point, axis)];
}

const ss_strategy *ss_sweep_best(const ss_sweep_point *point)
{
  return point->count > 0 ? &point->top[point->best] : NULL;
}

const ss_breakdown *ss_sweep_time(const ss_sweep_point *point, bool simulated)
{
  const ss_strategy *best = ss_sweep_best(point);
  if (best == NULL || (simulated && !best->simulated)) return NULL;
  return simulated ? &best->simulation : &point->top[0].estimate;
}

/* Buffers for one line of points. */
typedef struct line {
  const ss_breakdown **curve; /* [values of the longest axis], like the next one; owned */
  ss_extremum *found;
} line;

static bool line_init(line *l, const ss_sweep *sweep)
{
  size_t longest = 1;
  for (int64_t i = 0; i < sweep->axes; ++i)
    if ((size_t)sweep->axis[i].count > longest) longest = (size_t)sweep->axis[i].count;
  l->curve = malloc(longest * sizeof *l->curve);
  l->found = malloc(longest * sizeof *l->found);
  return l->curve != NULL && l->found != NULL;
}

static void line_free(line *l)
{
  free((void *)l->curve);
  free(l->found);
}

/* One line of points along an axis, from point `start` on. */
static void turn_line(ss_sweep *sweep, line *l, int64_t axis, int64_t start, bool simulated)
{
  const int64_t count = sweep->axis[axis].count, stride = stride_of(sweep, axis);
  for (int64_t i = 0; i < count; ++i) l->curve[i] = ss_sweep_time(&sweep->point[start + i * stride], simulated);
  const int64_t turns = ss_extrema_find(l->curve, count, l->found);
  for (int64_t i = 0; i < turns; ++i)
    sweep->extremum[sweep->extrema++] = (ss_sweep_extremum){.axis = axis,
                                                            .first = start + l->found[i].first * stride,
                                                            .last = start + l->found[i].last * stride,
                                                            .simulated = simulated,
                                                            .maximum = l->found[i].maximum,
                                                            .part = l->found[i].part,
                                                            .depth_s = l->found[i].depth_s};
}

static bool is_number(const ss_sweep_setting *setting)
{
  return isdigit((unsigned char)setting->value[0]) && strcmp(setting->name, SS_SWEEP_PLATFORM) != 0;
}

/* Words and platforms have no order, so they make no curve. */
static bool is_ordered(const ss_sweep_axis *axis)
{
  bool ordered = true;
  for (int64_t value = 0; value < axis->count; ++value)
    for (int64_t i = 0; i < axis->names; ++i) {
      const ss_sweep_setting setting = ss_sweep_setting_of(axis, value, i);
      ordered = ordered && is_number(&setting);
    }
  return ordered;
}

static void turn_lines(ss_sweep *sweep, line *l)
{
  for (int64_t axis = 0; axis < sweep->axes; ++axis)
    for (int simulated = 0; is_ordered(&sweep->axis[axis]) && simulated < 2; ++simulated)
      for (int64_t i = 0; i < sweep->count; ++i)
        if (ss_sweep_value_index(sweep, i, axis) == 0) turn_line(sweep, l, axis, i, simulated != 0);
}

ss_status ss_sweep_turn(ss_sweep *sweep, ss_error *error)
{
  line l;
  free(sweep->extremum);
  sweep->extrema = 0;
  sweep->extremum = malloc((size_t)(2 * sweep->axes * sweep->count) * sizeof *sweep->extremum);
  const bool complete = line_init(&l, sweep) && sweep->extremum != NULL;
  if (complete) turn_lines(sweep, &l);
  line_free(&l);
  if (complete) return SS_OK;
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for %lld points", (long long)sweep->count);
}
