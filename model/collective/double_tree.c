#include "model/collective/double_tree.h"

#include "model/base/number.h"
#include "model/collective/trees.h"

ss_phase_load ss_double_tree_load(const ss_network *network, ss_span span)
{
  return ss_trees_load(network, span, ss_span_has_across(span) ? ss_min((double)span.domains, 4.0) / 2.0 : 0.0, 2.0);
}

static ss_phase_load load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  (void)kind;
  (void)phase;
  return ss_double_tree_load(network, span);
}

/* What NCCL takes a double tree for when it compares it with others: the volume twice, however few the domains, at 0.92
 * of the bandwidth (busBw * .92, and the ratio .5 of its src/graph/tuning.cc). */
static ss_phase_load compared(const ss_network *network, ss_span span)
{
  const double trusted = 0.92;
  ss_phase_load all = ss_trees_load(network, span, 2.0, 2.0);
  all.fabric_share /= trusted;
  all.nvlink_share /= trusted;
  return all;
}

static bool suits(const ss_network *network, ss_collective kind, ss_span span)
{
  (void)network;
  (void)kind;
  return ss_span_has_across(span);
}

/* Where a domain of the first tree is in the second one, so that leaves get inside: an even number of them is mirrored,
 * an odd one moved on by one (NCCL, ncclGetDtree). */
static int64_t second_tree(int64_t node, int64_t count)
{
  return count % 2 == 0 ? count - 1 - node : (node + 1) % count;
}

void ss_double_tree_add_across(ss_flow_list *flows)
{
  ss_trees_add_tree(flows, 0.5, NULL);
  ss_trees_add_tree(flows, 0.5, second_tree);
}

static void add_flows(ss_flow_list *flows)
{
  ss_trees_add_chains(flows);
  ss_double_tree_add_across(flows);
}

const ss_algorithm_row ss_double_tree_algorithm = {.kinds = SS_KIND_BIT(SS_ALL_REDUCE),
                                                   .considered = SS_KIND_BIT(SS_ALL_REDUCE),
                                                   .suits = suits,
                                                   .load = load,
                                                   .compared = compared,
                                                   .flows = add_flows};
