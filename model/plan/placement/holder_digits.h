/* The ranks that hold the same weights, as digits of their numbers, and which of them share a copy of what
 * is sharded. */
#ifndef STEPSIM_MODEL_PLAN_PLACEMENT_HOLDER_DIGITS_H
#define STEPSIM_MODEL_PLAN_PLACEMENT_HOLDER_DIGITS_H

#include <stdbool.h>
#include <stdint.h>

/* Ranks, each `stride` from the one before in the numbers of a stage. */
typedef struct ss_stride {
  int64_t size, stride;
} ss_stride;

/* The first digit counts fastest. */
enum { SS_HOLDER_DIGITS = 5 }; /* at most */

typedef struct ss_holder_digits {
  int count;
  ss_stride digit[SS_HOLDER_DIGITS];
} ss_holder_digits;

/* Adds a digit. */
void ss_holder_digits_add(ss_holder_digits *digits, int64_t size, int64_t stride);

/* Splits holders into those that share one of `copies`, which are neighbours, and those at the same place of all
 * copies. False where that cuts a digit into parts that are not whole. */
bool ss_holder_digits_split(const ss_holder_digits *all, int64_t copies, ss_holder_digits *sharers,
                            ss_holder_digits *places);

#endif
