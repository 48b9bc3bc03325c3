#include "sim/engine/setup/lanes.h"

#include <math.h>
#include <stdlib.h>

void ss_lanes_keep_set(ss_lanes *lanes, const ss_link_set *set)
{
  for (int64_t i = 0; i < set->count; ++i) lanes->takes_part[set->link[i]] = true;
}

/* Ends of paths take part, and what is slower than those. */
static void keep_ends(ss_lanes *lanes, const ss_link_paths *paths)
{
  for (int32_t path = 0; path < paths->hops.count; ++path) {
    int64_t count;
    const ss_hop *hop = ss_link_paths_hops(paths, path, &count);
    const int32_t from = hop[0].link, to = hop[count - 1].link;
    const double least = fmin(paths->bytes_per_s[from], paths->bytes_per_s[to]);
    lanes->takes_part[from] = lanes->takes_part[to] = true;
    for (int64_t h = 1; h < count - 1; ++h)
      if (paths->bytes_per_s[hop[h].link] < least) lanes->takes_part[hop[h].link] = true;
  }
}

ss_status ss_lanes_init(ss_lanes *lanes, const ss_links *links, const ss_link_set *crowded)
{
  const int64_t count = links->fabric != NULL ? ss_fabric_links(links->fabric) : 0;
  *lanes = (ss_lanes){.links = count,
                      .takes_part = malloc((size_t)(count + 1) * sizeof *lanes->takes_part),
                      .first = malloc((size_t)(count + 1) * sizeof *lanes->first)};
  if (lanes->takes_part == NULL || lanes->first == NULL) return SS_ERROR_MEMORY;
  for (int64_t link = 0; link < count; ++link) {
    lanes->takes_part[link] = crowded == NULL;
    lanes->first[link] = -1;
  }
  if (crowded == NULL) return SS_OK;
  keep_ends(lanes, &links->paths);
  ss_lanes_keep_set(lanes, crowded);
  return SS_OK;
}

void ss_lanes_free(ss_lanes *lanes)
{
  free(lanes->takes_part);
  free(lanes->first);
  free(lanes->port);
  *lanes = (ss_lanes){0};
}

void ss_lanes_keep(ss_lanes *lanes, const ss_links *links, const ss_flow *flow)
{
  int64_t count;
  const ss_hop *hop = ss_link_paths_hops(&links->paths, flow->path, &count);
  for (int64_t h = 0; h < count; ++h) lanes->takes_part[hop[h].link] = true;
}

enum { USED_BY_DATA = 1, USED_BY_OTHERS = 2, USED_BY_BOTH = USED_BY_DATA | USED_BY_OTHERS };

/* Notes who uses the ports at the ends of a path. */
static void note_use(const ss_links *links, const ss_route_owner *owner, const ss_flow *flow, uint8_t *used)
{
  const uint8_t by = owner->kind == SS_TRANSFER_DATA ? USED_BY_DATA : USED_BY_OTHERS;
  int64_t count;
  const ss_hop *hop = ss_link_paths_hops(&links->paths, flow->path, &count);
  used[hop[0].link] |= by;
  used[hop[count - 1].link] |= by;
}

ss_status ss_lanes_split(ss_lanes *lanes, ss_links *links, const ss_link_set *crowded, const ss_route_owner *owner,
                         int64_t owners)
{
  uint8_t *used = calloc((size_t)lanes->links + 1, sizeof *used);
  lanes->port = malloc((size_t)(lanes->links + 1) * sizeof *lanes->port);
  if (used == NULL || lanes->port == NULL) {
    free(used);
    return SS_ERROR_MEMORY;
  }
  for (int64_t i = 0; i < owners; ++i)
    for (int64_t e = 0; e < owner[i].route->count; ++e) note_use(links, &owner[i], &owner[i].route->flow[e], used);
  for (int64_t i = 0; i < crowded->count; ++i) used[crowded->link[i]] = 0;
  for (int64_t link = 0; link < lanes->links; ++link) {
    if (used[link] != USED_BY_BOTH) continue;
    lanes->first[link] = (int32_t)(lanes->links + 2 * lanes->ports);
    lanes->port[lanes->ports++] = (int32_t)link;
  }
  free(used);
  return ss_link_paths_add_lanes(&links->paths, lanes->port, lanes->ports);
}

/* Flows bundle at the ends of their paths: over a link of the upper levels at ports, each of which is watched where it
 * is split; over a split port at lanes, as two ports cannot vouch for one another. */
ss_crossing ss_lanes_crossing(const ss_lanes *lanes, const ss_route_owner *owner, int32_t link, const ss_hop *hop,
                              int64_t count)
{
  const int32_t from = hop[0].link, to = hop[count - 1].link;
  const bool is_split = lanes->first[link] >= 0;
  return (ss_crossing){.link = link,
                       .from = is_split ? ss_lanes_crossed(lanes, owner, from) : from,
                       .to = is_split ? ss_lanes_crossed(lanes, owner, to) : to};
}
