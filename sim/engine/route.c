#include "sim/engine/route.h"

#include <stdlib.h>

/* The GPUs of a group in one domain: gpu[first] .. gpu[end - 1]. */
typedef struct domain_range {
  int64_t first, end;
} domain_range;

static domain_range range_at(const int32_t *gpu, int64_t count, int64_t first, int64_t domain_size)
{
  domain_range range = {first, first + 1};
  while (range.end < count && gpu[range.end] / domain_size == gpu[first] / domain_size) ++range.end;
  return range;
}

/* The `ring`-th NIC that the GPUs of a range own; there are at least as many as rings. */
static int64_t ring_nic(const ss_machine *machine, const int32_t *gpu, domain_range range, int64_t ring)
{
  const int64_t per_gpu = machine->nics_per_domain / machine->domain_size;
  if (per_gpu >= 1) return ss_machine_nic(machine, gpu[range.first + ring / per_gpu]) + ring % per_gpu;
  int64_t found = -1, last = -1;
  for (int64_t i = range.first; i < range.end; ++i) {
    const int64_t nic = ss_machine_nic(machine, gpu[i]);
    if (nic == last) continue;
    last = nic;
    if (++found == ring) break;
  }
  return last;
}

static void add(ss_route *route, int64_t from, int64_t to, bool fabric, double share)
{
  route->edge[route->count++] = (ss_edge){(int32_t)from, (int32_t)to, fabric, share};
}

static void add_domain_ring(ss_route *route, const int32_t *gpu, domain_range range)
{
  if (range.end - range.first < 2) return;
  for (int64_t i = range.first; i < range.end; ++i)
    add(route, gpu[i], gpu[i + 1 < range.end ? i + 1 : range.first], false, 1.0);
}

static void add_hops(ss_route *route, const ss_machine *machine, const int32_t *gpu, domain_range from, domain_range to)
{
  const int64_t rings = ss_collective_rings(route->span, ss_machine_nics_per_gpu(machine));
  for (int64_t ring = 0; ring < rings; ++ring)
    add(route, ring_nic(machine, gpu, from, ring), ring_nic(machine, gpu, to, ring), true, 1.0 / (double)rings);
}

ss_status ss_route_init(ss_route *route, const ss_machine *machine, int32_t *gpu, int64_t count)
{
  *route = (ss_route){.span = ss_span_of(gpu, count, machine->domain_size)};
  if (count < 2) return SS_OK;
  const int64_t rings = ss_collective_rings(route->span, ss_machine_nics_per_gpu(machine));
  route->edge = malloc((size_t)(count + route->span.domains * rings) * sizeof *route->edge);
  if (route->edge == NULL) return SS_ERROR_MEMORY;
  domain_range here = range_at(gpu, count, 0, machine->domain_size);
  for (int64_t domain = 0; domain < route->span.domains; ++domain) {
    const domain_range next = range_at(gpu, count, here.end < count ? here.end : 0, machine->domain_size);
    add_domain_ring(route, gpu, here);
    if (route->span.domains > 1) add_hops(route, machine, gpu, here, next);
    here = next;
  }
  return SS_OK;
}

void ss_route_free(ss_route *route)
{
  free(route->edge);
  *route = (ss_route){0};
}

ss_edge ss_route_message(const ss_machine *machine, int64_t from_gpu, int64_t to_gpu)
{
  if (from_gpu / machine->domain_size == to_gpu / machine->domain_size)
    return (ss_edge){(int32_t)from_gpu, (int32_t)to_gpu, false, 1.0};
  return (ss_edge){(int32_t)ss_machine_nic(machine, from_gpu), (int32_t)ss_machine_nic(machine, to_gpu), true, 1.0};
}
