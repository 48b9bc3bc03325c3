#include "model/fabric/fabric.h"

#include <stdlib.h>

#include "model/fabric/detour.h"
#include "model/fabric/link_names.h"
#include "model/fabric/link_speed.h"
#include "model/fabric/slow_links.h"
#include "model/fabric/topologies.h"

static const ss_topology_methods *topology_of(const ss_fabric *fabric)
{
  return ss_topology_methods_of(fabric->machine->shape.topology);
}

static void add_link_classes(ss_fabric *fabric)
{
  const ss_machine *machine = fabric->machine;
  const ss_topology_methods *topology = topology_of(fabric);
  const double bytes_per_s = machine->nvlink_bytes_per_s * machine->nvlink_efficiency;
  ss_link_class_add(fabric, (ss_link_class){.word = "gpu",
                                            .out = "out",
                                            .in = "in",
                                            .nodes = machine->gpus,
                                            .ports = 1,
                                            .joined = 1,
                                            .numbered = true,
                                            .directions = 2,
                                            .bytes_per_s = bytes_per_s});
  fabric->hosts = topology->hosts != NULL ? topology->hosts(&machine->shape) : fabric->nics;
  topology->lay_out(fabric);
  SS_ASSERT(fabric->hosts >= fabric->nics && fabric->links <= INT32_MAX);
}

static ss_status set_capacities(ss_fabric *fabric, ss_error *error)
{
  fabric->bytes_per_s = malloc((size_t)fabric->links * sizeof *fabric->bytes_per_s);
  if (fabric->bytes_per_s == NULL)
    return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for the %lld links of %s",
                        (long long)fabric->links, fabric->machine->name);
  for (int i = 0; i < fabric->link_classes; ++i) {
    const ss_link_class *link_class = &fabric->link_class[i];
    double *bytes_per_s = fabric->bytes_per_s + link_class->first;
    const int64_t links = link_class->nodes * link_class->ports * link_class->directions;
    for (int64_t link = 0; link < links; ++link) bytes_per_s[link] = link_class->bytes_per_s;
  }
  return SS_OK;
}

static void slow_down(ss_fabric *fabric, const ss_slow_links *slow)
{
  for (int64_t i = 0; i < slow->count; ++i) {
    SS_ASSERT(slow->link[i] >= 0 && slow->link[i] < fabric->links);
    fabric->bytes_per_s[slow->link[i]] *= slow->factor;
  }
}

ss_status ss_fabric_create(ss_fabric **fabric, const ss_machine *machine, ss_error *error)
{
  *fabric = NULL;
  ss_fabric *laid = calloc(1, sizeof *laid);
  if (laid == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a fabric");
  laid->machine = machine;
  laid->shape = machine->shape;
  laid->nics = machine->gpus / machine->domain_size * machine->nics_per_domain;
  SS_ASSERT(machine->rail_domains == 0 || machine->gpus / machine->domain_size % machine->rail_domains == 0);
  add_link_classes(laid);
  ss_status status = set_capacities(laid, error);
  if (status == SS_OK && machine->link_speed[0] != '\0') status = ss_link_speed_apply(laid, error);
  if (status == SS_OK && machine->slow_links != NULL) slow_down(laid, machine->slow_links);
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

void ss_fabric_name(const ss_fabric *fabric, int64_t link, char name[SS_LINK_NAME_SIZE])
{
  ss_link_name(fabric, link, name);
}

void ss_fabric_names(const ss_fabric *fabric, char *text, size_t size)
{
  ss_link_names(fabric, text, size);
}

int ss_fabric_link_kind(const ss_fabric *fabric, int64_t link)
{
  return ss_link_kind(fabric, link);
}

static int route_across(const ss_fabric *fabric, int64_t from, int64_t to, int32_t *link)
{
  const ss_topology_methods *topology = topology_of(fabric);
  ss_link_route route = {
      .fabric = fabric, .from = ss_fabric_host(fabric, from), .to = ss_fabric_host(fabric, to), .link = link};
  topology->route(&route);
  if (route.cut && topology->routers != NULL) ss_link_route_detour(&route, topology->routers);
  return route.cut ? 0 : route.count;
}

int ss_fabric_route(const ss_fabric *fabric, bool across, int64_t from, int64_t to, int32_t *link)
{
  const int64_t ports = across ? fabric->nics : fabric->machine->gpus;
  SS_ASSERT(from >= 0 && from < ports && to >= 0 && to < ports && from != to);
  if (across) return route_across(fabric, from, to, link);
  const ss_link_class *gpus = &fabric->link_class[SS_LINK_CLASS_GPU];
  link[0] = (int32_t)ss_link_class_link(gpus, from, 0, false);
  link[1] = (int32_t)ss_link_class_link(gpus, to, 0, true);
  return ss_link_is_dead(fabric, link[0]) || ss_link_is_dead(fabric, link[1]) ? 0 : 2;
}

bool ss_fabric_takes_routes(const ss_fabric *fabric)
{
  return topology_of(fabric)->sender != NULL && fabric->machine->adaptive_routing == 0;
}

int64_t ss_fabric_hosts(const ss_fabric *fabric)
{
  return fabric->hosts;
}

int64_t ss_fabric_cable(const ss_fabric *fabric, const char *name)
{
  const ss_link_class *hosts = &fabric->link_class[SS_LINK_CLASS_HOST];
  const ss_named_links named = ss_link_find(fabric, name);
  return named.count == hosts->directions && named.link[0] >= hosts->first ? named.link[0] : -1;
}

ss_status ss_fabric_forward(const ss_fabric *fabric, int64_t link, int64_t nic, int line, ss_forwarding *forwarding)
{
  const int64_t host = ss_fabric_host(fabric, nic), from = topology_of(fabric)->sender(fabric, link, host);
  return ss_forwarding_add(
      forwarding,
      (ss_forwarding_entry){.from = (int32_t)from, .host = (int32_t)host, .link = (int32_t)link, .line = line});
}
