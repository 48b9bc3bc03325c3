#include "sim/io/measured/figure.h"

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

/* At 1 kW. */
static double time_of_gpu_energy(const double number[SS_RUN_FIGURES])
{
  return number[SS_RUN_GPU_ENERGY] * 3600.0;
}

static double time_of_energy(const double number[SS_RUN_FIGURES])
{
  return number[SS_RUN_ENERGY] * 3600.0;
}

/* At 1 g/s. */
static double time_of_carbon(const double number[SS_RUN_FIGURES])
{
  return number[SS_RUN_CARBON] * 1000.0;
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
      [SS_RUN_GPU_ENERGY] = time_of_gpu_energy,
      [SS_RUN_ENERGY] = time_of_energy,
      [SS_RUN_CARBON] = time_of_carbon,
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
                        "element <point> does not say what is measured of a run; allowed: one of days, gpu-hours, "
                        "goodput, gpu-kwh, kwh and co2-kg, or interruptions with the days that they are counted in");
  point->measured_s = times[point->figure](number);
  return SS_OK;
}

/* More interruptions are closer together, and more goodput is less time for a second of work. */
static ss_limit reversed(ss_limit limit)
{
  return limit == SS_LIMIT_AT_LEAST ? SS_LIMIT_AT_MOST : SS_LIMIT_AT_LEAST;
}

ss_status ss_measured_limit_read(const ss_value *value, ss_measured_point *point, ss_error *error)
{
  static const bool is_inverse[SS_RUN_FIGURES] = {[SS_RUN_INTERRUPTIONS] = true, [SS_RUN_GOODPUT] = true};
  static const char *const words[] = {
#define LIMIT_WORD(id, word, text) word,
      SS_LIMIT_LIST(LIMIT_WORD) NULL
#undef LIMIT_WORD
  };
  static const ss_limit limits[] = {
#define LIMIT_ID(id, word, text) id,
      SS_LIMIT_LIST(LIMIT_ID)
#undef LIMIT_ID
  };
  int word;
  if (value->text == NULL) return SS_OK;
  const ss_status status = ss_value_word(value, words, &word, error);
  if (status == SS_OK) point->limit = is_inverse[point->figure] ? reversed(limits[word]) : limits[word];
  return status;
}
