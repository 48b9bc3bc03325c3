/* The flows that a replay puts on the network for a collective or a message. */
#ifndef STEPSIM_MODEL_COLLECTIVE_ROUTE_H
#define STEPSIM_MODEL_COLLECTIVE_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/collective/flow.h"

/* The flows of a collective over one group, or over several like groups at once; each group's phase by phase. */
typedef struct ss_route {
  ss_span span; /* of the slowest group */
  bool uneven;  /* the groups lie over domains in different ways */
  int phases;   /* of the group that has most; none of them is empty */
  int64_t count, capacity;
  ss_flow *flow; /* owned */
} ss_route;

/* Adds the flows of a collective by one algorithm over the `count` GPUs of a group (sorted in place). Alone on the
 * network the flows of each phase take the transfer_s of ss_collective_phase, where the group lies evenly over its
 * domains. The method must exist and take so many ranks. Of several groups, the
 * span is that of the slowest on `network`. SS_ERROR_MEMORY; free in any case. */
ss_status ss_route_add(ss_route *route, const ss_machine *machine, const ss_network *network, ss_method method,
                       int32_t *gpu, int64_t count);

/* Puts the flows of all groups in the order of their phases, those of a phase as they are. SS_ERROR_MEMORY. */
ss_status ss_route_sort(ss_route *route);

/* Where the flows of a phase start in a sorted route; `count` after the last phase. */
int64_t ss_route_first(const ss_route *route, int phase);

/* Frees the flows; a route of zeros is empty, and one that was freed is, too. */
void ss_route_free(ss_route *route);

#endif
