#include "sim/engine/random.h"

#include <math.h>

/* The counter's step: 2^64 over the golden ratio, odd. */
#define STEP 0x9e3779b97f4a7c15u

#define TWO_PI 6.283185307179586477

uint64_t ss_random_key(uint64_t key, uint64_t name)
{
  uint64_t mixed = key + (name + 1) * STEP;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return mixed ^ (mixed >> 31);
}

/* In (0, 1): 53 bits, and half of the last one. */
static double uniform(uint64_t key)
{
  return ((double)(key >> 11) + 0.5) * 0x1p-53;
}

double ss_random_normal(uint64_t key)
{
  return sqrt(-2.0 * log(uniform(key))) * cos(TWO_PI * uniform(ss_random_key(key, 0)));
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
