#include "sim/engine/headroom/watch.h"

#include <math.h>
#include <stdlib.h>

/* What flows of a kind add to what a link may be asked for, each as fast as it is alone: in whole bytes/s, so that sums
 * of what begins and ends are exact, and at least as much; no more than what is too much already. */
static ss_touch touch_of(const ss_watch *watch, int32_t link, ss_load load)
{
  const ss_headroom *headroom = watch->headroom;
  const double most = floor(headroom->spared[link].bytes_per_s),
               all = ceil(load.flows * headroom->alone_bytes_per_s[load.kind]);
  return (ss_touch){link, (int64_t)fmin(all, most + 1.0)};
}

/* Tells which tight links flows of a kind cross: counts them, or lists them too. */
static void note_touched(ss_watch *watch, int64_t *count, bool list)
{
  const ss_headroom *headroom = watch->headroom;
  for (int32_t i = 0; i < headroom->keys.count; ++i) {
    int64_t bundles, loads;
    double port;
    const int32_t *bundle = ss_lists_items(&headroom->loads, headroom->spared[i].from, &bundles);
    for (int64_t b = 0; headroom->spared[i].tight && b < bundles; ++b) {
      const ss_load *load = ss_headroom_bundle(headroom, bundle[b], &loads, &port);
      for (int64_t k = 0; k < loads; ++k) {
        if (list) watch->touched[count[load[k].kind]] = touch_of(watch, i, load[k]);
        ++count[load[k].kind];
      }
    }
  }
}

/* A counting sort of the tight links by the kinds of flows that cross them. */
static ss_status find_touched(ss_watch *watch)
{
  const int64_t kinds = watch->headroom->kinds;
  watch->first = calloc((size_t)kinds + 2, sizeof *watch->first);
  if (watch->first == NULL) return SS_ERROR_MEMORY;
  note_touched(watch, watch->first + 2, false);
  for (int64_t kind = 0; kind < kinds; ++kind) watch->first[kind + 2] += watch->first[kind + 1];
  watch->touched = malloc((size_t)(watch->first[kinds + 1] + 1) * sizeof *watch->touched);
  if (watch->touched == NULL) return SS_ERROR_MEMORY;
  note_touched(watch, watch->first + 1, true);
  return SS_OK;
}

static const ss_hop *hops_of(const ss_watch *watch, int32_t kind, int64_t *count)
{
  return ss_crossed_links_hops(&watch->crossed, kind, count);
}

/* Max-min fair sharing gives a flow at least its part of the link where most share. */
static double least_bytes_per_s(const ss_watch *watch, int32_t kind)
{
  int64_t hops;
  const ss_hop *hop = hops_of(watch, kind, &hops);
  double least = INFINITY;
  for (int64_t h = 0; h < hops; ++h)
    least = fmin(least, watch->paths->bytes_per_s[hop[h].link] / (double)watch->link[hop[h].link].flows);
  return least;
}

/* And at most what the others on each of its links leave, who have at least theirs. */
static double most_bytes_per_s(const ss_watch *watch, int32_t kind)
{
  int64_t hops;
  const ss_hop *hop = hops_of(watch, kind, &hops);
  double most = INFINITY;
  for (int64_t h = 0; h < hops; ++h) {
    const double own = (double)hop[h].alike * watch->least_bytes_per_s[kind];
    const double others = watch->link[hop[h].link].least_bytes_per_s - own;
    most = fmin(most, (watch->paths->bytes_per_s[hop[h].link] - others) / (double)hop[h].alike);
  }
  return most;
}

static void list_once(ss_watch_list *list, bool *is_listed, int32_t number)
{
  if (!*is_listed) list->number[list->count++] = number;
  *is_listed = true;
}

static void shift(ss_watch *watch, int32_t link)
{
  list_once(&watch->shifted, &watch->link[link].shifted, link);
}

/* A flow of a kind has begun or ended: so many more are on its links. */
static void change_links(ss_watch *watch, int32_t kind, int change)
{
  int64_t hops;
  const ss_hop *hop = hops_of(watch, kind, &hops);
  for (int64_t h = 0; h < hops; ++h) {
    ss_watched_link *link = &watch->link[hop[h].link];
    link->flows += (int64_t)change * hop[h].alike;
    list_once(&watch->changed, &link->changed, hop[h].link);
  }
}

/* Puts the flows on their links that have begun since the last time, and takes those off that have ended. One that has
 * done both leaves no trace. */
static void catch_up(ss_watch *watch)
{
  for (int64_t i = 0; i < watch->moved.count; ++i) {
    const int32_t kind = watch->moved.number[i];
    const bool was_there = watch->crossed.flow[kind] != NULL, is_there = watch->flow[kind] != NULL;
    watch->has_moved[kind] = false;
    if (is_there && !was_there) {
      ss_crossed_links_enter(&watch->crossed, watch->flow[kind]);
      change_links(watch, kind, 1);
    } else if (was_there && !is_there) {
      change_links(watch, kind, -1);
      ss_crossed_links_leave(&watch->crossed, kind);
      watch->bytes_per_s[kind] = 0.0;
    }
  }
  watch->moved.count = 0;
}

