/* The fat tree, of any depth and taper, with static or adaptive routing; and rails, which are a fat tree whose hosts
 * are the NICs of the machine in another order. */
#include "model/fabric/fat_tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/base/number.h"
#include "model/fabric/counts.h"
#include "model/fabric/forwarding.h"
#include "model/fabric/topology_methods.h"

/* Parameters. */

static bool read(const ss_number_lists *lists, ss_shape *shape)
{
  const ss_number_list *levels = &lists->list[0], *down = &lists->list[1], *up = &lists->list[2];
  const ss_number_list *cables = &lists->list[3];
  ss_fat_tree *tree = &shape->as.fat_tree;
  tree->levels = down->count;
  memcpy(tree->down, down->at, sizeof tree->down);
  memcpy(tree->up, up->at, sizeof tree->up);
  memcpy(tree->links, cables->at, sizeof tree->links);
  return lists->count == 4 && levels->count == 1 && levels->at[0] == down->count && down->count == up->count &&
         down->count == cables->count;
}

static int64_t hosts(const ss_shape *shape)
{
  return ss_count_product_of(shape->as.fat_tree.down, shape->as.fat_tree.levels);
}

static double links(const ss_shape *shape)
{
  const ss_fat_tree *tree = &shape->as.fat_tree;
  double all = 0;
  for (int64_t i = 0; i < tree->levels; ++i) {
    /* Switches above level i: one per choice of its up links so far and of the subtrees above. */
    const double switches = (double)ss_count_product_of(tree->up, i + 1) *
                            (double)ss_count_product_of(&tree->down[i + 1], tree->levels - i - 1);
    all += switches * (double)tree->down[i] * (double)tree->links[i];
  }
  return all;
}

static void print(const ss_shape *shape, ss_sentence *text)
{
  const ss_fat_tree *tree = &shape->as.fat_tree;
  const int64_t *const list[] = {tree->down, tree->up, tree->links};
  ss_sentence_say(text, "%" PRId64, tree->levels);
  for (int i = 0; i < 3; ++i) {
    ss_sentence_say(text, ";");
    ss_sentence_say_list(text, list[i], tree->levels, ",");
  }
}

/* Above a level there is one switch for each choice of links up so far and of the subtrees above. */
int64_t ss_fat_tree_switches(const ss_fat_tree *tree, int64_t level)
{
  int64_t switches = 1;
  for (int64_t i = 0; i < tree->levels; ++i) switches *= i <= level ? tree->up[i] : tree->down[i];
  return switches;
}

int64_t ss_fat_tree_cables(const ss_fat_tree *tree, int64_t level)
{
  return ss_fat_tree_switches(tree, level) * tree->down[level] * tree->links[level];
}

/* Links and routes. The classes follow one another level by level: the cables from its nodes, hosts or switches, up to
 * the next level. */

/* With adaptive routing, all cables that lead up from a subtree carry the same: they are one, and so are the switches
 * of a level of the subtree. Finds how many cables each one is. */
static void join_cables(ss_fat_tree *tree, int64_t cables[SS_SHAPE_NUMBERS])
{
  int64_t switches = 1; /* of a subtree, or one host */
  for (int64_t level = 0; level < tree->levels; ++level) {
    cables[level] = switches * tree->up[level] * tree->links[level];
    switches *= tree->up[level];
    tree->up[level] = tree->links[level] = 1;
  }
}

/* Names: leaf-2:up-3 is the link from leaf switch 2 through its port 3 to the level above, leaf-2:down-3 the one back;
 * level2-5:up-1 is the same of a switch of the second level, the one above the leaves, and so on. Where there are
 * several cables above a host, nic-17:out-1 is that of its port 1. Cables that are one link have no port, leaf-2:up;
 * those of a subtree, whose switches are one, are counted through. */
