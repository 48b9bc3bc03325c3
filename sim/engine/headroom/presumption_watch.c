#include "sim/engine/headroom/presumption_watch.h"

#include <stdlib.h>

static const ss_hop *hops_of(const ss_presumption_watch *watch, int32_t kind, int64_t *count)
{
  return ss_crossed_links_hops(&watch->crossed, kind, count);
}

static void ask_for_link(ss_presumption_watch *watch, int32_t link)
{
  if (!watch->is_pending[link]) watch->pending_link[watch->pending++] = link;
  watch->is_pending[link] = true;
}

static void add_kind(ss_presumption_watch *watch, int32_t kind)
{
  if (watch->seen[kind] == watch->fair.groups) return;
  watch->seen[kind] = watch->fair.groups;
  watch->group_kind[watch->group_kinds++] = kind;
}

/* Finds the flows that share links with those on a link, directly or not. Whether any of them is of several types. */
static bool find_group(ss_presumption_watch *watch, int32_t link)
{
  ss_max_min *fair = &watch->fair;
  bool has_types = false;
  watch->group_kinds = 0;
  ss_max_min_begin(fair);
  ss_max_min_add_link(fair, link);
  for (int64_t l = 0, k = 0; l < fair->count; ++l) {
    watch->is_pending[fair->group_link[l]] = false;
    const ss_crossed_link *place = watch->crossed.place;
    for (int32_t at = watch->crossed.first[fair->group_link[l]]; at >= 0; at = place[at].next)
      add_kind(watch, place[at].kind);
    for (; k < watch->group_kinds; ++k) {
      int64_t hops;
      const ss_hop *hop = hops_of(watch, watch->group_kind[k], &hops);
      ss_max_min_add_flow(fair, hop, hops);
      has_types = has_types || ss_presumption_types(watch->presumption, watch->group_kind[k]) > 0;
    }
  }
  return has_types;
}

static bool has_bottleneck(const ss_presumption_watch *watch, int32_t type)
{
  int64_t count;
  const int32_t *link = ss_presumption_type(watch->presumption, type, &count);
  bool has = false;
  for (int64_t i = 0; i < count; ++i) has = has || ss_max_min_is_full(&watch->fair, link[i]);
  return has;
}

static bool crosses(const ss_presumption *presumption, int32_t type, int32_t link)
{
  int64_t count;
  const int32_t *crossed = ss_presumption_type(presumption, type, &count);
  bool found = false;
  for (int64_t i = 0; i < count; ++i) found = found || crossed[i] == link;
  return found;
}

/* The type of most flows of a kind; -1: those that cross all links of it. */
static int32_t usual_type(const ss_presumption *presumption, int32_t kind)
{
  int64_t rest = presumption->flows[kind], most = 0;
  int32_t usual = -1;
  for (int64_t i = presumption->first_type[kind]; i < presumption->first_type[kind + 1]; ++i) {
    const int32_t type = presumption->type[i];
    rest -= presumption->type_flows[type];
    if (presumption->type_flows[type] > most) usual = type;
    if (presumption->type_flows[type] > most) most = presumption->type_flows[type];
  }
  return rest > most ? -1 : usual;
}

/* A type has no bottleneck, and flows of other types of its kind have one. Tells them apart by links that fewer of them
 * cross: those of the type that the usual flow lacks; where it lacks none, the bottlenecks. */
static void tell_apart(ss_presumption_watch *watch, int32_t kind, int32_t type)
{
  const ss_presumption *presumption = watch->presumption;
  const int32_t usual = usual_type(presumption, kind);
  int64_t count, told = 0;
  const int32_t *link = ss_presumption_type(presumption, type, &count);
  watch->world->in_vain = true;
  for (int64_t i = 0; usual >= 0 && i < count; ++i) {
    if (crosses(presumption, usual, link[i])) continue;
    watch->marks[link[i]] = true;
    ++told;
  }
  const ss_hop *hop = hops_of(watch, kind, &count);
  for (int64_t h = 0; told == 0 && h < count; ++h)
    if (ss_max_min_is_full(&watch->fair, hop[h].link)) watch->marks[hop[h].link] = true;
}

/* A flow goes as fast as the links that are full let it. */
static void settle(ss_presumption_watch *watch, int32_t kind, const ss_hop *hop, int64_t hops, double share)
{
  const ss_presumption *presumption = watch->presumption;
  for (int64_t i = presumption->first_type[kind]; i < presumption->first_type[kind + 1]; ++i)
    if (!has_bottleneck(watch, presumption->type[i])) tell_apart(watch, kind, presumption->type[i]);
  ss_max_min_settle(&watch->fair, hop, hops, share);
}

