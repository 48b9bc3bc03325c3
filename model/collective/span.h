/* How a group of ranks lies over NVLink domains, and which NICs it owns there. */
#ifndef STEPSIM_MODEL_COLLECTIVE_SPAN_H
#define STEPSIM_MODEL_COLLECTIVE_SPAN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/number.h"
#include "model/collective/lattice.h"
#include "model/input/machine.h"

/* How the domains of a group lie on a torus of domains. Zeroed: there is none, or they are no box of it. */
typedef struct ss_torus_place {
  ss_lattice_axes axes; /* the dimensions of which the group is made, if it has all of each */
  int32_t apart;        /* like groups that use a cable together */
  double exchanged;     /* what crosses the fullest cable, of a volume that each domain sends to all */
} ss_torus_place;

/* What like groups have behind the fullest NIC that a group uses, where GPUs share NICs: rings, and GPUs. Zeroed: a
 * group has NICs of its own. */
typedef struct ss_nic_share {
  int32_t rings, gpus;
} ss_nic_share;

/* `per_domain` is the smallest share that a domain has in the group. */
typedef struct ss_span {
  int64_t size, domains, per_domain;
  ss_torus_place torus;
  ss_nic_share nic;
} ss_span;

/* The span of one group: `count` GPUs of `gpu`, in domains of so many on a lattice; the array is sorted in place. */
ss_span ss_span_of(int32_t *gpu, int64_t count, int64_t domain_size, const ss_lattice *lattice);

/* The dimensions of a torus of domains that a group fills, all or some: there, rings close. No dimensions: it fills
 * none. */
ss_lattice ss_span_filled(const ss_lattice *lattice, ss_span span);

/* How the domains of a box lie. */
ss_torus_place ss_torus_place_of(const ss_lattice *lattice, const ss_lattice_box *box);

/* The dimensions of a torus whose cables the group uses, as far as it is known; else, and elsewhere, all. */
static inline ss_lattice_axes ss_span_cables(ss_span span)
{
  return span.torus.axes != 0 ? span.torus.axes : ~(ss_lattice_axes)0;
}

/* What a cable has of this and like groups together, if one puts so much on it. */
static inline double ss_span_crowded(ss_span span, double share)
{
  return span.torus.apart > 1 ? share * (double)span.torus.apart : share;
}

/* The same group, if no other used its NICs. */
static inline ss_span ss_span_alone(ss_span span)
{
  span.nic.rings = span.nic.gpus = 0;
  return span;
}

/* Both lie over domains alike. */
static inline bool ss_span_is_like(ss_span a, ss_span b)
{
  return a.domains == b.domains && a.per_domain == b.per_domain && a.torus.axes == b.torus.axes &&
         a.torus.apart == b.torus.apart && a.torus.exchanged == b.torus.exchanged && a.nic.rings == b.nic.rings &&
         a.nic.gpus == b.nic.gpus;
}

/* Both have as many ranks, too. */
static inline bool ss_span_is_same(ss_span a, ss_span b)
{
  return a.size == b.size && ss_span_is_like(a, b);
}

/* Some domain has several ranks of the group. */
static inline bool ss_span_has_inside(ss_span span)
{
  return span.size > span.domains;
}

/* The group crosses domains. */
static inline bool ss_span_has_across(ss_span span)
{
  return span.domains > 1;
}

/* What the collectives of the group go over. */
static inline ss_transport ss_span_transport(ss_span span)
{
  const ss_transport transport = {ss_span_has_inside(span), ss_span_has_across(span), false, false};
  return transport;
}

/* The same where the group is of data-parallel ranks. */
static inline ss_transport ss_span_data_transport(ss_span span)
{
  ss_transport transport = ss_span_transport(span);
  transport.data = true;
  return transport;
}

/* Ranks in the fullest domain. */
static inline int64_t ss_span_locals(ss_span span)
{
  return ss_divide_up(span.size, span.domains);
}

/* NICs that the group's GPUs of one domain own, at least one. */
int64_t ss_span_nics(ss_span span, double nics_per_gpu);

/* What each of `senders` of them sends through its own NIC, neighbours first: the NICs that these use, and how many
 * times as much there is behind the fullest one where like groups send at the same time, too. */
double ss_span_senders_nics(ss_span span, double nics_per_gpu, int64_t senders);
double ss_span_senders_share(ss_span span, double nics_per_gpu, int64_t senders);

/* Rings, or trees, of a collective that crosses domains: one per NIC that the group owns in a domain, but a single one
 * where it has only one GPU there. */
int64_t ss_span_rings(ss_span span, double nics_per_gpu);

/* log2 of a count, rounded up: the steps after which all of so many are reached when each step doubles how many are. */
int ss_log2_ceiling(int64_t count);

#endif
