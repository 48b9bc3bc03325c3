#include "model/collective/lattice.h"
#include "model/collective/levels.h"
#include "model/collective/ring.h"

static bool considered_on(const ss_machine *machine)
{
  return ss_lattice_of(machine).domains > 0;
}

static bool suits(const ss_network *network, ss_collective kind, ss_span span)
{
  (void)kind;
  return ss_span_filled(&network->lattice, span).dimensions > 0;
}

/* What crosses the fullest cable, as if it were all that a NIC sends. */
static ss_phase_load across_load(const ss_network *network, ss_collective kind, ss_span span)
{
  ss_phase_load all = ss_levels_ring_load(network, kind, span);
  const ss_lattice lattice = ss_span_filled(&network->lattice, span);
  if (lattice.dimensions == 0) return all;
  all.fabric_steps = ss_ring_rounds(network, kind) * ss_lattice_steps(&lattice);
  all.fabric_share = ss_collective_passes(kind) * ss_lattice_most_share(&lattice);
  return all;
}

/* Inside domains as in the hierarchical algorithm; across, rings over all dimensions that the group fills. */
static ss_phase_load load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  const bool across = ss_span_has_inside(span) ? ss_levels_cross(kind, phase) : true;
  if (!ss_span_has_across(span)) return ss_ring_load(network, kind, span);
  return across ? across_load(network, kind, span) : ss_levels_inside_load(span);
}

static void add_across(ss_flow_list *flows)
{
  const ss_lattice whole = ss_lattice_of(flows->machine), lattice = ss_span_filled(&whole, flows->span);
  if (lattice.dimensions == 0) {
    ss_levels_add_rings_across(flows);
    return;
  }
  for (int i = 0; i < lattice.dimensions; ++i)
    ss_flow_list_cables(flows, &lattice, i, true, ss_collective_passes(flows->kind) * ss_lattice_share(&lattice, i));
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