/* A flow on a link on which others have begun or ended: that may shift what flows have on all of its links. */
static void find_least(ss_watch *watch, int32_t kind)
{
  int64_t hops;
  const ss_hop *hop = hops_of(watch, kind, &hops);
  const double least = least_bytes_per_s(watch, kind);
  if (least == watch->least_bytes_per_s[kind]) return;
  watch->least_bytes_per_s[kind] = least;
  for (int64_t h = 0; h < hops; ++h) shift(watch, hop[h].link);
}

static void find_most(ss_watch *watch, int32_t kind)
{
  watch->bytes_per_s[kind] = most_bytes_per_s(watch, kind);
}

/* Calls `find` once for each flow that crosses one of some links. */
static void visit_flows(ss_watch *watch, const ss_watch_list *list, void (*find)(ss_watch *, int32_t))
{
  watch->looks++;
  for (int64_t i = 0; i < list->count; ++i)
    for (int32_t at = watch->crossed.first[list->number[i]]; at >= 0; at = watch->crossed.place[at].next) {
      const int32_t kind = watch->crossed.place[at].kind;
      if (watch->seen[kind] == watch->looks) continue;
      watch->seen[kind] = watch->looks;
      find(watch, kind);
    }
}

static void add_least(ss_watch *watch, int32_t link)
{
  double sum = 0.0;
  for (int32_t at = watch->crossed.first[link]; at >= 0; at = watch->crossed.place[at].next)
    sum += ss_crossed_links_alike(&watch->crossed, at) * watch->least_bytes_per_s[watch->crossed.place[at].kind];
  watch->link[link].least_bytes_per_s = sum;
}

/* How fast the flows in progress may be, of which some are new or have others beside them. */
static void bound_rates(ss_watch *watch)
{
  catch_up(watch);
  visit_flows(watch, &watch->changed, find_least);
  for (int64_t i = 0; i < watch->changed.count; ++i) {
    shift(watch, watch->changed.number[i]);
    watch->link[watch->changed.number[i]].changed = false;
  }
  watch->changed.count = 0;
  for (int64_t i = 0; i < watch->shifted.count; ++i) {
    add_least(watch, watch->shifted.number[i]);
    watch->link[watch->shifted.number[i]].shifted = false;
  }
  visit_flows(watch, &watch->shifted, find_most);
  watch->shifted.count = 0;
}

static bool may_be_short(const ss_watch *watch, int32_t link, const double *bytes_per_s)
{
  return ss_headroom_is_short(watch->headroom, &watch->headroom->spared[link], bytes_per_s);
}

/* Leaves those links pending that could not carry all flows in progress if each were alone on its path. */
static void keep_short(ss_watch *watch)
{
  ss_watch_list *pending = &watch->pending;
  int64_t kept = 0;
  for (int64_t i = 0; i < pending->count; ++i) {
    const int32_t link = pending->number[i];
    ss_watched_spared *spared = &watch->spared[link];
    spared->is_pending = !spared->crowded && spared->asked_bytes_per_s > spared->most_bytes_per_s &&
                         may_be_short(watch, link, watch->alone_bytes_per_s);
    if (spared->is_pending) pending->number[kept++] = link;
  }
  pending->count = kept;
}

/* Only where such links are left, rates are bounded more closely; and again after each instant, as long as they are:
 * others that end leave more to their flows. */
static void look(ss_watch *watch)
{
  keep_short(watch);
  if (watch->pending.count == 0) return;
  bound_rates(watch);
  for (int64_t i = 0; i < watch->pending.count; ++i) {
    const int32_t link = watch->pending.number[i];
    watch->spared[link].crowded = may_be_short(watch, link, watch->bytes_per_s);
    watch->world->is_crowded = watch->world->is_crowded || watch->spared[link].crowded;
  }
}

static void time_is(ss_watch *watch, double now_s)
{
  if (now_s - watch->instant_s < watch->tie_s) return;
  look(watch);
  watch->instant_s = now_s;
}

/* The flow of a kind begins or ends. Tight links are pending that might be asked for too much by then. */
static void move(ss_watch *watch, int32_t kind, const ss_flow *flow)
{
  watch->flow[kind] = flow;
  watch->alone_bytes_per_s[kind] = flow != NULL ? watch->headroom->alone_bytes_per_s[kind] : 0.0;
  list_once(&watch->moved, &watch->has_moved[kind], kind);
  for (int64_t i = watch->first[kind]; i < watch->first[kind + 1]; ++i) {
    const ss_touch touch = watch->touched[i];
    ss_watched_spared *spared = &watch->spared[touch.link];
    if (spared->crowded) continue; /* for good */
    spared->asked_bytes_per_s += flow != NULL ? touch.bytes_per_s : -touch.bytes_per_s;
    if (spared->asked_bytes_per_s > spared->most_bytes_per_s)
      list_once(&watch->pending, &spared->is_pending, touch.link);
  }
}

