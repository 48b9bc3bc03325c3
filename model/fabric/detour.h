/* Routes around dead links. */
#ifndef STEPSIM_MODEL_FABRIC_DETOUR_H
#define STEPSIM_MODEL_FABRIC_DETOUR_H

#include "model/fabric/topology_methods.h"

/* Makes a route anew over the links that are alive: the shortest one between the routers of its hosts, the first that
 * is found where several are equally short. It stays cut where there is none. */
void ss_link_route_detour(ss_link_route *route, const ss_router_methods *routers);

#endif
