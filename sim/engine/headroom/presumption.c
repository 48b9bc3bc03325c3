#include "sim/engine/headroom/presumption.h"

#include <math.h>
#include <stdlib.h>

ss_status ss_presumption_init(ss_presumption *presumption, int64_t kinds, int64_t flows)
{
  presumption->kinds = kinds;
  presumption->flows = flows;
  presumption->types.item_bytes = sizeof(int32_t);
  presumption->type_of_flow = malloc((size_t)(flows + 1) * sizeof *presumption->type_of_flow);
  presumption->together = malloc((size_t)(kinds + 1) * sizeof *presumption->together);
  if (presumption->type_of_flow == NULL || presumption->together == NULL) return SS_ERROR_MEMORY;
  for (int32_t kind = 0; kind < kinds; ++kind) presumption->together[kind] = kind;
  for (int64_t flow = 0; flow < flows; ++flow) presumption->type_of_flow[flow] = -1;
  return SS_OK;
}

void ss_presumption_free(ss_presumption *presumption)
{
  free(presumption->together);
  free(presumption->type_of_flow);
  ss_lists_free(&presumption->types);
  free(presumption->first_type);
  free(presumption->type);
  *presumption = (ss_presumption){.known = presumption->known};
}

ss_status ss_presumption_add(ss_presumption *presumption, int64_t flow, const int32_t *item, int64_t count)
{
  const int32_t type = ss_lists_find(&presumption->types, item, count);
  if (type < 0) return SS_ERROR_MEMORY;
  presumption->type_of_flow[flow] = type;
  return SS_OK;
}

static int32_t kind_of(const ss_presumption *presumption, int32_t type)
{
  int64_t count;
  return *(const int32_t *)ss_lists_items(&presumption->types, type, &count);
}

ss_status ss_presumption_sort(ss_presumption *presumption)
{
  const int32_t types = (int32_t)presumption->types.count;
  presumption->first_type = calloc((size_t)presumption->kinds + 2, sizeof *presumption->first_type);
  presumption->type = malloc((size_t)(types + 1) * sizeof *presumption->type);
  if (presumption->first_type == NULL || presumption->type == NULL) return SS_ERROR_MEMORY;
  int64_t *next = presumption->first_type + 1;
  for (int32_t type = 0; type < types; ++type) next[kind_of(presumption, type) + 1]++;
  for (int64_t kind = 0; kind < presumption->kinds; ++kind) next[kind + 1] += next[kind];
  for (int32_t type = 0; type < types; ++type) presumption->type[next[kind_of(presumption, type)]++] = type;
  return SS_OK;
}

ss_status ss_presumption_narrow(ss_presumption *presumption, const ss_link_paths *paths, const ss_link_paths *narrow)
{
  int32_t *number = malloc((size_t)(paths->links + 1) * sizeof *number);
  if (number == NULL) return SS_ERROR_MEMORY;
  const ss_hop *hop = paths->hops.item, *narrowed = narrow->hops.item;
  for (int64_t i = 0; i < paths->hops.items; ++i) number[hop[i].link] = narrowed[i].link;
  int32_t *item = presumption->types.item;
  for (int64_t type = 0; type < presumption->types.count; ++type) {
    const ss_list_range links = presumption->types.list[type]; /* behind the kind */
    for (int64_t i = links.first + 1; i < links.first + links.count; ++i) item[i] = number[item[i]];
  }
  free(number);
  return SS_OK;
}

double ss_presumption_tolerated_s(const ss_presumption *presumption, double now_s)
{
  return fmax(presumption->tolerance_s, presumption->tolerance * now_s);
}

const int32_t *ss_presumption_type(const ss_presumption *presumption, int32_t type, int64_t *count)
{
  const int32_t *item = ss_lists_items(&presumption->types, type, count);
  --*count;
  return item + 1;
}
