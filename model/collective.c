#include "model/collective.h"

#include <math.h>

#include "model/number.h"

/* A number of NICs that is whole comes out as that. */
#define ROUNDING 1e-9

static const struct {
  double passes;
  ss_activity activity;
  bool keeps;
} collectives[] = {
#define SS_COLLECTIVE_ROW(id, activity, passes, keeps) {passes, activity, keeps},
    SS_COLLECTIVE_LIST(SS_COLLECTIVE_ROW)
#undef SS_COLLECTIVE_ROW
};

ss_activity ss_collective_activity(ss_collective kind)
{
  return collectives[kind].activity;
}

double ss_collective_ring_share(ss_collective kind, int64_t ranks)
{
  const double n = (double)ranks;
  return collectives[kind].passes * (collectives[kind].keeps ? (n - 1.0) / n : 1.0);
}

int64_t ss_collective_rings(ss_span span, double nics_per_gpu)
{
  const double nics = floor(nics_per_gpu * (double)span.per_domain + ROUNDING);
  return span.per_domain == 1 || nics < 1.0 ? 1 : (int64_t)nics;
}

static double rings(const ss_network *network, ss_span span)
{
  return (double)ss_collective_rings(span, network->nics_per_gpu);
}

/* NICs of a domain's ranks, where each rank sends through its own. */
static double own_nics(const ss_network *network, ss_span span)
{
  return ss_max(floor(network->nics_per_gpu * (double)span.per_domain + ROUNDING), 1.0);
}

static bool has_inside(ss_span span)
{
  return span.size > span.domains;
}

static bool has_across(ss_span span)
{
  return span.domains > 1;
}

/* Ranks of a domain: of the fullest. */
static int64_t locals(ss_span span)
{
  return (span.size + span.domains - 1) / span.domains;
}

int ss_collective_levels(int64_t count)
{
  return count < 2 ? 0 : 64 - __builtin_clzll((unsigned long long)count - 1);
}

/* What a phase puts on the links: steps that follow one another, and of the volume, what leaves the busiest NVLink port
 * and, evenly through `nics`, a domain. */
typedef struct load {
  double nvlink_steps, fabric_steps, nvlink_share, fabric_share, nics;
} load;

/* arXiv 2410.00273 section III: in each of n - 1 steps every rank passes 1/n on to the next, an all-reduce has twice as
 * much to pass on; over NVLink inside one domain, over the fabric with one rank per domain, otherwise over both. */
static inline load ring_load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  (void)phase;
  const double share = ss_collective_ring_share(kind, span.size);
  return (load){.nvlink_steps = (double)(span.size - span.domains),
                .fabric_steps = (double)(span.domains - 1),
                .nvlink_share = has_inside(span) ? share : 0.0,
                .fabric_share = has_across(span) ? share : 0.0,
                .nics = has_inside(span) && has_across(span) ? rings(network, span) : 1.0};
}

/* Every rank has 1/n of its volume for each; the ranks of a domain share all NICs they own for what leaves it. */
static load direct_load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  (void)kind;
  (void)phase;
  const double n = (double)span.size, near = (double)span.per_domain;
  return (load){.nvlink_steps = (double)(span.size - span.domains),
                .fabric_steps = (double)(span.domains - 1),
                .nvlink_share = (near - 1.0) / n,
                .fabric_share = near * (n - near) / n,
                .nics = own_nics(network, span)};
}

/* To the root and back, piece after piece, so that both ways are busy at once: along a chain of the ranks of each
 * domain, where one in the middle has two neighbours, and over trees of domains, whose busiest has so many in the mean.
 * NCCL, src/graph/tuning.cc: 2 (n / N - 1) steps inside, 2 log2 N across. */
static load chain_and_trees(const ss_network *network, ss_span span, double neighbours)
{
  return (load){.nvlink_steps = 2.0 * (double)(locals(span) - 1),
                .fabric_steps = 2.0 * (double)ss_collective_levels(span.domains),
                .nvlink_share = ss_min((double)(locals(span) - 1), 2.0),
                .fabric_share = neighbours,
                .nics = rings(network, span)};
}

/* A parent and two children, once there are 4 domains. */
static load tree_load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  (void)kind;
  (void)phase;
  return chain_and_trees(network, span, ss_min((double)(span.domains - 1), 3.0));
}

