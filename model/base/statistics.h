/* Statistics of errors: how far predictions are off, and whether they put things in the right order. */
#ifndef STEPSIM_MODEL_BASE_STATISTICS_H
#define STEPSIM_MODEL_BASE_STATISTICS_H

#include <stdint.h>

#include "model/base/error.h"

/* Relative errors summed up, as fractions. Without errors, everything but the count is NaN. */
typedef struct ss_error_summary {
  int64_t count;
  double mean_absolute;
  double bias;  /* the mean with its sign: below 0, predictions are too fast */
  double p90;   /* the smallest absolute error that at least 90 % of them do not exceed (nearest rank) */
  double worst; /* the error with the largest absolute value, with its sign; the first of equals */
  int64_t worst_index;
} ss_error_summary;

/* The relative error (predicted - measured) / measured, as a fraction. */
double ss_relative_error(double predicted, double measured);

/* Sums up `error` [count]. SS_ERROR_MEMORY. */
ss_status ss_error_summarise(const double *error, int64_t count, ss_error_summary *summary);

/* Sorts `value` [count], the smallest first. */
void ss_sort_values(double *value, int64_t count);

/* The smallest of `value` [count] that at least a `share` in (0, 1] of them do not exceed (nearest rank). Sorts the
 * values. */
double ss_percentile(double *value, int64_t count, double share);

/* Factors of mean 1: their standard deviation, and what none of them is above. */
typedef struct ss_factors {
  double deviation, most;
} ss_factors;

/* The mean and the standard deviation of the largest of `count` such factors, taken for log-normal below `most`. A
 * single one is as given. */
typedef struct ss_largest {
  double mean, deviation;
} ss_largest;

ss_largest ss_largest_of(double count, ss_factors factors);

/* Spearman's rank correlation of a [count] and b [count]: Pearson's correlation of their ranks, where equal values
 * share the mean of their ranks. NaN if one of the two has fewer than two different values. */
double ss_rank_correlation(const double *a, const double *b, int64_t count);

#endif