/* Shares out the links of the group max-min fairly, by filling them. */
static void share_out(ss_presumption_watch *watch)
{
  while (watch->group_kinds > 0) {
    const double share = ss_max_min_fill(&watch->fair);
    int64_t left = 0;
    for (int64_t k = 0; k < watch->group_kinds; ++k) {
      const int32_t kind = watch->group_kind[k];
      int64_t hops;
      const ss_hop *hop = hops_of(watch, kind, &hops);
      if (ss_max_min_stops(&watch->fair, hop, hops))
        settle(watch, kind, hop, hops, share);
      else
        watch->group_kind[left++] = kind;
    }
    SS_ASSERT(left < watch->group_kinds);
    watch->group_kinds = left;
  }
}

static void look(ss_presumption_watch *watch)
{
  for (int64_t i = 0; i < watch->pending; ++i)
    if (watch->is_pending[watch->pending_link[i]] && find_group(watch, watch->pending_link[i])) share_out(watch);
  watch->pending = 0;
}

static void time_is(ss_presumption_watch *watch, double now_s)
{
  if (now_s - watch->instant_s < watch->tie_s) return;
  look(watch);
  watch->instant_s = now_s;
}

/* Asks for all links of the flow of a kind. */
static void ask_for_links(ss_presumption_watch *watch, int32_t kind)
{
  int64_t hops;
  const ss_hop *hop = hops_of(watch, kind, &hops);
  for (int64_t h = 0; h < hops; ++h) ask_for_link(watch, hop[h].link);
}

static void flow_begin(void *self, const ss_flow *flow, double now_s)
{
  ss_presumption_watch *watch = self;
  if (flow->kind < 0) return;
  time_is(watch, now_s);
  ss_crossed_links_enter(&watch->crossed, flow);
  ask_for_links(watch, flow->kind);
}

static void flow_carried(void *self, const ss_carried *carried)
{
  ss_presumption_watch *watch = self;
  if (carried->flow->kind < 0 || !carried->is_over) return;
  time_is(watch, carried->end_s);
  ask_for_links(watch, carried->flow->kind);
  ss_crossed_links_leave(&watch->crossed, carried->flow->kind);
}

static ss_status allocate(ss_presumption_watch *watch, int64_t kinds, int64_t links)
{
  watch->seen = calloc((size_t)kinds + 1, sizeof *watch->seen);
  watch->is_pending = calloc((size_t)links + 1, sizeof *watch->is_pending);
  watch->pending_link = malloc((size_t)(links + 1) * sizeof *watch->pending_link);
  watch->group_kind = malloc((size_t)(kinds + 1) * sizeof *watch->group_kind);
  watch->marks = calloc((size_t)links + 1, sizeof *watch->marks);
  if (watch->seen == NULL || watch->is_pending == NULL || watch->pending_link == NULL || watch->group_kind == NULL ||
      watch->marks == NULL)
    return SS_ERROR_MEMORY;
  const ss_status status = ss_max_min_init(&watch->fair, watch->paths, links);
  return status != SS_OK ? status : ss_crossed_links_init(&watch->crossed, watch->paths, kinds, links);
}

ss_status ss_presumption_watch_open(ss_presumption_watch *watch, const ss_presumption *presumption,
                                    const ss_link_paths *paths, ss_world *world)
{
  *watch = (ss_presumption_watch){.presumption = presumption,
                                  .paths = paths,
                                  .observer = {.self = watch, .flow_begin = flow_begin, .flow = flow_carried},
                                  .world = world,
                                  .tie_s = world->common->tie_s};
  if (presumption->types.count == 0) return SS_OK;
  ss_observers_add(&world->observers, &watch->observer);
  return allocate(watch, presumption->kinds, presumption->links);
}

void ss_presumption_watch_free(ss_presumption_watch *watch)
{
  ss_crossed_links_free(&watch->crossed);
  free(watch->seen);
  ss_max_min_free(&watch->fair);
  free(watch->is_pending);
  free(watch->pending_link);
  free(watch->group_kind);
  free(watch->marks);
  *watch = (ss_presumption_watch){0};
}

/* Links of a class get the same mark. */
static bool gets_mark(const ss_presumption_watch *watch, int64_t link)
{
  const int32_t first = watch->presumption->first_of_link[link];
  return first >= 0 && watch->marks[first];
}

ss_status ss_presumption_watch_conclude(ss_presumption_watch *watch, ss_link_marks *marks)
{
  const ss_presumption *presumption = watch->presumption;
  if (watch->marks == NULL) return SS_OK;
  look(watch);
  int64_t count = marks->count;
  for (int64_t link = 0; link < presumption->links; ++link) count += gets_mark(watch, link);
  if (count == marks->count) return SS_OK;
  ss_link_mark *all = realloc(marks->mark, (size_t)count * sizeof *all);
  if (all == NULL) return SS_ERROR_MEMORY;
  marks->mark = all;
  for (int64_t link = 0; link < presumption->links; ++link)
    if (gets_mark(watch, link)) all[marks->count++] = (ss_link_mark){(int32_t)link, presumption->first_of_link[link]};
  return SS_OK;
}
