#include "sim/engine/headroom/presumption_watch.h"

#include <math.h>
#include <stdlib.h>

#include "sim/engine/network/mix.h"

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

/* Rates that differ by less are equal for marks: far more than rounding. So are those that are so many steps apart. */
#define MARKED_STEPS 1e6
#define MARKED_MOST  1e18

/* How many times as much as its kind a type would have, to begin with, in steps; a type may cross no link that takes
 * part. */
static uint64_t advantage(const ss_presumption_watch *watch, int32_t type, double share)
{
  int64_t count;
  const int32_t *link = ss_presumption_type(watch->presumption, type, &count);
  double least = INFINITY;
  for (int64_t i = 0; i < count; ++i) least = fmin(least, ss_max_min_share(&watch->fair, link[i]));
  return (uint64_t)llround(fmin(MARKED_STEPS * least / share, MARKED_MOST));
}

/* A type has no bottleneck, and flows of other types of its kind have one, and this share. Its mark says when, and how
 * much faster it would be. */
static void tell_apart(ss_presumption_watch *watch, int32_t type, double share)
{
  const uint64_t now = ss_mix((uint64_t)watch->looks, advantage(watch, type, share));
  watch->world->in_vain = true;
  watch->mark[type] = 1 + (int32_t)(ss_mix((uint64_t)watch->mark[type], now) % INT32_MAX);
}

/* A flow goes as fast as the links that are full let it. */
static void settle(ss_presumption_watch *watch, int32_t kind, const ss_hop *hop, int64_t hops, double share)
{
  const ss_presumption *presumption = watch->presumption;
  for (int64_t i = presumption->first_type[kind]; i < presumption->first_type[kind + 1]; ++i)
    if (!has_bottleneck(watch, presumption->type[i])) tell_apart(watch, presumption->type[i], share);
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
  watch->looks++;
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
  watch->mark = calloc((size_t)watch->presumption->types.count + 1, sizeof *watch->mark);
  if (watch->seen == NULL || watch->is_pending == NULL || watch->pending_link == NULL || watch->group_kind == NULL ||
      watch->mark == NULL)
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
  return allocate(watch, presumption->kinds, paths->links);
}

void ss_presumption_watch_free(ss_presumption_watch *watch)
{
  ss_crossed_links_free(&watch->crossed);
  free(watch->seen);
  ss_max_min_free(&watch->fair);
  free(watch->is_pending);
  free(watch->pending_link);
  free(watch->group_kind);
  free(watch->mark);
  *watch = (ss_presumption_watch){0};
}

/* The mark that a flow gets, or 0. */
static int32_t mark_of(const ss_presumption_watch *watch, int64_t flow)
{
  const int32_t type = watch->presumption->type_of_flow[flow];
  return type >= 0 ? watch->mark[type] : 0;
}

ss_status ss_presumption_watch_conclude(ss_presumption_watch *watch, ss_flow_marks *marks)
{
  const ss_presumption *presumption = watch->presumption;
  if (watch->mark == NULL) return SS_OK;
  look(watch);
  int64_t given = 0;
  for (int64_t flow = 0; flow < presumption->flows; ++flow) given += mark_of(watch, flow) != 0;
  if (given == 0) return SS_OK;
  ss_flow_mark *all = malloc((size_t)(marks->count + given) * sizeof *all);
  if (all == NULL) return SS_ERROR_MEMORY;
  int64_t count = 0;
  const ss_flow_mark *had = marks->mark, *end = marks->mark + marks->count;
  for (int64_t flow = 0; flow < presumption->flows; ++flow) {
    const uint64_t before = had < end && had->flow == flow ? (had++)->mark : 0, got = (uint64_t)mark_of(watch, flow);
    if (before != 0 || got != 0) all[count++] = (ss_flow_mark){(int32_t)flow, got != 0 ? ss_mix(before, got) : before};
  }
  free(marks->mark);
  *marks = (ss_flow_marks){.all = marks->all, .given = marks->given + given, .count = count, .mark = all};
  return SS_OK;
}
