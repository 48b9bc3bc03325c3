/* A route between two hosts of the fabric while it is being made. */
#ifndef STEPSIM_MODEL_FABRIC_LINK_ROUTE_H
#define STEPSIM_MODEL_FABRIC_LINK_ROUTE_H

#include "model/fabric/link_class.h"

typedef struct ss_link_route {
  const ss_fabric *fabric;
  int64_t from, to; /* hosts */
  int32_t *link;    /* [SS_ROUTE_LINKS_MAX] borrowed */
  int count;
  bool cut; /* a link of it is dead */
} ss_link_route;

/* Adds a link at the end. */
static inline void ss_link_route_push(ss_link_route *route, int64_t link)
{
  SS_ASSERT(link >= 0 && link < route->fabric->links && route->count < SS_ROUTE_LINKS_MAX);
  route->link[route->count++] = (int32_t)link;
  route->cut = route->cut || ss_link_is_dead(route->fabric, link);
}

#endif
