#include "sim/engine/headroom/presumption.h"

#include <math.h>
#include <stdlib.h>

ss_status ss_presumption_init(ss_presumption *presumption, int64_t kinds, int64_t flows)
{
  presumption->kinds = kinds;
  presumption->flows = flows;
  presumption->types.item_bytes = presumption->sets.item_bytes = sizeof(int32_t);
  presumption->type_of_flow = malloc((size_t)(flows + 1) * sizeof *presumption->type_of_flow);
  presumption->together = malloc((size_t)(kinds + 1) * sizeof *presumption->together);
  presumption->sort = calloc((size_t)kinds + 1, sizeof *presumption->sort);
  if (presumption->type_of_flow == NULL || presumption->together == NULL || presumption->sort == NULL)
    return SS_ERROR_MEMORY;
  for (int32_t kind = 0; kind < kinds; ++kind) presumption->together[kind] = kind;
  for (int64_t flow = 0; flow < flows; ++flow) presumption->type_of_flow[flow] = -1;
  return SS_OK;
}

void ss_presumption_free(ss_presumption *presumption)
{
  free(presumption->sort);
  free(presumption->is_upper);
  free(presumption->together);
  free(presumption->type_of_flow);
  ss_lists_free(&presumption->types);
  free(presumption->first_type);
  free(presumption->type);
  ss_lists_free(&presumption->sets);
  free(presumption->first_set);
  free(presumption->set);
  *presumption = (ss_presumption){.known = presumption->known};
}

ss_status ss_presumption_add(ss_presumption *presumption, int64_t flow, const int32_t *item, int64_t count)
{
  const int32_t type = ss_lists_find(&presumption->types, item, count);
  if (type < 0) return SS_ERROR_MEMORY;
  presumption->type_of_flow[flow] = type;
  return SS_OK;
}

int32_t ss_presumption_kind(const ss_presumption *presumption, int32_t type)
{
  int64_t count;
  return *(const int32_t *)ss_lists_items(&presumption->types, type, &count);
}

/* Sorts lists that begin with a kind by it: where those of each kind start, [kinds + 1], and the lists in order. */
static ss_status sort_lists(const ss_lists *lists, int64_t kinds, int64_t **first, int32_t **sorted)
{
  const int32_t count = (int32_t)lists->count;
  const int32_t *item = lists->item;
  *first = calloc((size_t)kinds + 2, sizeof **first);
  *sorted = malloc((size_t)(count + 1) * sizeof **sorted);
  if (*first == NULL || *sorted == NULL) return SS_ERROR_MEMORY;
  int64_t *next = *first + 1;
  for (int32_t i = 0; i < count; ++i) next[item[lists->list[i].first] + 1]++;
  for (int64_t kind = 0; kind < kinds; ++kind) next[kind + 1] += next[kind];
  for (int32_t i = 0; i < count; ++i) (*sorted)[next[item[lists->list[i].first]]++] = i;
  return SS_OK;
}

ss_status ss_presumption_sort(ss_presumption *presumption)
{
  return sort_lists(&presumption->types, presumption->kinds, &presumption->first_type, &presumption->type);
}

ss_status ss_presumption_add_set(ss_presumption *presumption, const int32_t *item, int64_t count)
{
  return ss_lists_find(&presumption->sets, item, count) >= 0 ? SS_OK : SS_ERROR_MEMORY;
}

ss_status ss_presumption_sort_sets(ss_presumption *presumption)
{
  return sort_lists(&presumption->sets, presumption->kinds, &presumption->first_set, &presumption->set);
}

ss_status ss_presumption_narrow(ss_presumption *presumption, const ss_link_paths *paths, const ss_link_paths *narrow)
{
  int32_t *number = malloc((size_t)(paths->links + 1) * sizeof *number);
  bool *is_upper = calloc((size_t)paths->links + 1, sizeof *is_upper);
  if (number == NULL || is_upper == NULL) {
    free(number);
    free(is_upper);
    return SS_ERROR_MEMORY;
  }
  const ss_hop *hop = paths->hops.item, *narrowed = narrow->hops.item;
  for (int64_t i = 0; i < paths->hops.items; ++i) {
    number[hop[i].link] = narrowed[i].link;
    is_upper[narrowed[i].link] = presumption->is_upper != NULL && presumption->is_upper[hop[i].link];
  }
  free(presumption->is_upper);
  presumption->is_upper = is_upper;
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
