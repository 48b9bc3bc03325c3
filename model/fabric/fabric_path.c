/* Routes between hosts of the fabric, as SimGrid 3.32 computes them, and what is left of them where links are dead. */
#include <stdlib.h>
#include <string.h>

#include "model/fabric/fabric_parts.h"

/* A route so far. */
typedef struct way {
  const ss_fabric *fabric;
  int64_t from, to; /* hosts */
  int32_t *link;
  int count;
  bool cut; /* a link of it is dead */
} way;

static bool is_dead(const ss_fabric *fabric, int64_t link)
{
  return fabric->bytes_per_s[link] == 0.0;
}

static void push(way *route, int64_t link)
{
  SS_ASSERT(link >= 0 && link < route->fabric->links && route->count < SS_ROUTE_LINKS_MAX);
  route->link[route->count++] = (int32_t)link;
  route->cut = route->cut || is_dead(route->fabric, link);
}

static void go_flat(way *route)
{
  const ss_fabric *fabric = route->fabric;
  const ss_link_class *nics = &fabric->link_class[SS_LINK_CLASS_NIC];
  push(route, ss_link_class_link(nics, route->from, 0, false));
  if (fabric->link_classes > SS_LINK_CLASS_BACKBONE)
    push(route, ss_link_class_link(&fabric->link_class[SS_LINK_CLASS_BACKBONE], 0, 0, false));
  push(route, ss_link_class_link(nics, route->to, 0, true));
}

/* Fat tree. A switch of level l (hosts are level 0) has digits: one below up[i] for each level i < l, which says
 * through which of the switches above its hosts it is reached, and one below down[i] for the others, which say where in
 * the tree it is. The first digit counts least: node = low + ups * high with ups the product of up[i], i < l, and a
 * host is below it where host / downs = high. A node reaches the u-th switch above it through ports u, u + up, u + 2
 * up, ...: the parallel cables. */
typedef struct place {
  int64_t level, node, ups, downs;
} place;

static place child_of(const ss_fat_tree *tree, place at, int64_t host)
{
  place child = {.level = at.level - 1};
  child.ups = at.ups / tree->up[child.level];
  child.downs = at.downs / tree->down[child.level];
  child.node = at.node % child.ups + child.ups * (host / child.downs);
  return child;
}

static place parent_of(const ss_fat_tree *tree, place at, int64_t parent)
{
  const int64_t up = tree->up[at.level], down = tree->down[at.level];
  const int64_t low = at.node % at.ups, high = at.node / at.ups / down;
  return (place){
      .level = at.level + 1, .node = low + at.ups * (parent + up * high), .ups = at.ups * up, .downs = at.downs * down};
}

/* The first of the parallel cables between a node and one switch above it that is not dead, counting on from `port`;
 * its link, -1 where all are dead. */
static int64_t live_link(const ss_fabric *fabric, place below, int64_t port, bool back)
{
  const ss_fat_tree *tree = &fabric->machine->shape.as.tree;
  const ss_link_class *link_class = &fabric->link_class[SS_LINK_CLASS_NIC + below.level];
  for (int64_t i = 0; i < tree->links[below.level]; ++i) {
    const int64_t link = ss_link_class_link(link_class, below.node, port, back);
    if (!is_dead(fabric, link)) return link;
    port = (port + tree->up[below.level]) % link_class->ports;
  }
  return -1;
}

/* Down from a switch that is above the destination, to which only the choice of parallel cables is left. SimGrid
 * numbers the cables of a switch (number of child + children * number of parallel cable) and takes the first to the
 * child, from that parallel cable on which the number of the source says at the top, and from the cable after the last
 * one, as long as there is one, further down. */
static bool descend(way *route, place at)
{
  const ss_fat_tree *tree = &route->fabric->machine->shape.as.tree;
  for (int64_t last = -1; at.level > 0;) {
    const place child = child_of(tree, at, route->to);
    const int64_t children = tree->down[child.level], cables = tree->links[child.level];
    const int64_t number = route->to / child.downs % children, up = at.node / child.ups % tree->up[child.level];
    int64_t cable = last < number ? 0 : (last - number) / children + 1;
    if (last < 0 || cable >= cables) cable = route->from % cables;
    const int64_t link = live_link(route->fabric, child, up + tree->up[child.level] * cable, true);
    if (link < 0) return false;
    push(route, link);
    last = number + children * cable;
    at = child;
  }
  return true;
}

/* Up through the port that the destination says (D-mod-k; `rest` is what the switches chosen below leave of its
 * number), then down from the first switch that is above it. Where that is no way, through the next ports. Further up
 * there is no other one: it would come down to the same switch. */
