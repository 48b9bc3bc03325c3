#include "model/fabric/fabric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/fabric/fabric_parts.h"

/* Adds a link_class, whose links follow those of the last one. */
static void add(ss_fabric *fabric, ss_link_class link_class)
{
  SS_ASSERT(fabric->link_classes < SS_LINK_CLASSS_MAX);
  link_class.first = fabric->links;
  fabric->links += link_class.nodes * link_class.ports * link_class.ways;
  fabric->link_class[fabric->link_classes++] = link_class;
}

/* A link_class of the fabric zone, of which the caller sets what differs. */
static ss_link_class of_fabric(const ss_machine *machine)
{
  return (ss_link_class){.word = "nic",
                         .out = "out",
                         .in = "in",
                         .ports = 1,
                         .numbered = true,
                         .ways = machine->shape.sharing == SS_SHARING_SPLITDUPLEX ? 2 : 1,
                         .bytes_per_s = machine->fabric_bytes_per_s * machine->fabric_efficiency};
}

static void add_flat(ss_fabric *fabric)
{
  const ss_machine *machine = fabric->machine;
  ss_link_class nics = of_fabric(machine), backbone = {.word = "backbone", .nodes = 1, .ports = 1, .ways = 1};
  fabric->hosts = nics.nodes = fabric->nics;
  nics.of_nics = true;
  add(fabric, nics);
  if (machine->shape.backbone_bytes_per_s == 0) return;
  backbone.bytes_per_s = machine->shape.backbone_bytes_per_s *
                         (machine->fabric_bytes_per_s / machine->zone_fabric_bytes_per_s * machine->fabric_efficiency);
  add(fabric, backbone);
}

/* One link_class for each level: the cables from its nodes, hosts or switches, up to the next level. */
static void add_fat_tree(ss_fabric *fabric)
{
  const ss_fat_tree *tree = &fabric->machine->shape.as.tree;
  fabric->hosts = 1;
  for (int64_t level = 0; level < tree->levels; ++level) fabric->hosts *= tree->down[level];
  int64_t nodes = fabric->hosts;
  for (int64_t level = 0; level < tree->levels; ++level) {
    ss_link_class link_class = of_fabric(fabric->machine);
    link_class.of_nics = level == 0;
    if (level == 1) (void)snprintf(link_class.word, sizeof link_class.word, "leaf");
    if (level > 1) (void)snprintf(link_class.word, sizeof link_class.word, "level%d", (int)level);
    if (level > 0) {
      link_class.out = "up";
      link_class.in = "down";
    }
    link_class.nodes = nodes;
    link_class.ports = tree->up[level] * tree->links[level];
    link_class.ported = level > 0 || link_class.ports > 1;
    add(fabric, link_class);
    nodes = nodes / tree->down[level] * tree->up[level];
  }
}

static void add_dragonfly(ss_fabric *fabric)
{
  const ss_dragonfly *fly = &fabric->machine->shape.as.dragonfly;
  const struct {
    int64_t nodes, ends, links; /* of which each node links all pairs, and links of a cable */
  } level[] = {{fly->groups * fly->chassis, fly->routers, fly->router_links},
               {fly->groups * fly->routers, fly->chassis, fly->chassis_links},
               {1, fly->groups, fly->group_links}};
  ss_link_class link_class = of_fabric(fabric->machine);
  const double bytes_per_s = link_class.bytes_per_s;
  fabric->hosts = link_class.nodes = fly->groups * fly->chassis * fly->routers * fly->nodes;
  link_class.of_nics = true;
  add(fabric, link_class);
  link_class.of_nics = false;
  link_class.ported = true;
  link_class.out = link_class.in = "to";
  (void)snprintf(link_class.word, sizeof link_class.word, "router");
  for (int i = 0; i < 3; ++i) {
    link_class.nodes = level[i].nodes;
    link_class.ports = level[i].ends * (level[i].ends - 1) / 2;
    link_class.bytes_per_s = bytes_per_s * (double)level[i].links;
    add(fabric, link_class);
  }
}

