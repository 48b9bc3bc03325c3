/* Which flows a collective or a message is made of: flows between GPUs over NVLink and between NICs over the fabric. */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_ROUTE_H
#define STEPSIM_SIM_ENGINE_NETWORK_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/collective/collective.h"
#include "model/input/machine.h"
#include "model/plan/placement.h"

/* One flow: from and to are GPUs, or NICs when it crosses the fabric. */
typedef struct ss_flow {
  int32_t from, to;
  bool fabric;
  int8_t phase;  /* of its collective: the flows of a phase start when all of the one before have arrived */
  double share;  /* its bytes, of the volume of the collective */
  int32_t path;  /* through the network (sim/engine/paths.h) */
  int32_t alike; /* flows that it stands for: 1 unless folded */
} ss_flow;

/* The flows of a collective over one group, or over several like groups at once; each group's phase by phase. */
typedef struct ss_route {
  ss_span span; /* of the slowest group */
  bool uneven;  /* the groups lie over domains in different paths */
  int phases;   /* of the group that has most; none of them is empty */
  int64_t count, capacity;
  ss_flow *flow; /* owned */
} ss_route;

/* Adds the flows of a collective by one algorithm over the `count` GPUs of a group (sorted in place). Alone on the
 * network the flows of each phase take the transfer_s of ss_collective_phase, where the group lies evenly over its
 * domains. SS_ERROR_MEMORY. */
ss_status ss_route_add(ss_route *route, const ss_machine *machine, ss_method method, int32_t *gpu, int64_t count);

void ss_route_free(ss_route *route);

/* The flow of a message between two GPUs. */
ss_flow ss_route_message(const ss_machine *machine, int64_t from_gpu, int64_t to_gpu);

#endif
