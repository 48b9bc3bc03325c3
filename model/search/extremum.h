/* Where a curve of iteration times turns: its local minima and maxima, and the part of the time that makes it turn. */
#ifndef STEPSIM_MODEL_SEARCH_EXTREMUM_H
#define STEPSIM_MODEL_SEARCH_EXTREMUM_H

#include <stdbool.h>
#include <stdint.h>

#include "model/result/prediction.h"

/* One turn. Neighbours of equal time are one place, from `first` to `last`. */
typedef struct ss_extremum {
  int64_t first, last;
  bool maximum;
  ss_part part;
} ss_extremum;

/* Finds the turns inside a curve, in its order; neither its first nor its last place is one. Points without a time
 * (NULL) are left out, as if the curve had not asked for them. Times are equal up to 1e-9 of the first of a place. The
 * part is the one that makes the curve turn most: of a minimum the largest, of a maximum the smallest value of
 * (before - first) + (after - last); of equals the first in the order of SS_PART_LIST. `extremum` has room for `count`.
 * Returns how many there are. */
int64_t ss_extrema_find(const ss_breakdown *const *curve, int64_t count, ss_extremum *extremum);

#endif
