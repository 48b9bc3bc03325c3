/* The routes of a world: which flows its collectives and messages are made of. */
#ifndef STEPSIM_SIM_ENGINE_SETUP_ROUTES_H
#define STEPSIM_SIM_ENGINE_SETUP_ROUTES_H

#include "sim/engine/core/calls.h"
#include "sim/engine/core/data_ops.h"
#include "sim/engine/core/ties.h"

/* Lists the methods of all groups, makes the routes of all replicas, data-parallel groups, expert-parallel groups and
 * ties, and lists those that have flows, in world->owner. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_routes_make(ss_world *world);
void ss_routes_free(ss_world *world);

/* Whether the routes of a world, which were made for another job of the same workload on the same machine, are those of
 * its job; the network is `as_late` as it was. */
bool ss_routes_stay(ss_world *world, bool as_late);

/* No flow of a job is larger than this, in bytes, and a collective that goes around a ring at most twice this: a bucket
 * of gradients is at most a stage. */
double ss_routes_largest_flow_bytes(const ss_job *job);

/* A route and who sends over it: a replica, a data-parallel group, an expert-parallel group or a tie by its index in
 * the world. */
struct ss_route_owner {
  ss_transfer_kind kind;
  int64_t index;
  int64_t use; /* tells the routes of an owner apart */
  ss_route *route;
};

/* The routes of the `index`-th group of ranks of a kind, [methods of the kind]: of a replica, or of an expert group
 * where ranks of several replicas meet. NULL after the last. */
const ss_route *ss_routes_of_group(const ss_world *world, ss_group group, int64_t index);

/* Sorts all routes by phase, for transfers; after those that change a route. SS_ERROR_MEMORY. */
ss_status ss_routes_sort(const ss_world *world);

/* Whether what an owner sends belongs to layers: a task waits for it. */
bool ss_route_owner_is_of_layers(const ss_route_owner *owner);

/* Whether the flows of an owner ever cross the network. */
bool ss_route_owner_sends(const ss_world *world, const ss_route_owner *owner);

#endif
