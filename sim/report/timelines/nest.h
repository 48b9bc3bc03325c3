/* The slices of a track until the outermost of them ends: formats that say how long a slice takes write it then, and
 * those inside behind it. */
#ifndef STEPSIM_SIM_REPORT_TIMELINES_NEST_H
#define STEPSIM_SIM_REPORT_TIMELINES_NEST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/result/timeline.h"

typedef struct ss_nested {
  ss_slice slice;
  double end_s;
  int32_t outer; /* the slice around it, or -1 */
  int32_t depth; /* slices around it */
} ss_nested;

/* Zeroed: nothing is open. */
typedef struct ss_nest {
  ss_nested *slice; /* [count] in the order in which they began; owned */
  int32_t count, capacity;
  int32_t innermost; /* that is open, counted from 1; 0: none is */
} ss_nest;

/* A slice begins; false where there is no memory. */
bool ss_nest_begin(ss_nest *nest, const ss_slice *slice);

/* The innermost slice ends. Returns whether none is open any more: all of them are complete then, until the caller sets
 * `count` to 0. */
bool ss_nest_end(ss_nest *nest, double time_s);

void ss_nest_free(ss_nest *nest);

#endif
