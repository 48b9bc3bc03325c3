#include "sim/engine/network/links.h"

#include <stdlib.h>

#include "sim/engine/network/mix.h"

ss_status ss_links_init(ss_links *links, const ss_machine *machine, ss_error *error)
{
  SS_ASSERT(machine->routes[0] == '\0' || machine->forwarding != NULL);
  *links = (ss_links){.machine = machine};
  ss_status status = ss_fabric_create(&links->fabric, machine, error);
  if (status == SS_OK) status = ss_link_paths_init(&links->paths, links->fabric);
  if (status != SS_OK) return status;
  links->alike = malloc((size_t)(links->paths.links + 1) * sizeof *links->alike);
  if (links->alike == NULL) return SS_ERROR_MEMORY;
  for (int64_t link = 0; link < links->paths.links; ++link) links->alike[link] = 1;
  return SS_OK;
}

void ss_links_free(ss_links *links)
{
  ss_link_paths_free(&links->paths);
  ss_link_paths_free(&links->narrow);
  free(links->alike);
  ss_fabric_destroy(links->fabric);
  *links = (ss_links){0};
}

uint64_t ss_links_kind(const ss_links *links, int64_t link)
{
  return ss_mix(ss_mix_real(4, links->paths.bytes_per_s[link]), (uint64_t)ss_fabric_link_kind(links->fabric, link));
}

static ss_status refuse_flow(const ss_links *links, const ss_flow *flow, ss_error *error)
{
  const char *port = flow->fabric ? "nic" : "gpu";
  return ss_machine_refuse(links->machine, SS_PROPERTY_link_speed, error,
                           "leaves no path from %s-%d to %s-%d, which the job needs; allowed: links that still connect "
                           "all GPUs that send to each other",
                           port, (int)flow->from, port, (int)flow->to);
}

ss_status ss_links_find_path(ss_links *links, ss_flow *flow, ss_error *error)
{
  int32_t link[SS_ROUTE_LINKS_MAX];
  ss_hop hop[SS_ROUTE_LINKS_MAX];
  const int count = ss_fabric_route(links->fabric, flow->fabric, flow->from, flow->to, link);
  if (count == 0) return refuse_flow(links, flow, error);
  for (int i = 0; i < count; ++i) hop[i] = (ss_hop){link[i], 1};
  flow->alike = 1;
  flow->kind = -1;
  flow->path = ss_link_paths_find(&links->paths, hop, count);
  return flow->path >= 0 ? SS_OK : SS_ERROR_MEMORY;
}