/* NCCL, src/graph/trees.cc (ncclGetDtree), after Sanders, Speck and Traff, "Two-tree algorithms for full bandwidth
 * broadcast, reduction and scan", 2009: two binary trees with half of the volume each. What is inside of one is a leaf
 * of the other: 3 + 1 neighbours. */
static load double_tree_load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  (void)kind;
  (void)phase;
  return chain_and_trees(network, span, has_across(span) ? ss_min((double)span.domains, 4.0) / 2.0 : 0.0);
}

/* What NCCL takes a double tree for when it compares it with others: the volume twice, however few the domains, at 0.92
 * of the bandwidth (busBw * .92, and the ratio .5 of its src/graph/tuning.cc). */
static load compared_tree_load(const ss_network *network, ss_span span)
{
  const double trusted = 0.92;
  load all = chain_and_trees(network, span, 2.0);
  all.fabric_share /= trusted;
  all.nvlink_share /= trusted;
  return all;
}

/* Algorithms that do one level after the other, inside domains and across: an all-reduce comes back to the one that it
 * starts with. */
static int level_phases(ss_collective kind, bool inside, bool across)
{
  if (!inside || !across) return 1;
  return kind == SS_ALL_REDUCE ? 3 : 2;
}

/* Of recursive halving, the steps that leave the domain, which come first, and the others. */
typedef struct halving_steps {
  int far, near;
} halving_steps;

static halving_steps steps_of(ss_span span)
{
  const int far = ss_collective_levels(span.domains);
  return (halving_steps){far, ss_collective_levels(span.size) - far};
}

static int halving_phases(ss_collective kind, ss_span span)
{
  const halving_steps steps = steps_of(span);
  return level_phases(kind, steps.near > 0, steps.far > 0);
}

/* Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", 2005: in step i = 1,
 * 2, ... every rank exchanges V / 2^i with the one n / 2^i further; gathers take the steps the other way round, an
 * all-reduce goes there and back. */
static load halving_load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  const halving_steps steps = steps_of(span);
  const int phases = halving_phases(kind, span);
  const bool across = phases == 1 ? steps.far > 0 : (phase == 1) == (kind == SS_ALL_GATHER);
  const double passes = kind == SS_ALL_REDUCE && (phase == 1 || phases == 1) ? 2.0 : 1.0;
  const double near = (double)span.per_domain, left = 1.0 / (double)((int64_t)1 << steps.far);
  if (!across)
    return (load){.nvlink_steps = passes * (double)steps.near,
                  .nvlink_share = passes * (left - 1.0 / (double)span.size)};
  return (load){.fabric_steps = passes * (double)steps.far,
                .fabric_share = passes * near * (1.0 - left),
                .nics = own_nics(network, span)};
}

static int hierarchical_phases(ss_collective kind, ss_span span)
{
  return level_phases(kind, has_inside(span), has_across(span));
}

/* The part of it that crosses domains. */
static load across_load(const ss_network *network, ss_collective kind, ss_span span)
{
  if (kind == SS_ALL_TO_ALL) {
    load all = direct_load(network, kind, span, 0);
    all.nvlink_steps = all.nvlink_share = 0.0;
    return all;
  }
  return (load){.fabric_steps = (double)(span.domains - 1),
                .fabric_share = ss_collective_ring_share(kind, span.domains),
                .nics = rings(network, span)};
}

/* Rings of the ranks of a domain, and rings of those at the same place of their domains: what is reduced first is
 * reduced inside, so that only 1/g of a rank's volume is left to cross, and gathers end inside (Cho et al.,
 * "BlueConnect", MLSys 2019). An all-to-all first takes everything to the rank of its domain that has the place of its
 * destination, from where it goes on in fewer, larger messages (NVIDIA, "Doubling all2all performance with NCCL 2.12",
 * 2022). */
static load hierarchical_load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  const double local = (double)locals(span);
  if (hierarchical_phases(kind, span) == 1)
    return (kind == SS_ALL_TO_ALL ? direct_load : ring_load)(network, kind, span, phase);
  if ((phase == 1) != (kind == SS_ALL_GATHER)) return across_load(network, kind, span);
  return (load){.nvlink_steps = local - 1.0, .nvlink_share = (local - 1.0) / local};
}

