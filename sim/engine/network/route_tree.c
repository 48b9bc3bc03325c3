/* Flows up and down trees: all-reduces to a root and back. */
#include "sim/engine/network/route_flows.h"

static void add_both_ways(ss_flow_list *flows, int32_t a, int32_t b, double share)
{
  ss_flow_list_add(flows, (ss_flow){.from = a, .to = b, .share = share});
  ss_flow_list_add(flows, (ss_flow){.from = b, .to = a, .share = share});
}

void ss_flow_list_chains(ss_flow_list *flows, double share)
{
  for (int64_t domain = 0; domain < flows->span.domains; ++domain)
    for (int64_t place = 1; place < ss_flow_list_locals(flows, domain); ++place)
      add_both_ways(flows, ss_flow_list_gpu(flows, domain, place - 1), ss_flow_list_gpu(flows, domain, place), share);
}

/* The binary tree over 0 ... count - 1 in which every odd number is a leaf and 0 is the root: one whose lowest bit that
 * is set is b lies below its neighbour with a higher lowest bit, b larger, or b smaller where that is beyond the last.
 */
static int64_t parent_of(int64_t node, int64_t count)
{
  const int64_t lowest = node & -node, below = node - lowest;
  return (below | 2 * lowest) < count ? below | 2 * lowest : below;
}

/* Where a domain of the first tree is in the second one, so that leaves get inside: an even number of them is mirrored,
 * an odd one moved on by one (NCCL, ncclGetDtree). */
static int64_t twin_of(int64_t node, int64_t count)
{
  return count % 2 == 0 ? count - 1 - node : (node + 1) % count;
}

static void add_flow(ss_flow_list *flows, int64_t child, int64_t parent, double share)
{
  ss_flow_list_hop(flows, child, parent, share);
  ss_flow_list_hop(flows, parent, child, share);
}

void ss_flow_list_tree(ss_flow_list *flows, double share)
{
  const int64_t domains = flows->span.domains;
  for (int64_t node = 1; node < domains; ++node) add_flow(flows, node, parent_of(node, domains), share);
}

void ss_flow_list_double_tree(ss_flow_list *flows, double share)
{
  const int64_t domains = flows->span.domains;
  ss_flow_list_tree(flows, share / 2.0);
  for (int64_t node = 1; node < domains; ++node)
    add_flow(flows, twin_of(node, domains), twin_of(parent_of(node, domains), domains), share / 2.0);
}
