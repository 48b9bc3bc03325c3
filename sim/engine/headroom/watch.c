#include "sim/engine/headroom/watch.h"

#include <math.h>
#include <stdlib.h>

/* Tells which tight links flows of a kind cross: counts them, or lists them too. */
static void note_touched(ss_watch *watch, int64_t *count, bool list)
{
  const ss_headroom *headroom = watch->headroom;
  for (int64_t i = 0; i < headroom->keys.count; ++i) {
    int64_t bundles, loads;
    double port;
    const int32_t *bundle = ss_lists_items(&headroom->loads, headroom->spared[i].from, &bundles);
    for (int64_t b = 0; headroom->spared[i].tight && b < bundles; ++b) {
      const ss_load *load = ss_headroom_bundle(headroom, bundle[b], &loads, &port);
      for (int64_t k = 0; k < loads; ++k) {
        if (list) watch->touched[count[load[k].kind]] = (int32_t)i;
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

static const ss_hop *hops_of(const ss_watch *watch, const ss_flow *flow, int64_t *count)
{
  return ss_link_paths_hops(watch->paths, flow->path, count);
}

/* Max-min fair sharing gives a flow at least its part of the link where most share. */
static double least_bytes_per_s(const ss_watch *watch, const ss_hop *hop, int64_t hops)
{
  double least = INFINITY;
  for (int64_t h = 0; h < hops; ++h)
    least = fmin(least, watch->paths->bytes_per_s[hop[h].link] / (double)watch->port[hop[h].link].flows);
  return least;
}

/* And at most what the others on each of its links leave, who have at least theirs. */
static double most_bytes_per_s(const ss_watch *watch, const ss_flow *flow)
{
  int64_t hops;
  const ss_hop *hop = hops_of(watch, flow, &hops);
  const double least = least_bytes_per_s(watch, hop, hops);
  double most = INFINITY;
  for (int64_t h = 0; h < hops; ++h) {
    const double others = watch->port[hop[h].link].least_bytes_per_s - (double)hop[h].alike * least;
    most = fmin(most, (watch->paths->bytes_per_s[hop[h].link] - others) / (double)hop[h].alike);
  }
  return most;
}

static void count_flows(ss_watch *watch)
{
  for (int64_t i = 0; i < watch->active; ++i) {
    int64_t hops;
    const ss_hop *hop = hops_of(watch, watch->active_flow[i], &hops);
    for (int64_t h = 0; h < hops; ++h) watch->port[hop[h].link] = (ss_port_load){0};
  }
  for (int64_t i = 0; i < watch->active; ++i) {
    int64_t hops;
    const ss_hop *hop = hops_of(watch, watch->active_flow[i], &hops);
    for (int64_t h = 0; h < hops; ++h) watch->port[hop[h].link].flows += hop[h].alike;
  }
}

static void ask_for_links(ss_watch *watch, int32_t kind)
{
  for (int64_t i = watch->first[kind]; i < watch->first[kind + 1]; ++i) {
    const int32_t link = watch->touched[i];
    if (watch->is_pending[link] || watch->crowded[link]) continue;
    watch->is_pending[link] = true;
    watch->pending_link[watch->pending++] = link;
  }
}

/* How fast the flows in progress may be; asks for the links of those that may be faster than before. */
static void bound_rates(ss_watch *watch)
{
  count_flows(watch);
  for (int64_t i = 0; i < watch->active; ++i) {
    int64_t hops;
    const ss_hop *hop = hops_of(watch, watch->active_flow[i], &hops);
    const double least = least_bytes_per_s(watch, hop, hops);
    for (int64_t h = 0; h < hops; ++h) watch->port[hop[h].link].least_bytes_per_s += (double)hop[h].alike * least;
  }
  for (int64_t i = 0; i < watch->active; ++i) {
    const int32_t kind = watch->active_flow[i]->kind;
    const double most = most_bytes_per_s(watch, watch->active_flow[i]), before = watch->bytes_per_s[kind];
    watch->bytes_per_s[kind] = most;
    if (most > before) ask_for_links(watch, kind);
  }
}

static void look(ss_watch *watch)
{
  if (!watch->changed) return;
  watch->changed = false;
  bound_rates(watch);
  for (int64_t i = 0; i < watch->pending; ++i) {
    const int32_t link = watch->pending_link[i];
    watch->is_pending[link] = false;
    watch->crowded[link] = ss_headroom_is_short(watch->headroom, &watch->headroom->spared[link], watch->bytes_per_s);
  }
  watch->pending = 0;
}

static void time_is(ss_watch *watch, double now_s)
{
  if (now_s - watch->instant_s < watch->tie_s) return;
  look(watch);
  watch->instant_s = now_s;
}

static void flow_begin(void *self, const ss_flow *flow, double now_s)
{
  ss_watch *watch = self;
  if (flow->kind < 0) return;
  time_is(watch, now_s);
  watch->place[flow->kind] = (int32_t)watch->active;
  watch->active_flow[watch->active++] = flow;
  watch->changed = true;
}

static void flow(void *self, const ss_carried *carried)
{
  ss_watch *watch = self;
  if (carried->flow->kind < 0 || !carried->is_over) return;
  time_is(watch, carried->end_s);
  const ss_flow *last = watch->active_flow[--watch->active];
  const int32_t place = watch->place[carried->flow->kind];
  watch->active_flow[place] = last;
  watch->place[last->kind] = place;
  watch->bytes_per_s[carried->flow->kind] = 0.0;
  watch->changed = true;
}

ss_status ss_watch_open(ss_watch *watch, const ss_headroom *headroom, const ss_link_paths *paths, ss_world *world)
{
  const size_t links = (size_t)headroom->keys.count + 1, kinds = (size_t)headroom->kinds + 1;
  *watch = (ss_watch){.headroom = headroom,
                      .paths = paths,
                      .observer = {.self = watch, .flow_begin = flow_begin, .flow = flow},
                      .tie_s = world->common->tie_s,
                      .active_flow = malloc(kinds * sizeof *watch->active_flow),
                      .place = malloc(kinds * sizeof *watch->place),
                      .bytes_per_s = calloc(kinds, sizeof *watch->bytes_per_s),
                      .port = malloc((size_t)headroom->links * sizeof *watch->port),
                      .pending_link = malloc(links * sizeof *watch->pending_link),
                      .is_pending = calloc(links, sizeof *watch->is_pending),
                      .crowded = calloc(links, sizeof *watch->crowded)};
  if (watch->active_flow == NULL || watch->place == NULL || watch->bytes_per_s == NULL || watch->port == NULL ||
      watch->pending_link == NULL || watch->is_pending == NULL || watch->crowded == NULL)
    return SS_ERROR_MEMORY;
  const ss_status status = find_touched(watch);
  const bool has_tight = status == SS_OK && watch->first[headroom->kinds] > 0;
  if (has_tight) ss_observers_add(&world->observers, &watch->observer);
  return status;
}

void ss_watch_free(ss_watch *watch)
{
  free(watch->active_flow);
  free(watch->place);
  free(watch->bytes_per_s);
  free(watch->port);
  free(watch->first);
  free(watch->touched);
  free(watch->pending_link);
  free(watch->is_pending);
  free(watch->crowded);
  *watch = (ss_watch){0};
}

ss_status ss_watch_conclude(ss_watch *watch, ss_link_set *crowded)
{
  const ss_headroom *headroom = watch->headroom;
  look(watch);
  bool *marked = calloc((size_t)headroom->links + 1, sizeof *marked);
  if (marked == NULL) return SS_ERROR_MEMORY;
  for (int64_t link = 0; link < headroom->links; ++link)
    marked[link] = headroom->spared_of_link[link] >= 0 && watch->crowded[headroom->spared_of_link[link]];
  const ss_status status = ss_link_set_add(crowded, marked, headroom->links);
  free(marked);
  return status;
}