static int in_network_phases(ss_collective kind, ss_span span)
{
  return kind == SS_ALL_REDUCE ? 1 : hierarchical_phases(kind, span);
}

/* Switches that reduce and multicast do with one step what they join. Inside a domain (NVLink SHARP): to reduce 1/n of
 * the volume for each rank, every port sends all of it, and its rank sends the 1/n that it gets once more, to be
 * multicast (arXiv 2603.28239; Klenk et al., "An in-network architecture for accelerating shared-memory multiprocessor
 * collectives", ISCA 2020). Across: every NIC sends and gets the volume once (Graham et al., "Scalable hierarchical
 * aggregation protocol (SHArP)", COMHPC 2016). What has no such switches goes along the chain and the double tree, as
 * NCCL's NVLSTree and CollNetChain do; steps are those of its src/graph/tuning.cc. Gathers and reduce-scatters use the
 * switches of domains only, and cross over rings as `hierarchical` does. */
static load in_network_load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  const double local = (double)locals(span);
  if (kind != SS_ALL_REDUCE) {
    const bool across = !has_inside(span) || (has_across(span) && (phase == 1) != (kind == SS_ALL_GATHER));
    return across ? across_load(network, kind, span) : (load){.nvlink_steps = 1.0, .nvlink_share = 1.0};
  }
  load all = double_tree_load(network, kind, span, phase);
  if (has_inside(span) && network->nvlink_reduces) {
    all.nvlink_steps = 1.0;
    all.nvlink_share = (local + 1.0) / local;
  }
  if (has_across(span) && network->fabric_reduces) all.fabric_steps = all.fabric_share = 1.0;
  return all;
}

static bool crosses(const ss_network *network, ss_collective kind, ss_span span)
{
  (void)network;
  (void)kind;
  return has_across(span);
}

/* Whether switches that reduce have something to do. */
static bool is_helped(const ss_network *network, ss_collective kind, ss_span span)
{
  if (kind != SS_ALL_REDUCE) return network->nvlink_reduces && !has_across(span);
  return (network->nvlink_reduces && has_inside(span)) || (network->fabric_reduces && has_across(span));
}

#define KIND(kind) (1u << (kind))
#define REDUCTIONS (KIND(SS_ALL_REDUCE) | KIND(SS_REDUCE_SCATTER))
#define SHARDED    (REDUCTIONS | KIND(SS_ALL_GATHER))

/* What each algorithm can do, for which of that it is considered where the workload leaves the choice, over which
 * groups then, and what it takes. Considered is what NCCL would (ncclTopoTuneModel in src/graph/tuning.cc), but for
 * PAT, and for trees inside one domain. */
static const struct {
  unsigned kinds, considered;
  bool (*suits)(const ss_network *network, ss_collective kind, ss_span span); /* NULL: any group */
  int (*phases)(ss_collective kind, ss_span span);                            /* NULL: one */
  load (*load)(const ss_network *network, ss_collective kind, ss_span span, int phase);
  load (*compared)(const ss_network *network, ss_span span); /* when algorithms are compared; NULL: its load */
} algorithms[] = {
    [SS_ALGORITHM_RING] = {.kinds = SHARDED | KIND(SS_BROADCAST) | KIND(SS_REDUCE),
                           .considered = SHARDED | KIND(SS_BROADCAST) | KIND(SS_REDUCE),
                           .load = ring_load},
    [SS_ALGORITHM_TREE] = {.kinds = KIND(SS_ALL_REDUCE), .load = tree_load},
    [SS_ALGORITHM_DOUBLE_TREE] = {.kinds = KIND(SS_ALL_REDUCE),
                                  .considered = KIND(SS_ALL_REDUCE),
                                  .suits = crosses,
                                  .load = double_tree_load,
                                  .compared = compared_tree_load},
    [SS_ALGORITHM_HALVING] = {.kinds = SHARDED, .phases = halving_phases, .load = halving_load},
    [SS_ALGORITHM_HIERARCHICAL] = {.kinds = SHARDED | KIND(SS_ALL_TO_ALL),
                                   .phases = hierarchical_phases,
                                   .load = hierarchical_load},
    [SS_ALGORITHM_IN_NETWORK] = {.kinds = SHARDED,
                                 .considered = SHARDED,
                                 .suits = is_helped,
                                 .phases = in_network_phases,
                                 .load = in_network_load},
    [SS_ALGORITHM_DIRECT] = {.kinds = KIND(SS_ALL_TO_ALL), .considered = KIND(SS_ALL_TO_ALL), .load = direct_load},
};
enum { ALGORITHMS = sizeof algorithms / sizeof algorithms[0] };