static void lay_out(ss_fabric *fabric)
{
  ss_fat_tree *tree = &fabric->shape.as.fat_tree;
  const bool adaptive = fabric->machine->adaptive_routing != 0;
  int64_t cables[SS_SHAPE_NUMBERS] = {0};
  int64_t nodes = fabric->hosts;
  if (adaptive) join_cables(tree, cables);
  for (int64_t level = 0; level < tree->levels; ++level) {
    ss_link_class link_class = ss_link_class_of_fabric(fabric->machine);
    link_class.of_nics = level == 0;
    if (level == 1) (void)snprintf(link_class.word, sizeof link_class.word, "leaf");
    if (level > 1) (void)snprintf(link_class.word, sizeof link_class.word, "level%d", (int)level);
    if (level > 0) {
      link_class.out = "up";
      link_class.in = "down";
    }
    link_class.nodes = nodes;
    link_class.ports = tree->up[level] * tree->links[level];
    link_class.ported = !adaptive && (level > 0 || link_class.ports > 1);
    if (adaptive) {
      link_class.joined = cables[level];
      link_class.bytes_per_s *= (double)cables[level];
    }
    ss_link_class_add(fabric, link_class);
    nodes = nodes / tree->down[level] * tree->up[level];
  }
}

static void count(const ss_shape *shape, int64_t switch_ports, ss_fabric_parts *parts)
{
  const ss_fat_tree *tree = &shape->as.fat_tree;
  int64_t nodes = parts->nics;
  for (int64_t level = 0; level < tree->levels; ++level) {
    const int64_t cables = nodes * tree->up[level] * tree->links[level];
    const bool top = level + 1 == tree->levels;
    nodes = nodes / tree->down[level] * tree->up[level];
    const int64_t ports = cables / nodes + (top ? 0 : tree->up[level + 1] * tree->links[level + 1]);
    const int64_t together = switch_ports > ports ? switch_ports / ports : 1;
    const int64_t switches = ss_divide_up(nodes, together);
    char place[32];
    (void)snprintf(place, sizeof place, "above level %" PRId64, level);
    if (level == 0)
      ss_fabric_parts_add_nics(parts, cables, switches);
    else
      ss_fabric_parts_add(parts, place, cables, switches);
  }
}

/* A host or switch. A switch of level l (hosts are level 0) has digits: one below up[i] for each level i < l, which
 * says through which of the switches above its hosts it is reached, and one below down[i] for the others, which say
 * where in the tree it is. The first digit counts least: node = low + ups * high with ups the product of up[i], i < l,
 * and a host is below it where host / downs = high. A node reaches the u-th switch above it through ports u, u + up, u
 * + 2 up, ...: the parallel cables. */
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

/* Hosts and switches are numbered level by level. */
static int64_t number_of(const ss_fabric *fabric, place at)
{
  int64_t number = at.node;
  for (int64_t level = 0; level < at.level; ++level) number += fabric->link_class[SS_LINK_CLASS_HOST + level].nodes;
  return number;
}

static bool is_above(place at, int64_t host)
{
  return at.node / at.ups == host / at.downs;
}

/* The port of a node of the level below to which forwarding tables send what is for a host; the one of the rule where
 * they have none. */
static int64_t forwarded(const ss_fabric *fabric, place from, int64_t host, int64_t level, int64_t by_rule)
{
  const ss_forwarding *tables = fabric->machine->forwarding;
  const ss_link_class *link_class = &fabric->link_class[SS_LINK_CLASS_HOST + level];
  const int64_t link = tables != NULL ? ss_forwarding_link(tables, number_of(fabric, from), host) : -1;
  return link < 0 ? by_rule : (link - link_class->first) / link_class->directions % link_class->ports;
}

