#include "sim/engine/setup/group_routes.h"

#include <stdlib.h>

ss_route *ss_group_routes_create(const ss_method_list *list)
{
  return calloc((size_t)list->count + 1, sizeof(ss_route));
}

void ss_group_routes_free(ss_route *routes, const ss_method_list *list)
{
  for (int64_t i = 0; routes != NULL && i < list->count; ++i) ss_route_free(&routes[i]);
  free(routes);
}

ss_status ss_group_routes_add(const ss_world *world, const ss_method_list *list, ss_route *routes, int32_t *gpu,
                              int64_t count)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < list->count; ++i) {
    ss_network own;
    const ss_network *network = ss_network_with(&world->job->network, list->top_k[i], &own);
    status = ss_route_add(&routes[i], world->job->machine, network, list->method[i], gpu, count);
  }
  return status;
}
