#include "model/base/number.h"
#include "model/collective/direct.h"
#include "model/collective/levels.h"
#include "model/collective/ring.h"

static bool exchanges(ss_collective kind)
{
  return kind == SS_ALL_TO_ALL || kind == SS_DISPATCH;
}

static int phases_of(ss_collective kind, ss_span span)
{
  return exchanges(kind) ? 1 : ss_levels_span_phases(kind, span);
}

/* An all-to-all takes what leaves a domain over NVLink to the rank that has the place of its destination, from where it
 * goes on in fewer, larger messages. That is done piece by piece, so that NVLink and NICs are busy at the same time:
 * NCCL since 2.12 (NVIDIA, "Doubling all2all performance with NCCL 2.12", 2022; the copy over NVLink is a step of the
 * channel that the NIC sends from), DeepEP (github.com/deepseek-ai/DeepEP, which forwards tokens while others arrive).
 */
static ss_phase_load all_to_all_load(const ss_network *network, ss_span span)
{
  ss_phase_load all = ss_direct_load(network, span);
  const ss_phase_load inside = ss_levels_inside_load(span);
  all.fabric_steps = (double)(span.domains - 1);
  all.nvlink_steps = inside.nvlink_steps;
  all.nvlink_share = inside.nvlink_share;
  all.peers = inside.peers;
  return all;
}

/* What the ports of NVLink carry of a dispatch, as a share of a copy of each token for each of its experts. */
static double dispatched_to_ranks(const ss_routing *routing, ss_span span)
{
  return routing->nvlink_cost * ss_routing_ranks(routing, span);
}

/* The same with tokens that cross to a domain once, and go on from there once to each rank (DeepEP: tokens to each
 * node, and to each rank, of get_dispatch_layout). What comes back is added up on the same way. One kernel writes to
 * all ranks, and to all domains, at once: there are no rounds that wait for one another. On 8 and on
 * 36 GB200, kernels send what leaves a GPU at 656 and at 596 GB/s (docs/README_Hybrid-EP.md of branch hybrid-ep). */
static ss_phase_load dispatch_load(const ss_network *network, ss_span span)
{
  ss_phase_load all = all_to_all_load(network, span);
  all.nvlink_steps = ss_min(all.nvlink_steps, 1.0);
  all.fabric_steps = ss_min(all.fabric_steps, 1.0);
  all.nvlink_share *= dispatched_to_ranks(&network->routing, span);
  all.fabric_share *= ss_routing_domains(&network->routing, span);
  return all;
}

/* Rings of the ranks of a domain, and rings of those at the same place of their domains: what is reduced first is
 * reduced inside, so that only 1/g of a rank's volume is left to cross, and gathers end inside (Cho et al.,
 * "BlueConnect", MLSys 2019). */
static ss_phase_load load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  if (kind == SS_DISPATCH) return dispatch_load(network, span);
  if (ss_levels_span_phases(kind, span) == 1)
    return kind == SS_ALL_TO_ALL ? ss_direct_load(network, span) : ss_ring_load(network, kind, span);
  if (kind == SS_ALL_TO_ALL) return all_to_all_load(network, span);
  return ss_levels_cross(kind, phase) ? ss_levels_ring_load(network, kind, span) : ss_levels_inside_load(span);
}

static void add_all_to_all(ss_flow_list *flows)
{
  if (ss_levels_span_phases(flows->kind, flows->span) == 1) {
    ss_direct_add(flows);
    return;
  }
  ss_levels_add_inside(flows);
  ss_direct_add_across(flows, 1.0);
}

static double dispatched_inside(const ss_flow_list *flows, int64_t locals)
{
  return dispatched_to_ranks(flows->routing, flows->span) * ((double)locals - 1.0) / (double)locals;
}

static void add_dispatch(ss_flow_list *flows)
{
  ss_flow_list_rings_inside(flows, dispatched_inside);
  ss_direct_add_across(flows, ss_routing_domains(flows->routing, flows->span));
}

static void add_flows(ss_flow_list *flows)
{
  const int phases = phases_of(flows->kind, flows->span);
  if (flows->kind == SS_ALL_TO_ALL)
    add_all_to_all(flows);
  else if (flows->kind == SS_DISPATCH)
    add_dispatch(flows);
  else if (phases > 1)
    ss_levels_add(flows, phases, ss_levels_add_inside, ss_levels_add_rings_across);
  else
    ss_ring_flows(flows);
}

const ss_algorithm_row ss_hierarchical_algorithm = {.kinds = SS_SHARDED_KINDS | SS_KIND_BIT(SS_ALL_TO_ALL) |
                                                             SS_KIND_BIT(SS_DISPATCH),
                                                    .considered = SS_KIND_BIT(SS_DISPATCH),
                                                    .phases = phases_of,
                                                    .load = load,
                                                    .flows = add_flows};