/* What is below the cable of a link, and the switch above. */
static void find_joined(const ss_fabric *fabric, int64_t link, place *below, place *above)
{
  const ss_fat_tree *tree = &fabric->shape.as.fat_tree;
  const ss_link_class *link_class = &fabric->link_class[SS_LINK_CLASS_HOST];
  *below = (place){.level = 0, .ups = 1, .downs = 1};
  for (; below->level + 1 < tree->levels && link >= link_class[1].first; ++below->level, ++link_class) {
    below->ups *= tree->up[below->level];
    below->downs *= tree->down[below->level];
  }
  const int64_t cable = (link - link_class->first) / link_class->directions;
  below->node = cable / link_class->ports;
  *above = parent_of(tree, *below, cable % link_class->ports % tree->up[below->level]);
}

static int64_t sender(const ss_fabric *fabric, int64_t link, int64_t host)
{
  place below, above;
  find_joined(fabric, link, &below, &above);
  return number_of(fabric, is_above(below, host) ? above : below);
}

static void joined(const ss_fabric *fabric, int64_t link, int64_t end[2])
{
  place below, above;
  find_joined(fabric, link, &below, &above);
  end[0] = number_of(fabric, below);
  end[1] = number_of(fabric, above);
}

/* The first of the parallel cables between a node and one switch above it that is not dead, counting on from `port`;
 * its link, -1 where all are dead. */
static int64_t live_link(const ss_fabric *fabric, place below, int64_t port, bool back)
{
  const ss_fat_tree *tree = &fabric->shape.as.fat_tree;
  const ss_link_class *link_class = &fabric->link_class[SS_LINK_CLASS_HOST + below.level];
  for (int64_t i = 0; i < tree->links[below.level]; ++i) {
    const int64_t link = ss_link_class_link(link_class, below.node, port, back);
    if (!ss_link_is_dead(fabric, link)) return link;
    port = (port + tree->up[below.level]) % link_class->ports;
  }
  return -1;
}

/* Goes down from a switch that is above the destination, to which only the choice of parallel cables is left. SimGrid
 * numbers the cables of a switch (number of child + children * number of parallel cable) and takes the first to the
 * child, from that parallel cable on which the number of the source says at the top, and from the cable after the last
 * one, as long as there is one, further down. */
static bool descend(ss_link_route *r, place at)
{
  const ss_fat_tree *tree = &r->fabric->shape.as.fat_tree;
  for (int64_t last = -1; at.level > 0;) {
    const place child = child_of(tree, at, r->to);
    const int64_t children = tree->down[child.level], cables = tree->links[child.level];
    const int64_t number = r->to / child.downs % children, up = at.node / child.ups % tree->up[child.level];
    int64_t cable = last < number ? 0 : (last - number) / children + 1;
    if (last < 0 || cable >= cables) cable = r->from % cables;
    const int64_t port = forwarded(r->fabric, at, r->to, child.level, up + tree->up[child.level] * cable);
    const int64_t link = live_link(r->fabric, child, port, true);
    if (link < 0) return false;
    ss_link_route_push(r, link);
    last = number + children * cable;
    at = child;
  }
  return true;
}

/* Goes up through the port that forwarding tables or else the destination says (D-mod-k; `rest` is what the switches
 * chosen below leave of its number), then down from the first switch that is above it. Where that leads nowhere,
 * through the next ports. Further up there is no other route: it would come down to the same switch. */
static bool climb(ss_link_route *r, place at, int64_t rest)
{
  const ss_fat_tree *tree = &r->fabric->shape.as.fat_tree;
  if (is_above(at, r->to)) return descend(r, at);
  const int64_t up = tree->up[at.level], ports = up * tree->links[at.level];
  const int64_t first = forwarded(r->fabric, at, r->to, at.level, rest % ports);
  const int count = r->count;
  for (int64_t i = 0; i < up; ++i) {
    const int64_t port = (first + i) % ports;
    const int64_t link = live_link(r->fabric, at, port, false);
    if (link < 0) continue;
    ss_link_route_push(r, link);
    if (climb(r, parent_of(tree, at, port % up), rest / up)) return true;
    r->count = count;
  }
  return false;
}