bool ss_method_exists(ss_method method)
{
  return method.algorithm == SS_ALGORITHM_AUTO || (algorithms[method.algorithm].kinds & KIND(method.kind)) != 0;
}

bool ss_method_takes(ss_method method, int64_t ranks)
{
  return method.algorithm != SS_ALGORITHM_HALVING || (ranks & (ranks - 1)) == 0;
}

bool ss_method_runs_on(ss_method method, const ss_machine *machine)
{
  if (method.algorithm != SS_ALGORITHM_IN_NETWORK || machine->nvlink_reduces != 0) return true;
  return method.kind == SS_ALL_REDUCE && machine->fabric_reduces != 0;
}

ss_algorithm ss_collective_given(const ss_workload *workload, ss_collective kind)
{
  switch (kind) {
  case SS_ALL_GATHER: return workload->schedule.all_gather;
  case SS_REDUCE_SCATTER: return workload->schedule.reduce_scatter;
  case SS_ALL_REDUCE: return workload->schedule.all_reduce;
  case SS_ALL_TO_ALL: return workload->schedule.all_to_all;
  case SS_BROADCAST:
  case SS_REDUCE:
  case SS_COLLECTIVE_COUNT: break;
  }
  return SS_ALGORITHM_AUTO;
}

/* Of the algorithms that are considered for a collective, the first is taken for granted. */
static void consider(ss_network *network, ss_collective kind)
{
  for (int i = 0; i < ALGORITHMS; ++i) {
    const ss_algorithm algorithm = (ss_algorithm)i;
    if ((algorithms[i].considered & KIND(kind)) == 0) continue;
    if (network->usual[kind] == SS_ALGORITHM_AUTO)
      network->usual[kind] = algorithm;
    else if (algorithm != SS_ALGORITHM_IN_NETWORK || network->nvlink_reduces || network->fabric_reduces)
      network->others[kind] |= SS_ALGORITHM_BIT(algorithm);
  }
}

ss_network ss_network_of(const ss_machine *machine, const ss_workload *workload, ss_cost cost)
{
  const bool as_published = ss_cost_traits_of(cost).as_published;
  ss_network network = {.nvlink_bytes_per_s = machine->nvlink_bytes_per_s * machine->nvlink_efficiency,
                        .nvlink_latency_s = machine->nvlink_latency_s,
                        .fabric_bytes_per_s = machine->fabric_bytes_per_s * machine->fabric_efficiency,
                        .fabric_latency_s = machine->fabric_latency_s,
                        .nics_per_gpu = ss_machine_nics_per_gpu(machine),
                        .nvlink_reduces = machine->nvlink_reduces != 0,
                        .fabric_reduces = machine->fabric_reduces != 0};
  for (int i = 0; i < SS_COLLECTIVE_COUNT; ++i) {
    const ss_collective kind = (ss_collective)i;
    const ss_algorithm given = ss_collective_given(workload, kind);
    if (given != SS_ALGORITHM_AUTO && !as_published)
      network.usual[kind] = given;
    else
      consider(&network, kind);
    if (as_published) network.others[kind] = 0;
  }
  return network;
}

static inline ss_comm_time time_of(const ss_network *network, const load *l, double volume_bytes)
{
  double nvlink_s = 0.0, fabric_s = 0.0;
  if (l->nvlink_share > 0.0) nvlink_s = l->nvlink_share * volume_bytes / network->nvlink_bytes_per_s;
  if (l->fabric_share > 0.0) fabric_s = l->fabric_share * volume_bytes / network->fabric_bytes_per_s / l->nics;
  return (ss_comm_time){.latency_s =
                            network->fabric_latency_s * l->fabric_steps + network->nvlink_latency_s * l->nvlink_steps,
                        .transfer_s = ss_max(nvlink_s, fabric_s)};
}

int ss_collective_phases(ss_method method, ss_span span)
{
  return algorithms[method.algorithm].phases == NULL ? 1 : algorithms[method.algorithm].phases(method.kind, span);
}

