#include "model/estimate/numbers.h"

#include <stdlib.h>

#include "model/base/error.h"
#include "model/base/grow.h"

void ss_numbers_grow(ss_numbers *numbers)
{
  numbers->number = ss_grown(numbers->number, numbers->count, &numbers->room, sizeof *numbers->number);
  SS_ASSERT(numbers->number != NULL);
}

void ss_numbers_free(ss_numbers *numbers)
{
  free(numbers->number);
  *numbers = (ss_numbers){.count = 0};
}
