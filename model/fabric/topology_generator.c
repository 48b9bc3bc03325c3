#include "model/fabric/topology_generator.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Routers of a dragonfly: a quarter of their ports for NICs, as many for other groups, half for their own. */
#define DRAGONFLY_SHARE 4

/* Up to so many NICs a torus is a ring. */
#define RING_NICS 7

static const struct {
  const char *name;
  ss_topology topology;
  unsigned takes;
} kinds[SS_FABRIC_KIND_COUNT] = {
#define WIRING_ROW(id, name, topology, takes, help) {name, topology, takes},
    SS_FABRIC_KIND_LIST(WIRING_ROW)
#undef WIRING_ROW
};

static const char *const options[SS_DESIGN_SIZES] = {
#define SIZE_OPTION(id, option) option,
    SS_DESIGN_SIZE_LIST(SIZE_OPTION)
#undef SIZE_OPTION
};

bool ss_fabric_kind_find(const char *name, ss_fabric_kind *kind)
{
  for (int i = 0; i < SS_FABRIC_KIND_COUNT; ++i)
    if (strcmp(name, kinds[i].name) == 0) {
      *kind = (ss_fabric_kind)i;
      return true;
    }
  return false;
}

static int64_t divide_up(int64_t a, int64_t b)
{
  return (a + b - 1) / b;
}

/* Saturates, so that what is too large stays so. */
static int64_t product(int64_t a, int64_t b)
{
  return a > INT64_MAX / b ? INT64_MAX : a * b;
}

static int64_t largest_divisor(int64_t number, int64_t at_most, int64_t multiple_of)
{
  for (int64_t divisor = at_most; divisor > 1; --divisor)
    if (number % divisor == 0 && divisor % multiple_of == 0) return divisor;
  return 1;
}

/* "1, 2, 4": the divisors of a number up to a limit, as many as there is room for. */
static void list_divisors(int64_t number, int64_t at_most, char *text, size_t size)
{
  size_t used = 0;
  for (int64_t divisor = 1; divisor <= at_most && divisor <= number && used + 16 < size; ++divisor)
    if (number % divisor == 0)
      used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, used > 0 ? ", " : "", divisor);
}

#define LIST_SIZE 512

static ss_status refuse_divisor(const char *option, int64_t given, const char *problem, int64_t number, ss_error *error)
{
  char allowed[LIST_SIZE];
  list_divisors(number, number, allowed, sizeof allowed);
  return ss_error_set(error, SS_ERROR_INPUT, option, 0, "\"%" PRId64 "\": %s %" PRId64 "; allowed: %s", given, problem,
                      number, allowed);
}

/* What is missing is what a given size is told about. */
static ss_status check_applies(const ss_topology_request *r, ss_error *error)
{
  for (int i = 0; i < SS_DESIGN_SIZES; ++i)
    if (r->size[i] != 0 && !(kinds[r->kind].takes & (1u << i)))
      return ss_error_set(error, SS_ERROR_INPUT, options[i], 0, "does not apply to --fabric %s", kinds[r->kind].name);
  return SS_OK;
}

static ss_status check_domains(const ss_topology_request *r, ss_error *error)
{
  if (r->gpus % r->domain_size != 0)
    return refuse_divisor("--domain", r->domain_size, "does not divide --gpus", r->gpus, error);
  if (r->nics_per_domain % r->domain_size != 0 && r->domain_size % r->nics_per_domain != 0) {
    char allowed[LIST_SIZE];
    list_divisors(r->domain_size, r->domain_size, allowed, sizeof allowed);
    return ss_error_set(error, SS_ERROR_INPUT, "--nics", 0,
                        "\"%" PRId64 "\": does not suit the %" PRId64
                        " GPUs of a domain; allowed: %s, or a multiple of %" PRId64,
                        r->nics_per_domain, r->domain_size, allowed, r->domain_size);
  }
  const int64_t most = SS_CLUSTER_HOSTS / (r->gpus / r->domain_size);
  if (r->nics_per_domain > most)
    return ss_error_set(error, SS_ERROR_INPUT, "--nics", 0,
                        "\"%" PRId64 "\": makes more than %d NICs; allowed: at most %" PRId64, r->nics_per_domain,
                        SS_CLUSTER_HOSTS, most);
  return SS_OK;
}

