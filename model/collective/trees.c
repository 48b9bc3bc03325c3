#include "model/collective/trees.h"

#include "model/base/number.h"

ss_phase_load ss_trees_load(const ss_network *network, ss_span span, double neighbours, double trees)
{
  const double others = (double)(ss_span_locals(span) - 1);
  return (ss_phase_load){.nvlink_steps = 2.0 * others,
                         .fabric_steps = 2.0 * (double)ss_log2_ceiling(span.domains),
                         .nvlink_share = ss_min(others, 2.0),
                         .fabric_share = ss_span_crowded(span, neighbours),
                         .nics = (double)ss_span_rings(span, network->nics_per_gpu),
                         .sharers = (double)span.nic.rings,
                         .flows = trees * neighbours,
                         .stepping = SS_PIPELINE,
                         .passed_share = 0.5 * neighbours,
                         .peers = others,
                         .gpus = 1.0};
}

static void add_link(ss_flow_list *flows, int32_t a, int32_t b)
{
  ss_flow_list_add(flows, (ss_flow){.from = a, .to = b, .share = 1.0});
  ss_flow_list_add(flows, (ss_flow){.from = b, .to = a, .share = 1.0});
}

void ss_trees_add_chains(ss_flow_list *flows)
{
  for (int64_t domain = 0; domain < flows->span.domains; ++domain)
    for (int64_t place = 1; place < ss_flow_list_locals(flows, domain); ++place)
      add_link(flows, ss_flow_list_gpu(flows, domain, place - 1), ss_flow_list_gpu(flows, domain, place));
}

/* A node whose lowest set bit is b lies below its neighbour with a higher lowest bit: b larger, or b smaller where that
 * is beyond the last. */
static int64_t parent_of(int64_t node, int64_t count)
{
  const int64_t lowest = node & -node, below = node - lowest;
  return (below | 2 * lowest) < count ? below | 2 * lowest : below;
}

void ss_trees_add_tree(ss_flow_list *flows, double share, int64_t (*at)(int64_t node, int64_t count))
{
  const int64_t domains = flows->span.domains;
  for (int64_t node = 1; node < domains; ++node) {
    const int64_t parent = parent_of(node, domains);
    const int64_t child_domain = at == NULL ? node : at(node, domains);
    const int64_t parent_domain = at == NULL ? parent : at(parent, domains);
    ss_flow_list_hop(flows, child_domain, parent_domain, share);
    ss_flow_list_hop(flows, parent_domain, child_domain, share);
  }
}