static bool climb(way *route, place at, int64_t rest)
{
  const ss_fat_tree *tree = &route->fabric->machine->shape.as.tree;
  if (at.node / at.ups == route->to / at.downs) return descend(route, at);
  const int64_t up = tree->up[at.level], ports = up * tree->links[at.level];
  const int count = route->count;
  for (int64_t i = 0; i < up; ++i) {
    const int64_t port = (rest + i) % ports;
    const int64_t link = live_link(route->fabric, at, port, false);
    if (link < 0) continue;
    push(route, link);
    if (climb(route, parent_of(tree, at, port % up), rest / up)) return true;
    route->count = count;
  }
  return false;
}

static void go_fat_tree(way *route)
{
  const place host = {.level = 0, .node = route->from, .ups = 1, .downs = 1};
  const ss_link_class *nics = &route->fabric->link_class[SS_LINK_CLASS_NIC];
  int64_t port = 0; /* a way in: without it, all switches above would be tried */
  while (port < nics->ports && is_dead(route->fabric, ss_link_class_link(nics, route->to, port, true))) ++port;
  route->cut = port == nics->ports || !climb(route, host, route->to);
}

/* Dragonfly. The number of a router. */
static int64_t router_at(const ss_dragonfly *fly, int64_t group, int64_t chassis, int64_t place_in_chassis)
{
  return (group * fly->chassis + chassis) * fly->routers + place_in_chassis;
}

/* The shortest way: through the router of its own chassis that the group of the destination hangs on, the first
 * chassis, the cable between the groups, the chassis there and the place in it. */
static void go_between_routers(way *route, int64_t from, int64_t to)
{
  const ss_fabric *fabric = route->fabric;
  const ss_dragonfly *fly = &fabric->machine->shape.as.dragonfly;
  int64_t chassis = from / fly->routers % fly->chassis, at = from % fly->routers;
  int64_t group = from / fly->routers / fly->chassis;
  const int64_t to_group = to / fly->routers / fly->chassis, to_chassis = to / fly->routers % fly->chassis;
  const int64_t to_place = to % fly->routers;
  if (from == to) return;
  if (group != to_group) { /* the cable to group g hangs on router g of the first chassis */
    if (at != to_group)
      push(route,
           ss_dragonfly_link(fabric, router_at(fly, group, chassis, at), router_at(fly, group, chassis, to_group)));
    if (chassis != 0)
      push(route,
           ss_dragonfly_link(fabric, router_at(fly, group, chassis, to_group), router_at(fly, group, 0, to_group)));
    push(route, ss_dragonfly_link(fabric, router_at(fly, group, 0, to_group), router_at(fly, to_group, 0, group)));
    at = group;
    group = to_group;
    chassis = 0;
  }
  if (at != to_place) {
    push(route,
         ss_dragonfly_link(fabric, router_at(fly, group, chassis, at), router_at(fly, group, chassis, to_place)));
    /* So SimGrid goes on: from the first chassis, wherever it is. Inside a group, a route from another chassis so takes
     * the first one's cable to the last chassis, or none. */
    chassis = 0;
  }
  if (chassis != to_chassis) push(route, ss_dragonfly_link(fabric, router_at(fly, group, chassis, to_place), to));
}

/* Dimension by dimension, each the shorter way around. */
static void go_torus(way *route)
{
  const ss_torus *torus = &route->fabric->machine->shape.as.torus;
  const ss_link_class *cables = &route->fabric->link_class[SS_LINK_CLASS_NIC];
  int64_t node = route->from, stride = 1;
  for (int64_t i = 0; i < torus->dimensions; ++i) {
    const int64_t size = torus->size[i], half = size / 2;
    const int64_t from = node / stride % size, to = route->to / stride % size;
    const bool up = (to > from && to <= from + half) || (from > half && (from + half) % size >= to);
    for (int64_t at = from; at != to;) {
      const int64_t next = (at + (up ? 1 : size - 1)) % size, there = node + (next - at) * stride;
      push(route, ss_link_class_link(cables, up ? node : there, i, !up));
      node = there;
      at = next;
    }
    stride *= size;
  }
}

/* Neighbours of a router or a torus host, at most. */
static int64_t degree_of(const ss_fabric *fabric)
{
  const ss_dragonfly *fly = &fabric->machine->shape.as.dragonfly;
  if (fabric->machine->shape.topology == SS_TOPOLOGY_TORUS) return 2 * fabric->machine->shape.as.torus.dimensions;
  return fly->routers + fly->chassis + 1;
}

/* The i-th of them and the link there; -1 where there is none. */
static int64_t torus_neighbour(const ss_fabric *fabric, int64_t node, int64_t i, int64_t *link)
{
  const ss_torus *torus = &fabric->machine->shape.as.torus;
  const int64_t dimension = i / 2, size = torus->size[dimension];
  const bool back = i % 2 != 0;
  int64_t stride = 1;
  for (int64_t d = 0; d < dimension; ++d) stride *= torus->size[d];
  const int64_t at = node / stride % size, next = (at + (back ? size - 1 : 1)) % size;
  const int64_t there = node + (next - at) * stride;
  *link = ss_link_class_link(&fabric->link_class[SS_LINK_CLASS_NIC], back ? there : node, dimension, back);
  return there;
}

