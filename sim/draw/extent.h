/* Extents: from values to places in a picture, with round numbers to mark. */
#ifndef STEPSIM_SIM_DRAW_EXTENT_H
#define STEPSIM_SIM_DRAW_EXTENT_H

#include <stdbool.h>
#include <stddef.h>

#define SS_TICKS_MAX 64

/* Values from `first` to `last` lie from `from` to `to`, evenly, or in the same ratios where it is logarithmic. */
typedef struct ss_extent {
  double first, last, from, to;
  bool logarithmic;
} ss_extent;

/* The place of a value. */
double ss_extent_at(const ss_extent *scale, double value);

/* The step of about so many steps between two values: 1, 2 or 5 times a power of ten. */
double ss_extent_step(double first, double last, int wanted);

/* Round values on a scale, about `wanted` of them and at most SS_TICKS_MAX: multiples of a step; on logarithms powers
 * of ten, and where these are few twice and five times as much. Returns how many. */
int ss_extent_ticks(const ss_extent *scale, int wanted, double tick[SS_TICKS_MAX]);

/* The same scale, reaching on both sides to the next of about `wanted` steps, or on logarithms to the next power of ten
 * or half of it. */
ss_extent ss_extent_widened(ss_extent scale, int wanted);

#endif
