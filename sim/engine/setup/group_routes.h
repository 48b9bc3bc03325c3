/* The routes of a group of ranks: one for each method of the collectives that it may do. */
#ifndef STEPSIM_SIM_ENGINE_SETUP_GROUP_ROUTES_H
#define STEPSIM_SIM_ENGINE_SETUP_GROUP_ROUTES_H

#include "model/collective/route.h"
#include "sim/engine/core/world.h"

/* An empty route for each method of a list; NULL when memory is out. Free with ss_group_routes_free. */
ss_route *ss_group_routes_create(const ss_method_list *list);
void ss_group_routes_free(ss_route *routes, const ss_method_list *list);

/* Adds a group to them: the `count` GPUs that `gpu` starts with, which are sorted. SS_ERROR_MEMORY. */
ss_status ss_group_routes_add(const ss_world *world, const ss_method_list *list, ss_route *routes, int32_t *gpu,
                              int64_t count);

#endif
