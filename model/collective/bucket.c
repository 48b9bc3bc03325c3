#include "model/base/number.h"
#include "model/collective/lattice.h"
#include "model/collective/levels.h"
#include "model/collective/ring.h"

/* The dimensions of the torus that a group fills, all or some: there, rings close. No dimensions: it fills none. */
static ss_lattice filled(const ss_lattice *lattice, ss_span span)
{
  if (span.domains > 1 && span.domains == lattice->domains) return *lattice;
  return ss_lattice_along(lattice, span.axes);
}

static bool considered_on(const ss_machine *machine)
{
  return ss_lattice_of(machine).domains > 0;
}

static bool suits(const ss_network *network, ss_collective kind, ss_span span)
{
  (void)kind;
  return filled(&network->lattice, span).dimensions > 0;
}

/* What crosses the fullest cable, as if it were all that a NIC sends. */
static ss_phase_load across_load(const ss_network *network, ss_collective kind, ss_span span)
{
  ss_phase_load all = ss_levels_ring_load(network, kind, span);
  const ss_lattice lattice = filled(&network->lattice, span);
  if (lattice.dimensions == 0) return all;
  double share = 0.0;
  for (int i = 0; i < lattice.dimensions; ++i) share = ss_max(share, ss_lattice_share(&lattice, i));
  all.fabric_steps = ss_ring_rounds(network, kind) * ss_lattice_steps(&lattice);
  all.fabric_share = ss_collective_passes(kind) * share;
  return all;
}

/* Inside domains as in the hierarchical algorithm; across, rings over all dimensions that the group fills. */
static ss_phase_load load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  const bool across = ss_span_has_inside(span) ? ss_levels_cross(kind, phase) : true;
  if (!ss_span_has_across(span)) return ss_ring_load(network, kind, span);
  return across ? across_load(network, kind, span) : ss_levels_inside_load(span);
}

/* Domains of the group are in the order of their numbers, which is that of their coordinates. */
static void add_dimension(ss_flow_list *flows, const ss_lattice *lattice, int dimension)
{
  const double share = ss_collective_passes(flows->kind) * ss_lattice_share(lattice, dimension);
  for (int64_t domain = 0; domain < lattice->domains; ++domain) {
    ss_flow_list_hop(flows, domain, ss_lattice_next(lattice, domain, dimension, true), share);
    if (lattice->size[dimension] > 2)
      ss_flow_list_hop(flows, domain, ss_lattice_next(lattice, domain, dimension, false), share);
  }
}

static void add_across(ss_flow_list *flows)
{
  const ss_lattice whole = ss_lattice_of(flows->machine), lattice = filled(&whole, flows->span);
  if (lattice.dimensions == 0) {
    ss_levels_add_rings_across(flows);
    return;
  }
  for (int i = 0; i < lattice.dimensions; ++i) add_dimension(flows, &lattice, i);
}

static void add_flows(ss_flow_list *flows)
{
  const int phases = ss_levels_span_phases(flows->kind, flows->span);
  if (phases > 1)
    ss_levels_add(flows, phases, ss_levels_add_inside, add_across);
  else if (ss_span_has_across(flows->span))
    add_across(flows);
  else
    ss_ring_flows(flows);
}

const ss_algorithm_row ss_bucket_algorithm = {.kinds = SS_SHARDED_KINDS,
                                              .considered = SS_SHARDED_KINDS,
                                              .considered_on = considered_on,
                                              .suits = suits,
                                              .phases = ss_levels_span_phases,
                                              .load = load,
                                              .flows = add_flows};
