#include "model/collective/double_tree.h"
#include "model/collective/levels.h"
#include "model/collective/trees.h"

static int phases_of(ss_collective kind, ss_span span)
{
  return kind == SS_ALL_REDUCE ? 1 : ss_levels_span_phases(kind, span);
}

static ss_phase_load all_reduce_load(const ss_network *network, ss_span span)
{
  const double local = (double)ss_span_locals(span);
  ss_phase_load all = ss_double_tree_load(network, span);
  all.passed_share = 0.0;
  if (ss_span_has_inside(span) && network->nvlink_reduces) {
    all.nvlink_steps = 1.0;
    all.nvlink_share = (local + 1.0) / local;
  }
  if (ss_span_has_across(span) && network->fabric_reduces) all.fabric_steps = all.fabric_share = 1.0;
  return all;
}

/* Switches that reduce and multicast do with one step what they join. Inside a domain (NVLink SHARP): to reduce 1/n of
 * the volume for each rank, every port sends all of it, and its rank sends the 1/n that it gets once more, to be
 * multicast (arXiv 2603.28239; Klenk et al., "An in-network architecture for accelerating shared-memory multiprocessor
 * collectives", ISCA 2020). Across: every NIC sends and gets the volume once (Graham et al., "Scalable hierarchical
 * aggregation protocol (SHArP)", COMHPC 2016). What has no such switches goes along the chain and the double tree, as
 * NCCL's NVLSTree and CollNetChain do; steps are those of its src/graph/tuning.cc, and the protocol is Simple. Gathers
 * and reduce-scatters use the switches of domains only, and cross over rings as `hierarchical` does. */
static ss_phase_load load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  if (kind == SS_ALL_REDUCE) return all_reduce_load(network, span);
  const bool across = !ss_span_has_inside(span) || (ss_span_has_across(span) && ss_levels_cross(kind, phase));
  if (across) return ss_levels_ring_load(network, kind, span);
  return (ss_phase_load){
      .nvlink_steps = 1.0, .nvlink_share = 1.0, .stepping = SS_PIPELINE, .peers = (double)ss_span_locals(span) - 1.0};
}

static bool runs_on(const ss_machine *machine, ss_collective kind)
{
  return machine->nvlink_reduces != 0 || (kind == SS_ALL_REDUCE && machine->fabric_reduces != 0);
}

/* Whether switches that reduce have something to do. */
static bool suits(const ss_network *network, ss_collective kind, ss_span span)
{
  if (kind != SS_ALL_REDUCE) return network->nvlink_reduces && !ss_span_has_across(span);
  return (network->nvlink_reduces && ss_span_has_inside(span)) || (network->fabric_reduces && ss_span_has_across(span));
}

/* A multicast or a reduction by the switch. What a port sends to the switch and what it gets back are drawn as one flow
 * to the next port: both are as much. */
static double share_all(const ss_flow_list *flows, int64_t locals)
{
  (void)flows;
  (void)locals;
  return 1.0;
}

/* A reduction, and a multicast of what came back. */
static double share_all_and_own(const ss_flow_list *flows, int64_t locals)
{
  (void)flows;
  return ((double)locals + 1.0) / (double)locals;
}

static void add_inside(ss_flow_list *flows)
{
  ss_flow_list_rings_inside(flows, share_all);
}

static void add_all_reduce(ss_flow_list *flows)
{
  if (flows->machine->nvlink_reduces != 0)
    ss_flow_list_rings_inside(flows, share_all_and_own);
  else
    ss_trees_add_chains(flows);
  if (flows->machine->fabric_reduces != 0)
    ss_flow_list_rings_across(flows, 1.0);
  else
    ss_double_tree_add_across(flows);
}

static void add_flows(ss_flow_list *flows)
{
  const int phases = phases_of(flows->kind, flows->span);
  if (flows->kind == SS_ALL_REDUCE)
    add_all_reduce(flows);
  else if (phases > 1)
    ss_levels_add(flows, phases, add_inside, ss_levels_add_rings_across);
  else
    (ss_span_has_across(flows->span) ? ss_levels_add_rings_across : add_inside)(flows);
}

const ss_algorithm_row ss_in_network_algorithm = {.kinds = SS_SHARDED_KINDS,
                                                  .considered = SS_SHARDED_KINDS,
                                                  .runs_on = runs_on,
                                                  .suits = suits,
                                                  .phases = phases_of,
                                                  .load = load,
                                                  .flows = add_flows};
