/* The dragonfly: groups of chassis of routers. Routers of a chassis are all linked, so are routers at the same place of
 * the chassis of a group, and groups. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "model/base/number.h"
#include "model/fabric/counts.h"
#include "model/fabric/topology_methods.h"

/* Cables between routers. */
enum {
  LINK_CLASS_CHASSIS = SS_LINK_CLASS_HOST + 1, /* nodes are the chassis, ports the pairs of their routers */
  LINK_CLASS_GROUP, /* nodes are the places in a chassis, of each group; ports the pairs of its chassis */
  LINK_CLASS_ALL    /* one node; ports are the pairs of groups */
};

/* Parameters. */

static bool read(const ss_number_lists *lists, ss_shape *shape)
{
  bool pairs = lists->count == 4 && lists->list[3].count == 1;
  for (int i = 0; pairs && i < 3; ++i) pairs = lists->list[i].count == 2;
  const int64_t *group = lists->list[0].at, *chassis = lists->list[1].at, *router = lists->list[2].at;
  shape->as.dragonfly = (ss_dragonfly){.groups = group[0],
                                       .group_links = group[1],
                                       .chassis = chassis[0],
                                       .chassis_links = chassis[1],
                                       .routers = router[0],
                                       .router_links = router[1],
                                       .nodes = lists->list[3].at[0]};
  return pairs;
}

/* SimGrid hangs the link to group g on router g of the first chassis, and follows a wild pointer if there is none. */
static ss_status check_groups(const ss_dragonfly *fly, const char *option, ss_error *error)
{
  if (fly->groups <= fly->routers) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, option, 0,
                      "has %" PRId64 " groups, but only %" PRId64
                      " routers in a chassis to link them; allowed: at most as many groups as routers",
                      fly->groups, fly->routers);
}

static ss_status check(const ss_shape *shape, ss_error *error)
{
  return check_groups(&shape->as.dragonfly, NULL, error);
}

static int64_t all_routers(const ss_dragonfly *fly)
{
  return ss_count_product(ss_count_product(fly->groups, fly->chassis), fly->routers);
}

static int64_t hosts(const ss_shape *shape)
{
  return ss_count_product(all_routers(&shape->as.dragonfly), shape->as.dragonfly.nodes);
}

/* Each router holds a slot for every router of its chassis and every chassis of its group. */
static double links(const ss_shape *shape)
{
  const ss_dragonfly *fly = &shape->as.dragonfly;
  return (double)hosts(shape) + (double)all_routers(fly) * (double)(fly->routers + fly->chassis) +
         (double)fly->groups * (double)fly->groups;
}

static void print(const ss_shape *shape, ss_sentence *text)
{
  const ss_dragonfly *fly = &shape->as.dragonfly;
  ss_sentence_say(text, "%" PRId64 ",%" PRId64 ";%" PRId64 ",%" PRId64 ";", fly->groups, fly->group_links, fly->chassis,
                  fly->chassis_links);
  ss_sentence_say(text, "%" PRId64 ",%" PRId64 ";%" PRId64, fly->routers, fly->router_links, fly->nodes);
}

/* Links. */

/* Names: router-3:to-5 is the link from one router to another, router-5:to-3 the one back. Routers are numbered over
 * all groups. */
static void lay_out(ss_fabric *fabric)
{
  const ss_dragonfly *fly = &fabric->machine->shape.as.dragonfly;
  const struct {
    int64_t nodes, ends, links; /* of which each node links all pairs, and links of a cable */
  } level[] = {{fly->groups * fly->chassis, fly->routers, fly->router_links},
               {fly->groups * fly->routers, fly->chassis, fly->chassis_links},
               {1, fly->groups, fly->group_links}};
  ss_link_class link_class = ss_link_class_of_fabric(fabric->machine);
  const double bytes_per_s = link_class.bytes_per_s;
  link_class.nodes = fabric->hosts;
  link_class.of_nics = true;
  ss_link_class_add(fabric, link_class);
  link_class.of_nics = false;
  link_class.ported = link_class.between = true;
  link_class.out = link_class.in = "to";
  (void)snprintf(link_class.word, sizeof link_class.word, "router");
  for (int i = 0; i < 3; ++i) {
    link_class.nodes = level[i].nodes;
    link_class.ports = level[i].ends * (level[i].ends - 1) / 2;
    link_class.bytes_per_s = bytes_per_s * (double)level[i].links;
    ss_link_class_add(fabric, link_class);
  }
}

