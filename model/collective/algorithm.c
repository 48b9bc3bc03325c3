#include "model/collective/algorithm.h"

static double rings(const ss_network *network, ss_span span)
{
  return (double)ss_collective_rings(span, network->nics_per_gpu);
}

/* NICs of a domain's ranks, where each rank sends through its own: at least one. */
static double own_nics(const ss_network *network, ss_span span)
{
  return (double)ss_collective_own_nics(span, network->nics_per_gpu);
}

/* GPUs of its domain that a rank has to do with, in the fullest one. */
static double others(ss_span span)
{
  return (double)(ss_span_locals(span) - 1);
}

static ss_load ring_load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  (void)phase;
  return ss_ring_load(network, kind, span);
}

/* Every rank has 1/n of its volume for each; the ranks of a domain share all NICs they own for what leaves it. */
static ss_load direct_load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  (void)kind;
  (void)phase;
  const double n = (double)span.size, near = (double)span.per_domain;
  return (ss_load){.nvlink_steps = (double)(span.size - span.domains),
                   .fabric_steps = (double)(span.domains - 1),
                   .nvlink_share = (near - 1.0) / n,
                   .fabric_share = near * (n - near) / n,
                   .nics = own_nics(network, span),
                   .stepping = SS_BURST,
                   .peers = near - 1.0};
}

/* To the root and back, piece after piece, so that both ways are busy at once: along a chain of the ranks of each
 * domain, where one in the middle has two neighbours, and over trees of domains, whose busiest has so many in the mean.
 * NCCL, src/graph/tuning.cc: 2 (n / N - 1) steps inside, 2 log2 N across. In each tree one GPU of a domain is
 * sent to and sends. */
static ss_load chain_and_trees(const ss_network *network, ss_span span, double neighbours)
{
  return (ss_load){.nvlink_steps = 2.0 * others(span),
                   .fabric_steps = 2.0 * (double)ss_collective_levels(span.domains),
                   .nvlink_share = ss_min(others(span), 2.0),
                   .fabric_share = neighbours,
                   .nics = rings(network, span),
                   .stepping = SS_PIPELINE,
                   .peers = others(span),
                   .gpus = 1.0};
}

/* A parent and two children, once there are 4 domains. */
static ss_load tree_load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  (void)kind;
  (void)phase;
  return chain_and_trees(network, span, ss_min((double)(span.domains - 1), 3.0));
}

/* NCCL, src/graph/trees.cc (ncclGetDtree), after Sanders, Speck and Traff, "Two-tree algorithms for full bandwidth
 * broadcast, reduction and scan", 2009: two binary trees with half of the volume each. What is inside of one is a leaf
 * of the other: 3 + 1 neighbours. */
static ss_load double_tree_load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  (void)kind;
  (void)phase;
  return chain_and_trees(network, span, ss_span_has_across(span) ? ss_min((double)span.domains, 4.0) / 2.0 : 0.0);
}

/* What NCCL takes a double tree for when it compares it with others: the volume twice, however few the domains, at 0.92
 * of the bandwidth (busBw * .92, and the ratio .5 of its src/graph/tuning.cc). */
static ss_load compared_tree_load(const ss_network *network, ss_span span)
{
  const double trusted = 0.92;
  ss_load all = chain_and_trees(network, span, 2.0);
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
static ss_load halving_load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  const halving_steps steps = steps_of(span);
  const int phases = halving_phases(kind, span);
  const bool across = phases == 1 ? steps.far > 0 : (phase == 1) == (kind == SS_ALL_GATHER);
  const double passes = kind == SS_ALL_REDUCE && (phase == 1 || phases == 1) ? 2.0 : 1.0;
  const double near = (double)span.per_domain, left = 1.0 / (double)((int64_t)1 << steps.far);
  if (!across)
    return (ss_load){.nvlink_steps = passes * (double)steps.near,
                     .nvlink_share = passes * (left - 1.0 / (double)span.size),
                     .stepping = SS_ROUNDS,
                     .peers = 1.0};
  return (ss_load){.fabric_steps = passes * (double)steps.far,
                   .fabric_share = passes * near * (1.0 - left),
                   .nics = own_nics(network, span),
                   .stepping = SS_ROUNDS,
                   .passed_share = passes * (1.0 - left),
                   .gpus = 1.0};
}

static int hierarchical_phases(ss_collective kind, ss_span span)
{
  return level_phases(kind, ss_span_has_inside(span), ss_span_has_across(span));
}

/* The part of it that crosses domains. */
static ss_load across_load(const ss_network *network, ss_collective kind, ss_span span)
{
  if (kind == SS_ALL_TO_ALL) {
    ss_load all = direct_load(network, kind, span, 0);
    all.nvlink_steps = all.nvlink_share = 0.0;
    return all;
  }
  const double share = ss_collective_ring_share(kind, span.domains);
  return (ss_load){.fabric_steps = ss_ring_rounds(network, kind) * (double)(span.domains - 1),
                   .fabric_share = share,
                   .nics = rings(network, span),
                   .stepping = SS_ROUNDS,
                   .passed_share = share / (double)ss_span_locals(span),
                   .gpus = 1.0};
}

