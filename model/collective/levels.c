#include "model/collective/levels.h"

#include "model/collective/ring.h"

int ss_levels_phases(ss_collective kind, bool inside, bool across)
{
  if (!inside || !across) return 1;
  return kind == SS_ALL_REDUCE ? 3 : 2;
}

int ss_levels_span_phases(ss_collective kind, ss_span span)
{
  return ss_levels_phases(kind, ss_span_has_inside(span), ss_span_has_across(span));
}

bool ss_levels_cross(ss_collective kind, int phase)
{
  return (phase == 1) != (kind == SS_ALL_GATHER);
}

ss_phase_load ss_levels_ring_load(const ss_network *network, ss_collective kind, ss_span span)
{
  const double share = ss_collective_ring_share(kind, span.domains);
  return (ss_phase_load){.fabric_steps = ss_ring_rounds(network, kind) * (double)(span.domains - 1),
                         .fabric_share = ss_span_crowded(span, share),
                         .nics = (double)ss_span_rings(span, network->nics_per_gpu),
                         .sharers = (double)span.nic.rings,
                         .stepping = SS_ROUNDS,
                         .passed_share = share / (double)ss_span_locals(span),
                         .gpus = 1.0};
}

void ss_levels_add_rings_across(ss_flow_list *flows)
{
  ss_flow_list_rings_across(flows, ss_collective_ring_share(flows->kind, flows->span.domains));
}

ss_phase_load ss_levels_inside_load(ss_span span)
{
  const double local = (double)ss_span_locals(span);
  return (ss_phase_load){.nvlink_steps = local - 1.0,
                         .nvlink_share = (local - 1.0) / local,
                         .stepping = SS_ROUNDS,
                         .copies = 1.0,
                         .peers = local - 1.0};
}

static double share_inside(const ss_flow_list *flows, int64_t locals)
{
  (void)flows;
  return ((double)locals - 1.0) / (double)locals;
}

void ss_levels_add_inside(ss_flow_list *flows)
{
  ss_flow_list_rings_inside(flows, share_inside);
}

void ss_levels_add(ss_flow_list *flows, int phases, void (*inside)(ss_flow_list *flows),
                   void (*across)(ss_flow_list *flows))
{
  for (; flows->phase < phases; ++flows->phase) (ss_levels_cross(flows->kind, flows->phase) ? across : inside)(flows);
}
