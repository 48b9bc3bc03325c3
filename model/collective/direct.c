#include "model/collective/direct.h"

#include "model/base/number.h"

/* Domains that the messages of one GPU are bundled to, at most. */
#define BUNDLES_MAX 4

/* Bundles of each of `locals` GPUs of a domain: enough for every one of the `others` to be met by one of them. */
static int64_t bundles_of(int64_t locals, int64_t others)
{
  const int64_t enough = ss_divide_up(others, locals);
  return enough < BUNDLES_MAX ? enough : BUNDLES_MAX;
}

ss_phase_load ss_direct_load(const ss_network *network, ss_span span)
{
  const double n = (double)span.size, near = (double)span.per_domain;
  const double nics = (double)ss_span_nics(span, network->nics_per_gpu), behind = ss_max(near / nics, 1.0);
  ss_phase_load all = {.nvlink_steps = near - 1.0,
                       .fabric_steps = n - near,
                       .nvlink_share = (near - 1.0) / n,
                       .fabric_share = near * (n - near) / n,
                       .nics = nics,
                       .sharers = ss_span_senders_share(span, network->nics_per_gpu, span.per_domain),
                       .flows = behind * (double)bundles_of(span.per_domain, span.domains - 1),
                       .stepping = SS_BURST,
                       .peers = near - 1.0};
  if (span.torus.exchanged == 0.0) return all;
  all.fabric_share = near * span.torus.exchanged;
  all.nics = (double)ss_span_rings(span, network->nics_per_gpu);
  all.sharers = (double)span.nic.rings;
  all.flows = 1.0;
  return all;
}

static ss_phase_load load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  (void)kind;
  (void)phase;
  return ss_direct_load(network, span);
}

/* How far away the domain is that the `slot`-th of `slots` bundles of a domain goes to: all distances in turn, or,
 * where there are more of them, evenly spread. */
static int64_t bundle_distance(int64_t slot, int64_t slots, int64_t others)
{
  return 1 + (slots < others ? slot * others / slots : slot % others);
}

/* What the GPU at one place of a domain sends to other domains: an even share in each bundle, to the same place. */
static void add_bundles(ss_flow_list *flows, int64_t domain, int64_t place, double part)
{
  const int64_t domains = flows->span.domains, others = domains - 1, locals = ss_flow_list_locals(flows, domain);
  const int64_t bundles = bundles_of(locals, others);
  const double outside = part * (double)(flows->span.size - locals) / (double)flows->span.size;
  for (int64_t bundle = 0; bundle < bundles; ++bundle) {
    const int64_t there = (domain + bundle_distance(place * bundles + bundle, locals * bundles, others)) % domains;
    ss_flow_list_pair(flows, ss_flow_list_gpu(flows, domain, place),
                      ss_flow_list_gpu(flows, there, place % ss_flow_list_locals(flows, there)),
                      outside / (double)bundles);
  }
}

static int64_t domain_of(const void *context, int64_t i)
{
  const ss_flow_list *flows = context;
  return ss_flow_list_gpu(flows, i, 0) / flows->machine->domain_size;
}

/* A GPU sends to at most 4 other domains, and which ones differs from GPU to GPU, so that together they load the fabric
 * as messages between all pairs would. Where the domains are a box of a torus, what all pairs put on each cable is
 * known, and far from what so few distances would. */
void ss_direct_add_across(ss_flow_list *flows, double part)
{
  ss_lattice_box box = {0};
  const ss_lattice lattice = ss_lattice_of(flows->machine);
  if (flows->span.torus.exchanged > 0.0) box = ss_lattice_box_of(&lattice, flows->span.domains, domain_of, flows);
  for (int i = 0; i < box.members.dimensions; ++i)
    ss_flow_list_cables(flows, &box.members, i, box.closes[i],
                        part * (double)flows->span.per_domain * ss_lattice_passed(&box, i));
  if (box.members.dimensions > 0) return;
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
