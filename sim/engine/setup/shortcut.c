#include "sim/engine/setup/shortcut.h"

#include "sim/engine/setup/routes.h"

/* All groups of a kind lie over domains in the same way, so that one duration holds for all. */
static bool spans_agree(const ss_world *world, ss_group group)
{
  const ss_route *first = ss_routes_of_group(world, group, 0), *route;
  for (int64_t i = 0; (route = ss_routes_of_group(world, group, i)) != NULL; ++i)
    if (route->uneven || !ss_span_is_like(route->span, first->span)) return false;
  return true;
}

/* No message between stages and no data-parallel collective uses NVLink: then the collectives of layers, which a GPU
 * makes one after the other, have its port to themselves. */
static bool nvlink_is_for_layers(const ss_world *world)
{
  for (int64_t i = 0; i < world->owners; ++i) {
    const ss_route_owner *owner = &world->owner[i];
    if (ss_route_owner_is_of_layers(owner)) continue;
    for (int64_t e = 0; e < owner->route->count; ++e)
      if (!owner->route->flow[e].fabric) return false;
  }
  return true;
}

/* The NVLink ports of the job are as fast as those that times are computed with: link-speed names none of them. */
static bool nvlink_is_nominal(const ss_world *world, const ss_fabric *fabric)
{
  const ss_job *job = world->job;
  if (fabric == NULL) return true;
  for (int64_t rank = 0; rank < world->replica_count * world->width; ++rank) {
    const int64_t gpu = job->placement.gpu[rank];
    for (int64_t link = 2 * gpu; link < 2 * gpu + 2; ++link)
      if (ss_fabric_bytes_per_s(fabric, link) != job->network.nvlink_bytes_per_s) return false;
  }
  return true;
}

/* What ranks agree on is a few bytes: links have done with them before any other flow could tell. Flows of them over
 * all ranks of a stage in every pass would take a replay most of its time. */
static bool is_small(ss_group group)
{
  return group == SS_GROUP_STAGE || group == SS_GROUP_REPLICA;
}

/* Collectives of a kind take their computed time where nothing can share their links, or that is nothing to others. */
static bool is_computed(const ss_world *world, ss_group group, bool nvlink_is_free)
{
  const ss_route *first = ss_routes_of_group(world, group, 0);
  if (world->methods[group].count == 0 || first == NULL) return true;
  if (!spans_agree(world, group)) return false;
  if (world->options->private_links || is_small(group)) return true;
  if (world->options->flows != SS_FLOWS_SHARED) return first->span.size < 2;
  return first->span.domains == 1 && nvlink_is_free;
}

void ss_shortcut_find(ss_world *world, const ss_fabric *fabric)
{
  const bool nvlink_is_free = nvlink_is_for_layers(world) && nvlink_is_nominal(world, fabric);
  for (int group = 0; group < SS_GROUPS; ++group)
    world->computed[group] = is_computed(world, (ss_group)group, nvlink_is_free);
}
