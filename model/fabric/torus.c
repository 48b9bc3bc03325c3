/* The torus: every host has a cable to the next one of each dimension and is its own router. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "model/base/number.h"
#include "model/fabric/counts.h"
#include "model/fabric/topology_methods.h"

/* Parameters. */

static bool read(const ss_number_lists *lists, ss_shape *shape)
{
  ss_torus *torus = &shape->as.torus;
  torus->dimensions = lists->list[0].count;
  memcpy(torus->size, lists->list[0].at, sizeof torus->size);
  return lists->count == 1;
}

/* In a dimension of 1 a host is linked to itself, under a name that SimGrid takes only once. */
static int dimensions_of_1(const ss_torus *torus)
{
  int ones = 0;
  for (int64_t i = 0; i < torus->dimensions; ++i) ones += torus->size[i] == 1;
  return ones;
}

/* Dimensions that have cables. */
static int64_t rings(const ss_torus *torus)
{
  return torus->dimensions - dimensions_of_1(torus);
}

/* Refuses a shape on behalf of what gave it, NULL: the platform. */
static ss_status check_for(const char *giver, const ss_shape *shape, ss_error *error)
{
  const ss_torus *torus = &shape->as.torus;
  const int ones = dimensions_of_1(torus);
  int64_t longest = 0; /* half way around each dimension */
  for (int64_t i = 0; i < torus->dimensions; ++i) longest += torus->size[i] / 2;
  if (ones > 1)
    return ss_error_set(error, SS_ERROR_INPUT, giver, 0,
                        "has %d dimensions of 1; allowed: at most one, others can be left out", ones);
  if (longest > SS_ROUTE_LINKS_MAX)
    return ss_error_set(error, SS_ERROR_INPUT, giver, 0, "has ways of %" PRId64 " links; allowed: up to %d", longest,
                        SS_ROUTE_LINKS_MAX);
  return SS_OK;
}

static ss_status check(const ss_shape *shape, ss_error *error)
{
  return check_for(NULL, shape, error);
}

static int64_t hosts(const ss_shape *shape)
{
  return ss_count_product_of(shape->as.torus.size, shape->as.torus.dimensions);
}

static double links(const ss_shape *shape)
{
  return (double)hosts(shape) * (double)shape->as.torus.dimensions;
}

static void print(const ss_shape *shape, ss_sentence *text)
{
  ss_sentence_say_list(text, shape->as.torus.size, shape->as.torus.dimensions, ",");
}

/* Links and routes. */

/* Names: nic-17:up-1 is the link from NIC 17 to the next one of dimension 1, nic-17:down-1 the one back. */
static void lay_out(ss_fabric *fabric)
{
  ss_link_class cables = ss_link_class_of_fabric(fabric->machine);
  cables.out = "up";
  cables.in = "down";
  cables.nodes = fabric->hosts;
  cables.ports = fabric->machine->shape.as.torus.dimensions;
  cables.ported = cables.of_nics = true;
  ss_link_class_add(fabric, cables);
}

static void count(const ss_shape *shape, int64_t switch_ports, ss_fabric_parts *parts)
{
  (void)switch_ports;
  ss_fabric_parts_add(parts, "between NICs", parts->nics * rings(&shape->as.torus), 0);
}

/* Dimension by dimension, each the shorter way around. */
static void route(ss_link_route *r)
{
  const ss_torus *torus = &r->fabric->machine->shape.as.torus;
  const ss_link_class *cables = &r->fabric->link_class[SS_LINK_CLASS_HOST];
  int64_t node = r->from, stride = 1;
  for (int64_t i = 0; i < torus->dimensions; ++i) {
    const int64_t size = torus->size[i], half = size / 2;
    const int64_t from = node / stride % size, to = r->to / stride % size;
    const bool up = (to > from && to <= from + half) || (from > half && (from + half) % size >= to);
    for (int64_t at = from; at != to;) {
      const int64_t next = (at + (up ? 1 : size - 1)) % size, there = node + (next - at) * stride;
      ss_link_route_push(r, ss_link_class_link(cables, up ? node : there, i, !up));
      node = there;
      at = next;
    }
    stride *= size;
  }
}

static int64_t hosts_of_router(const ss_shape *shape)
{
  (void)shape;
  return 0;
}

static int64_t degree(const ss_shape *shape)
{
  return 2 * shape->as.torus.dimensions;
}