/* Links of a leaf, and NICs: a leaf that can take all NICs needs no links up. */
static ss_status choose_leaf(const ss_topology_request *r, ss_topology_design *b, ss_error *error)
{
  const int64_t radix = b->radix, half = radix / 2, taper = b->taper, given = r->size[SS_DESIGN_LEAF];
  const bool rails = r->kind == SS_FABRIC_KIND_RAIL;
  int64_t *down = b->shape.as.tree.down;
  if (given == 0 && half % taper != 0)
    return refuse_divisor("--taper", taper, "does not divide the NICs of a leaf, which are", half, error);
  down[0] = given != 0 ? given : rails ? largest_divisor(b->domains, half, taper) : half;
  if (given == 0 && !rails && b->nics <= radix && r->size[SS_DESIGN_TAPER] == 0 && r->size[SS_DESIGN_LEVELS] <= 1)
    down[0] = b->nics;
  if (rails && b->domains % down[0] != 0)
    return refuse_divisor("--leaf", down[0], "does not divide the domains, which are", b->domains, error);
  if (down[0] % taper != 0)
    return refuse_divisor("--taper", taper, "does not divide the NICs of a leaf, which are", down[0], error);
  const int64_t most = radix * taper / (taper + 1) / taper * taper;
  if (down[0] < b->nics && down[0] + down[0] / taper > radix)
    return ss_error_set(error, SS_ERROR_INPUT, "--leaf", 0,
                        "\"%" PRId64 "\": needs %" PRId64 " ports with its links up, of %" PRId64
                        "; allowed: 1 to %" PRId64,
                        down[0], down[0] + down[0] / taper, radix, most);
  if (down[0] > radix)
    return ss_error_set(error, SS_ERROR_INPUT, "--leaf", 0,
                        "\"%" PRId64 "\": is more than the %" PRId64 " ports of a switch", down[0], radix);
  return SS_OK;
}

/* How many leaves a tree of so many levels has at most: half of the ports of a switch go down, but for those of the top
 * level all of them. */
static int64_t most_leaves(int64_t radix, int64_t levels)
{
  int64_t leaves = levels > 1 ? radix : 1;
  for (int64_t level = 2; level < levels; ++level) leaves = product(leaves, radix / 2);
  return leaves;
}

static ss_status choose_levels(const ss_topology_request *r, ss_topology_design *b, int64_t leaves, ss_error *error)
{
  int64_t least = 1;
  while (least <= SS_MOST_LEVELS && most_leaves(b->radix, least) < leaves) ++least;
  if (least > SS_MOST_LEVELS)
    return ss_error_set(error, SS_ERROR_INPUT, options[SS_DESIGN_RADIX], 0,
                        "\"%" PRId64 "\": %" PRId64
                        " NICs would need more than %d levels of switches; allowed: more ports",
                        b->radix, b->nics, SS_MOST_LEVELS);
  const int64_t given = r->size[SS_DESIGN_LEVELS];
  const int64_t levels = given != 0 ? given : least;
  b->shape.as.tree.levels = levels;
  if (levels >= least && levels <= SS_MOST_LEVELS) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, options[SS_DESIGN_LEVELS], 0,
                      "\"%" PRId64 "\": %" PRId64 " leaf switches of %" PRId64
                      " ports need other levels; allowed: %" PRId64 " to %d",
                      given, leaves, b->radix, least, SS_MOST_LEVELS);
}

/* Cables to one switch are never bundled: SimGrid picks one of a bundle by who sends, so that senders at the same place
 * of their leaves would meet on one of them. */
static void stack_levels(ss_topology_design *b, int64_t leaves)
{
  ss_fat_tree *tree = &b->shape.as.tree;
  int64_t left = leaves;
  tree->up[0] = 1;
  for (int64_t level = 1; level < tree->levels; ++level) {
    const bool top = level == tree->levels - 1;
    const int64_t parts = top ? 1 : divide_up(left, b->radix / 2);
    tree->down[level] = divide_up(left, parts);
    tree->up[level] = level == 1 ? tree->down[0] / b->taper : tree->down[level - 1];
    left = parts;
  }
  b->hosts = 1;
  for (int64_t level = 0; level < tree->levels; ++level) {
    tree->links[level] = 1;
    b->hosts = product(b->hosts, tree->down[level]);
  }
}

static ss_status draw_tree(const ss_topology_request *r, ss_topology_design *b, ss_error *error)
{
  const ss_fat_tree *tree = &b->shape.as.tree;
  ss_status status = choose_leaf(r, b, error);
  const int64_t leaves = status == SS_OK ? divide_up(b->nics, tree->down[0]) : 1;
  if (status == SS_OK) status = choose_levels(r, b, leaves, error);
  if (status != SS_OK) return status;
  if (r->kind == SS_FABRIC_KIND_RAIL) b->rail_domains = tree->down[0];
  stack_levels(b, leaves);
  double links = 0;
  for (int64_t level = 0; level < tree->levels; ++level) links += (double)ss_tree_links(tree, level);
  if (links > SS_CLUSTER_LINKS || b->hosts > SS_CLUSTER_HOSTS)
    return ss_error_set(error, SS_ERROR_INPUT, "--gpus", 0,
                        "%.0f links and ports for %" PRId64
                        " NICs are too many for a platform file; allowed: %d and %d",
                        links, b->hosts, SS_CLUSTER_LINKS, SS_CLUSTER_HOSTS);
  return SS_OK;
}

