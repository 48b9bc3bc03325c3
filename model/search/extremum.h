/* Local minima and maxima of a curve of iteration times, and the part of the time that drives each. */
#ifndef STEPSIM_MODEL_SEARCH_EXTREMUM_H
#define STEPSIM_MODEL_SEARCH_EXTREMUM_H

#include <stdbool.h>
#include <stdint.h>

#include "model/result/prediction.h"

/* A local minimum or maximum. Neighbours of equal time are one place, from `first` to `last`. */
typedef struct ss_extremum {
  int64_t first, last;
  bool maximum;
  ss_part part;
  double depth_s; /* by how much the time rises, or falls, before it turns again or ends, where that is less */
} ss_extremum;

/* Finds the local minima and maxima inside a curve, in its order; its first and last place do not count. Points without
 * a time (NULL) are skipped. Times are equal if they differ by at most 1e-9 of the first of a place. The part that
 * drives an extremum has the largest value of (before - first) + (after - last) for a minimum, the smallest for a
 * maximum; of equals, the first in the order of SS_PART_LIST. `extremum` has room for `count`. Returns their number. */
int64_t ss_extrema_find(const ss_breakdown *const *curve, int64_t count, ss_extremum *extremum);

#endif