static void count(const ss_shape *shape, int64_t switch_ports, ss_fabric_parts *parts)
{
  const ss_dragonfly *fly = &shape->as.dragonfly;
  const int64_t chassis = fly->groups * fly->chassis, places = fly->groups * fly->routers;
  (void)switch_ports;
  ss_fabric_parts_add_nics(parts, parts->nics, chassis * fly->routers);
  ss_fabric_parts_add(parts, "in chassis", chassis * (fly->routers * (fly->routers - 1) / 2) * fly->router_links, 0);
  ss_fabric_parts_add(parts, "between chassis", places * (fly->chassis * (fly->chassis - 1) / 2) * fly->chassis_links,
                      0);
  ss_fabric_parts_add(parts, "between groups", fly->groups * (fly->groups - 1) / 2 * fly->group_links, 0);
}

static int64_t link_between(const ss_fabric *fabric, int64_t from, int64_t to)
{
  const ss_dragonfly *fly = &fabric->machine->shape.as.dragonfly;
  const int64_t low = from < to ? from : to, high = from < to ? to : from;
  const int64_t chassis[2] = {low / fly->routers, high / fly->routers};
  const int64_t at[2] = {low % fly->routers, high % fly->routers};
  const int64_t group[2] = {chassis[0] / fly->chassis, chassis[1] / fly->chassis};
  if (low == high) return -1;
  if (chassis[0] == chassis[1])
    return ss_link_class_link(&fabric->link_class[LINK_CLASS_CHASSIS], chassis[0],
                              ss_count_pair(fly->routers, at[0], at[1]), to < from);
  if (group[0] == group[1] && at[0] == at[1])
    return ss_link_class_link(&fabric->link_class[LINK_CLASS_GROUP], group[0] * fly->routers + at[0],
                              ss_count_pair(fly->chassis, chassis[0] % fly->chassis, chassis[1] % fly->chassis),
                              to < from);
  const bool first_chassis = chassis[0] % fly->chassis == 0 && chassis[1] % fly->chassis == 0;
  if (!first_chassis || at[0] != group[1] || at[1] != group[0]) return -1;
  return ss_link_class_link(&fabric->link_class[LINK_CLASS_ALL], 0, ss_count_pair(fly->groups, group[0], group[1]),
                            to < from);
}

static void ends(const ss_fabric *fabric, const ss_link_class *link_class, int64_t cable, int64_t end[2])
{
  const ss_dragonfly *fly = &fabric->machine->shape.as.dragonfly;
  const int64_t node = cable / link_class->ports, group = node / fly->routers;
  int64_t pair[2];
  switch (link_class - fabric->link_class) {
  case LINK_CLASS_CHASSIS:
    ss_count_split_pair(fly->routers, cable % link_class->ports, pair);
    for (int i = 0; i < 2; ++i) end[i] = node * fly->routers + pair[i];
    break;
  case LINK_CLASS_GROUP:
    ss_count_split_pair(fly->chassis, cable % link_class->ports, pair);
    for (int i = 0; i < 2; ++i) end[i] = (group * fly->chassis + pair[i]) * fly->routers + node % fly->routers;
    break;
  default:
    ss_count_split_pair(fly->groups, cable, pair);
    for (int i = 0; i < 2; ++i) end[i] = pair[i] * fly->chassis * fly->routers + pair[1 - i];
  }
}

/* Routes. */

/* The number of a router. */
static int64_t router_at(const ss_dragonfly *fly, int64_t group, int64_t chassis, int64_t place)
{
  return (group * fly->chassis + chassis) * fly->routers + place;
}

/* Goes from one router to another that it is linked to. */
static void push_link(ss_link_route *r, int64_t from, int64_t to)
{
  ss_link_route_push(r, link_between(r->fabric, from, to));
}

/* The shortest route: through the router of its own chassis that the group of the destination hangs on, the first
 * chassis, the cable between the groups, the chassis there and the place in it. */
static void route_between(ss_link_route *r, int64_t from, int64_t to)
{
  const ss_dragonfly *fly = &r->fabric->machine->shape.as.dragonfly;
  int64_t chassis = from / fly->routers % fly->chassis, at = from % fly->routers;
  int64_t group = from / fly->routers / fly->chassis;
  const int64_t to_group = to / fly->routers / fly->chassis, to_chassis = to / fly->routers % fly->chassis;
  const int64_t to_place = to % fly->routers;
  if (from == to) return;
  if (group != to_group) { /* the cable to group g hangs on router g of the first chassis */
    const int64_t gate = router_at(fly, group, chassis, to_group);
    if (at != to_group) push_link(r, router_at(fly, group, chassis, at), gate);
    if (chassis != 0) push_link(r, gate, router_at(fly, group, 0, to_group));
    push_link(r, router_at(fly, group, 0, to_group), router_at(fly, to_group, 0, group));
    at = group;
    group = to_group;
    chassis = 0;
  }
  if (at != to_place) {
    push_link(r, router_at(fly, group, chassis, at), router_at(fly, group, chassis, to_place));
    /* So SimGrid goes on: from the first chassis, wherever it is. Inside a group, a route from another chassis so takes
     * the first one's cable to the last chassis, or none. */
    chassis = 0;
  }
  if (chassis != to_chassis) push_link(r, router_at(fly, group, chassis, to_place), to);
}