static ss_status draw_flat(const ss_topology_request *r, ss_topology_design *b, ss_error *error)
{
  (void)r;
  (void)error;
  b->hosts = b->nics;
  b->radix = b->taper = 0;
  return SS_OK;
}

/* Links between two routers, and between two groups, that evenly spread traffic fills. All of what a router sends to a
 * group takes one link to the router that has the link to it, where the traffic of that group comes in, too. */
static void choose_dragonfly(int64_t per_router, ss_topology_design *b)
{
  const int64_t needed = divide_up(b->nics, per_router);
  int64_t routers = 1;
  while (routers * routers < needed) ++routers;
  const int64_t groups = divide_up(needed, routers);
  const int64_t between = divide_up(routers * per_router, groups * b->taper);
  const int64_t within = divide_up((groups > 1 ? 2 : 1) * per_router, groups * b->taper);
  b->shape.as.dragonfly = (ss_dragonfly){.groups = groups,
                                         .group_links = between,
                                         .chassis = 1,
                                         .chassis_links = 1,
                                         .routers = routers,
                                         .router_links = within,
                                         .nodes = per_router};
}

/* Ports of a router, where those to other groups are spread over its group. */
static int64_t dragonfly_ports(const ss_topology_design *b)
{
  const ss_dragonfly *d = &b->shape.as.dragonfly;
  return d->nodes + (d->routers - 1) * d->router_links + (d->chassis - 1) * d->chassis_links +
         divide_up((d->groups - 1) * d->group_links, d->routers * d->chassis);
}

/* As many NICs per router as its ports allow, from a share of them down. */
static void fit_dragonfly(int64_t given_leaf, ss_topology_design *b)
{
  const int64_t share = b->radix / DRAGONFLY_SHARE > 1 ? b->radix / DRAGONFLY_SHARE : 1;
  const int64_t most = given_leaf != 0 ? given_leaf : b->nics < share ? b->nics : share;
  choose_dragonfly(most, b);
  for (int64_t leaf = most; given_leaf == 0 && leaf > 0 && dragonfly_ports(b) > b->radix; --leaf)
    choose_dragonfly(leaf, b);
  if (dragonfly_ports(b) > b->radix) choose_dragonfly(most, b);
}

static ss_status check_dragonfly(const ss_topology_design *b, const char *option, ss_error *error)
{
  const ss_dragonfly *d = &b->shape.as.dragonfly;
  if (d->groups > d->routers)
    return ss_error_set(error, SS_ERROR_INPUT, option, 0,
                        "has %" PRId64 " groups, but only %" PRId64
                        " routers in a chassis to link them; allowed: at most as many groups as routers",
                        d->groups, d->routers);
  if (b->hosts < b->nics || b->hosts > SS_CLUSTER_HOSTS)
    return ss_error_set(error, SS_ERROR_INPUT, option, 0,
                        "has room for %" PRId64 " NICs; allowed: from the %" PRId64 " of the GPUs to %d", b->hosts,
                        b->nics, SS_CLUSTER_HOSTS);
  const double links = (double)b->hosts +
                       (double)product(product(d->groups, d->chassis), d->routers) * (double)(d->routers + d->chassis) +
                       (double)d->groups * (double)d->groups;
  if (links > SS_CLUSTER_LINKS)
    return ss_error_set(error, SS_ERROR_INPUT, option, 0, "needs %.0f links; allowed: at most %d", links,
                        SS_CLUSTER_LINKS);
  return SS_OK;
}

