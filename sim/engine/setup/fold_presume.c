#include "sim/engine/setup/fold_presume.h"

#include <stdlib.h>
#include <string.h>

/* A kind, and the links that stand for those of the path of one of its flows, in order: `item` has room. How many. */
static int64_t list_type(const ss_fold_graph *f, const ss_folded_links *to, int64_t node, const ss_flow *flow,
                         int32_t *item)
{
  int64_t hops, count = 1;
  const ss_hop *hop = ss_fold_hops(f, flow, &hops);
  item[0] = ss_fold_kind(f, node);
  for (int64_t h = 0; h < hops; ++h) {
    if (f->node_of_link[hop[h].link] < 0) continue;
    const int32_t link = to->link_of_node[f->twin[f->node_of_link[hop[h].link]] - f->link];
    int64_t place = count;
    while (place > 1 && item[place - 1] > link) --place;
    if (place > 1 && item[place - 1] == link) continue;
    memmove(&item[place + 1], &item[place], (size_t)(count++ - place) * sizeof *item);
    item[place] = link;
  }
  return count;
}

/* Notes which links take part between the ports of flows. */
static ss_status note_upper(const ss_fold_graph *f, const ss_folded_links *to)
{
  bool *is_upper = calloc((size_t)f->links->paths.links + 1, sizeof *is_upper);
  if (is_upper == NULL) return SS_ERROR_MEMORY;
  f->presumption->is_upper = is_upper;
  for (int64_t i = 0; i < f->owners; ++i)
    for (int64_t e = 0; e < f->owner[i].route->count; ++e) {
      int64_t hops;
      const ss_hop *hop = ss_fold_hops(f, &f->owner[i].route->flow[e], &hops);
      for (int64_t h = 1; h < hops - 1; ++h) {
        const int32_t node = f->node_of_link[hop[h].link];
        if (node >= 0) is_upper[to->link_of_node[f->twin[node] - f->link]] = true;
      }
    }
  return SS_OK;
}

ss_status ss_fold_presume(const ss_fold_graph *f, const ss_folded_links *to)
{
  ss_presumption *presumption = f->presumption;
  ss_status status = ss_presumption_init(presumption, f->kinds, f->flows);
  if (status == SS_OK) status = note_upper(f, to);
  presumption->meets_at_ports = ss_fold_meets_at_ports(f);
  for (int64_t i = 0; status == SS_OK && i < f->owners; ++i)
    for (int64_t e = 0; status == SS_OK && e < f->owner[i].route->count; ++e) {
      const int64_t node = f->first_flow[i] + e, kind = ss_fold_kind(f, node);
      int32_t item[SS_ROUTE_LINKS_MAX + 1];
      const int64_t count = list_type(f, to, node, &f->owner[i].route->flow[e], item);
      if (count - 1 < to->first_hop[kind + 1] - to->first_hop[kind])
        status = ss_presumption_add(presumption, node - f->flow, item, count);
    }
  return status == SS_OK ? ss_presumption_sort(presumption) : status;
}

/* Flows of a phase follow the first of its kind. */
static void note_together(const ss_fold_graph *f)
{
  for (int64_t i = 0; i < f->owners; ++i) {
    const ss_route *route = f->owner[i].route;
    for (int64_t e = 0; e < route->count; ++e) {
      int64_t first = 0;
      while (route->flow[first].phase != route->flow[e].phase) ++first;
      f->presumption->together[route->flow[e].kind] = route->flow[first].kind;
      f->presumption->sort[route->flow[e].kind] = (uint8_t)f->owner[i].kind;
    }
  }
}

/* Those who go on together, and the flows that they wait for, one set after the other. */
typedef struct gathering {
  const ss_fold_graph *f;
  int64_t units;
  int64_t *first_owner, *next_owner; /* [units], [owners] and 1, 0: no more; owned */
  int32_t *seen_kind, *seen_type;    /* [kinds], [types] the last unit that had flows of them, or -1; owned */
  int64_t count;
  int64_t *item; /* [count] the first kind of the phase, then the part, of the flows of a unit; owned */
} gathering;

/* Replicas of an expert group go on together behind their messages, the flows of any other transfer by themselves. */
static int64_t unit_of(const ss_fold_graph *f, int64_t owner)
{
  const ss_world *world = f->world;
  const ss_route_owner *of = &f->owner[owner];
  if (of->kind != SS_TRANSFER_MESSAGE) return owner;
  const ss_stage_replica *replica = &world->replica[of->index];
  const int64_t group = replica->stage * world->expert_groups + world->expert_group_of[replica->dp];
  return f->owners + group * SS_SIDES * SS_WAYS + of->use;
}