static void route(ss_link_route *r)
{
  const ss_dragonfly *fly = &r->fabric->machine->shape.as.dragonfly;
  const ss_link_class *host = &r->fabric->link_class[SS_LINK_CLASS_HOST];
  ss_link_route_push(r, ss_link_class_link(host, r->from, 0, false));
  route_between(r, r->from / fly->nodes, r->to / fly->nodes);
  ss_link_route_push(r, ss_link_class_link(host, r->to, 0, true));
}

static int64_t hosts_of_router(const ss_shape *shape)
{
  return shape->as.dragonfly.nodes;
}

static int64_t degree(const ss_shape *shape)
{
  return shape->as.dragonfly.routers + shape->as.dragonfly.chassis + 1;
}

static int64_t neighbour(const ss_fabric *fabric, int64_t router, int64_t i, int64_t *link)
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
  *link = there >= 0 ? link_between(fabric, router, there) : -1;
  return *link >= 0 ? there : -1;
}

static const ss_router_methods routers = {
    .hosts = hosts_of_router, .degree = degree, .neighbour = neighbour, .link = link_between, .ends = ends};

const ss_topology_methods ss_dragonfly_topology = {
    .noun = "dragonfly",
    .form = "GROUPS,LINKS;CHASSIS,LINKS;ROUTERS,LINKS;NODES, such as 2,1;2,1;2,1;2 for 16 hosts",
    .read = read,
    .check = check,
    .hosts = hosts,
    .links = links,
    .print = print,
    .lay_out = lay_out,
    .route = route,
    .count = count,
    .routers = &routers,
};

/* The fabric that is generated. */

/* Routers have a quarter of their ports for NICs, as many for other groups, half for their own. */
#define NIC_SHARE 4

static ss_status read_shape(const char *text, ss_shape *shape, ss_error *error)
{
  ss_number_lists lists;
  if (ss_number_lists_parse(text, &lists) && read(&lists, shape)) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, "--dragonfly", 0,
                      "\"%s\": is not a dragonfly; allowed: GROUPS,LINKS;CHASSIS,LINKS;ROUTERS,LINKS;NICS, such as "
                      "8,16;1,1;8,4;16",
                      text);
}

/* Links between two routers, and between two groups, that evenly spread traffic fills. All of what a router sends to a
 * group takes one link to the router that has the link to it, where the traffic of that group comes in, too. */
static void choose(int64_t per_router, ss_topology_design *design)
{
  const int64_t needed = ss_divide_up(design->nics, per_router);
  int64_t routers_of_group = 1;
  while (routers_of_group * routers_of_group < needed) ++routers_of_group;
  const int64_t groups = ss_divide_up(needed, routers_of_group);
  const int64_t within = (groups > 1 ? 2 : 1) * per_router;
  design->shape.as.dragonfly =
      (ss_dragonfly){.groups = groups,
                     .group_links = ss_divide_up(routers_of_group * per_router, groups * design->taper),
                     .chassis = 1,
                     .chassis_links = 1,
                     .routers = routers_of_group,
                     .router_links = ss_divide_up(within, groups * design->taper),
                     .nodes = per_router};
}

/* Ports of a router, where those to other groups are spread over its group. */
static int64_t ports(const ss_dragonfly *fly)
{
  return fly->nodes + (fly->routers - 1) * fly->router_links + (fly->chassis - 1) * fly->chassis_links +
         ss_divide_up((fly->groups - 1) * fly->group_links, fly->routers * fly->chassis);
}

/* As many NICs per router as its ports allow, from a share of them down. */
static void fit(int64_t given_leaf, ss_topology_design *design)
{
  const ss_dragonfly *fly = &design->shape.as.dragonfly;
  const int64_t share = design->radix / NIC_SHARE > 1 ? design->radix / NIC_SHARE : 1;
  const int64_t most = given_leaf != 0 ? given_leaf : design->nics < share ? design->nics : share;
  choose(most, design);
  for (int64_t leaf = most; given_leaf == 0 && leaf > 0 && ports(fly) > design->radix; --leaf) choose(leaf, design);
  if (ports(fly) > design->radix) choose(most, design);
}

