#include "sim/report/timelines/nest.h"

#include <stdlib.h>

#define FIRST_CAPACITY 16

static bool grow(ss_nest *nest)
{
  const int32_t capacity = nest->capacity == 0 ? FIRST_CAPACITY : 2 * nest->capacity;
  ss_nested *slice = realloc(nest->slice, (size_t)capacity * sizeof *slice);
  if (slice == NULL) return false;
  nest->slice = slice;
  nest->capacity = capacity;
  return true;
}

bool ss_nest_begin(ss_nest *nest, const ss_slice *slice)
{
  if (nest->count == nest->capacity && !grow(nest)) return false;
  const int32_t outer = nest->innermost - 1;
  nest->slice[nest->count++] =
      (ss_nested){.slice = *slice, .outer = outer, .depth = outer < 0 ? 0 : nest->slice[outer].depth + 1};
  nest->innermost = nest->count;
  return true;
}

bool ss_nest_end(ss_nest *nest, double time_s)
{
  SS_ASSERT(nest->innermost > 0);
  ss_nested *ended = &nest->slice[nest->innermost - 1];
  ended->end_s = time_s;
  nest->innermost = ended->outer + 1;
  return nest->innermost == 0;
}

void ss_nest_free(ss_nest *nest)
{
  free(nest->slice);
  *nest = (ss_nest){0};
}
