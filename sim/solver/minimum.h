/* The lowest point of a function that has no derivatives. */
#ifndef STEPSIM_SIM_SOLVER_MINIMUM_H
#define STEPSIM_SIM_SOLVER_MINIMUM_H

#include <stdint.h>

#include "model/base/error.h"

/* A function of `count` coordinates from 0 to 1. */
typedef struct ss_minimum_search {
  int64_t count;
  ss_status (*evaluate)(void *context, const double *at, double *value, ss_error *error);
  void *context;
  int64_t limit;    /* evaluations at most */
  double tolerance; /* of the coordinates */
} ss_minimum_search;

typedef struct ss_minimum {
  double value;
  int64_t evaluations;
} ss_minimum;

/* Goes downhill from `at` [count] to a minimum nearby and leaves the best of all places there, by the Subplex method of
 * NLopt (Rowan 1990, with bounds). It begins again where it has stopped until that moves it no more, as simplices may
 * stop on a kink. The same calls in the same order each time. An error of the function ends it and is its own;
 * SS_ERROR_MEMORY. */
ss_status ss_minimum_find(const ss_minimum_search *search, double *at, ss_minimum *minimum, ss_error *error);

#endif
