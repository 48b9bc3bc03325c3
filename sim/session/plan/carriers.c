#include "sim/session/plan/carriers.h"

#include <stdlib.h>

#include "model/input/workload.h"
#include "model/plan/placement/placement.h"

/* Links carry about the same whose bytes differ by this factor at most; where that makes too many groups, by more. */
#define ABOUT_THE_SAME 1.1

/* Carriers of one level and direction. */
typedef struct carrier_list {
  ss_history_carrier *item; /* [count] by bytes; owned */
  int64_t count;
} carrier_list;

/* By bytes, rounded: sums of the same flows in another order are no order of links. */
static int compare(const void *left, const void *right)
{
  const ss_history_carrier *a = left, *b = right;
  const float a_bytes = (float)a->bytes, b_bytes = (float)b->bytes;
  if (a_bytes != b_bytes) return a_bytes < b_bytes ? -1 : 1;
  return a->link < b->link ? -1 : a->link > b->link;
}

static double sum_of(const ss_history_carrier *item, int64_t count)
{
  double links = 0.0;
  for (int64_t i = 0; i < count; ++i) links += (double)item[i].alike;
  return links;
}

/* The carriers of a level in one direction. */
static void collect(const ss_fabric *fabric, const ss_history *history, int level, bool back, carrier_list *list)
{
  list->count = 0;
  for (int64_t i = 0; i < history->carrier_count; ++i) {
    const ss_history_carrier *carrier = &history->carrier[i];
    if (ss_fabric_level_of(fabric, carrier->link) == level && ss_fabric_is_back(fabric, carrier->link) == back)
      list->item[list->count++] = *carrier;
  }
}

/* How many groups of `factor` there are. */
static int count_groups(const carrier_list *list, double factor)
{
  int groups = 0;
  double least = 0.0;
  for (int64_t i = 0; i < list->count; ++i) {
    if (groups > 0 && list->item[i].bytes <= factor * least) continue;
    least = list->item[i].bytes;
    ++groups;
  }
  return groups;
}

/* A group of so many of the items, and the one in its middle. */
static ss_carrier_group group_of(const ss_history_carrier *item, int64_t count, int level)
{
  const double links = sum_of(item, count);
  double before = (double)item->alike;
  int64_t middle = 0;
  while (before < 0.5 * links) before += (double)item[++middle].alike;
  return (ss_carrier_group){.level = level, .link = item[middle].link, .bundles = links};
}

static void add_groups(const carrier_list *list, int level, int most, ss_carriers *carriers)
{
  double factor = ABOUT_THE_SAME;
  while (count_groups(list, factor) > most) factor *= factor;
  for (int64_t first = 0, end; first < list->count; first = end) {
    for (end = first + 1; end < list->count && list->item[end].bytes <= factor * list->item[first].bytes;) ++end;
    carriers->group[carriers->count++] = group_of(&list->item[first], end - first, level);
  }
}

ss_status ss_carriers_of_history(const ss_fabric *fabric, const ss_history *history, ss_carriers *carriers,
                                 ss_error *error)
{
  int levels = 0;
  carrier_list list = {.item = malloc((size_t)(history->carrier_count + 1) * sizeof *list.item)};
  *carriers = (ss_carriers){.count = 0};
  if (list.item == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for the links of a job");
  for (int64_t i = 0; i < history->carrier_count; ++i) {
    const int level = ss_fabric_level_of(fabric, history->carrier[i].link);
    if (level >= levels) levels = level + 1;
  }
  for (int level = 0; level < levels; ++level) {
    collect(fabric, history, level, true, &list);
    const double back = sum_of(list.item, list.count);
    collect(fabric, history, level, false, &list);
    if (back > sum_of(list.item, list.count)) collect(fabric, history, level, true, &list);
    qsort(list.item, (size_t)list.count, sizeof *list.item, compare);
    add_groups(&list, level, levels * SS_SLOW_ROLES <= SS_FABRIC_LEVELS ? SS_SLOW_ROLES : 1, carriers);
  }
  free(list.item);
  return SS_OK;
}

/* Adds the levels of a route that have not been crossed before. */
static void cross(const ss_fabric *fabric, ss_carrier_group at, double share, ss_carriers *carriers)
{
  int32_t link[SS_ROUTE_LINKS_MAX];
  const int links = ss_fabric_route(fabric, true, at.from, at.to, link);
  for (int i = 0; i < links; ++i) {
    bool crossed = false;
    at.link = link[i];
    at.level = ss_fabric_level_of(fabric, at.link);
    for (int j = 0; j < carriers->count; ++j) crossed = crossed || carriers->group[j].level == at.level;
    if (at.level < 0 || crossed) continue;
    at.bundles = share * (double)ss_fabric_level_bundles(fabric, at.level);
    carriers->group[carriers->count++] = at;
  }
}

static int compare_levels(const void *left, const void *right)
{
  return ((const ss_carrier_group *)left)->level - ((const ss_carrier_group *)right)->level;
}

void ss_carriers_of_routes(const ss_fabric *fabric, const ss_job *job, ss_carriers *carriers)
{
  const ss_machine *machine = job->machine;
  const int64_t gpus = ss_workload_gpus(job->workload);
  const int32_t *gpu = job->placement.gpu; /* NULL: one after the other */
  const int64_t first = ss_machine_nic(machine, gpu != NULL ? gpu[0] : 0);
  *carriers = (ss_carriers){.count = 0};
  for (int64_t rank = 1; rank < gpus; ++rank) {
    const int64_t nic = ss_machine_nic(machine, gpu != NULL ? gpu[rank] : rank);
    if (nic != first)
      cross(fabric, (ss_carrier_group){.from = first, .to = nic}, (double)gpus / (double)machine->gpus, carriers);
  }
  qsort(carriers->group, (size_t)carriers->count, sizeof *carriers->group, compare_levels);
}

ss_status ss_carriers_have_other_way(const ss_machine *machine, const ss_carrier_group *group, ss_slow_links *links,
                                     bool *other_way, ss_error *error)
{
  int32_t link[SS_ROUTE_LINKS_MAX];
  ss_machine without = *machine;
  ss_fabric *fabric = NULL;
  links->factor = 0.0;
  without.slow_links = links;
  const ss_status status = ss_fabric_create(&fabric, &without, error);
  if (status == SS_OK) *other_way = ss_fabric_route(fabric, true, group->from, group->to, link) > 0;
  ss_fabric_destroy(fabric);
  return status;
}