static void flow_begin(void *self, const ss_flow *flow, double now_s)
{
  ss_watch *watch = self;
  if (flow->kind < 0) return;
  time_is(watch, now_s);
  move(watch, flow->kind, flow);
}

static void flow(void *self, const ss_carried *carried)
{
  ss_watch *watch = self;
  if (carried->flow->kind < 0 || !carried->is_over) return;
  time_is(watch, carried->end_s);
  move(watch, carried->flow->kind, NULL);
}

static bool make_list(ss_watch_list *list, size_t most)
{
  list->number = malloc(most * sizeof *list->number);
  return list->number != NULL;
}

static ss_status allocate(ss_watch *watch)
{
  const ss_headroom *headroom = watch->headroom;
  const size_t spared = (size_t)headroom->keys.count + 1, kinds = (size_t)headroom->kinds + 1,
               links = (size_t)watch->paths->links + 1;
  watch->flow = calloc(kinds, sizeof *watch->flow);
  watch->alone_bytes_per_s = calloc(kinds, sizeof *watch->alone_bytes_per_s);
  watch->has_moved = calloc(kinds, sizeof *watch->has_moved);
  watch->least_bytes_per_s = calloc(kinds, sizeof *watch->least_bytes_per_s);
  watch->bytes_per_s = calloc(kinds, sizeof *watch->bytes_per_s);
  watch->seen = calloc(kinds, sizeof *watch->seen);
  watch->link = calloc(links, sizeof *watch->link);
  watch->spared = calloc(spared, sizeof *watch->spared);
  if (watch->flow == NULL || watch->alone_bytes_per_s == NULL || watch->has_moved == NULL ||
      watch->least_bytes_per_s == NULL || watch->bytes_per_s == NULL || watch->seen == NULL || watch->link == NULL ||
      watch->spared == NULL || !make_list(&watch->moved, kinds) || !make_list(&watch->changed, links) ||
      !make_list(&watch->shifted, links) || !make_list(&watch->pending, spared))
    return SS_ERROR_MEMORY;
  for (int64_t i = 0; i < headroom->keys.count; ++i)
    watch->spared[i].most_bytes_per_s = (int64_t)headroom->spared[i].bytes_per_s;
  return ss_crossed_links_init(&watch->crossed, watch->paths, headroom->kinds, watch->paths->links);
}

ss_status ss_watch_open(ss_watch *watch, const ss_headroom *headroom, const ss_link_paths *paths, ss_world *world)
{
  *watch = (ss_watch){.headroom = headroom,
                      .paths = paths,
                      .observer = {.self = watch, .flow_begin = flow_begin, .flow = flow},
                      .world = world,
                      .tie_s = world->common->tie_s};
  ss_status status = allocate(watch);
  if (status == SS_OK) status = find_touched(watch);
  const bool has_tight = status == SS_OK && watch->first[headroom->kinds] > 0;
  if (has_tight) ss_observers_add(&world->observers, &watch->observer);
  return status;
}

void ss_watch_free(ss_watch *watch)
{
  ss_crossed_links_free(&watch->crossed);
  free(watch->flow);
  free(watch->alone_bytes_per_s);
  free(watch->has_moved);
  free(watch->moved.number);
  free(watch->least_bytes_per_s);
  free(watch->bytes_per_s);
  free(watch->seen);
  free(watch->link);
  free(watch->changed.number);
  free(watch->shifted.number);
  free(watch->first);
  free(watch->touched);
  free(watch->pending.number);
  free(watch->spared);
  *watch = (ss_watch){0};
}

/* Adds all links for which a chosen spared one stands. */
static ss_status add_spared(const ss_watch *watch, bool (*is_chosen)(const ss_watch *, int32_t), ss_link_set *set)
{
  const ss_headroom *headroom = watch->headroom;
  bool *marked = calloc((size_t)headroom->links + 1, sizeof *marked);
  if (marked == NULL) return SS_ERROR_MEMORY;
  for (int64_t link = 0; link < headroom->links; ++link)
    marked[link] = headroom->spared_of_link[link] >= 0 && is_chosen(watch, headroom->spared_of_link[link]);
  const ss_status status = ss_link_set_add(set, marked, headroom->links);
  free(marked);
  return status;
}

static bool is_crowded(const ss_watch *watch, int32_t spared)
{
  return watch->spared[spared].crowded;
}

static bool is_tight(const ss_watch *watch, int32_t spared)
{
  return watch->headroom->spared[spared].tight;
}

ss_status ss_watch_conclude(ss_watch *watch, ss_link_set *crowded, ss_link_set *tight)
{
  look(watch);
  const ss_status status = add_spared(watch, is_crowded, crowded);
  return status == SS_OK && tight != NULL ? add_spared(watch, is_tight, tight) : status;
}
