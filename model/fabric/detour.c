#include "model/fabric/detour.h"

#include <stdlib.h>
#include <string.h>

/* A search over the routers, the nearer ones first. */
typedef struct search {
  int32_t *queue;  /* routers in the order in which they are reached */
  int32_t *by;     /* link through which a router is reached; -1: not yet */
  int32_t *before; /* router from which it is reached */
} search;

/* Searches from one router until the other is reached; whether it is. */
static bool spread(const ss_fabric *fabric, const ss_router_methods *routers, search *s, int64_t from, int64_t to)
{
  const int64_t degree = routers->degree(&fabric->machine->shape);
  int64_t reached = 0;
  s->queue[reached++] = (int32_t)from;
  for (int64_t next = 0; next < reached && s->by[to] < 0; ++next) {
    const int64_t router = s->queue[next];
    for (int64_t i = 0; i < degree; ++i) {
      int64_t link = -1;
      const int64_t there = routers->neighbour(fabric, router, i, &link);
      if (there < 0 || there == from || s->by[there] >= 0 || ss_link_is_dead(fabric, link)) continue;
      s->by[there] = (int32_t)link;
      s->before[there] = (int32_t)router;
      s->queue[reached++] = (int32_t)there;
    }
  }
  return s->by[to] >= 0;
}

/* Adds the links from one router to another, which has been reached; one more may follow. */
static void push_found(ss_link_route *route, const search *s, int64_t from, int64_t to)
{
  int length = 0;
  for (int64_t router = to; router != from; router = s->before[router]) ++length;
  route->cut = route->count + length >= SS_ROUTE_LINKS_MAX;
  if (route->cut) return;
  int at = route->count += length;
  for (int64_t router = to; router != from; router = s->before[router]) route->link[--at] = s->by[router];
}

static void push_shortest(ss_link_route *route, const ss_router_methods *routers, int64_t count, int64_t from,
                          int64_t to)
{
  int32_t *memory = malloc((size_t)count * 3 * sizeof *memory);
  SS_ASSERT(memory != NULL);
  search s = {.queue = memory, .by = memory + count, .before = memory + 2 * count};
  memset(s.by, 0xff, (size_t)count * sizeof *s.by);
  route->cut = !spread(route->fabric, routers, &s, from, to);
  if (!route->cut) push_found(route, &s, from, to);
  free(memory);
}

void ss_link_route_detour(ss_link_route *route, const ss_router_methods *routers)
{
  const ss_fabric *fabric = route->fabric;
  const ss_link_class *host = &fabric->link_class[SS_LINK_CLASS_HOST];
  const int64_t hosts = routers->hosts(&fabric->machine->shape);
  route->count = 0;
  if (hosts == 0) {
    push_shortest(route, routers, fabric->hosts, route->from, route->to);
    return;
  }
  const int64_t out = ss_link_class_link(host, route->from, 0, false),
                in = ss_link_class_link(host, route->to, 0, true);
  if (ss_link_is_dead(fabric, out) || ss_link_is_dead(fabric, in)) return;
  ss_link_route_push(route, out);
  push_shortest(route, routers, fabric->hosts / hosts, route->from / hosts, route->to / hosts);
  if (!route->cut) ss_link_route_push(route, in);
}
