#include "model/fabric/slow_links.h"

#include <stdlib.h>

#include "model/base/number.h"
#include "model/fabric/topologies.h"

/* Cables of a class, those between the same two ends as one. */
static int64_t bundles_of(const ss_link_class *link_class)
{
  return link_class->nodes * link_class->ports;
}

/* Levels are the classes that have cables, in their order, but for those that no level counts. */
static bool has_level(const ss_link_class *link_class)
{
  return link_class->numbered && bundles_of(link_class) > 0;
}

int ss_fabric_level_of(const ss_fabric *fabric, int64_t link)
{
  const ss_link_class *of_link = ss_link_class_of_link(fabric, link), *hosts = &fabric->link_class[SS_LINK_CLASS_HOST];
  int level = 0;
  if (of_link < hosts || !has_level(of_link)) return -1;
  for (const ss_link_class *below = hosts; below < of_link; ++below) level += has_level(below);
  return level;
}

bool ss_fabric_is_back(const ss_fabric *fabric, int64_t link)
{
  const ss_link_class *link_class = ss_link_class_of_link(fabric, link);
  return (link - link_class->first) % link_class->directions != 0;
}

int64_t ss_fabric_level_bundles(const ss_fabric *fabric, int level)
{
  int i = SS_LINK_CLASS_HOST;
  for (int left = level; left > 0 || !has_level(&fabric->link_class[i]); ++i) left -= has_level(&fabric->link_class[i]);
  return bundles_of(&fabric->link_class[i]);
}

/* What a cable joins, hosts and then switches by number; false where it leads to no switch. */
static bool find_ends(const ss_fabric *fabric, int64_t link, int64_t end[2])
{
  const ss_shape *shape = &fabric->machine->shape;
  const ss_topology_methods *topology = ss_topology_methods_of(shape->topology);
  const ss_link_class *link_class = ss_link_class_of_link(fabric, link);
  const int64_t bundle = (link - link_class->first) / link_class->directions;
  const int64_t hosts = topology->routers != NULL ? topology->routers->hosts(shape) : 0;
  if (topology->joined != NULL) {
    topology->joined(fabric, link, end);
    return true;
  }
  if (hosts == 0) return false;
  if (link_class->between) {
    topology->routers->ends(fabric, link_class, bundle, end);
    end[0] += fabric->hosts;
  } else {
    end[0] = bundle;
    end[1] = bundle / hosts;
  }
  end[1] += fabric->hosts;
  return true;
}

static ss_status make_room(ss_slow_links *slow, int64_t count, ss_error *error)
{
  slow->link = malloc((size_t)count * sizeof *slow->link);
  if (slow->link != NULL) return SS_OK;
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for slow links");
}

/* Both directions, which may be one link. */
static void add_bundle(const ss_link_class *link_class, int64_t bundle, ss_slow_links *slow)
{
  for (int64_t i = 0; i < link_class->directions; ++i)
    slow->link[slow->count++] = (int32_t)(link_class->first + bundle * link_class->directions + i);
}

ss_status ss_slow_links_of_cable(const ss_fabric *fabric, int64_t link, ss_slow_links *slow, ss_error *error)
{
  const ss_link_class *link_class = ss_link_class_of_link(fabric, link);
  *slow = (ss_slow_links){.factor = 1.0};
  const ss_status status = make_room(slow, link_class->directions, error);
  if (status == SS_OK) add_bundle(link_class, (link - link_class->first) / link_class->directions, slow);
  return status;
}

/* Switches of a fabric by number, from the first on. */
typedef struct switch_range {
  int64_t first, count;
} switch_range;

/* Those above the links of a class. */
static switch_range switches_above(const ss_fabric *fabric, const ss_link_class *link_class)
{
  int64_t end[2], first = INT64_MAX, last = -1;
  for (int64_t bundle = 0; bundle < bundles_of(link_class); ++bundle) {
    if (!find_ends(fabric, link_class->first + bundle * link_class->directions, end)) continue;
    if (end[1] < first) first = end[1];
    if (end[1] > last) last = end[1];
  }
  return (switch_range){first, last - first + 1};
}

double ss_fabric_joined_switches(const ss_fabric *fabric, int64_t link, int64_t switches)
{
  const int64_t ends = switches_above(fabric, ss_link_class_of_link(fabric, link)).count;
  return ends < switches ? (double)switches / (double)ends : 1.0;
}

static bool holds(switch_range range, int64_t number)
{
  return number >= range.first && number < range.first + range.count;
}

ss_status ss_slow_links_of_switch(const ss_fabric *fabric, int64_t link, int64_t switches, ss_slow_links *slow,
                                  ss_error *error)
{
  int64_t end[2];
  *slow = (ss_slow_links){.factor = 1.0};
  if (switches == 0 || !find_ends(fabric, link, end)) return SS_OK;
  const switch_range all = switches_above(fabric, ss_link_class_of_link(fabric, link));
  const int64_t together = ss_divide_up(all.count, switches), before = (end[1] - all.first) / together * together;
  const switch_range same = {all.first + before, together};
  const ss_status status = make_room(slow, fabric->links, error);
  if (status != SS_OK) return status;
  for (int i = SS_LINK_CLASS_HOST; i < fabric->link_classes; ++i) {
    const ss_link_class *link_class = &fabric->link_class[i];
    for (int64_t bundle = 0; bundle < bundles_of(link_class); ++bundle) {
      (void)find_ends(fabric, link_class->first + bundle * link_class->directions, end);
      if (holds(same, end[0]) || holds(same, end[1])) add_bundle(link_class, bundle, slow);
    }
  }
  return SS_OK;
}

void ss_slow_links_free(ss_slow_links *slow)
{
  free(slow->link);
  *slow = (ss_slow_links){.count = 0};
}
