/* Rings. What a phase of them puts on the links is inline: a search asks for it millions of times. */
#ifndef STEPSIM_MODEL_COLLECTIVE_RING_H
#define STEPSIM_MODEL_COLLECTIVE_RING_H

#include "model/collective/algorithm.h"

/* Times that a ring is gone around: the latencies of links count once, as in arXiv 2410.00273; the steps of protocols
 * count as often as NCCL takes them. */
static inline double ss_ring_rounds(const ss_network *network, ss_collective kind)
{
  return network->protocols.steps ? ss_collective_passes(kind) : 1.0;
}

/* Steps more that only copy: of what came last, and of a rank's own part where it is gathered out of place. */
static inline double ss_ring_copies(ss_collective kind)
{
  return kind == SS_ALL_GATHER ? 2.0 : 1.0;
}

/* arXiv 2410.00273 section III: in each of n - 1 steps every rank passes 1/n on to the next, an all-reduce has twice as
 * much to pass on; over NVLink inside one domain, over the fabric with one rank per domain, otherwise over both. */
static inline ss_phase_load ss_ring_load(const ss_network *network, ss_collective kind, ss_span span)
{
  const double share = ss_collective_ring_share(kind, span.size);
  const double rounds = ss_ring_rounds(network, kind);
  const bool inside = ss_span_has_inside(span), across = ss_span_has_across(span);
  return (ss_phase_load){.nvlink_steps = rounds * (double)(span.size - span.domains),
                         .fabric_steps = rounds * (double)(span.domains - 1),
                         .nvlink_share = inside ? share : 0.0,
                         .fabric_share = across ? ss_span_crowded(span, share) : 0.0,
                         .nics = inside && across ? (double)ss_span_rings(span, network->nics_per_gpu) : 1.0,
                         .sharers = (double)span.nic.rings,
                         .stepping = SS_ROUNDS,
                         .passed_share = share,
                         .copies = inside && !across ? ss_ring_copies(kind) : 0.0,
                         .peers = (double)(ss_span_locals(span) - 1),
                         .gpus = (double)span.per_domain};
}

/* Adds the flows of one phase of rings over the whole group. */
void ss_ring_flows(ss_flow_list *flows);

#endif