ss_comm_time ss_collective_phase(const ss_network *network, ss_method method, ss_span span, double volume_bytes,
                                 int phase)
{
  if (span.size <= 1 || volume_bytes <= 0.0 || phase >= ss_collective_phases(method, span))
    return (ss_comm_time){0.0, 0.0};
  const load all = algorithms[method.algorithm].load(network, method.kind, span, phase);
  return time_of(network, &all, volume_bytes);
}

/* A search asks for rings millions of times: they are not looked up. */
static inline ss_comm_time method_time(const ss_network *network, ss_method method, ss_span span, double volume_bytes)
{
  if (span.size <= 1 || volume_bytes <= 0.0) return (ss_comm_time){0.0, 0.0};
  if (method.algorithm == SS_ALGORITHM_RING) {
    const load all = ring_load(network, method.kind, span, 0);
    return time_of(network, &all, volume_bytes);
  }
  ss_comm_time sum = {0.0, 0.0};
  const int phases = ss_collective_phases(method, span);
  for (int phase = 0; phase < phases; ++phase) {
    const load all = algorithms[method.algorithm].load(network, method.kind, span, phase);
    const ss_comm_time time = time_of(network, &all, volume_bytes);
    sum.latency_s += time.latency_s;
    sum.transfer_s += time.transfer_s;
  }
  return sum;
}

ss_comm_time ss_method_time(const ss_network *network, ss_method method, ss_span span, double volume_bytes)
{
  return method_time(network, method, span, volume_bytes);
}

/* An algorithm, and what it takes. */
typedef struct choice {
  ss_algorithm algorithm;
  ss_comm_time time;
} choice;

/* The time of a choice that is compared. */
static double compared_s(const ss_network *network, ss_span span, double volume_bytes, const choice *c)
{
  if (algorithms[c->algorithm].compared == NULL) return ss_comm_time_sum(c->time);
  const load all = algorithms[c->algorithm].compared(network, span);
  return ss_comm_time_sum(time_of(network, &all, volume_bytes));
}

/* Of several. */
static choice fastest(const ss_network *network, ss_collective kind, ss_span span, double volume_bytes)
{
  const ss_method usual = {kind, network->usual[kind]};
  choice best = {usual.algorithm, method_time(network, usual, span, volume_bytes)};
  double least_s = compared_s(network, span, volume_bytes, &best);
  for (ss_algorithm_set left = network->others[kind]; left != 0; left &= left - 1) {
    const ss_method method = {kind, (ss_algorithm)ss_collective_levels(left & -left)};
    if (!algorithms[method.algorithm].suits(network, kind, span)) continue;
    const choice other = {method.algorithm, method_time(network, method, span, volume_bytes)};
    const double other_s = compared_s(network, span, volume_bytes, &other);
    if (other_s >= least_s) continue;
    best = other;
    least_s = other_s;
  }
  return best;
}

ss_algorithm ss_collective_choose(const ss_network *network, ss_collective kind, ss_span span, double volume_bytes)
{
  return network->others[kind] == 0 ? network->usual[kind] : fastest(network, kind, span, volume_bytes).algorithm;
}

ss_comm_time ss_collective_time(const ss_network *network, ss_collective kind, ss_span span, double volume_bytes)
{
  if (network->others[kind] != 0) return fastest(network, kind, span, volume_bytes).time;
  return method_time(network, (ss_method){kind, network->usual[kind]}, span, volume_bytes);
}

double ss_collective_port_bytes(const ss_network *network, ss_method method, ss_span span, double volume_bytes)
{
  double sum_bytes = 0.0;
  const int phases = ss_collective_phases(method, span);
  for (int phase = 0; span.size > 1 && phase < phases; ++phase)
    sum_bytes += algorithms[method.algorithm].load(network, method.kind, span, phase).nvlink_share * volume_bytes;
  return sum_bytes;
}

ss_comm_time ss_message_time(const ss_network *network, bool across_domains, double bytes)
{
  if (bytes <= 0.0) return (ss_comm_time){0.0, 0.0};
  if (across_domains) return (ss_comm_time){network->fabric_latency_s, bytes / network->fabric_bytes_per_s};
  return (ss_comm_time){network->nvlink_latency_s, bytes / network->nvlink_bytes_per_s};
}

double ss_comm_time_sum(ss_comm_time time)
{
  return time.latency_s + time.transfer_s;
}
