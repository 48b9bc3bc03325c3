/* A list of numbers that grows. */
#ifndef STEPSIM_MODEL_ESTIMATE_NUMBERS_H
#define STEPSIM_MODEL_ESTIMATE_NUMBERS_H

#include <stdint.h>

/* Zeroed, it is empty. */
typedef struct ss_numbers {
  double *number; /* [room] owned */
  int64_t count, room;
} ss_numbers;

/* Makes room for more. Aborts when memory is out. Release with ss_numbers_free. */
void ss_numbers_grow(ss_numbers *numbers);
void ss_numbers_free(ss_numbers *numbers);

/* Adds a number at the end. */
static inline void ss_numbers_add(ss_numbers *numbers, double number)
{
  if (numbers->count == numbers->room) ss_numbers_grow(numbers);
  numbers->number[numbers->count++] = number;
}

#endif
