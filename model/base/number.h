/* The larger and the smaller of two numbers. Neither may be NaN, so that each is one instruction, unlike fmax and fmin.
 */
#ifndef STEPSIM_MODEL_BASE_NUMBER_H
#define STEPSIM_MODEL_BASE_NUMBER_H

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

#endif