/* Rings of the ranks of a domain, and rings of those at the same place of their domains: what is reduced first is
 * reduced inside, so that only 1/g of a rank's volume is left to cross, and gathers end inside (Cho et al.,
 * "BlueConnect", MLSys 2019). An all-to-all first takes everything to the rank of its domain that has the place of its
 * destination, from where it goes on in fewer, larger messages (NVIDIA, "Doubling all2all performance with NCCL 2.12",
 * 2022). */
static ss_load hierarchical_load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  const double local = (double)ss_span_locals(span);
  if (hierarchical_phases(kind, span) == 1)
    return (kind == SS_ALL_TO_ALL ? direct_load : ring_load)(network, kind, span, phase);
  if ((phase == 1) != (kind == SS_ALL_GATHER)) return across_load(network, kind, span);
  return (ss_load){.nvlink_steps = local - 1.0,
                   .nvlink_share = (local - 1.0) / local,
                   .stepping = kind == SS_ALL_TO_ALL ? SS_BURST : SS_ROUNDS,
                   .peers = local - 1.0};
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
static ss_load in_network_load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  const double local = (double)ss_span_locals(span);
  if (kind != SS_ALL_REDUCE) {
    const bool across =
        !ss_span_has_inside(span) || (ss_span_has_across(span) && (phase == 1) != (kind == SS_ALL_GATHER));
    if (across) return across_load(network, kind, span);
    return (ss_load){.nvlink_steps = 1.0, .nvlink_share = 1.0, .stepping = SS_PIPELINE, .peers = local - 1.0};
  }
  ss_load all = double_tree_load(network, kind, span, phase);
  if (ss_span_has_inside(span) && network->nvlink_reduces) {
    all.nvlink_steps = 1.0;
    all.nvlink_share = (local + 1.0) / local;
  }
  if (ss_span_has_across(span) && network->fabric_reduces) all.fabric_steps = all.fabric_share = 1.0;
  return all;
}

static bool crosses(const ss_network *network, ss_collective kind, ss_span span)
{
  (void)network;
  (void)kind;
  return ss_span_has_across(span);
}

/* Whether switches that reduce have something to do. */
static bool is_helped(const ss_network *network, ss_collective kind, ss_span span)
{
  if (kind != SS_ALL_REDUCE) return network->nvlink_reduces && !ss_span_has_across(span);
  return (network->nvlink_reduces && ss_span_has_inside(span)) || (network->fabric_reduces && ss_span_has_across(span));
}

#define REDUCTIONS (SS_KIND_BIT(SS_ALL_REDUCE) | SS_KIND_BIT(SS_REDUCE_SCATTER))
#define SHARDED    (REDUCTIONS | SS_KIND_BIT(SS_ALL_GATHER))

/* What each algorithm can do, for which of that it is considered where the workload leaves the choice, over which
 * groups then, and what it takes. Considered is what NCCL would (ncclTopoTuneModel in src/graph/tuning.cc), but for
 * PAT, and for trees inside one domain. */
static const ss_algorithm_row rows[] = {
    [SS_ALGORITHM_RING] = {.kinds = SHARDED | SS_KIND_BIT(SS_BROADCAST) | SS_KIND_BIT(SS_REDUCE),
                           .considered = SHARDED | SS_KIND_BIT(SS_BROADCAST) | SS_KIND_BIT(SS_REDUCE),
                           .load = ring_load},
    [SS_ALGORITHM_TREE] = {.kinds = SS_KIND_BIT(SS_ALL_REDUCE), .load = tree_load},
    [SS_ALGORITHM_DOUBLE_TREE] = {.kinds = SS_KIND_BIT(SS_ALL_REDUCE),
                                  .considered = SS_KIND_BIT(SS_ALL_REDUCE),
                                  .suits = crosses,
                                  .load = double_tree_load,
                                  .compared = compared_tree_load},
    [SS_ALGORITHM_HALVING] = {.kinds = SHARDED, .phases = halving_phases, .load = halving_load},
    [SS_ALGORITHM_HIERARCHICAL] = {.kinds = SHARDED | SS_KIND_BIT(SS_ALL_TO_ALL),
                                   .phases = hierarchical_phases,
                                   .load = hierarchical_load},
    [SS_ALGORITHM_IN_NETWORK] = {.kinds = SHARDED,
                                 .considered = SHARDED,
                                 .suits = is_helped,
                                 .phases = in_network_phases,
                                 .load = in_network_load},
    [SS_ALGORITHM_DIRECT] = {.kinds = SS_KIND_BIT(SS_ALL_TO_ALL),
                             .considered = SS_KIND_BIT(SS_ALL_TO_ALL),
                             .load = direct_load},
};

const ss_algorithm_row *ss_algorithm_row_of(ss_algorithm algorithm)
{
  return &rows[algorithm];
}

int ss_algorithm_rows(void)
{
  return (int)(sizeof rows / sizeof rows[0]);
}