static ss_status draw_dragonfly(const ss_topology_request *r, ss_topology_design *b, ss_error *error)
{
  const bool given = r->size[SS_DESIGN_DRAGONFLY] != 0;
  const char *option = given ? options[SS_DESIGN_DRAGONFLY] : "--gpus";
  for (int i = 0; given && i < SS_DESIGN_DRAGONFLY; ++i)
    if (r->size[i] != 0)
      return ss_error_set(error, SS_ERROR_INPUT, options[i], 0,
                          "and --dragonfly say the same; allowed: one of the two");
  if (given)
    b->shape.as.dragonfly = r->dragonfly;
  else
    fit_dragonfly(r->size[SS_DESIGN_LEAF], b);
  const ss_dragonfly *d = &b->shape.as.dragonfly;
  b->hosts = product(product(d->groups, d->chassis), product(d->routers, d->nodes));
  b->taper = 0;
  if (!given && dragonfly_ports(b) > b->radix)
    return ss_error_set(error, SS_ERROR_INPUT, option, 0,
                        "%" PRId64 " NICs in %" PRId64 " groups of %" PRId64 " routers need %" PRId64
                        " ports per router, of %" PRId64
                        "; allowed: fewer NICs, a smaller --leaf, a larger --radix or --taper, or --dragonfly",
                        b->nics, d->groups, d->routers, dragonfly_ports(b), b->radix);
  if (given) b->radix = 0;
  return check_dragonfly(b, option, error);
}

/* The smallest box that holds the NICs and is at most twice as long as it is wide, of these the most even one. */
static void choose_torus(int64_t nics, ss_torus *torus)
{
  *torus = (ss_torus){.dimensions = 1, .size = {nics}};
  if (nics <= RING_NICS) return;
  int64_t least = INT64_MAX, longest = INT64_MAX;
  for (int64_t x = 1; x * x * x <= 8 * nics; ++x)
    for (int64_t y = x; y <= 2 * x; ++y) {
      const int64_t z = divide_up(nics, x * y) > y ? divide_up(nics, x * y) : y;
      if (z > 2 * x || x * y * z > least || (x * y * z == least && z >= longest)) continue;
      least = x * y * z;
      longest = z;
      *torus = (ss_torus){.dimensions = 3, .size = {x, y, z}};
    }
}

static ss_status draw_torus(const ss_topology_request *r, ss_topology_design *b, ss_error *error)
{
  b->radix = b->taper = 0;
  ss_torus *torus = &b->shape.as.torus;
  *torus = r->torus;
  if (r->size[SS_DESIGN_TORUS] == 0) choose_torus(b->nics, torus);
  int ones = 0;
  b->hosts = 1;
  for (int64_t i = 0; i < torus->dimensions; ++i) {
    b->hosts = product(b->hosts, torus->size[i]);
    ones += torus->size[i] == 1;
  }
  const char *option = r->size[SS_DESIGN_TORUS] != 0 ? options[SS_DESIGN_TORUS] : "--gpus";
  if (ones > 1)
    return ss_error_set(error, SS_ERROR_INPUT, option, 0,
                        "has %d dimensions of 1; allowed: at most one, others can be left out", ones);
  if (b->hosts >= b->nics && b->hosts <= SS_CLUSTER_HOSTS && b->hosts * torus->dimensions <= SS_CLUSTER_LINKS)
    return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, option, 0,
                      "has room for %" PRId64 " NICs; allowed: from the %" PRId64 " of the GPUs to %d", b->hosts,
                      b->nics, SS_CLUSTER_HOSTS);
}

ss_status ss_topology_generate(const ss_topology_request *request, ss_topology_design *design, ss_error *error)
{
  static ss_status (*const draw[SS_FABRIC_KIND_COUNT])(const ss_topology_request *, ss_topology_design *,
                                                       ss_error *) = {[SS_FABRIC_KIND_FLAT] = draw_flat,
                                                                      [SS_FABRIC_KIND_FAT_TREE] = draw_tree,
                                                                      [SS_FABRIC_KIND_RAIL] = draw_tree,
                                                                      [SS_FABRIC_KIND_DRAGONFLY] = draw_dragonfly,
                                                                      [SS_FABRIC_KIND_TORUS] = draw_torus};
  const int64_t *size = request->size;
  ss_status status = check_domains(request, error);
  if (status == SS_OK) status = check_applies(request, error);
  if (status != SS_OK) return status;
  if (size[SS_DESIGN_RADIX] == 1)
    return ss_error_set(error, SS_ERROR_INPUT, options[SS_DESIGN_RADIX], 0,
                        "\"1\": connects nothing; allowed: 2 ports or more");
  const int64_t domains = request->gpus / request->domain_size;
  *design = (ss_topology_design){
      .kind = request->kind,
      .domains = domains,
      .domain_size = request->domain_size,
      .nics_per_domain = request->nics_per_domain,
      .nics = domains * request->nics_per_domain,
      .radix = size[SS_DESIGN_RADIX] != 0 ? size[SS_DESIGN_RADIX] : SS_RADIX,
      .taper = size[SS_DESIGN_TAPER] != 0 ? size[SS_DESIGN_TAPER] : 1,
      .shape.topology = kinds[request->kind].topology,
  };
  return draw[request->kind](request, design, error);
}
