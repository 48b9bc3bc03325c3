#include "model/collective/direct.h"
#include "model/collective/levels.h"
#include "model/collective/ring.h"

/* An all-to-all across domains by direct messages, without those inside. */
static ss_phase_load across_load(const ss_network *network, ss_collective kind, ss_span span)
{
  if (kind != SS_ALL_TO_ALL) return ss_levels_ring_load(network, kind, span);
  ss_phase_load all = ss_direct_load(network, span);
  all.nvlink_steps = all.nvlink_share = 0.0;
  return all;
}

/* Rings of the ranks of a domain, and rings of those at the same place of their domains: what is reduced first is
 * reduced inside, so that only 1/g of a rank's volume is left to cross, and gathers end inside (Cho et al.,
 * "BlueConnect", MLSys 2019). An all-to-all first takes everything to the rank of its domain that has the place of its
 * destination, from where it goes on in fewer, larger messages (NVIDIA, "Doubling all2all performance with NCCL 2.12",
 * 2022). */
static ss_phase_load load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  const double local = (double)ss_span_locals(span);
  if (ss_levels_span_phases(kind, span) == 1)
    return kind == SS_ALL_TO_ALL ? ss_direct_load(network, span) : ss_ring_load(network, kind, span);
  if (ss_levels_cross(kind, phase)) return across_load(network, kind, span);
  return (ss_phase_load){.nvlink_steps = local - 1.0,
                         .nvlink_share = (local - 1.0) / local,
                         .stepping = kind == SS_ALL_TO_ALL ? SS_BURST : SS_ROUNDS,
                         .peers = local - 1.0};
}

/* Of a gather, a reduce-scatter, or an all-to-all among the ranks of a domain. */
static double share_inside(const ss_flow_list *flows, int64_t locals)
{
  (void)flows;
  return ((double)locals - 1.0) / (double)locals;
}

static void add_inside(ss_flow_list *flows)
{
  ss_flow_list_rings_inside(flows, share_inside);
}

static void add_flows(ss_flow_list *flows)
{
  const bool all_to_all = flows->kind == SS_ALL_TO_ALL;
  const int phases = ss_levels_span_phases(flows->kind, flows->span);
  if (phases > 1)
    ss_levels_add(flows, phases, add_inside, all_to_all ? ss_direct_add_across : ss_levels_add_rings_across);
  else
    (all_to_all ? ss_direct_add : ss_ring_flows)(flows);
}

const ss_algorithm_row ss_hierarchical_algorithm = {.kinds = SS_SHARDED_KINDS | SS_KIND_BIT(SS_ALL_TO_ALL),
                                                    .phases = ss_levels_span_phases,
                                                    .load = load,
                                                    .flows = add_flows};