static void route(ss_link_route *r)
{
  const place host = {.level = 0, .node = r->from, .ups = 1, .downs = 1};
  const ss_link_class *nics = &r->fabric->link_class[SS_LINK_CLASS_HOST];
  int64_t port = 0; /* that is alive; without one, all switches above would be tried */
  while (port < nics->ports && ss_link_is_dead(r->fabric, ss_link_class_link(nics, r->to, port, true))) ++port;
  r->cut = port == nics->ports || !climb(r, host, r->to);
}

const ss_topology_methods ss_fat_tree_topology = {
    .noun = "fat tree",
    .form =
        "LEVELS;DOWN,...;UP,...;LINKS,... with one number per level in each list, such as 2;4,4;1,2;1,1 for 16 hosts",
    .read = read,
    .hosts = hosts,
    .links = links,
    .print = print,
    .lay_out = lay_out,
    .route = route,
    .count = count,
    .sender = sender,
    .joined = joined,
};

/* The fabrics that are generated. */

#define MOST_LEVELS 6

static ss_status refuse_taper(int64_t taper, int64_t leaf, ss_error *error)
{
  return ss_count_refuse_divisor("--taper", taper, "does not divide the NICs of a leaf, which are", leaf, error);
}

/* Links of a leaf, and NICs: a leaf that can take all NICs needs no links up. */
static ss_status check_leaf(const ss_topology_design *design, ss_error *error)
{
  const int64_t radix = design->radix, taper = design->taper, leaf = design->shape.as.fat_tree.down[0];
  if (leaf % taper != 0) return refuse_taper(taper, leaf, error);
  const int64_t most = radix * taper / (taper + 1) / taper * taper;
  if (leaf < design->nics && leaf + leaf / taper > radix)
    return ss_error_set(error, SS_ERROR_INPUT, "--leaf", 0,
                        "\"%" PRId64 "\": needs %" PRId64 " ports with its links up, of %" PRId64
                        "; allowed: 1 to %" PRId64,
                        leaf, leaf + leaf / taper, radix, most);
  if (leaf > radix)
    return ss_error_set(error, SS_ERROR_INPUT, "--leaf", 0,
                        "\"%" PRId64 "\": is more than the %" PRId64 " ports of a switch", leaf, radix);
  return SS_OK;
}

/* Whether a leaf has a part of a rail, which has a NIC of each domain, or several whole ones. */
static bool holds_rails(const ss_topology_design *d, int64_t leaf)
{
  return d->domains % leaf == 0 || (leaf % d->domains == 0 && d->nics_per_domain % (leaf / d->domains) == 0);
}

static int64_t largest_leaf_of_rails(const ss_topology_design *design, int64_t at_most)
{
  int64_t leaf = at_most;
  while (leaf > 1 && !(leaf % design->taper == 0 && holds_rails(design, leaf))) --leaf;
  return leaf;
}

static ss_status refuse_rails(const ss_topology_design *design, int64_t leaf, ss_error *error)
{
  char parts[SS_DIVISORS_SIZE], rails[SS_DIVISORS_SIZE];
  ss_count_list_divisors(design->domains, parts);
  ss_count_list_divisors(design->nics_per_domain, rails);
  return ss_error_set(error, SS_ERROR_INPUT, "--leaf", 0,
                      "\"%" PRId64 "\": is neither a part of a rail of %" PRId64
                      " domains nor several rails; allowed: %s, or %" PRId64 " times %s",
                      leaf, design->domains, parts, design->domains, rails);
}

