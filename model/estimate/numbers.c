#include "model/estimate/numbers.h"

#include <string.h>

void ss_numbers_grow(ss_numbers *numbers, int64_t more)
{
  const int64_t room = 2 * numbers->room + more + 64;
  double *number = ss_scratch_take(numbers->scratch, (size_t)room * sizeof *number);
  if (numbers->count > 0) memcpy(number, numbers->number, (size_t)numbers->count * sizeof *number);
  numbers->number = number;
  numbers->room = room;
}
