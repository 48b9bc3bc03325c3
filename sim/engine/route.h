/* Which flows a collective or a message is made of: edges between GPUs over NVLink and between NICs over the fabric. */
#ifndef STEPSIM_SIM_ENGINE_ROUTE_H
#define STEPSIM_SIM_ENGINE_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/collective.h"
#include "model/machine.h"
#include "model/placement.h"

/* One flow: from and to are GPUs, or NICs when it crosses the fabric. */
typedef struct ss_edge {
  int32_t from, to;
  bool fabric;
  double share; /* of the bytes that one rank sends */
} ss_edge;

/* The flows of a collective over one group, or over several like groups at once. */
typedef struct ss_route {
  ss_span span;
  bool uneven; /* the groups lie over domains in different ways */
  int64_t count, capacity;
  ss_edge *edge; /* owned */
} ss_route;

/* Adds rings over the `count` GPUs of a group (sorted in place). Inside one domain: one ring over NVLink. One GPU per
 * domain: one ring over the fabric. Otherwise one ring per NIC: each goes once around the GPUs of a domain and then out
 * through its NIC to the next domain, so that a GPU's port carries all rings and a NIC carries one. The rings of one
 * collective share a flow per NVLink edge. SS_ERROR_MEMORY. */
ss_status ss_route_add_rings(ss_route *route, const ss_machine *machine, int32_t *gpu, int64_t count);

/* Adds the flows of an all-to-all over a group (sorted in place). What a GPU sends inside its domain is one flow
 * through its port; what it sends to other domains is bundled: its NICs send to at most 4 domains each, which ones
 * differs from GPU to GPU, so that together they load the fabric like messages between all pairs. SS_ERROR_MEMORY. */
ss_status ss_route_add_direct(ss_route *route, const ss_machine *machine, int32_t *gpu, int64_t count);

void ss_route_free(ss_route *route);

/* The flow of a message between two GPUs. */
ss_edge ss_route_message(const ss_machine *machine, int64_t from_gpu, int64_t to_gpu);

#endif
