/* Ranges of numbers, as options have them: FIRST..LAST, FIRST..LAST+STEP, FIRST..LAST*FACTOR. */
#ifndef STEPSIM_MODEL_BASE_RANGE_H
#define STEPSIM_MODEL_BASE_RANGE_H

#include <stdbool.h>

/* `unit` is what follows the numbers, which may be missing behind one of the ends; it lies in the text that was read.
 */
typedef struct ss_range {
  double first, last, by;
  bool multiplies;
  const char *unit;
} ss_range;

#define SS_RANGE_FORM                                                                                                  \
  "FIRST..LAST, FIRST..LAST*FACTOR with FIRST above 0 and FACTOR above 1, or FIRST..LAST+STEP with STEP above 0"

/* Reads a range, which it takes apart; without a step it is 1, for numbers without a unit. False if it is none. */
bool ss_range_read(char *text, ss_range *range);

/* Whether a number is not beyond the last one, but for rounding. */
bool ss_range_has(const ss_range *range, double number);

/* The number with this index, from 1 on, which follows `number`. */
double ss_range_next(const ss_range *range, double number, long long index);

#endif
