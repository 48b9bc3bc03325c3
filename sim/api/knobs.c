/* Knobs and columns: what can be set and read by name. */
#include <string.h>

#include "model/base/spelling.h"
#include "model/input/workload_attributes.h"
#include "sim/api/api.h"
#include "sim/report/figures.h"

static const char *const knobs[] = {
#define ATTRIBUTE(element, field, name, ...) #element "." name,
    SS_WORKLOAD_ATTRIBUTES(ATTRIBUTE, ATTRIBUTE, ATTRIBUTE, ATTRIBUTE)
#undef ATTRIBUTE
#define PROPERTY(field, name, ...) "platform." name,
        SS_MACHINE_PROPERTIES(PROPERTY, PROPERTY, PROPERTY, PROPERTY, PROPERTY)
#undef PROPERTY
};

enum { KNOBS = sizeof knobs / sizeof knobs[0] };
_Static_assert(KNOBS == SS_ATTRIBUTE_TOTAL + SS_PROPERTY_TOTAL, "attributes, then properties");

static bool is_knob(int64_t knob)
{
  return knob >= 0 && knob < KNOBS;
}

int64_t ss_api_knob_find(const char *name)
{
  for (int64_t i = 0; i < KNOBS; ++i)
    if (ss_spells(name, strlen(name), knobs[i])) return i;
  return -1;
}

int64_t stepsim_knob_count(void)
{
  return KNOBS;
}

const char *stepsim_knob_name(int64_t knob)
{
  return is_knob(knob) ? knobs[knob] : NULL;
}

const char *stepsim_knob_help(int64_t knob)
{
  if (!is_knob(knob)) return NULL;
  return knob < SS_ATTRIBUTE_TOTAL ? ss_workload_attributes()[knob].help
                                   : ss_machine_properties()[knob - SS_ATTRIBUTE_TOTAL].help;
}

/* The row of a column; NULL where there is none. */
static const ss_figure *figure(int64_t column)
{
  size_t count;
  const ss_figure *figures = ss_figures(&count);
  return column >= 0 && column < (int64_t)count ? &figures[column] : NULL;
}

int64_t stepsim_column_count(void)
{
  size_t count;
  (void)ss_figures(&count);
  return (int64_t)count;
}

const char *stepsim_column_name(int64_t column)
{
  const ss_figure *row = figure(column);
  return row != NULL ? row->name : NULL;
}

const char *stepsim_column_unit(int64_t column)
{
  const ss_figure *row = figure(column);
  return row != NULL ? row->unit : NULL;
}

const char *stepsim_column_help(int64_t column)
{
  const ss_figure *row = figure(column);
  return row != NULL ? row->help : NULL;
}

int64_t stepsim_column_find(const char *name)
{
  for (int64_t i = 0; name != NULL && i < stepsim_column_count(); ++i)
    if (strcmp(stepsim_column_name(i), name) == 0) return i;
  return -1;
}
