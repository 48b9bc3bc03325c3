#include "sim/engine/network/route.h"

#include <stdlib.h>

#include "sim/engine/network/route_flows.h"

void ss_flow_list_add(ss_flow_list *flows, ss_flow flow)
{
  flow.phase = flows->phase;
  if (flows->listed != NULL) flows->listed[flows->count] = flow;
  flows->count++;
}

int64_t ss_flow_list_locals(const ss_flow_list *flows, int64_t domain)
{
  return flows->first[domain + 1] - flows->first[domain];
}

int32_t ss_flow_list_gpu(const ss_flow_list *flows, int64_t domain, int64_t place)
{
  return flows->gpu[flows->first[domain] + place];
}

static int64_t nics_of_gpu(const ss_machine *machine)
{
  const int64_t per_gpu = machine->nics_per_domain / machine->domain_size;
  return per_gpu > 1 ? per_gpu : 1;
}

void ss_flow_list_pair(ss_flow_list *flows, int32_t from, int32_t to, double share)
{
  const ss_machine *machine = flows->machine;
  if (from / machine->domain_size == to / machine->domain_size) {
    ss_flow_list_add(flows, (ss_flow){.from = from, .to = to, .share = share});
    return;
  }
  const int64_t nics = nics_of_gpu(machine), out = ss_machine_nic(machine, from), in = ss_machine_nic(machine, to);
  for (int64_t nic = 0; nic < nics; ++nic)
    ss_flow_list_add(flows, (ss_flow){.from = (int32_t)(out + nic),
                                      .to = (int32_t)(in + nic),
                                      .fabric = true,
                                      .share = share / (double)nics});
}

/* The `ring`-th NIC that the GPUs of a domain own; there are at least as many as rings. */
static int64_t ring_nic(const ss_flow_list *flows, int64_t domain, int64_t ring)
{
  const ss_machine *machine = flows->machine;
  const int64_t per_gpu = machine->nics_per_domain / machine->domain_size;
  if (per_gpu >= 1) return ss_machine_nic(machine, ss_flow_list_gpu(flows, domain, ring / per_gpu)) + ring % per_gpu;
  int64_t found = -1, last = -1;
  for (int64_t place = 0; place < ss_flow_list_locals(flows, domain) && found < ring; ++place) {
    const int64_t nic = ss_machine_nic(machine, ss_flow_list_gpu(flows, domain, place));
    found += nic != last;
    last = nic;
  }
  return last;
}

void ss_flow_list_hop(ss_flow_list *flows, int64_t from_domain, int64_t to_domain, double share)
{
  for (int64_t ring = 0; ring < flows->rings; ++ring)
    ss_flow_list_add(flows, (ss_flow){.from = (int32_t)ring_nic(flows, from_domain, ring),
                                      .to = (int32_t)ring_nic(flows, to_domain, ring),
                                      .fabric = true,
                                      .share = share / (double)flows->rings});
}

void ss_flow_list_ring_inside(ss_flow_list *flows, int64_t domain, double share)
{
  const int64_t locals = ss_flow_list_locals(flows, domain);
  for (int64_t place = 0; locals > 1 && place < locals; ++place)
    ss_flow_list_add(flows, (ss_flow){.from = ss_flow_list_gpu(flows, domain, place),
                                      .to = ss_flow_list_gpu(flows, domain, (place + 1) % locals),
                                      .share = share});
}

void ss_flow_list_rings_across(ss_flow_list *flows, double share)
{
  const int64_t domains = flows->span.domains;
  for (int64_t domain = 0; domains > 1 && domain < domains; ++domain)
    ss_flow_list_hop(flows, domain, (domain + 1) % domains, share);
}

/* What each GPU sends inside its domain, by how many are there. */
typedef enum inside_share {
  INSIDE_OTHERS,  /* (g-1)/g: a gather, a reduce-scatter, or an all-to-all of all that there is */
  INSIDE_ALL,     /* 1: a multicast or reduction by the switch */
  INSIDE_AND_OWN, /* (g+1)/g: a reduction by the switch, and a multicast of what came back */
  INSIDE_PAIRS    /* (g-1)/n: a message to each of them, of those to all ranks */
} inside_share;

static double share_of(const ss_flow_list *flows, inside_share what, int64_t locals)
{
  const double g = (double)locals, n = (double)flows->span.size;
  switch (what) {
  case INSIDE_OTHERS: return (g - 1.0) / g;
  case INSIDE_ALL: return 1.0;
  case INSIDE_AND_OWN: return (g + 1.0) / g;
  case INSIDE_PAIRS: return (g - 1.0) / n;
  }
  return 0.0;
}

static void add_inside(ss_flow_list *flows, inside_share what)
{
  for (int64_t domain = 0; domain < flows->span.domains; ++domain)
    ss_flow_list_ring_inside(flows, domain, share_of(flows, what, ss_flow_list_locals(flows, domain)));
}

/* Inside one domain one ring over NVLink; one GPU per domain: one ring over the fabric. Otherwise one ring per NIC:
 * each goes once around the GPUs of a domain and then out through its NIC to the next domain, so that a GPU's port
 * carries all rings and a NIC carries one. The rings of one collective share a flow per NVLink flow. */
static void add_rings(ss_flow_list *flows)
{
  const double share = ss_collective_ring_share(flows->method.kind, flows->span.size);
  for (int64_t domain = 0; domain < flows->span.domains; ++domain) ss_flow_list_ring_inside(flows, domain, share);
  ss_flow_list_rings_across(flows, share);
}

