#include "model/run/stalls.h"

#include <math.h>

#define EULER_GAMMA 0.57721566490153286

double ss_stalls_of(const ss_machine *machine, double gpus, const ss_breakdown *iteration)
{
  return gpus * machine->stall_rate_per_s * (iteration->compute_s + iteration->memory_s);
}

/* Ein by its series: the sum of -(-x)^k / (k k!). */
static double by_series(double x)
{
  enum { TERMS = 60 };
  double power = -1.0, sum = 0.0;
  for (int k = 1; k <= TERMS; ++k) {
    power *= -x / k;
    sum += power / k;
  }
  return sum;
}

/* ln x + gamma + E1(x), with E1 as a continued fraction (Abramowitz and Stegun 5.1.22). */
static double by_fraction(double x)
{
  enum { DEPTH = 40 };
  double fraction = x;
  for (int k = DEPTH; k >= 1; --k) fraction = x + k / (1.0 + k / fraction);
  return log(x) + EULER_GAMMA + exp(-x) / fraction;
}

double ss_stalls_longest_s(double stalls, double mean_s)
{
  return mean_s * (stalls < 5.0 ? by_series(stalls) : by_fraction(stalls));
}
