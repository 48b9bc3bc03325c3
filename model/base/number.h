/* The larger and the smaller of two numbers, neither of which may be NaN, so that each is one instruction, unlike fmax
 * and fmin; what divides both; and how often one goes into another. */
#ifndef STEPSIM_MODEL_BASE_NUMBER_H
#define STEPSIM_MODEL_BASE_NUMBER_H

#include <stdint.h>

/* The larger of two numbers. */
static inline double ss_max(double a, double b)
{
  return a > b ? a : b;
}

/* The smaller of two numbers. */
static inline double ss_min(double a, double b)
{
  return a < b ? a : b;
}

/* What is left of a whole, `rest`, or 0 where it is what rounding leaves of nothing. */
static inline double ss_left_of(double whole, double rest)
{
  return rest > 1e-12 * whole ? rest : 0.0;
}

/* a / b, rounded up; neither is negative, and b is not 0. */
static inline int64_t ss_divide_up(int64_t a, int64_t b)
{
  return (a + b - 1) / b;
}

/* The largest divisor of two numbers, one of which may be 0. */
static inline int64_t ss_common_divisor(int64_t a, int64_t b)
{
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

#endif
