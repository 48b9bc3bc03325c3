#include "model/fabric/counts.h"

#include <inttypes.h>
#include <stdio.h>

int64_t ss_count_product(int64_t a, int64_t b)
{
  return a > INT64_MAX / b ? INT64_MAX : a * b;
}

int64_t ss_count_product_of(const int64_t *factors, int64_t count)
{
  int64_t all = 1;
  for (int64_t i = 0; i < count; ++i) all = ss_count_product(all, factors[i]);
  return all;
}

void ss_count_list_divisors(int64_t number, char text[SS_DIVISORS_SIZE])
{
  size_t used = 0;
  for (int64_t divisor = 1; divisor <= number && used + 16 < SS_DIVISORS_SIZE; ++divisor)
    if (number % divisor == 0)
      used += (size_t)snprintf(text + used, SS_DIVISORS_SIZE - used, "%s%" PRId64, used > 0 ? ", " : "", divisor);
}

ss_status ss_count_refuse_divisor(const char *option, int64_t given, const char *problem, int64_t number,
                                  ss_error *error)
{
  char allowed[SS_DIVISORS_SIZE];
  ss_count_list_divisors(number, allowed);
  return ss_error_set(error, SS_ERROR_INPUT, option, 0, "\"%" PRId64 "\": %s %" PRId64 "; allowed: %s", given, problem,
                      number, allowed);
}

int64_t ss_count_pair(int64_t count, int64_t low, int64_t high)
{
  return low * (2 * count - low - 1) / 2 + high - low - 1;
}

void ss_count_split_pair(int64_t count, int64_t pair, int64_t ends[2])
{
  int64_t low = 0;
  for (; pair >= count - 1 - low; ++low) pair -= count - 1 - low;
  ends[0] = low;
  ends[1] = low + 1 + pair;
}

const char *ss_count_plural(int64_t count)
{
  return count == 1 ? "" : "s";
}
