#include "model/estimate/numbers.h"

#include <stdlib.h>

#include "model/base/error.h"

void ss_numbers_grow(ss_numbers *numbers)
{
  numbers->capacity = numbers->capacity > 0 ? 2 * numbers->capacity : 64;
  numbers->number = realloc(numbers->number, (size_t)numbers->capacity * sizeof *numbers->number);
  SS_ASSERT(numbers->number != NULL);
}

void ss_numbers_free(ss_numbers *numbers)
{
  free(numbers->number);
  *numbers = (ss_numbers){.count = 0};
}
