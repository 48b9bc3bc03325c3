#include "sim/engine/simgrid/small_groups.h"

#include <math.h>
#include <stdlib.h>

ss_status ss_small_groups_init(ss_small_groups *groups, const ss_link_paths *paths, int64_t most)
{
  const size_t links = (size_t)paths->links + 1;
  *groups = (ss_small_groups){.paths = paths,
                              .most = most,
                              .link = calloc(links, sizeof *groups->link),
                              .changed = malloc(links * sizeof *groups->changed)};
  if (groups->link == NULL || groups->changed == NULL) return SS_ERROR_MEMORY;
  return ss_max_min_init(&groups->fair, paths, paths->links);
}

static void free_flow(ss_group_flow *flow)
{
  free(flow->place);
  free(flow);
}

void ss_small_groups_free(ss_small_groups *groups)
{
  for (int64_t i = 0; i < groups->count; ++i) free_flow(groups->heap[i]);
  while (groups->free_flows != NULL) {
    ss_group_flow *flow = groups->free_flows;
    groups->free_flows = flow->next_free;
    free_flow(flow);
  }
  ss_max_min_free(&groups->fair);
  free(groups->link);
  free(groups->changed);
  free(groups->heap);
  free(groups->group);
  *groups = (ss_small_groups){0};
}

static const ss_hop *hops_of(const ss_small_groups *groups, const ss_flow *flow, int64_t *count)
{
  return ss_link_paths_hops(groups->paths, flow->path, count);
}

static bool ends_before(const ss_group_flow *a, const ss_group_flow *b)
{
  return a->end_s < b->end_s || (a->end_s == b->end_s && a->order < b->order);
}

static void put(ss_small_groups *groups, ss_group_flow *flow, int64_t slot)
{
  groups->heap[slot] = flow;
  flow->slot = slot;
}

/* Moves a flow to where it belongs in the heap, from a slot. */
static void sift(ss_small_groups *groups, ss_group_flow *flow, int64_t slot)
{
  ss_group_flow **heap = groups->heap;
  for (; slot > 0 && ends_before(flow, heap[(slot - 1) / 2]); slot = (slot - 1) / 2)
    put(groups, heap[(slot - 1) / 2], slot);
  for (int64_t child = 2 * slot + 1; child < groups->count; child = 2 * slot + 1) {
    if (child + 1 < groups->count && ends_before(heap[child + 1], heap[child])) ++child;
    if (!ends_before(heap[child], flow)) break;
    put(groups, heap[child], slot);
    slot = child;
  }
  put(groups, flow, slot);
}

/* A flow begins or ends: those on its links may have another rate. */
static void change_links(ss_small_groups *groups, const ss_group_flow *flow)
{
  int64_t hops;
  const ss_hop *hop = hops_of(groups, flow->flow, &hops);
  for (int64_t h = 0; h < hops; ++h) {
    ss_group_link *link = &groups->link[hop[h].link];
    if (!link->changed) groups->changed[groups->changes++] = hop[h].link;
    link->changed = true;
  }
}

static void put_on_links(ss_small_groups *groups, ss_group_flow *flow)
{
  int64_t hops;
  const ss_hop *hop = hops_of(groups, flow->flow, &hops);
  if (flow->places < hops) {
    flow->place = realloc(flow->place, (size_t)hops * sizeof *flow->place);
    SS_ASSERT(flow->place != NULL);
    flow->places = hops;
  }
  for (int64_t h = 0; h < hops; ++h) {
    ss_group_place *place = &flow->place[h], **first = &groups->link[hop[h].link].first;
    *place = (ss_group_place){flow, *first, first};
    if (*first != NULL) (*first)->from = &place->next;
    *first = place;
  }
}

static void take_off_links(const ss_small_groups *groups, const ss_group_flow *flow)
{
  int64_t hops;
  (void)hops_of(groups, flow->flow, &hops);
  for (int64_t h = 0; h < hops; ++h) {
    const ss_group_place *place = &flow->place[h];
    *place->from = place->next;
    if (place->next != NULL) place->next->from = place->from;
  }
}

static void make_room(ss_small_groups *groups)
{
  if (groups->count < groups->capacity) return;
  groups->capacity = groups->capacity > 0 ? 2 * groups->capacity : 64;
  groups->heap = realloc(groups->heap, (size_t)groups->capacity * sizeof(ss_group_flow *));
  groups->group = realloc(groups->group, (size_t)groups->capacity * sizeof(ss_group_flow *));
  SS_ASSERT(groups->heap != NULL && groups->group != NULL);
}

static ss_group_flow *new_flow(ss_small_groups *groups)
{
  ss_group_flow *flow = groups->free_flows;
  if (flow != NULL)
    groups->free_flows = flow->next_free;
  else
    flow = calloc(1, sizeof *flow);
  SS_ASSERT(flow != NULL);
  return flow;
}

