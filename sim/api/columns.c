/* Columns of the library: the numbers of a prediction by name. */
#include <string.h>

#include "sim/api/api.h"
#include "sim/report/figures.h"

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
