/* What timelines show of a world that may be folded: the stage replicas to watch, and the ports that flows stand for.
 */
#ifndef STEPSIM_SIM_ENGINE_SETUP_SHOWN_H
#define STEPSIM_SIM_ENGINE_SETUP_SHOWN_H

#include "sim/engine/core/world.h"
#include "sim/engine/setup/routes.h"

/* Marks what stands for a stage replica that a timeline shows. */
void ss_shown_mark(ss_world *world);

/* All flows of a world before it is folded, and the class of each. */
typedef struct ss_flow_kinds {
  const ss_route_owner *owner; /* [owners] */
  int64_t owners;
  const int32_t *kind; /* of all flows of the owners, one after the other */
  int64_t kinds;
} ss_flow_kinds;

/* Fills in world->shown_ends. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_shown_ends_find(ss_world *world, const ss_flow_kinds *flows);
void ss_shown_ends_free(ss_world *world);

#endif