static int64_t dragonfly_neighbour(const ss_fabric *fabric, int64_t router, int64_t i, int64_t *link)
{
  const ss_dragonfly *fly = &fabric->machine->shape.as.dragonfly;
  const int64_t at = router % fly->routers, chassis = router / fly->routers % fly->chassis;
  const int64_t group = router / fly->routers / fly->chassis;
  int64_t there = -1;
  if (i < fly->routers)
    there = router_at(fly, group, chassis, i);
  else if (i < fly->routers + fly->chassis)
    there = router_at(fly, group, i - fly->routers, at);
  else if (chassis == 0 && at < fly->groups)
    there = router_at(fly, at, 0, group);
  *link = there >= 0 ? ss_dragonfly_link(fabric, router, there) : -1;
  return *link >= 0 ? there : -1;
}

/* A search over what is left, between routers or torus hosts, the nearer ones first. */
typedef struct search {
  int32_t *queue, *by; /* nodes in the order in which they are reached, and through which link; by -1: not yet */
  int32_t *before;     /* node it was reached from */
} search;

/* Searches from one node until the other is reached; whether it is. */
static bool spread(const way *route, search *s, int64_t from, int64_t to)
{
  const ss_fabric *fabric = route->fabric;
  const bool torus = fabric->machine->shape.topology == SS_TOPOLOGY_TORUS;
  const int64_t degree = degree_of(fabric);
  int64_t reached = 0;
  s->queue[reached++] = (int32_t)from;
  for (int64_t next = 0; next < reached && s->by[to] < 0; ++next) {
    const int64_t node = s->queue[next];
    for (int64_t i = 0; i < degree; ++i) {
      int64_t link = -1;
      const int64_t there =
          torus ? torus_neighbour(fabric, node, i, &link) : dragonfly_neighbour(fabric, node, i, &link);
      if (there < 0 || there == from || s->by[there] >= 0 || is_dead(fabric, link)) continue;
      s->by[there] = (int32_t)link;
      s->before[there] = (int32_t)node;
      s->queue[reached++] = (int32_t)there;
    }
  }
  return s->by[to] >= 0;
}

/* The shortest way over what is left; the first one found where several are equally short. */
static void go_around(way *route, int64_t nodes, int64_t from, int64_t to)
{
  int32_t *memory = malloc((size_t)nodes * 3 * sizeof *memory);
  SS_ASSERT(memory != NULL);
  search s = {.queue = memory, .by = memory + nodes, .before = memory + 2 * nodes};
  memset(s.by, 0xff, (size_t)nodes * sizeof *s.by);
  route->cut = !spread(route, &s, from, to);
  int length = 0;
  for (int64_t node = to; !route->cut && node != from; node = s.before[node]) ++length;
  route->cut = route->cut || route->count + length >= SS_ROUTE_LINKS_MAX; /* one may follow */
  if (!route->cut) {
    int at = route->count += length;
    for (int64_t node = to; node != from; node = s.before[node]) route->link[--at] = s.by[node];
  }
  free(memory);
}

static void go_dragonfly(way *route)
{
  const ss_fabric *fabric = route->fabric;
  const ss_dragonfly *fly = &fabric->machine->shape.as.dragonfly;
  const ss_link_class *nics = &fabric->link_class[SS_LINK_CLASS_NIC];
  const int64_t from = route->from / fly->nodes, to = route->to / fly->nodes;
  push(route, ss_link_class_link(nics, route->from, 0, false));
  const bool leaves = !route->cut;
  go_between_routers(route, from, to);
  if (route->cut && leaves) {
    route->count = 1;
    go_around(route, fabric->hosts / fly->nodes, from, to);
  }
  if (!route->cut) push(route, ss_link_class_link(nics, route->to, 0, true));
}

static void go_torus_or_around(way *route)
{
  go_torus(route);
  if (!route->cut) return;
  route->count = 0;
  go_around(route, route->fabric->hosts, route->from, route->to);
}

int ss_fabric_path(const ss_fabric *fabric, int64_t from, int64_t to, int32_t *link)
{
  static void (*const ways[SS_TOPOLOGY_COUNT])(way *) = {
      [SS_TOPOLOGY_FLAT] = go_flat,
      [SS_TOPOLOGY_FAT_TREE] = go_fat_tree,
      [SS_TOPOLOGY_DRAGONFLY] = go_dragonfly,
      [SS_TOPOLOGY_TORUS] = go_torus_or_around,
  };
  way route = {.fabric = fabric, .from = from, .to = to, .link = link};
  ways[fabric->machine->shape.topology](&route);
  return route.cut ? 0 : route.count;
}