static void add_tree(ss_flow_list *flows)
{
  ss_flow_list_chains(flows, 1.0);
  ss_flow_list_tree(flows, 1.0);
}

static void add_double_tree(ss_flow_list *flows)
{
  ss_flow_list_chains(flows, 1.0);
  ss_flow_list_double_tree(flows, 1.0);
}

static void add_direct(ss_flow_list *flows)
{
  add_inside(flows, INSIDE_PAIRS);
  if (flows->span.domains > 1) ss_flow_list_all_pairs_across(flows);
}

static void add_across(ss_flow_list *flows)
{
  if (flows->method.kind == SS_ALL_TO_ALL)
    ss_flow_list_all_pairs_across(flows);
  else
    ss_flow_list_rings_across(flows, ss_collective_ring_share(flows->method.kind, flows->span.domains));
}

/* One level after the other: gathers cross first, all others second, and an all-reduce gathers inside again. */
static void add_levels(ss_flow_list *flows, inside_share inside)
{
  const bool across_first = flows->method.kind == SS_ALL_GATHER;
  const int phases = ss_collective_phases(flows->method, flows->span);
  for (; flows->phase < phases; ++flows->phase)
    if ((flows->phase == 1) != across_first)
      add_across(flows);
    else
      add_inside(flows, inside);
}

static void add_hierarchical(ss_flow_list *flows)
{
  if (ss_collective_phases(flows->method, flows->span) > 1)
    add_levels(flows, INSIDE_OTHERS);
  else if (flows->method.kind == SS_ALL_TO_ALL)
    add_direct(flows);
  else
    add_rings(flows);
}

/* What a port sends to the switch and what it gets back are drawn as one flow to the next port: both are as much. */
static void add_in_network(ss_flow_list *flows)
{
  const ss_span span = flows->span;
  if (flows->method.kind != SS_ALL_REDUCE) {
    if (ss_collective_phases(flows->method, span) > 1)
      add_levels(flows, INSIDE_ALL);
    else if (span.domains > 1)
      add_across(flows);
    else
      add_inside(flows, INSIDE_ALL);
    return;
  }
  if (flows->machine->nvlink_reduces != 0)
    add_inside(flows, INSIDE_AND_OWN);
  else
    ss_flow_list_chains(flows, 1.0);
  if (flows->machine->fabric_reduces != 0)
    ss_flow_list_rings_across(flows, 1.0);
  else
    ss_flow_list_double_tree(flows, 1.0);
}

/* The flows of each algorithm; those of one phase where it does not go through them itself. */
static void (*const algorithms[])(ss_flow_list *flows) = {
    [SS_ALGORITHM_RING] = add_rings,
    [SS_ALGORITHM_TREE] = add_tree,
    [SS_ALGORITHM_DOUBLE_TREE] = add_double_tree,
    [SS_ALGORITHM_HALVING] = ss_flow_list_halving,
    [SS_ALGORITHM_HIERARCHICAL] = add_hierarchical,
    [SS_ALGORITHM_IN_NETWORK] = add_in_network,
    [SS_ALGORITHM_DIRECT] = add_direct,
};

/* Lists the flows behind those that the route has. */
static ss_status append(ss_route *route, ss_flow_list *flows)
{
  algorithms[flows->method.algorithm](flows);
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
  algorithms[flows->method.algorithm](flows);
  return SS_OK;
}

/* Takes the span of another group in: that of the slowest counts. */
static void note_span(ss_route *route, ss_method method, ss_span span)
{
  const ss_span *old = &route->span;
  const bool first = old->size == 0;
  const int phases = ss_collective_phases(method, span);
  route->uneven = route->uneven || (!first && (span.domains != old->domains || span.per_domain != old->per_domain));
  if (first || span.domains > old->domains) route->span = span;
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

ss_status ss_route_add(ss_route *route, const ss_machine *machine, ss_method method, int32_t *gpu, int64_t count)
{
  SS_ASSERT(method.algorithm != SS_ALGORITHM_AUTO && ss_method_exists(method) && ss_method_takes(method, count));
  const ss_span span = ss_span_of(gpu, count, machine->domain_size);
  note_span(route, method, span);
  if (count < 2) return SS_OK;
  int64_t *first = malloc((size_t)(span.domains + 1) * sizeof *first);
  if (first == NULL) return SS_ERROR_MEMORY;
  find_domains(gpu, span, machine->domain_size, first);
  ss_flow_list flows = {.machine = machine,
                        .method = method,
                        .gpu = gpu,
                        .first = first,
                        .span = span,
                        .rings = ss_collective_rings(span, ss_machine_nics_per_gpu(machine))};
  const ss_status status = append(route, &flows);
  free(first);
  return status;
}

void ss_route_free(ss_route *route)
{
  free(route->flow);
  *route = (ss_route){0};
}

ss_flow ss_route_message(const ss_machine *machine, int64_t from_gpu, int64_t to_gpu)
{
  if (from_gpu / machine->domain_size == to_gpu / machine->domain_size)
    return (ss_flow){.from = (int32_t)from_gpu, .to = (int32_t)to_gpu, .share = 1.0};
  return (ss_flow){.from = (int32_t)ss_machine_nic(machine, from_gpu),
                   .to = (int32_t)ss_machine_nic(machine, to_gpu),
                   .fabric = true,
                   .share = 1.0};
}
