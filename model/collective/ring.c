#include "model/collective/ring.h"

static ss_phase_load load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  (void)phase;
  return ss_ring_load(network, kind, span);
}

static double share_inside(const ss_flow_list *flows, int64_t locals)
{
  (void)locals;
  return ss_collective_ring_share(flows->kind, flows->span.size);
}

/* Inside one domain there is one ring over NVLink; with one GPU per domain there is one over the fabric. Otherwise
 * there is one per NIC: each goes once around the GPUs of a domain and then out through its NIC to the next domain, so
 * that the port of a GPU carries all rings and a NIC carries one. Rings of one collective share a flow over NVLink. */
void ss_ring_flows(ss_flow_list *flows)
{
  ss_flow_list_rings_inside(flows, share_inside);
  ss_flow_list_rings_across(flows, ss_collective_ring_share(flows->kind, flows->span.size));
}

const ss_algorithm_row ss_ring_algorithm = {.kinds = SS_SHARDED_KINDS | SS_ROOTED_KINDS,
                                            .considered = SS_SHARDED_KINDS | SS_ROOTED_KINDS,
                                            .load = load,
                                            .flows = ss_ring_flows};
