#include "model/collective/span.h"

#include <math.h>
#include <stdlib.h>

#include "model/base/number.h"

/* A product of counts and ratios that should be whole is taken as whole. */
#define ROUNDING 1e-9

static int compare_gpus(const void *a, const void *b)
{
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

ss_span ss_span_of(int32_t *gpu, int64_t count, int64_t domain_size)
{
  qsort(gpu, (size_t)count, sizeof *gpu, compare_gpus);
  ss_span span = {.size = count, .per_domain = count};
  for (int64_t i = 0; i < count;) {
    int64_t end = i + 1;
    while (end < count && gpu[end] / domain_size == gpu[i] / domain_size) ++end;
    if (end - i < span.per_domain) span.per_domain = end - i;
    span.domains++;
    i = end;
  }
  return span;
}

int64_t ss_span_nics(ss_span span, double nics_per_gpu)
{
  return (int64_t)ss_max(floor(nics_per_gpu * (double)span.per_domain + ROUNDING), 1.0);
}

int64_t ss_span_rings(ss_span span, double nics_per_gpu)
{
  return span.per_domain == 1 ? 1 : ss_span_nics(span, nics_per_gpu);
}

int ss_log2_ceiling(int64_t count)
{
  return count < 2 ? 0 : 64 - __builtin_clzll((unsigned long long)count - 1);
}
