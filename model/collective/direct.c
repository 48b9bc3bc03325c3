#include "model/collective/direct.h"

#include "model/base/number.h"

ss_phase_load ss_direct_load(const ss_network *network, ss_span span)
{
  const double n = (double)span.size, near = (double)span.per_domain;
  const ss_lattice lattice = ss_span_filled(&network->lattice, span);
  ss_phase_load all = {.nvlink_steps = near - 1.0,
                       .fabric_steps = n - near,
                       .nvlink_share = (near - 1.0) / n,
                       .fabric_share = near * (n - near) / n,
                       .nics = (double)ss_span_nics(span, network->nics_per_gpu),
                       .stepping = SS_BURST,
                       .peers = near - 1.0};
  if (lattice.dimensions == 0) return all;
  double share = 0.0;
  for (int i = 0; i < lattice.dimensions; ++i) share = ss_max(share, ss_lattice_exchanged(&lattice, i));
  all.fabric_share = near * share;
  all.nics = (double)ss_span_rings(span, network->nics_per_gpu);
  return all;
}

static ss_phase_load load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  (void)kind;
  (void)phase;
  return ss_direct_load(network, span);
}

/* Domains that the messages of a domain are bundled to, at most. */
#define BUNDLES_MAX 8

/* How far away the domain is that a bundle goes to: every distance, or the middle ones of as many even parts of all. */
static int64_t bundle_distance(int64_t bundle, int64_t bundles, int64_t others)
{
  return 1 + (2 * bundle + 1) * others / (2 * bundles);
}

/* What the GPU at one place of a domain sends to other domains: an even share in each bundle, to the same place. */
static void add_bundles(ss_flow_list *flows, int64_t domain, int64_t place, double part)
{
  const int64_t domains = flows->span.domains, others = domains - 1, locals = ss_flow_list_locals(flows, domain);
  const int64_t bundles = others < BUNDLES_MAX ? others : BUNDLES_MAX;
  const double outside = part * (double)(flows->span.size - locals) / (double)flows->span.size;
  for (int64_t bundle = 0; bundle < bundles; ++bundle) {
    const int64_t there = (domain + bundle_distance(bundle, bundles, others)) % domains;
    ss_flow_list_pair(flows, ss_flow_list_gpu(flows, domain, place),
                      ss_flow_list_gpu(flows, there, place % ss_flow_list_locals(flows, there)),
                      outside / (double)bundles);
  }
}

/* Each GPU sends to its place in other domains, as far away for all places: static routes by destination carry such
 * shifts without two of them on a link that few share, as they carry messages between all pairs. Where the group fills
 * dimensions of a torus, what all pairs put on each cable is known, and far from what so few distances would. */
void ss_direct_add_across(ss_flow_list *flows, double part)
{
  const ss_lattice whole = ss_lattice_of(flows->machine), lattice = ss_span_filled(&whole, flows->span);
  for (int i = 0; i < lattice.dimensions; ++i)
    ss_flow_list_cables(flows, &lattice, i, part * (double)flows->span.per_domain * ss_lattice_exchanged(&lattice, i));
  if (lattice.dimensions > 0) return;
  for (int64_t domain = 0; flows->span.domains > 1 && domain < flows->span.domains; ++domain)
    for (int64_t place = 0; place < ss_flow_list_locals(flows, domain); ++place)
      add_bundles(flows, domain, place, part);
}

/* A message to each of the others of its domain, as part of what goes to all ranks. */
static double share_inside(const ss_flow_list *flows, int64_t locals)
{
  return ((double)locals - 1.0) / (double)flows->span.size;
}

void ss_direct_add(ss_flow_list *flows)
{
  ss_flow_list_rings_inside(flows, share_inside);
  ss_direct_add_across(flows, 1.0);
}

const ss_algorithm_row ss_direct_algorithm = {.kinds = SS_KIND_BIT(SS_ALL_TO_ALL),
                                              .considered = SS_KIND_BIT(SS_ALL_TO_ALL),
                                              .load = load,
                                              .flows = ss_direct_add};
