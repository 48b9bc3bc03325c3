#include "sim/report/sweep/values.h"

#include <inttypes.h>
#include <math.h>

#include "sim/report/json.h"

/* Whole numbers up to this are doubles. */
#define EXACT 9007199254740992.0

static bool is_whole(double number)
{
  return number == floor(number) && fabs(number) <= EXACT;
}

static json_t *value_json(const ss_sweep_report *report, const ss_sweep_setting *setting)
{
  double number;
  const char *unit;
  if (!report->number(setting->name, setting->value, &number, &unit)) return json_string(setting->value);
  return is_whole(number) ? json_integer((json_int_t)number) : json_real(number);
}

/* Adds what one name of an axis takes. */
static void add_name(json_t *object, const ss_sweep_report *report, const ss_sweep_axis *axis, int64_t name,
                     bool *complete)
{
  json_t *values = json_array();
  const char *unit = NULL;
  double number;
  for (int64_t i = 0; i < axis->count; ++i) {
    const ss_sweep_setting setting = ss_sweep_setting_of(axis, i, name);
    (void)report->number(setting.name, setting.value, &number, &unit);
    ss_json_append(values, value_json(report, &setting), complete);
  }
  if (unit != NULL) ss_json_add(object, "unit", json_string(unit), complete);
  ss_json_add(object, "values", values, complete);
}

static json_t *joint_json(const ss_sweep_report *report, const ss_sweep_axis *axis, bool *complete)
{
  json_t *array = json_array();
  for (int64_t i = 0; i < axis->names; ++i) {
    json_t *object = json_object();
    ss_json_add(object, "name", json_string(ss_sweep_setting_of(axis, 0, i).name), complete);
    add_name(object, report, axis, i, complete);
    ss_json_append(array, object, complete);
  }
  return array;
}

json_t *ss_sweep_axes_json(const ss_sweep_report *report, bool *complete)
{
  json_t *array = json_array();
  for (int64_t i = 0; i < report->sweep->axes; ++i) {
    const ss_sweep_axis *axis = &report->sweep->axis[i];
    json_t *object = json_object();
    ss_json_add(object, "name", json_string(axis->name), complete);
    if (axis->names > 1)
      ss_json_add(object, "joint", joint_json(report, axis, complete), complete);
    else
      add_name(object, report, axis, 0, complete);
    ss_json_append(array, object, complete);
  }
  return array;
}

/* The setting of a name of an axis at a point. */
static ss_sweep_setting setting_at(const ss_sweep *sweep, int64_t point, int64_t axis, int64_t name)
{
  return ss_sweep_setting_of(&sweep->axis[axis], ss_sweep_value_index(sweep, point, axis), name);
}

json_t *ss_sweep_values_json(const ss_sweep_report *report, int64_t point, bool *complete)
{
  const ss_sweep *sweep = report->sweep;
  json_t *object = json_object();
  for (int64_t i = 0; i < sweep->axes; ++i)
    for (int64_t j = 0; j < sweep->axis[i].names; ++j) {
      const ss_sweep_setting setting = setting_at(sweep, point, i, j);
      ss_json_add(object, setting.name, value_json(report, &setting), complete);
    }
  return object;
}

void ss_sweep_names_write_csv(ss_output *output, const ss_sweep_report *report)
{
  const ss_sweep *sweep = report->sweep;
  for (int64_t i = 0; i < sweep->axes; ++i)
    for (int64_t j = 0; j < sweep->axis[i].names; ++j) {
      if (i + j > 0) ss_output_print(output, ",");
      ss_output_print_field(output, ss_sweep_setting_of(&sweep->axis[i], 0, j).name);
    }
}

static void write_value(ss_output *output, const ss_sweep_report *report, const ss_sweep_setting *setting)
{
  double number;
  const char *unit;
  if (!report->number(setting->name, setting->value, &number, &unit))
    ss_output_print_field(output, setting->value);
  else if (is_whole(number))
    ss_output_print(output, "%" PRId64, (int64_t)number);
  else
    ss_output_print(output, "%.17g", number);
}

void ss_sweep_values_write_csv(ss_output *output, const ss_sweep_report *report, int64_t point)
{
  const ss_sweep *sweep = report->sweep;
  for (int64_t i = 0; i < sweep->axes; ++i)
    for (int64_t j = 0; j < sweep->axis[i].names; ++j) {
      const ss_sweep_setting setting = setting_at(sweep, point, i, j);
      if (i + j > 0) ss_output_print(output, ",");
      write_value(output, report, &setting);
    }
}
