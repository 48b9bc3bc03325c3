/* The larger and the smaller of two numbers, neither of which is NaN: compiled to an instruction, unlike fmax and fmin.
 */
#ifndef STEPSIM_MODEL_BASE_NUMBER_H
#define STEPSIM_MODEL_BASE_NUMBER_H

static inline double ss_max(double a, double b)
{
  return a > b ? a : b;
}

static inline double ss_min(double a, double b)
{
  return a < b ? a : b;
}

#endif