/* A cable for each host and dimension, to the next host. */
static void add_torus(ss_fabric *fabric)
{
  const ss_torus *torus = &fabric->machine->shape.as.torus;
  ss_link_class link_class = of_fabric(fabric->machine);
  link_class.out = "up";
  link_class.in = "down";
  link_class.nodes = 1;
  for (int64_t i = 0; i < torus->dimensions; ++i) link_class.nodes *= torus->size[i];
  link_class.ports = torus->dimensions;
  link_class.ported = link_class.of_nics = true;
  fabric->hosts = link_class.nodes;
  add(fabric, link_class);
}

static void add_link_classes(ss_fabric *fabric)
{
  static void (*const adders[SS_TOPOLOGY_COUNT])(ss_fabric *) = {
      [SS_TOPOLOGY_FLAT] = add_flat,
      [SS_TOPOLOGY_FAT_TREE] = add_fat_tree,
      [SS_TOPOLOGY_DRAGONFLY] = add_dragonfly,
      [SS_TOPOLOGY_TORUS] = add_torus,
  };
  const ss_machine *machine = fabric->machine;
  const double bytes_per_s = machine->nvlink_bytes_per_s * machine->nvlink_efficiency;
  add(fabric, (ss_link_class){.word = "gpu",
                              .out = "out",
                              .in = "in",
                              .nodes = machine->gpus,
                              .ports = 1,
                              .numbered = true,
                              .ways = 2,
                              .bytes_per_s = bytes_per_s});
  adders[machine->shape.topology](fabric);
  SS_ASSERT(fabric->hosts >= fabric->nics && fabric->links <= INT32_MAX);
}

/* The factor of "NAME:FACTOR"; -1 where it is none. */
static double factor_of(const char *text)
{
  if (text[0] == '\0' || text[strspn(text, "0123456789.eE-+")] != '\0') return -1.0;
  char *end = NULL;
  const double factor = strtod(text, &end);
  return *end == '\0' && factor >= 0.0 && factor <= 1.0 ? factor : -1.0;
}

static ss_status refuse_name(const ss_fabric *fabric, const char *name, ss_error *error)
{
  char names[SS_MESSAGE_SIZE];
  ss_fabric_names(fabric, names, sizeof names);
  return ss_machine_refuse(fabric->machine, SS_PROPERTY_link_speed, error, "there is no link %s; allowed: %s", name,
                           names);
}

/* Applies one NAME:FACTOR. */
static ss_status slow_down(ss_fabric *fabric, char *item, bool *given, ss_error *error)
{
  const ss_machine *machine = fabric->machine;
  char *colon = strrchr(item, ':');
  const double factor = colon != NULL ? factor_of(colon + 1) : -1.0;
  if (colon == NULL || factor < 0.0)
    return ss_machine_refuse(
        machine, SS_PROPERTY_link_speed, error,
        "%s does not end in a factor; allowed: NAME:FACTOR, separated by blanks, with factors from "
        "0 to 1, such as nic-5:out:0.5",
        item);
  *colon = '\0';
  int64_t link[2];
  const int links = ss_fabric_find(fabric, item, link);
  if (links == 0) return refuse_name(fabric, item, error);
  for (int i = 0; i < links; ++i) {
    if (given[link[i]])
      return ss_machine_refuse(machine, SS_PROPERTY_link_speed, error, "link %s occurs again; allowed: once", item);
    given[link[i]] = true;
    fabric->bytes_per_s[link[i]] *= factor;
  }
  return SS_OK;
}

static ss_status out_of_memory(const ss_fabric *fabric, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for the %lld links of %s",
                      (long long)fabric->links, fabric->machine->name);
}