static int64_t neighbour(const ss_fabric *fabric, int64_t node, int64_t i, int64_t *link)
{
  const ss_torus *torus = &fabric->machine->shape.as.torus;
  const int64_t dimension = i / 2, size = torus->size[dimension];
  const bool back = i % 2 != 0;
  int64_t stride = 1;
  for (int64_t d = 0; d < dimension; ++d) stride *= torus->size[d];
  const int64_t at = node / stride % size, next = (at + (back ? size - 1 : 1)) % size;
  const int64_t there = node + (next - at) * stride;
  *link = ss_link_class_link(&fabric->link_class[SS_LINK_CLASS_HOST], back ? there : node, dimension, back);
  return there;
}

static const ss_router_methods routers = {.hosts = hosts_of_router, .degree = degree, .neighbour = neighbour};

const ss_topology_methods ss_torus_topology = {
    .noun = "torus",
    .form = "the size of each dimension, such as 4,4 for 16 hosts",
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

/* Dimensions of a torus that is asked for, at most. */
#define MOST_DIMENSIONS 6

/* Up to so many NICs a torus is a ring. */
#define RING_NICS 7

static ss_status read_shape(const char *text, ss_shape *shape, ss_error *error)
{
  ss_number_lists lists;
  if (ss_number_lists_parse(text, &lists) && read(&lists, shape) && shape->as.torus.dimensions <= MOST_DIMENSIONS)
    return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, "--torus-dims", 0,
                      "\"%s\": is not a list of sizes; allowed: up to %d from 1 to %d, such as 8,8,16", text,
                      MOST_DIMENSIONS, SS_CLUSTER_HOSTS);
}

/* The smallest box that holds the NICs and is at most twice as long as it is wide, of these the most even one. */
static void choose(int64_t nics, ss_torus *torus)
{
  *torus = (ss_torus){.dimensions = 1, .size = {nics}};
  if (nics <= RING_NICS) return;
  int64_t least = INT64_MAX, longest = INT64_MAX;
  for (int64_t x = 1; x * x * x <= 8 * nics; ++x)
    for (int64_t y = x; y <= 2 * x; ++y) {
      const int64_t needed = ss_divide_up(nics, x * y), z = needed > y ? needed : y;
      if (z > 2 * x || x * y * z > least || (x * y * z == least && z >= longest)) continue;
      least = x * y * z;
      longest = z;
      *torus = (ss_torus){.dimensions = 3, .size = {x, y, z}};
    }
}

/* A torus has three dimensions, the longest at most twice the shortest. */
static ss_status generate(const ss_topology_request *request, ss_topology_design *design, ss_error *error)
{
  const bool given = request->size[SS_DESIGN_TORUS] != 0;
  const char *option = given ? "--torus-dims" : "--gpus";
  ss_torus *torus = &design->shape.as.torus;
  design->radix = design->taper = 0;
  if (given)
    *torus = request->shape.as.torus;
  else
    choose(design->nics, torus);
  design->hosts = hosts(&design->shape);
  const ss_status status = check_for(option, &design->shape, error);
  if (status != SS_OK) return status;
  if (design->hosts >= design->nics && design->hosts <= SS_CLUSTER_HOSTS && links(&design->shape) <= SS_CLUSTER_LINKS)
    return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, option, 0,
                      "has room for %" PRId64 " NICs; allowed: from the %" PRId64 " of the GPUs to %d", design->hosts,
                      design->nics, SS_CLUSTER_HOSTS);
}

static void describe(const ss_topology_design *design, ss_sentence *text)
{
  const ss_torus *torus = &design->shape.as.torus;
  ss_sentence_say(text, "Torus of ");
  ss_sentence_say_list(text, torus->size, torus->dimensions, " x ");
  ss_sentence_say(text, " NICs with %" PRId64 " links, no switches.", design->hosts * rings(torus));
}

/* Across the longest dimension, two links of every ring are cut. Above 1 on a small torus, where a NIC has several
 * links. */
static double bisection(const ss_topology_design *design)
{
  const ss_torus *torus = &design->shape.as.torus;
  int64_t longest = 1;
  for (int64_t i = 0; i < torus->dimensions; ++i) longest = torus->size[i] > longest ? torus->size[i] : longest;
  return longest > 1 ? 2.0 / floor(0.5 * (double)longest) : 1.0;
}

const ss_fabric_methods ss_torus_fabric = {
    .topology = SS_TOPOLOGY_TORUS,
    .takes = SS_TAKES(TORUS),
    .read_shape = read_shape,
    .generate = generate,
    .describe = describe,
    .bisection = bisection,
};
