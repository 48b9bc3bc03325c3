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

/* Makes room for `more` edges and takes the span of another group in: that of the slowest counts. */
static ss_status open_group(ss_route *route, ss_span span, int64_t more)
{
  const ss_span *old = &route->span;
  const bool first = old->size == 0;
  route->uneven = route->uneven || (!first && (span.domains != old->domains || span.per_domain != old->per_domain));
  if (first || span.domains > old->domains) route->span = span;
  if (route->count + more <= route->capacity) return SS_OK;
  const int64_t capacity = route->count + more;
  ss_edge *edge = realloc(route->edge, (size_t)capacity * sizeof *edge);
  if (edge == NULL) return SS_ERROR_MEMORY;
  route->edge = edge;
  route->capacity = capacity;
  return SS_OK;
}

static void add(ss_route *route, ss_edge edge)
{
  SS_ASSERT(route->count < route->capacity);
  route->edge[route->count++] = edge;
}

static void add_domain_ring(ss_route *route, const int32_t *gpu, domain_range range, double share)
{
  if (range.end - range.first < 2) return;
  for (int64_t i = range.first; i < range.end; ++i)
    add(route, (ss_edge){.from=gpu[i], .to=gpu[i + 1 < range.end ? i + 1 : range.first], .fabric=false, .share=share});
}

static void add_hops(ss_route *route, const ss_machine *machine, const int32_t *gpu, domain_range from, domain_range to,
                     int64_t rings)
{
  for (int64_t ring = 0; ring < rings; ++ring)
    add(route, (ss_edge){.from=(int32_t)ring_nic(machine, gpu, from, ring), .to=(int32_t)ring_nic(machine, gpu, to, ring), .fabric=true,
                         .share=1.0 / (double)rings});
}

static ss_status ss_route_add_rings(ss_route *route, const ss_machine *machine, int32_t *gpu, int64_t count)
{
  const ss_span span = ss_span_of(gpu, count, machine->domain_size);
  const int64_t rings = ss_collective_rings(span, ss_machine_nics_per_gpu(machine));
  const ss_status status = open_group(route, span, count < 2 ? 0 : count + span.domains * rings);
  if (status != SS_OK || count < 2) return status;
  domain_range here = range_at(gpu, count, 0, machine->domain_size);
  for (int64_t domain = 0; domain < span.domains; ++domain) {
    const domain_range next = range_at(gpu, count, here.end < count ? here.end : 0, machine->domain_size);
    add_domain_ring(route, gpu, here, 1.0);
    if (span.domains > 1) add_hops(route, machine, gpu, here, next, rings);
    here = next;
  }
  return SS_OK;
}

static int64_t nics_of_gpu(const ss_machine *machine)
{
  const int64_t per_gpu = machine->nics_per_domain / machine->domain_size;
  return per_gpu > 1 ? per_gpu : 1;
}

/* Domains that one GPU's messages of an all-to-all are bundled to, at most. */
#define BUNDLES_MAX 4

/* The GPUs of a group, sorted, and how many domains they are in. */
typedef struct domain_list {
  const int32_t *gpu;
  int64_t count, domain_size, domains;
} domain_list;

static domain_range domain_of(const domain_list *list, int64_t domain)
{
  domain_range range = range_at(list->gpu, list->count, 0, list->domain_size);
  while (domain-- > 0) range = range_at(list->gpu, list->count, range.end, list->domain_size);
  return range;
}

/* Bundles of each of `locals` GPUs of a domain: enough for every one of the `others` to be met by one of them. */
static int64_t bundles(int64_t locals, int64_t others)
{
  const int64_t enough = (others + locals - 1) / locals;
  return enough < BUNDLES_MAX ? enough : BUNDLES_MAX;
}

/* How far the domain is that the `slot`-th of `slots` bundles of a domain goes to: all distances in turn, or, where
 * there are more of them, evenly spread. */
static int64_t bundle_distance(int64_t slot, int64_t slots, int64_t others)
{
  return 1 + (slots < others ? slot * others / slots : slot % others);
}

/* What one GPU, the `local`-th of its domain's range, sends to other domains: an even share over its bundles, through
 * each of its NICs. */
static void add_bundles(ss_route *route, const ss_machine *machine, const domain_list *list, int64_t domain,
                        int64_t local)
{
  const domain_range here = domain_of(list, domain);
  const int64_t others = list->domains - 1, locals = here.end - here.first, nics = nics_of_gpu(machine);
  const int64_t width = bundles(locals, others);
  const double outside = (double)(list->count - locals) / (double)(list->count - 1);
  for (int64_t bundle = 0; bundle < width; ++bundle) {
    const int64_t distance = bundle_distance(local * width + bundle, locals * width, others);
    const domain_range there = domain_of(list, (domain + distance) % list->domains);
    const int32_t from = list->gpu[here.first + local];
    const int32_t to = list->gpu[there.first + local % (there.end - there.first)];
    for (int64_t nic = 0; nic < nics; ++nic)
      add(route, (ss_edge){.from=(int32_t)(ss_machine_nic(machine, from) + nic), .to=(int32_t)(ss_machine_nic(machine, to) + nic),
                           .fabric=true, .share=outside / (double)(width * nics)});
  }
}

static ss_status ss_route_add_direct(ss_route *route, const ss_machine *machine, int32_t *gpu, int64_t count)
{
  const ss_span span = ss_span_of(gpu, count, machine->domain_size);
  const ss_status status = open_group(route, span, count < 2 ? 0 : count * (1 + BUNDLES_MAX * nics_of_gpu(machine)));
  if (status != SS_OK || count < 2) return status;
  const domain_list list = {gpu, count, machine->domain_size, span.domains};
  domain_range here = range_at(gpu, count, 0, machine->domain_size);
  for (int64_t domain = 0; domain < span.domains; ++domain) {
    add_domain_ring(route, gpu, here, (double)(here.end - here.first - 1) / (double)(count - 1));
    for (int64_t local = 0; span.domains > 1 && local < here.end - here.first; ++local)
      add_bundles(route, machine, &list, domain, local);
    here = range_at(gpu, count, here.end < count ? here.end : 0, machine->domain_size);
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
    return (ss_edge){.from=(int32_t)from_gpu, .to=(int32_t)to_gpu, .share=1.0};
  return (ss_edge){.from=(int32_t)ss_machine_nic(machine, from_gpu), .to=(int32_t)ss_machine_nic(machine, to_gpu), .fabric=true, .share=1.0};
}

ss_status ss_route_add(ss_route *route, const ss_machine *machine, ss_method method, int32_t *gpu, int64_t count)
{
  const int64_t first = route->count;
  ss_status status = method.kind == SS_ALL_TO_ALL ? ss_route_add_direct(route, machine, gpu, count) : ss_route_add_rings(route, machine, gpu, count);
  for (int64_t i = first; i < route->count; ++i) route->edge[i].share *= ss_collective_ring_share(method.kind, count);
  return status;
}
