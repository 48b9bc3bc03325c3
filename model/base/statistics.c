#include "model/base/statistics.h"

#include <math.h>
#include <stdlib.h>

#define SQRT_2   1.414213562373095049
#define SQRT_2PI 2.506628274631000502

double ss_relative_error(double predicted, double measured)
{
  return (predicted - measured) / measured;
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void ss_sort_values(double *value, int64_t count)
{
  qsort(value, (size_t)count, sizeof *value, compare);
}

double ss_percentile(double *value, int64_t count, double share)
{
  if (count == 0) return NAN;
  ss_sort_values(value, count);
  /* a share such as 0.9 is not exact: 0.9 * 10 must not become rank 10 */
  const int64_t rank = (int64_t)ceil(share * (double)count - 1e-9);
  return value[rank > 0 ? rank - 1 : 0];
}

ss_status ss_error_summarise(const double *error, int64_t count, ss_error_summary *summary)
{
  *summary = (ss_error_summary){.mean_absolute = NAN, .bias = NAN, .p90 = NAN, .worst = NAN};
  if (count == 0) return SS_OK;
  double *size = malloc((size_t)count * sizeof *size), absolute = 0.0, sum = 0.0;
  if (size == NULL) return SS_ERROR_MEMORY;
  for (int64_t i = 0; i < count; ++i) {
    size[i] = fabs(error[i]);
    absolute += size[i];
    sum += error[i];
    if (size[i] > fabs(error[summary->worst_index])) summary->worst_index = i;
  }
  summary->count = count;
  summary->mean_absolute = absolute / (double)count;
  summary->bias = sum / (double)count;
  summary->worst = error[summary->worst_index];
  summary->p90 = ss_percentile(size, count, 0.9);
  free(size);
  return SS_OK;
}

/* An integral over the normal that the logarithm is made of: the sum over equal steps is as good, as the density is
 * smooth and nothing at both ends. */
ss_largest ss_largest_of(double count, ss_factors factors)
{
  enum { LAST = 9 * 16 };
  const double step = 1.0 / 16.0, sigma = sqrt(log1p(factors.deviation * factors.deviation));
  double mean = 0.0, square = 0.0;
  if (count <= 1.0) return (ss_largest){1.0, factors.deviation};
  for (int i = -LAST; i <= LAST; ++i) {
    const double x = step * (double)i;
    const double below = 0.5 * erfc(-x / SQRT_2), factor = fmin(exp(sigma * (x - 0.5 * sigma)), factors.most);
    const double share = step * count * pow(below, count - 1.0) * exp(-0.5 * x * x) / SQRT_2PI;
    mean += share * factor;
    square += share * factor * factor;
  }
  return (ss_largest){mean, sqrt(fmax(square - mean * mean, 0.0))};
}

/* The mean rank of the values equal to value[i]; ranks begin at 1. */
static double rank_of(const double *value, int64_t count, int64_t i)
{
  int64_t below = 0, equal = 0;
  for (int64_t j = 0; j < count; ++j) {
    below += value[j] < value[i];
    equal += value[j] == value[i];
  }
  return (double)below + 0.5 * (double)(equal + 1);
}

double ss_rank_correlation(const double *a, const double *b, int64_t count)
{
  const double mean = 0.5 * (double)(count + 1); /* of the ranks, with ties, too */
  double product = 0.0, square_a = 0.0, square_b = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    const double x = rank_of(a, count, i) - mean, y = rank_of(b, count, i) - mean;
    product += x * y;
    square_a += x * x;
    square_b += y * y;
  }
  return square_a > 0.0 && square_b > 0.0 ? product / sqrt(square_a * square_b) : NAN;
}
