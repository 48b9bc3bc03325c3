#include "model/plan/placement/holder_digits.h"

#include <stddef.h>

#include "model/base/error.h"

void ss_holder_digits_add(ss_holder_digits *digits, int64_t size, int64_t stride)
{
  SS_ASSERT((size_t)digits->count < sizeof digits->digit / sizeof digits->digit[0]);
  digits->digit[digits->count++] = (ss_stride){size, stride};
}

static int64_t size_of(const ss_holder_digits *digits)
{
  int64_t size = 1;
  for (int i = 0; i < digits->count; ++i) size *= digits->digit[i].size;
  return size;
}

bool ss_holder_digits_split(const ss_holder_digits *all, int64_t copies, ss_holder_digits *sharers,
                            ss_holder_digits *places)
{
  int64_t left = size_of(all) / copies; /* sharers that the digits to come have to be made of */
  bool whole = size_of(all) % copies == 0;
  *sharers = *places = (ss_holder_digits){.count = 0};
  for (int i = 0; i < all->count; ++i) {
    const ss_stride *digit = &all->digit[i];
    const int64_t near = left < digit->size ? left : digit->size;
    whole = whole && digit->size % near == 0 && left % near == 0;
    ss_holder_digits_add(sharers, near, digit->stride);
    ss_holder_digits_add(places, digit->size / near, digit->stride * near);
    left /= near;
  }
  return whole;
}
