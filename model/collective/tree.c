#include "model/base/number.h"
#include "model/collective/trees.h"

/* The busiest domain has a parent and two children, once there are 4 domains. */
static ss_phase_load load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  (void)kind;
  (void)phase;
  return ss_trees_load(network, span, ss_min((double)(span.domains - 1), 3.0), 1.0);
}

static void add_flows(ss_flow_list *flows)
{
  ss_trees_add_chains(flows);
  ss_trees_add_tree(flows, 1.0, NULL);
}

const ss_algorithm_row ss_tree_algorithm = {.kinds = SS_KIND_BIT(SS_ALL_REDUCE), .load = load, .flows = add_flows};
