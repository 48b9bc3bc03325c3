/* The algorithms of collectives: what each puts on the links, phase by phase. The rows of one table: adding an
 * algorithm is a row, a function, and its flows in sim/engine/network/route.c. */
#ifndef STEPSIM_MODEL_COLLECTIVE_ALGORITHM_H
#define STEPSIM_MODEL_COLLECTIVE_ALGORITHM_H

#include "model/base/number.h"
#include "model/collective/collective.h"

/* What a phase puts on the links: steps that follow one another, and of the volume, what leaves the busiest NVLink port
 * and, evenly through `nics`, a domain. */
typedef struct ss_load {
  double nvlink_steps, fabric_steps, nvlink_share, fabric_share, nics;
  ss_stepping stepping;
  double passed_share; /* through a GPU on its way across domains, in rounds */
  double peers, gpus;  /* of ss_demand */
} ss_load;

/* One algorithm. */
typedef struct ss_algorithm_row {
  unsigned kinds;      /* collectives that it can do, a bit each */
  unsigned considered; /* those for which it is considered where the workload leaves the choice */
  bool (*suits)(const ss_network *network, ss_collective kind, ss_span span); /* groups then; NULL: any */
  int (*phases)(ss_collective kind, ss_span span);                            /* NULL: one */
  ss_load (*load)(const ss_network *network, ss_collective kind, ss_span span, int phase);
  ss_load (*compared)(const ss_network *network, ss_span span); /* when algorithms are compared; NULL: its load */
} ss_algorithm_row;

#define SS_KIND_BIT(kind) (1u << (kind))

const ss_algorithm_row *ss_algorithm_row_of(ss_algorithm algorithm);
int ss_algorithm_rows(void);

static inline bool ss_span_has_inside(ss_span span)
{
  return span.size > span.domains;
}

static inline bool ss_span_has_across(ss_span span)
{
  return span.domains > 1;
}

/* Ranks of a domain: of the fullest. */
static inline int64_t ss_span_locals(ss_span span)
{
  return (span.size + span.domains - 1) / span.domains;
}

/* Times that a ring is gone around: with the latencies of links a step counts once, as in arXiv 2410.00273, with the
 * steps of protocols as often as NCCL takes it. */
static inline double ss_ring_rounds(const ss_network *network, ss_collective kind)
{
  return network->protocols.steps ? ss_collective_passes(kind) : 1.0;
}

/* arXiv 2410.00273 section III: in each of n - 1 steps every rank passes 1/n on to the next, an all-reduce has twice as
 * much to pass on; over NVLink inside one domain, over the fabric with one rank per domain, otherwise over both. */
static inline ss_load ss_ring_load(const ss_network *network, ss_collective kind, ss_span span)
{
  const double share = ss_collective_ring_share(kind, span.size);
  const double rounds = ss_ring_rounds(network, kind);
  const bool inside = ss_span_has_inside(span), across = ss_span_has_across(span);
  return (ss_load){.nvlink_steps = rounds * (double)(span.size - span.domains),
                   .fabric_steps = rounds * (double)(span.domains - 1),
                   .nvlink_share = inside ? share : 0.0,
                   .fabric_share = across ? share : 0.0,
                   .nics = inside && across ? (double)ss_collective_rings(span, network->nics_per_gpu) : 1.0,
                   .stepping = SS_ROUNDS,
                   .passed_share = share,
                   .peers = (double)(ss_span_locals(span) - 1),
                   .gpus = (double)span.per_domain};
}

#endif
