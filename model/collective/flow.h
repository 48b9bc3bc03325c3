/* The flows of a collective between GPUs over NVLink and between NICs over the fabric, and the parts that algorithms
 * put them together from. */
#ifndef STEPSIM_MODEL_COLLECTIVE_FLOW_H
#define STEPSIM_MODEL_COLLECTIVE_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "model/collective/network.h"
#include "model/collective/routing.h"
#include "model/collective/span.h"
#include "model/input/machine.h"

/* One flow: from and to are GPUs, or NICs when it crosses the fabric. A replay of a large job keeps millions. */
typedef struct ss_flow {
  int32_t from, to;
  bool fabric;
  int16_t phase; /* of its collective, of a few: the flows of a phase start when all of the one before have arrived */
  int32_t path;  /* for the replay: which path through the network it takes */
  double share;  /* its bytes, of the volume of the collective */
  int32_t alike; /* for the replay: how many like flows it stands for */
  int32_t kind;  /* for the replay: the class of flows that it stands for, where somebody asks; else -1 */
} ss_flow;

/* The flows of one group under construction. An algorithm goes through them twice: to count them, then to list them. */
typedef struct ss_flow_list {
  const ss_machine *machine;
  const ss_routing *routing; /* of a dispatch; borrowed */
  ss_collective kind;
  const int32_t *gpu;   /* [span.size] sorted; borrowed */
  const int64_t *first; /* [span.domains + 1] where the GPUs of each domain start; borrowed */
  ss_span span;
  int64_t rings;   /* and trees, of what crosses domains */
  int32_t phase;   /* of what is added */
  int64_t count;   /* so far */
  ss_flow *listed; /* where they go; NULL: they are only counted; borrowed */
} ss_flow_list;

/* The flow of a message between two GPUs, with all of its bytes. */
ss_flow ss_flow_message(const ss_machine *machine, int64_t from_gpu, int64_t to_gpu);

/* Adds a flow to the phase that is under construction. */
void ss_flow_list_add(ss_flow_list *flows, ss_flow flow);

/* How many GPUs of the group are in one of its domains, [0, span.domains), and the `place`-th of them. */
int64_t ss_flow_list_locals(const ss_flow_list *flows, int64_t domain);
int32_t ss_flow_list_gpu(const ss_flow_list *flows, int64_t domain, int64_t place);

/* Adds what goes from one GPU to another, wherever they are: one flow inside a domain; across, one through each NIC
 * that the GPU has, with its part of the share. */
void ss_flow_list_pair(ss_flow_list *flows, int32_t from, int32_t to, double share);

/* Adds what goes from one domain of the group to another, spread over the NICs of the rings. */
void ss_flow_list_hop(ss_flow_list *flows, int64_t from_domain, int64_t to_domain, double share);

/* Adds what goes from each domain to the next along a dimension, in both directions and, where it closes, around. The
 * domains of the group are the points of the lattice, in the order of their numbers, which is that of coordinates. */
void ss_flow_list_cables(ss_flow_list *flows, const ss_lattice *lattice, int dimension, bool closes, double share);

/* Adds a flow from each GPU of a domain to the next one around; none where the group has a single GPU there. */
void ss_flow_list_ring_inside(ss_flow_list *flows, int64_t domain, double share);

/* Does that in every domain, with the share that `share` gives for one with so many GPUs of the group. */
void ss_flow_list_rings_inside(ss_flow_list *flows, double (*share)(const ss_flow_list *flows, int64_t locals));

/* Adds rings from each domain to the next, which share the volume; none where the group is in one domain. */
void ss_flow_list_rings_across(ss_flow_list *flows, double share);

#endif