static ss_status begin_gathering(gathering *g, const ss_fold_graph *f)
{
  const ss_world *world = f->world;
  const int64_t kinds = f->kinds, types = f->presumption->types.count;
  *g = (gathering){.f = f,
                   .units = f->owners + world->job->stages * world->expert_groups * SS_SIDES * SS_WAYS,
                   .next_owner = malloc((size_t)(f->owners + 1) * sizeof *g->next_owner),
                   .seen_kind = malloc((size_t)(kinds + 1) * sizeof *g->seen_kind),
                   .seen_type = malloc((size_t)(types + 1) * sizeof *g->seen_type),
                   .item = malloc((size_t)(kinds + types + 1) * sizeof *g->item)};
  g->first_owner = calloc((size_t)g->units + 1, sizeof *g->first_owner);
  if (g->next_owner == NULL || g->seen_kind == NULL || g->seen_type == NULL || g->item == NULL ||
      g->first_owner == NULL)
    return SS_ERROR_MEMORY;
  for (int64_t i = 0; i < kinds; ++i) g->seen_kind[i] = -1;
  for (int64_t i = 0; i < types; ++i) g->seen_type[i] = -1;
  for (int64_t i = 0; i < f->owners; ++i) {
    int64_t *first = &g->first_owner[unit_of(f, i)];
    g->next_owner[i] = *first;
    *first = i + 1;
  }
  return SS_OK;
}

static void end_gathering(gathering *g)
{
  free(g->first_owner);
  free(g->next_owner);
  free(g->seen_kind);
  free(g->seen_type);
  free(g->item);
}

/* Adds what flow is of a unit: its type or, where it crosses all that its kind does, that kind. */
static void gather_flow(gathering *g, int32_t unit, int64_t flow)
{
  const ss_presumption *presumption = g->f->presumption;
  const int32_t kind = g->f->kind[flow], type = presumption->type_of_flow[flow];
  int32_t *seen = type >= 0 ? &g->seen_type[type] : &g->seen_kind[kind];
  if (*seen == unit) return;
  *seen = unit;
  const int64_t first = presumption->together[kind];
  g->item[g->count++] = (first << 32) + (int64_t)(uint32_t)(type >= 0 ? type : ss_presumption_whole(kind));
}

static int by_value(const void *left, const void *right)
{
  const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

/* Adds the sets of a unit, of each phase one. `set` has room. */
static ss_status add_sets(const gathering *g, int32_t *set)
{
  ss_status status = SS_OK;
  for (int64_t at = 0, end; status == SS_OK && at < g->count; at = end) {
    set[0] = (int32_t)(g->item[at] >> 32);
    for (end = at; end < g->count && g->item[end] >> 32 == set[0]; ++end) set[1 + end - at] = (int32_t)g->item[end];
    status = ss_presumption_add_set(g->f->presumption, set, 1 + end - at);
  }
  return status;
}

static ss_status gather_sets(gathering *g)
{
  const ss_fold_graph *f = g->f;
  int32_t *set = malloc((size_t)(f->kinds + f->presumption->types.count + 2) * sizeof *set);
  ss_status status = set != NULL ? SS_OK : SS_ERROR_MEMORY;
  for (int64_t unit = 0; status == SS_OK && unit < g->units; ++unit) {
    g->count = 0;
    for (int64_t i = g->first_owner[unit]; i > 0; i = g->next_owner[i - 1])
      for (int64_t node = f->first_flow[i - 1]; node < f->first_flow[i]; ++node)
        gather_flow(g, (int32_t)unit, node - f->flow);
    qsort(g->item, (size_t)g->count, sizeof *g->item, by_value);
    status = add_sets(g, set);
  }
  free(set);
  return status == SS_OK ? ss_presumption_sort_sets(f->presumption) : status;
}

ss_status ss_fold_note_together(const ss_fold_graph *f)
{
  note_together(f);
  if (!f->by_groups) return SS_OK;
  gathering g;
  ss_status status = begin_gathering(&g, f);
  if (status == SS_OK) status = gather_sets(&g);
  end_gathering(&g);
  return status;
}
