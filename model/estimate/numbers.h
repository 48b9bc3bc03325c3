/* A list of numbers that grows. */
#ifndef STEPSIM_MODEL_ESTIMATE_NUMBERS_H
#define STEPSIM_MODEL_ESTIMATE_NUMBERS_H

#include <stdint.h>

#include "model/base/scratch.h"

/* Empty where nothing but the scratch is set. */
typedef struct ss_numbers {
  ss_scratch *scratch;
  double *number; /* [room] of the scratch */
  int64_t count, room;
} ss_numbers;

/* Makes room for so many more. Aborts when memory is out. */
void ss_numbers_grow(ss_numbers *numbers, int64_t more);

/* Adds so many numbers at the end, and returns where they are, to be filled in. */
static inline double *ss_numbers_extend(ss_numbers *numbers, int64_t count)
{
  if (numbers->count + count > numbers->room) ss_numbers_grow(numbers, count);
  numbers->count += count;
  return numbers->number + numbers->count - count;
}

/* Adds a number at the end. */
static inline void ss_numbers_add(ss_numbers *numbers, double number)
{
  if (numbers->count == numbers->room) ss_numbers_grow(numbers, 1);
  numbers->number[numbers->count++] = number;
}

#endif
