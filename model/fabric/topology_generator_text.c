/* What a design amounts to: its parameters for SimGrid, its counts, and what it is in words. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "model/fabric/topology_generator.h"

/* A text that grows at its end; what does not fit is left out. */
typedef struct sentence {
  char *text;
  size_t used;
} sentence;

static void say(sentence *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(sentence *s, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(s->text + s->used, SS_DESIGN_TEXT_SIZE - s->used, format, arguments);
  va_end(arguments);
  SS_ASSERT(length >= 0 && (size_t)length < SS_DESIGN_TEXT_SIZE - s->used);
  s->used += (size_t)length;
}

static void say_list(sentence *s, const int64_t *number, int64_t count)
{
  for (int64_t i = 0; i < count; ++i) say(s, "%s%" PRId64, i > 0 ? "," : "", number[i]);
}

void ss_topology_parameters(const ss_topology_design *b, char text[SS_DESIGN_TEXT_SIZE])
{
  const ss_fat_tree *tree = &b->shape.as.tree;
  const ss_dragonfly *d = &b->shape.as.dragonfly;
  sentence s = {.text = text};
  text[0] = '\0';
  switch (b->shape.topology) {
  case SS_TOPOLOGY_FAT_TREE:
    say(&s, "%" PRId64 ";", tree->levels);
    say_list(&s, tree->down, tree->levels);
    say(&s, ";");
    say_list(&s, tree->up, tree->levels);
    say(&s, ";");
    say_list(&s, tree->links, tree->levels);
    break;
  case SS_TOPOLOGY_DRAGONFLY:
    say(&s, "%" PRId64 ",%" PRId64 ";%" PRId64 ",%" PRId64 ";", d->groups, d->group_links, d->chassis,
        d->chassis_links);
    say(&s, "%" PRId64 ",%" PRId64 ";%" PRId64, d->routers, d->router_links, d->nodes);
    break;
  case SS_TOPOLOGY_TORUS: say_list(&s, b->shape.as.torus.size, b->shape.as.torus.dimensions); break;
  case SS_TOPOLOGY_FLAT:
  case SS_TOPOLOGY_COUNT: break;
  }
}

/* Above a level there is one switch for each choice of links up so far and of the subtrees above. */
int64_t ss_tree_switches(const ss_fat_tree *tree, int64_t level)
{
  int64_t switches = 1;
  for (int64_t i = 0; i < tree->levels; ++i) switches *= i <= level ? tree->up[i] : tree->down[i];
  return switches;
}

int64_t ss_tree_links(const ss_fat_tree *tree, int64_t level)
{
  return ss_tree_switches(tree, level) * tree->down[level] * tree->links[level];
}

/* Of `count` parts that are all linked to each other, with `nics` in each: the links from the smaller half to the
 * other, for each NIC of the smaller half. */
static double all_to_all_bisection(int64_t count, int64_t links, int64_t nics)
{
  const double share = ceil(0.5 * (double)count) * (double)links / (double)nics;
  return share < 1.0 ? share : 1.0;
}

static double dragonfly_bisection(const ss_dragonfly *d)
{
  const int64_t chassis_nodes = d->routers * d->nodes;
  if (d->groups > 1) return all_to_all_bisection(d->groups, d->group_links, d->chassis * chassis_nodes);
  if (d->chassis > 1) return all_to_all_bisection(d->chassis, d->chassis_links * d->routers, chassis_nodes);
  return d->routers > 1 ? all_to_all_bisection(d->routers, d->router_links, d->nodes) : 1.0;
}

/* Across the longest dimension, two links of every ring are cut. */
static double torus_bisection(const ss_torus *torus)
{
  int64_t longest = 1;
  for (int64_t i = 0; i < torus->dimensions; ++i) longest = torus->size[i] > longest ? torus->size[i] : longest;
  return longest > 1 ? 2.0 / floor(0.5 * (double)longest) : 1.0;
}

double ss_topology_bisection(const ss_topology_design *b)
{
  switch (b->shape.topology) {
  case SS_TOPOLOGY_FAT_TREE: return b->nics > b->shape.as.tree.down[0] ? 1.0 / (double)b->taper : 1.0;
  case SS_TOPOLOGY_DRAGONFLY: return dragonfly_bisection(&b->shape.as.dragonfly);
  case SS_TOPOLOGY_TORUS: return torus_bisection(&b->shape.as.torus);
  case SS_TOPOLOGY_FLAT:
  case SS_TOPOLOGY_COUNT: break;
  }
  return 1.0;
}

static const char *plural(int64_t count)
{
  return count == 1 ? "" : "s";
}

static void describe_leaf(sentence *s, const ss_topology_design *b)
{
  const ss_fat_tree *tree = &b->shape.as.tree;
  say(s, "%" PRId64 "-level fat tree of %" PRId64 "-port switches, %" PRId64 " NIC%s per leaf", tree->levels, b->radix,
      tree->down[0], plural(tree->down[0]));
  if (tree->levels > 1)
    say(s, ", taper %" PRId64 ": %" PRId64 " up link%s per leaf", b->taper, tree->up[1], plural(tree->up[1]));
  if (b->rail_domains > 0)
    say(s, "; the n-th NICs of %" PRId64 " domain%s share a leaf", b->rail_domains, plural(b->rail_domains));
  say(s, ".");
}

static void describe_tree(sentence *s, const ss_topology_design *b)
{
  static const char *const names[] = {"leaf", "spine", "core"};
  const ss_fat_tree *tree = &b->shape.as.tree;
  describe_leaf(s, b);
  for (int64_t level = 0; level < tree->levels; ++level) {
    const int64_t switches = ss_tree_switches(tree, level), links = ss_tree_links(tree, level);
    if (level < 3)
      say(s, "%s%" PRId64 " %s switch%s", level > 0 ? ", " : " ", switches, names[level], switches == 1 ? "" : "es");
    else
      say(s, ", %" PRId64 " switches of level %" PRId64, switches, level + 1);
    say(s, " with %" PRId64 " link%s down", links, plural(links));
  }
  say(s, ".");
  const int64_t top = tree->levels - 1, ports = tree->down[top], bundle = b->radix / ports;
  const int64_t switches = ss_tree_switches(tree, top);
  if (tree->levels > 1 && bundle > 1 && switches > 1)
    say(s,
        " The top switches use %" PRId64 " port%s each: %" PRId64 " with all %" PRId64
        " in use would do the same with bundles of cables.",
        ports, plural(ports), (switches + bundle - 1) / bundle, b->radix);
}

static void describe_dragonfly(sentence *s, const ss_topology_design *b)
{
  const ss_dragonfly *d = &b->shape.as.dragonfly;
  const int64_t routers = d->groups * d->chassis * d->routers;
  say(s, "Dragonfly of %" PRId64 " group%s", d->groups, plural(d->groups));
  if (d->chassis > 1) say(s, " of %" PRId64 " chassis", d->chassis);
  say(s, " of %" PRId64 " router%s, %" PRId64 " NIC%s at each: %" PRId64 " router%s.", d->routers, plural(d->routers),
      d->nodes, plural(d->nodes), routers, plural(routers));
  if (d->groups > 1) say(s, " %" PRId64 " link%s between two groups.", d->group_links, plural(d->group_links));
  if (d->chassis > 1)
    say(s, " %" PRId64 " link%s between a router and its like in another chassis.", d->chassis_links,
        plural(d->chassis_links));
  if (d->routers > 1)
    say(s, " %" PRId64 " link%s between two routers of a %s.", d->router_links, plural(d->router_links),
        d->chassis > 1 ? "chassis" : "group");
}

static void describe_torus(sentence *s, const ss_topology_design *b)
{
  const ss_torus *torus = &b->shape.as.torus;
  say(s, "Torus of ");
  for (int64_t i = 0; i < torus->dimensions; ++i) say(s, "%s%" PRId64, i > 0 ? " x " : "", torus->size[i]);
  say(s, " NICs with %" PRId64 " links, no switches.", b->hosts * torus->dimensions);
}

void ss_topology_describe(const ss_topology_design *b, char text[SS_DESIGN_TEXT_SIZE])
{
  sentence s = {.text = text};
  text[0] = '\0';
  say(&s, "%" PRId64 " domain%s of %" PRId64 " GPU%s with %" PRId64 " NIC%s each: %" PRId64 " GPUs, %" PRId64 " NICs. ",
      b->domains, plural(b->domains), b->domain_size, plural(b->domain_size), b->nics_per_domain,
      plural(b->nics_per_domain), b->domains * b->domain_size, b->nics);
  switch (b->shape.topology) {
  case SS_TOPOLOGY_FAT_TREE: describe_tree(&s, b); break;
  case SS_TOPOLOGY_DRAGONFLY: describe_dragonfly(&s, b); break;
  case SS_TOPOLOGY_TORUS: describe_torus(&s, b); break;
  case SS_TOPOLOGY_FLAT:
  case SS_TOPOLOGY_COUNT: say(&s, "Flat fabric: nothing but the NICs limits it."); break;
  }
  if (b->hosts > b->nics)
    say(&s, " There is room for %" PRId64 " NICs, so that %" PRId64 " %s spare.", b->hosts, b->hosts - b->nics,
        b->hosts - b->nics == 1 ? "is" : "are");
}
