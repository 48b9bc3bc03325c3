/* Several replays of one job with different random numbers: iteration times, and the GPUs that set the pace. */
#ifndef STEPSIM_MODEL_RESULT_TRIALS_H
#define STEPSIM_MODEL_RESULT_TRIALS_H

#include <stdint.h>

#include "model/base/error.h"
#include "model/result/contention.h"

/* What is known of one replay; plain bytes, passed from process to process. */
typedef struct ss_trial {
  double iteration_s;
  ss_critical_path path; /* no legs where it is not known */
} ss_trial;

/* Figures of the times of all trials: X(field, "label"). The standard deviation is that of a sample (n - 1); quantiles
 * lie linearly between the times in order, the q-th at q (n - 1). */
#define SS_TRIALS_LIST(X)                                                                                              \
  X(mean_s, "mean")                                                                                                    \
  X(std_s, "std deviation")                                                                                            \
  X(min_s, "shortest")                                                                                                 \
  X(p5_s, "5th percentile")                                                                                            \
  X(p50_s, "median")                                                                                                   \
  X(p95_s, "95th percentile")                                                                                          \
  X(max_s, "longest")

/* Bars of the histogram, between the shortest and the longest. */
#define SS_TRIALS_BARS 40

/* GPUs that are named. */
#define SS_PACERS 5

/* The GPUs of a stage of a replica, by the first of them. */
typedef struct ss_pacer {
  int64_t gpu, stage, replica;
  double time_s;  /* that the longest chains of all trials spend there */
  int64_t trials; /* in which no other place has more of the chain */
} ss_pacer;

typedef struct ss_trials {
  int64_t seed, count;
  double *iteration_s; /* [count] in order; owned */
#define SS_TRIALS_FIELD(field, label) double field;
  SS_TRIALS_LIST(SS_TRIALS_FIELD)
#undef SS_TRIALS_FIELD
  int64_t bar[SS_TRIALS_BARS]; /* trials in each of equal slices from the shortest to the longest */
  int64_t pacers;              /* none where no path is known */
  ss_pacer pacer[SS_PACERS];   /* the longest first */
} ss_trials;

/* Computes the figures of `trial` [count], count > 0. SS_ERROR_MEMORY. Release with ss_trials_free in any case. */
ss_status ss_trials_init(ss_trials *trials, const ss_trial *trial, int64_t count);

/* Releases the times; zeroed is fine. */
void ss_trials_free(ss_trials *trials);

#endif
