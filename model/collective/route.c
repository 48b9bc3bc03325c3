#include "model/collective/route.h"

#include <stdlib.h>

#include "model/collective/collective.h"
#include "model/collective/registry.h"

/* Lists the flows behind those that the route has. */
static ss_status append(ss_route *route, ss_flow_list *flows, ss_algorithm algorithm)
{
  void (*const add_flows)(ss_flow_list *) = ss_algorithm_row_of(algorithm)->flows;
  add_flows(flows);
  if (flows->count > route->capacity - route->count) {
    const int64_t capacity = route->count + flows->count;
    ss_flow *flow = realloc(route->flow, (size_t)capacity * sizeof *flow);
    if (flow == NULL) return SS_ERROR_MEMORY;
    route->flow = flow;
    route->capacity = capacity;
  }
  if (flows->count == 0) return SS_OK;
  flows->listed = &route->flow[route->count];
  route->count += flows->count;
  flows->count = 0;
  flows->phase = 0;
  add_flows(flows);
  return SS_OK;
}

/* By a collective of a gigabyte. */
static double span_s(const ss_network *network, ss_method method, ss_span span)
{
  return ss_comm_time_sum(ss_method_time(network, method, span, 1e9));
}

/* Takes the span of another group in: that of the slowest counts. */
static void note_span(ss_route *route, const ss_network *network, ss_method method, ss_span span)
{
  const ss_span *old = &route->span;
  const bool first = old->size == 0;
  const int phases = ss_collective_phases(method, span);
  const bool differs = !first && !ss_span_is_like(span, *old);
  route->uneven = route->uneven || differs;
  if (first || (differs && span_s(network, method, span) > span_s(network, method, *old))) route->span = span;
  if (phases > route->phases) route->phases = phases;
}

/* Where the GPUs of each domain start, [domains + 1]. */
static void find_domains(const int32_t *gpu, ss_span span, int64_t domain_size, int64_t *first)
{
  int64_t domain = 0;
  for (int64_t i = 0; i < span.size; ++i)
    if (i == 0 || gpu[i] / domain_size != gpu[i - 1] / domain_size) first[domain++] = i;
  first[domain] = span.size;
}

ss_status ss_route_add(ss_route *route, const ss_machine *machine, const ss_network *network, ss_method method,
                       int32_t *gpu, int64_t count)
{
  SS_ASSERT(method.algorithm != SS_ALGORITHM_AUTO && ss_method_exists(method) && ss_method_takes(method, count));
  const ss_span span = ss_span_of(gpu, count, machine->domain_size, &network->lattice);
  note_span(route, network, method, span);
  if (count < 2) return SS_OK;
  int64_t *first = malloc((size_t)(span.domains + 1) * sizeof *first);
  if (first == NULL) return SS_ERROR_MEMORY;
  find_domains(gpu, span, machine->domain_size, first);
  ss_flow_list flows = {.machine = machine,
                        .routing = &network->routing,
                        .kind = method.kind,
                        .gpu = gpu,
                        .first = first,
                        .span = span,
                        .rings = ss_span_rings(span, ss_machine_nics_per_gpu(machine))};
  const ss_status status = append(route, &flows, method.algorithm);
  free(first);
  return status;
}

static bool is_sorted(const ss_route *route)
{
  bool sorted = true;
  for (int64_t i = 1; i < route->count; ++i) sorted = sorted && route->flow[i - 1].phase <= route->flow[i].phase;
  return sorted;
}

/* Counts the flows of each phase, then puts each where its phase has come to. */
ss_status ss_route_sort(ss_route *route)
{
  if (is_sorted(route)) return SS_OK;
  ss_flow *sorted = malloc((size_t)route->count * sizeof *sorted);
  int64_t *next = calloc((size_t)route->phases + 1, sizeof *next);
  if (sorted == NULL || next == NULL) {
    free(sorted);
    free(next);
    return SS_ERROR_MEMORY;
  }
  for (int64_t i = 0; i < route->count; ++i) next[route->flow[i].phase + 1]++;
  for (int phase = 0; phase < route->phases; ++phase) next[phase + 1] += next[phase];
  for (int64_t i = 0; i < route->count; ++i) sorted[next[route->flow[i].phase]++] = route->flow[i];
  free(next);
  free(route->flow);
  route->flow = sorted;
  route->capacity = route->count;
  return SS_OK;
}

/* Most have one phase: no flow has to be looked at for that. */
int64_t ss_route_first(const ss_route *route, int phase)
{
  if (phase == 0) return 0;
  if (phase >= route->phases) return route->count;
  int64_t first = 0, end = route->count;
  while (first < end) {
    const int64_t middle = first + (end - first) / 2;
    if (route->flow[middle].phase < phase)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

void ss_route_free(ss_route *route)
{
  free(route->flow);
  *route = (ss_route){0};
}