/* Half of the ports, or all of them where one switch suffices; on rails, parts of one or several. */
static ss_status choose_leaf(const ss_topology_request *request, bool rails, ss_topology_design *design,
                             ss_error *error)
{
  const int64_t half = design->radix / 2, taper = design->taper, given = request->size[SS_DESIGN_LEAF];
  int64_t *leaf = &design->shape.as.fat_tree.down[0];
  if (given == 0 && half % taper != 0) return refuse_taper(taper, half, error);
  const bool one_switch =
      design->nics <= design->radix && request->size[SS_DESIGN_TAPER] == 0 && request->size[SS_DESIGN_LEVELS] <= 1;
  if (given != 0)
    *leaf = given;
  else if (one_switch)
    *leaf = design->nics;
  else
    *leaf = rails ? largest_leaf_of_rails(design, half) : half;
  if (rails && !holds_rails(design, *leaf)) return refuse_rails(design, *leaf, error);
  return check_leaf(design, error);
}

/* How many leaves a tree of so many levels has at most: half of the ports of a switch go down, but for those of the top
 * level all of them. */
static int64_t most_leaves(int64_t radix, int64_t levels)
{
  int64_t leaves = levels > 1 ? radix : 1;
  for (int64_t level = 2; level < levels; ++level) leaves = ss_count_product(leaves, radix / 2);
  return leaves;
}

static ss_status choose_levels(int64_t given, int64_t leaves, ss_topology_design *design, ss_error *error)
{
  int64_t least = 1;
  while (least <= MOST_LEVELS && most_leaves(design->radix, least) < leaves) ++least;
  if (least > MOST_LEVELS)
    return ss_error_set(error, SS_ERROR_INPUT, "--radix", 0,
                        "\"%" PRId64 "\": %" PRId64
                        " NICs would need more than %d levels of switches; allowed: more ports",
                        design->radix, design->nics, MOST_LEVELS);
  const int64_t levels = given != 0 ? given : least;
  design->shape.as.fat_tree.levels = levels;
  if (levels >= least && levels <= MOST_LEVELS) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, "--levels", 0,
                      "\"%" PRId64 "\": %" PRId64 " leaf switches of %" PRId64
                      " ports need other levels; allowed: %" PRId64 " to %d",
                      given, leaves, design->radix, least, MOST_LEVELS);
}

/* Cables to one switch are never bundled: SimGrid picks one of a bundle by who sends, so that senders at the same place
 * of their leaves would meet on one of them. */
static void stack_levels(int64_t leaves, ss_topology_design *design)
{
  ss_fat_tree *tree = &design->shape.as.fat_tree;
  int64_t left = leaves;
  tree->up[0] = tree->links[0] = 1;
  for (int64_t level = 1; level < tree->levels; ++level) {
    const bool top = level == tree->levels - 1;
    const int64_t parts = top ? 1 : ss_divide_up(left, design->radix / 2);
    tree->down[level] = ss_divide_up(left, parts);
    tree->up[level] = level == 1 ? tree->down[0] / design->taper : tree->down[level - 1];
    tree->links[level] = 1;
    left = parts;
  }
}

/* A leaf switch of radix R has R/2 NICs and R/2/taper links up; a tree has as few levels as its radix allows, each
 * switch above the leaves has as many links up as down. */
static ss_status generate_tree(const ss_topology_request *request, bool rails, ss_topology_design *design,
                               ss_error *error)
{
  const ss_fat_tree *tree = &design->shape.as.fat_tree;
  ss_status status = choose_leaf(request, rails, design, error);
  const int64_t leaves = status == SS_OK ? ss_divide_up(design->nics, tree->down[0]) : 1;
  if (status == SS_OK) status = choose_levels(request->size[SS_DESIGN_LEVELS], leaves, design, error);
  if (status != SS_OK) return status;
  if (rails) design->rail_domains = tree->down[0] < design->domains ? tree->down[0] : design->domains;
  stack_levels(leaves, design);
  design->hosts = hosts(&design->shape);
  double cables = 0;
  for (int64_t level = 0; level < tree->levels; ++level) cables += (double)ss_fat_tree_cables(tree, level);
  if (cables > SS_CLUSTER_LINKS || design->hosts > SS_CLUSTER_HOSTS)
    return ss_error_set(error, SS_ERROR_INPUT, "--gpus", 0,
                        "%.0f links and ports for %" PRId64
                        " NICs are too many for a platform file; allowed: %d and %d",
                        cables, design->hosts, SS_CLUSTER_LINKS, SS_CLUSTER_HOSTS);
  return SS_OK;
}