static ss_status check_design(const ss_topology_design *design, const char *option, ss_error *error)
{
  const ss_status status = check_groups(&design->shape.as.dragonfly, option, error);
  if (status != SS_OK) return status;
  if (design->hosts < design->nics || design->hosts > SS_CLUSTER_HOSTS)
    return ss_error_set(error, SS_ERROR_INPUT, option, 0,
                        "has room for %" PRId64 " NICs; allowed: from the %" PRId64 " of the GPUs to %d", design->hosts,
                        design->nics, SS_CLUSTER_HOSTS);
  const double needed = links(&design->shape);
  if (needed > SS_CLUSTER_LINKS)
    return ss_error_set(error, SS_ERROR_INPUT, option, 0, "needs %.0f links; allowed: at most %d", needed,
                        SS_CLUSTER_LINKS);
  return SS_OK;
}

/* A dragonfly has R/4 NICs per router of R ports, about as many groups as routers in each, and links for evenly spread
 * traffic, divided by the taper. */
static ss_status generate(const ss_topology_request *request, ss_topology_design *design, ss_error *error)
{
  const bool given = request->size[SS_DESIGN_DRAGONFLY] != 0;
  const char *option = given ? "--dragonfly" : "--gpus";
  if (given)
    design->shape.as.dragonfly = request->shape.as.dragonfly;
  else
    fit(request->size[SS_DESIGN_LEAF], design);
  const ss_dragonfly *fly = &design->shape.as.dragonfly;
  design->hosts = hosts(&design->shape);
  design->taper = 0;
  if (!given && ports(fly) > design->radix)
    return ss_error_set(error, SS_ERROR_INPUT, option, 0,
                        "%" PRId64 " NICs in %" PRId64 " groups of %" PRId64 " routers need %" PRId64
                        " ports per router, of %" PRId64
                        "; allowed: fewer NICs, a smaller --leaf, a larger --radix or --taper, or --dragonfly",
                        design->nics, fly->groups, fly->routers, ports(fly), design->radix);
  if (given) design->radix = 0;
  return check_design(design, option, error);
}

static void describe(const ss_topology_design *design, ss_sentence *text)
{
  const ss_dragonfly *fly = &design->shape.as.dragonfly;
  const int64_t count = all_routers(fly);
  ss_sentence_say(text, "Dragonfly of %" PRId64 " group%s", fly->groups, ss_count_plural(fly->groups));
  if (fly->chassis > 1) ss_sentence_say(text, " of %" PRId64 " chassis", fly->chassis);
  ss_sentence_say(text, " of %" PRId64 " router%s, %" PRId64 " NIC%s at each: %" PRId64 " router%s.", fly->routers,
                  ss_count_plural(fly->routers), fly->nodes, ss_count_plural(fly->nodes), count,
                  ss_count_plural(count));
  if (fly->groups > 1)
    ss_sentence_say(text, " %" PRId64 " link%s between two groups.", fly->group_links,
                    ss_count_plural(fly->group_links));
  if (fly->chassis > 1)
    ss_sentence_say(text, " %" PRId64 " link%s between a router and its like in another chassis.", fly->chassis_links,
                    ss_count_plural(fly->chassis_links));
  if (fly->routers > 1)
    ss_sentence_say(text, " %" PRId64 " link%s between two routers of a %s.", fly->router_links,
                    ss_count_plural(fly->router_links), fly->chassis > 1 ? "chassis" : "group");
}

/* Of `count` parts that are all linked to each other, with `nics` in each: the links from the smaller half to the
 * other, for each NIC of the smaller half. */
static double all_to_all_bisection(int64_t count, int64_t part_links, int64_t nics)
{
  const double share = ceil(0.5 * (double)count) * (double)part_links / (double)nics;
  return share < 1.0 ? share : 1.0;
}

static double bisection(const ss_topology_design *design)
{
  const ss_dragonfly *fly = &design->shape.as.dragonfly;
  const int64_t chassis_nodes = fly->routers * fly->nodes;
  if (fly->groups > 1) return all_to_all_bisection(fly->groups, fly->group_links, fly->chassis * chassis_nodes);
  if (fly->chassis > 1) return all_to_all_bisection(fly->chassis, fly->chassis_links * fly->routers, chassis_nodes);
  return fly->routers > 1 ? all_to_all_bisection(fly->routers, fly->router_links, fly->nodes) : 1.0;
}

const ss_fabric_methods ss_dragonfly_fabric = {
    .topology = SS_TOPOLOGY_DRAGONFLY,
    .takes = SS_TAKES(RADIX) | SS_TAKES(LEAF) | SS_TAKES(TAPER) | SS_TAKES(DRAGONFLY),
    .read_shape = read_shape,
    .generate = generate,
    .describe = describe,
    .bisection = bisection,
};
