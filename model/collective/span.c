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

/* GPUs of a group whose domains have as many each. */
typedef struct places {
  const int32_t *gpu;
  int64_t per_domain, domain_size;
} places;

static int64_t domain_of(const void *context, int64_t i)
{
  const places *all = context;
  return all->gpu[i * all->per_domain] / all->domain_size;
}

ss_torus_place ss_torus_place_of(const ss_lattice *lattice, const ss_lattice_box *box)
{
  return (ss_torus_place){.axes = ss_lattice_box_axes(lattice, box),
                          .apart = (int32_t)ss_lattice_box_apart(box),
                          .exchanged = ss_lattice_exchanged(box)};
}

ss_span ss_span_of(int32_t *gpu, int64_t count, int64_t domain_size, const ss_lattice *lattice)
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
  const places all = {gpu, span.per_domain, domain_size};
  if (lattice->domains > 0 && span.domains > 1 && span.domains * span.per_domain == count) {
    const ss_lattice_box box = ss_lattice_box_of(lattice, span.domains, domain_of, &all);
    span.torus = ss_torus_place_of(lattice, &box);
  }
  return span;
}

ss_lattice ss_span_filled(const ss_lattice *lattice, ss_span span)
{
  if (span.domains > 1 && span.domains == lattice->domains) return *lattice;
  return ss_lattice_along(lattice, span.torus.axes);
}

int64_t ss_span_nics(ss_span span, double nics_per_gpu)
{
  return (int64_t)ss_max(floor(nics_per_gpu * (double)span.per_domain + ROUNDING), 1.0);
}

/* Neighbours share one: the load is that of the fullest NIC. */
double ss_span_senders_nics(ss_span span, double nics_per_gpu, int64_t senders)
{
  const double nics = (double)ss_span_nics(span, nics_per_gpu);
  return ss_max(nics * (double)senders / (double)span.per_domain, 1.0);
}

/* Of a group there are as many senders behind the fullest NIC as it has neighbours there. */
double ss_span_senders_share(ss_span span, double nics_per_gpu, int64_t senders)
{
  if (span.nic.gpus == 0) return 1.0;
  const int64_t groups = span.nic.rings, neighbours = ss_divide_up(span.nic.gpus, groups);
  const double behind = (double)(groups * (senders < neighbours ? senders : neighbours));
  return ss_span_senders_nics(span, nics_per_gpu, senders) * behind / (double)senders;
}

int64_t ss_span_rings(ss_span span, double nics_per_gpu)
{
  return span.per_domain == 1 ? 1 : ss_span_nics(span, nics_per_gpu);
}

int ss_log2_ceiling(int64_t count)
{
  return count < 2 ? 0 : 64 - __builtin_clzll((unsigned long long)count - 1);
}
