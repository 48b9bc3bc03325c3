#include "sim/draw/extent.h"

#include <math.h>

static double share_of(const ss_extent *scale, double value)
{
  const double length = scale->logarithmic ? log(scale->last / scale->first) : scale->last - scale->first;
  if (length == 0.0) return 0.5;
  return (scale->logarithmic ? log(value / scale->first) : value - scale->first) / length;
}

double ss_extent_at(const ss_extent *scale, double value)
{
  return scale->from + (scale->to - scale->from) * share_of(scale, value);
}

double ss_extent_step(double first, double last, int wanted)
{
  const double least = (last - first) / wanted;
  if (!(least > 0.0)) return 1.0;
  const double power = pow(10.0, floor(log10(least)));
  const double digits[] = {1.0, 2.0, 5.0};
  for (int i = 0; i < 3; ++i)
    if (digits[i] * power >= least * (1.0 - 1e-9)) return digits[i] * power;
  return 10.0 * power;
}

static int even_ticks(const ss_extent *scale, int wanted, double tick[SS_TICKS_MAX])
{
  const double step = ss_extent_step(scale->first, scale->last, wanted);
  const double begin = ceil(scale->first / step - 1e-9), end = floor(scale->last / step + 1e-9);
  int count = 0;
  while (begin + count <= end && count < SS_TICKS_MAX) {
    tick[count] = (begin + count) * step;
    ++count;
  }
  return count;
}

static int logarithmic_ticks(const ss_extent *scale, int wanted, double tick[SS_TICKS_MAX])
{
  const double decades = log10(scale->last / scale->first);
  const bool fine = 3.0 * decades <= wanted + 1.0;
  const int every = fmax(ceil(decades / wanted), 1.0) > 1.0 ? (int)ceil(decades / wanted) : 1;
  int count = 0;
  for (int decade = (int)floor(log10(scale->first)); decade <= (int)ceil(log10(scale->last)); ++decade) {
    const double digits[] = {1.0, 2.0, 5.0};
    if (!fine && decade % every != 0) continue;
    for (int i = 0; i < (fine ? 3 : 1); ++i) {
      const double value = digits[i] * pow(10.0, decade);
      const bool inside = value >= scale->first * (1.0 - 1e-9) && value <= scale->last * (1.0 + 1e-9);
      if (inside && count < SS_TICKS_MAX) tick[count++] = value;
    }
  }
  return count;
}

int ss_extent_ticks(const ss_extent *scale, int wanted, double tick[SS_TICKS_MAX])
{
  const int count = scale->logarithmic ? logarithmic_ticks(scale, wanted, tick) : 0;
  return count >= 2 ? count : even_ticks(scale, wanted, tick);
}

ss_extent ss_extent_widened(ss_extent scale, int wanted)
{
  if (scale.first == scale.last) {
    scale.first -= scale.logarithmic ? 0.5 * scale.first : 0.5;
    scale.last += scale.logarithmic ? 0.5 * scale.last : 0.5;
  }
  if (scale.logarithmic) {
    scale.first = pow(10.0, 0.5 * floor(2.0 * log10(scale.first)));
    scale.last = pow(10.0, 0.5 * ceil(2.0 * log10(scale.last)));
    return scale;
  }
  const double step = ss_extent_step(scale.first, scale.last, wanted);
  scale.first = step * floor(scale.first / step + 1e-9);
  scale.last = step * ceil(scale.last / step - 1e-9);
  return scale;
}