void ss_small_groups_add(ss_small_groups *groups, ss_flow_set *set, const ss_flow *flow, double bytes, double now_s)
{
  ss_group_flow *added = new_flow(groups);
  *added = (ss_group_flow){.flow = flow,
                           .set = set,
                           .bytes = bytes,
                           .start_s = now_s,
                           .left_bytes = bytes,
                           .since_s = now_s,
                           .end_s = INFINITY,
                           .order = groups->begun++,
                           .places = added->places,
                           .place = added->place};
  put_on_links(groups, added);
  change_links(groups, added);
  make_room(groups);
  sift(groups, added, groups->count++);
}

void ss_small_groups_note_elsewhere(ss_small_groups *groups, const ss_flow *flow, int change)
{
  int64_t hops;
  const ss_hop *hop = hops_of(groups, flow, &hops);
  for (int64_t h = 0; h < hops; ++h) groups->link[hop[h].link].elsewhere += change;
}

static void release(ss_small_groups *groups, ss_group_flow *flow)
{
  take_off_links(groups, flow);
  ss_group_flow *last = groups->heap[--groups->count];
  if (last != flow) sift(groups, last, flow->slot);
  flow->next_free = groups->free_flows;
  groups->free_flows = flow;
}

/* Finds the flows that share links with those on a link, directly or not. How many; `elsewhere`: some of those are
 * SimGrid's. */
static int64_t find_group(ss_small_groups *groups, int32_t link, bool *elsewhere)
{
  ss_max_min *fair = &groups->fair;
  int64_t count = 0;
  *elsewhere = false;
  ss_max_min_begin(fair);
  ss_max_min_add_link(fair, link);
  for (int64_t l = 0; l < fair->count; ++l) {
    ss_group_link *at = &groups->link[fair->group_link[l]];
    *elsewhere = *elsewhere || at->elsewhere > 0;
    at->changed = false;
    for (const ss_group_place *place = at->first; place != NULL; place = place->next) {
      if (place->flow->group == fair->groups) continue;
      place->flow->group = fair->groups;
      groups->group[count++] = place->flow;
      int64_t hops;
      const ss_hop *hop = hops_of(groups, place->flow->flow, &hops);
      ss_max_min_add_flow(fair, hop, hops);
    }
  }
  return count;
}

/* What is left of a flow, from now on. */
static void catch_up(ss_group_flow *flow, double now_s)
{
  flow->left_bytes = fmax(0.0, flow->left_bytes - flow->bytes_per_s * (now_s - flow->since_s));
  flow->since_s = now_s;
}

static void set_rate(ss_small_groups *groups, ss_group_flow *flow, double bytes_per_s, double now_s)
{
  if (bytes_per_s == flow->bytes_per_s) return;
  catch_up(flow, now_s);
  flow->bytes_per_s = bytes_per_s;
  flow->end_s = now_s + flow->left_bytes / bytes_per_s;
  sift(groups, flow, flow->slot);
}

/* Those on a full link have the share of each, which leaves less of the other links on their path. How many more. */
static int64_t settle(ss_small_groups *groups, int32_t link, double share, double now_s)
{
  int64_t settled = 0;
  for (const ss_group_place *place = groups->link[link].first; place != NULL; place = place->next) {
    ss_group_flow *flow = place->flow;
    if (flow->settled == groups->fair.groups) continue;
    flow->settled = groups->fair.groups;
    int64_t hops;
    const ss_hop *hop = hops_of(groups, flow->flow, &hops);
    ss_max_min_settle(&groups->fair, hop, hops, share);
    set_rate(groups, flow, share, now_s);
    ++settled;
  }
  return settled;
}

static void share_out(ss_small_groups *groups, int64_t count, double now_s)
{
  for (int64_t left = count, settled; left > 0; left -= settled) {
    const double share = ss_max_min_fill(&groups->fair);
    settled = 0;
    for (int64_t i = 0; i < groups->fair.full; ++i) settled += settle(groups, groups->fair.group_link[i], share, now_s);
    SS_ASSERT(settled > 0);
  }
}

static void hand_over_all(ss_small_groups *groups, int64_t count, double now_s, ss_hand_over *hand_over, void *context)
{
  for (int64_t i = 0; i < count; ++i) {
    ss_group_flow *flow = groups->group[i];
    catch_up(flow, now_s);
    release(groups, flow);
    hand_over(context, flow);
  }
}

void ss_small_groups_share(ss_small_groups *groups, double now_s, ss_hand_over *hand_over, void *context)
{
  for (int64_t i = 0; i < groups->changes; ++i) {
    if (!groups->link[groups->changed[i]].changed) continue;
    bool elsewhere;
    const int64_t count = find_group(groups, groups->changed[i], &elsewhere);
    if (count > groups->most || (elsewhere && count > 0))
      hand_over_all(groups, count, now_s, hand_over, context);
    else
      share_out(groups, count, now_s);
  }
  groups->changes = 0;
}

double ss_small_groups_next_s(const ss_small_groups *groups)
{
  return groups->count > 0 ? groups->heap[0]->end_s : INFINITY;
}

const ss_group_flow *ss_small_groups_take(ss_small_groups *groups, double before_s)
{
  if (ss_small_groups_next_s(groups) >= before_s) return NULL;
  ss_group_flow *first = groups->heap[0];
  change_links(groups, first);
  release(groups, first);
  return first;
}