static ss_status generate_neighbours(const ss_topology_request *request, ss_topology_design *design, ss_error *error)
{
  return generate_tree(request, false, design, error);
}

static ss_status generate_rails(const ss_topology_request *request, ss_topology_design *design, ss_error *error)
{
  return generate_tree(request, true, design, error);
}

static void describe_leaf(const ss_topology_design *design, ss_sentence *text)
{
  const ss_fat_tree *tree = &design->shape.as.fat_tree;
  ss_sentence_say(text, "%" PRId64 "-level fat tree of %" PRId64 "-port switches, %" PRId64 " NIC%s per leaf",
                  tree->levels, design->radix, tree->down[0], ss_count_plural(tree->down[0]));
  if (tree->levels > 1)
    ss_sentence_say(text, ", taper %" PRId64 ": %" PRId64 " up link%s per leaf", design->taper, tree->up[1],
                    ss_count_plural(tree->up[1]));
  if (design->rail_domains > 0)
    ss_sentence_say(text, "; the n-th NICs of %" PRId64 " domain%s share a leaf", design->rail_domains,
                    ss_count_plural(design->rail_domains));
  if (design->rail_domains > 0 && tree->down[0] > design->rail_domains)
    ss_sentence_say(text, ", %" PRId64 " of these rails on each", tree->down[0] / design->rail_domains);
  ss_sentence_say(text, ".");
}

static void describe_levels(const ss_fat_tree *tree, ss_sentence *text)
{
  static const char *const names[] = {"leaf", "spine", "core"};
  for (int64_t level = 0; level < tree->levels; ++level) {
    const int64_t switches = ss_fat_tree_switches(tree, level), cables = ss_fat_tree_cables(tree, level);
    if (level < 3)
      ss_sentence_say(text, "%s%" PRId64 " %s switch%s", level > 0 ? ", " : " ", switches, names[level],
                      switches == 1 ? "" : "es");
    else
      ss_sentence_say(text, ", %" PRId64 " switches of level %" PRId64, switches, level + 1);
    ss_sentence_say(text, " with %" PRId64 " link%s down", cables, ss_count_plural(cables));
  }
  ss_sentence_say(text, ".");
}

static void describe(const ss_topology_design *design, ss_sentence *text)
{
  const ss_fat_tree *tree = &design->shape.as.fat_tree;
  describe_leaf(design, text);
  describe_levels(tree, text);
  const int64_t top = tree->levels - 1, ports = tree->down[top], bundle = design->radix / ports;
  const int64_t switches = ss_fat_tree_switches(tree, top);
  if (tree->levels > 1 && bundle > 1 && switches > 1)
    ss_sentence_say(text,
                    " The top switches use %" PRId64 " port%s each: %" PRId64 " with all %" PRId64
                    " in use would do the same with bundles of cables.",
                    ports, ss_count_plural(ports), ss_divide_up(switches, bundle), design->radix);
}

static double bisection(const ss_topology_design *design)
{
  return design->nics > design->shape.as.fat_tree.down[0] ? 1.0 / (double)design->taper : 1.0;
}

#define TREE_METHODS                                                                                                   \
  .topology = SS_TOPOLOGY_FAT_TREE, .takes = SS_TAKES(RADIX) | SS_TAKES(LEAF) | SS_TAKES(TAPER) | SS_TAKES(LEVELS),    \
  .describe = describe, .bisection = bisection

const ss_fabric_methods ss_fat_tree_fabric = {TREE_METHODS, .generate = generate_neighbours};
const ss_fabric_methods ss_rail_fabric = {TREE_METHODS, .generate = generate_rails};
