#include "sim/io/measured_figure.h"

#define LEAST 1e-9
#define MOST  1e12

static double time_of_days(const double number[SS_RUN_FIGURES])
{
  return number[SS_RUN_DAYS] * 86400.0;
}

/* Of the whole machine, as if it had one GPU. */
static double time_of_gpu_hours(const double number[SS_RUN_FIGURES])
{
  return number[SS_RUN_GPU_HOURS] * 3600.0;
}

static double time_of_interruptions(const double number[SS_RUN_FIGURES])
{
  return time_of_days(number) / number[SS_RUN_INTERRUPTIONS];
}

static double time_of_goodput(const double number[SS_RUN_FIGURES])
{
  return 1.0 / number[SS_RUN_GOODPUT];
}

ss_status ss_measured_figure_read(const ss_document *document, const ss_value values[SS_RUN_FIGURES],
                                  ss_measured_point *point, ss_error *error)
{
  static double (*const times[])(const double number[SS_RUN_FIGURES]) = {
      [SS_RUN_DAYS] = time_of_days,
      [SS_RUN_GPU_HOURS] = time_of_gpu_hours,
      [SS_RUN_INTERRUPTIONS] = time_of_interruptions,
      [SS_RUN_GOODPUT] = time_of_goodput,
  };
  double number[SS_RUN_FIGURES] = {0.0};
  int given = 0;
  for (int i = 0; i < SS_RUN_FIGURES; ++i) {
    const ss_value *value = &values[i];
    if (value->text == NULL) continue;
    const ss_status status = ss_value_real(value, LEAST, i == SS_RUN_GOODPUT ? 1.0 : MOST, &number[i], error);
    if (status != SS_OK) return status;
    point->figure = (ss_run_figure)i;
    ++given;
  }
  if (given != (point->figure == SS_RUN_INTERRUPTIONS ? 2 : 1) ||
      (point->figure == SS_RUN_INTERRUPTIONS && number[SS_RUN_DAYS] == 0.0))
    return ss_error_set(error, SS_ERROR_INPUT, document->path, point->line,
                        "element <point> does not say what is measured of a run; allowed: one of days, gpu-hours and "
                        "goodput, or interruptions with the days that they are counted in");
  point->measured_s = times[point->figure](number);
  return SS_OK;
}
