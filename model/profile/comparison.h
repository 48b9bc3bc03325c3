/* Measured iterations of a job beside its prediction. */
#ifndef STEPSIM_MODEL_PROFILE_COMPARISON_H
#define STEPSIM_MODEL_PROFILE_COMPARISON_H

#include "model/profile/measurement.h"

/* A trace, and what is predicted of the rank that it is of. */
typedef struct ss_compared_trace {
  const char *path;
  int64_t rank;
  ss_measurement measured;
  ss_profile predicted;
} ss_compared_trace;

typedef struct ss_comparison {
  const char *workload, *platform;
  int64_t gpus;
  ss_compared_trace *trace; /* [count] owned by whoever made it */
  int64_t count;
  ss_profile measured, predicted; /* means of the traces */
} ss_comparison;

/* Forms the means. */
void ss_comparison_average(ss_comparison *comparison);

/* A part of the iteration: a class, or for SS_CLASS_COUNT what is idle. */
typedef struct ss_compared_part {
  ss_kernel_class kind;
  double measured_s, predicted_s;
  double excess_s; /* measured beyond predicted; 0 where nobody would see it */
} ss_compared_part;

enum { SS_COMPARED_PARTS = SS_CLASS_COUNT + 1 };

/* Lists the parts that either side has, those first that take longest beyond what is predicted. They add up to both
 * iterations. Returns how many. */
int ss_comparison_parts(const ss_comparison *comparison, ss_compared_part part[SS_COMPARED_PARTS]);

/* The name of a part; static text. */
const char *ss_compared_part_name(ss_kernel_class kind);

#endif
