#include "model/base/random.h"

#include <math.h>

#define TWO_PI   6.283185307179586477
#define SQRT_2   1.414213562373095049
#define SQRT_2PI 2.506628274631000502

/* In (0, 1): 53 bits, and half of the last one. */
double ss_random_uniform(uint64_t key)
{
  return ((double)(key >> 11) + 0.5) * 0x1p-53;
}

double ss_random_normal(uint64_t key)
{
  return sqrt(-2.0 * log(ss_random_uniform(key))) * cos(TWO_PI * ss_random_uniform(ss_random_key(key, 0)));
}

ss_log_normal ss_log_normal_of(double relative)
{
  return (ss_log_normal){sqrt(log1p(relative * relative))};
}

double ss_log_normal_factor(ss_log_normal distribution, double normal)
{
  const double deviation = distribution.deviation;
  return exp(deviation * (normal - 0.5 * deviation));
}

/* The probability that a normal is above x. */
static double above(double x)
{
  return 0.5 * erfc(x / SQRT_2);
}

/* Where that is `probability`, from a place that is not above it, at or right of 0: Newton's steps do not go beyond. */
static double place_of(double probability, double x)
{
  enum { STEPS_MAX = 50 };
  for (int i = 0; i < STEPS_MAX; ++i) {
    const double step = (above(x) - probability) * SQRT_2PI * exp(0.5 * x * x);
    x += step;
    if (fabs(step) < 1e-15) break;
  }
  return x;
}

/* The part of the mean that comes from normals between a and b: that of a normal moved by the deviation. */
static double mean_between(ss_log_normal distribution, double a, double b)
{
  return above(a - distribution.deviation) - above(b - distribution.deviation);
}

void ss_log_normal_slices(ss_log_normal distribution, double factor[SS_SLICES])
{
  enum { HALF = SS_SLICES / 2 };
  double a = 0.0;
  for (int i = 0; i < HALF; ++i) {
    const double probability = (double)(HALF - 1 - i) / SS_SLICES;
    const double b = i + 1 < HALF ? place_of(probability, a) : INFINITY;
    factor[HALF + i] = SS_SLICES * mean_between(distribution, a, b);
    factor[HALF - 1 - i] = SS_SLICES * mean_between(distribution, -b, -a);
    a = b;
  }
}
