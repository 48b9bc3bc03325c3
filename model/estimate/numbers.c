#include "model/estimate/numbers.h"

#include <stdlib.h>

#include "model/base/error.h"

void ss_numbers_grow(ss_numbers *numbers, int64_t more)
{
  numbers->room = 2 * numbers->room + more + 64;
  numbers->number = realloc(numbers->number, (size_t)numbers->room * sizeof *numbers->number);
  SS_ASSERT(numbers->number != NULL);
}

void ss_numbers_free(ss_numbers *numbers)
{
  free(numbers->number);
  *numbers = (ss_numbers){.count = 0};
}