static ss_status read_speeds(ss_fabric *fabric, ss_error *error)
{
  static const char blank[] = " ";
  char text[SS_LINK_SPEED_SIZE];
  bool *given = calloc((size_t)fabric->links, sizeof *given);
  if (given == NULL) return out_of_memory(fabric, error);
  memcpy(text, fabric->machine->link_speed, sizeof text);
  ss_status status = SS_OK;
  for (char *item = text + strspn(text, blank); status == SS_OK && *item != '\0';) {
    char *end = item + strcspn(item, blank), *next = end + strspn(end, blank);
    *end = '\0';
    status = slow_down(fabric, item, given, error);
    item = next;
  }
  free(given);
  return status;
}

static ss_status set_capacities(ss_fabric *fabric, ss_error *error)
{
  fabric->bytes_per_s = malloc((size_t)fabric->links * sizeof *fabric->bytes_per_s);
  if (fabric->bytes_per_s == NULL) return out_of_memory(fabric, error);
  for (int i = 0; i < fabric->link_classes; ++i) {
    const ss_link_class *link_class = &fabric->link_class[i];
    double *bytes_per_s = fabric->bytes_per_s + link_class->first;
    const int64_t links = link_class->nodes * link_class->ports * link_class->ways;
    for (int64_t link = 0; link < links; ++link) bytes_per_s[link] = link_class->bytes_per_s;
  }
  return SS_OK;
}

ss_status ss_fabric_create(ss_fabric **fabric, const ss_machine *machine, ss_error *error)
{
  *fabric = NULL;
  ss_fabric *laid = calloc(1, sizeof *laid);
  if (laid == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a fabric");
  laid->machine = machine;
  laid->nics = machine->gpus / machine->domain_size * machine->nics_per_domain;
  SS_ASSERT(machine->rail_domains == 0 || machine->gpus / machine->domain_size % machine->rail_domains == 0);
  add_link_classes(laid);
  ss_status status = set_capacities(laid, error);
  if (status == SS_OK && machine->link_speed[0] != '\0') status = read_speeds(laid, error);
  if (status == SS_OK)
    *fabric = laid;
  else
    ss_fabric_destroy(laid);
  return status;
}

void ss_fabric_destroy(ss_fabric *fabric)
{
  if (fabric == NULL) return;
  free(fabric->bytes_per_s);
  free(fabric);
}

int64_t ss_fabric_links(const ss_fabric *fabric)
{
  return fabric->links;
}

double ss_fabric_bytes_per_s(const ss_fabric *fabric, int64_t link)
{
  SS_ASSERT(link >= 0 && link < fabric->links);
  return fabric->bytes_per_s[link];
}

int64_t ss_fabric_host(const ss_fabric *fabric, int64_t nic)
{
  const int64_t run = fabric->machine->rail_domains, nics = fabric->machine->nics_per_domain;
  if (run == 0 || nic >= fabric->nics) return nic;
  const int64_t domain = nic / nics, n = nic % nics;
  return domain / run * run * nics + n * run + domain % run;
}

int64_t ss_fabric_nic(const ss_fabric *fabric, int64_t host)
{
  const int64_t run = fabric->machine->rail_domains, nics = fabric->machine->nics_per_domain;
  if (run == 0 || host >= fabric->nics) return host;
  const int64_t first_domain = host / (run * nics) * run, within = host % (run * nics);
  return (first_domain + within % run) * nics + within / run;
}

int ss_fabric_route(const ss_fabric *fabric, bool across, int64_t from, int64_t to, int32_t *link)
{
  const int64_t ports = across ? fabric->nics : fabric->machine->gpus;
  SS_ASSERT(from >= 0 && from < ports && to >= 0 && to < ports && from != to);
  if (across) return ss_fabric_path(fabric, ss_fabric_host(fabric, from), ss_fabric_host(fabric, to), link);
  const ss_link_class *gpus = &fabric->link_class[SS_LINK_CLASS_GPU];
  link[0] = (int32_t)ss_link_class_link(gpus, from, 0, false);
  link[1] = (int32_t)ss_link_class_link(gpus, to, 0, true);
  return fabric->bytes_per_s[link[0]] > 0.0 && fabric->bytes_per_s[link[1]] > 0.0 ? 2 : 0;
}
