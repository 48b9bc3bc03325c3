#include "sim/engine/simgrid/small_groups.h"

#include <math.h>
#include <stdlib.h>

enum { NO_LINK = -1 };

ss_status ss_small_groups_init(ss_small_groups *groups, const ss_link_paths *paths, int64_t most)
{
  const size_t links = (size_t)paths->links + 1;
  *groups = (ss_small_groups){.paths = paths,
                              .most = most,
                              .link = calloc(links, sizeof *groups->link),
                              .changed = malloc(links * sizeof *groups->changed),
                              .group_link = malloc(links * sizeof *groups->group_link)};
  if (groups->link == NULL || groups->changed == NULL || groups->group_link == NULL) return SS_ERROR_MEMORY;
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
  free(groups->group_link);
  free(groups->heap);
  free(groups->group);
  *groups = (ss_small_groups){0};
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
  for (int64_t h = 0; h < flow->hops; ++h) {
    ss_group_link *link = &groups->link[flow->hop[h].link];
    if (!link->changed) groups->changed[groups->changes++] = flow->hop[h].link;
    link->changed = true;
  }
}

static void put_on_links(ss_small_groups *groups, ss_group_flow *flow)
{
  if (flow->places < flow->hops) {
    flow->place = realloc(flow->place, (size_t)flow->hops * sizeof *flow->place);
    SS_ASSERT(flow->place != NULL);
    flow->places = flow->hops;
  }
  for (int64_t h = 0; h < flow->hops; ++h) {
    ss_group_place *place = &flow->place[h], **first = &groups->link[flow->hop[h].link].first;
    *place = (ss_group_place){flow, *first, first};
    if (*first != NULL) (*first)->from = &place->next;
    *first = place;
  }
}

static void take_off_links(const ss_group_flow *flow)
{
  for (int64_t h = 0; h < flow->hops; ++h) {
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
  int64_t hops;
  const ss_hop *hop = ss_link_paths_hops(groups->paths, flow->path, &hops);
  *added = (ss_group_flow){.flow = flow,
                           .hop = hop,
                           .hops = hops,
                           .full_link = NO_LINK,
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
  const ss_hop *hop = ss_link_paths_hops(groups->paths, flow->path, &hops);
  for (int64_t h = 0; h < hops; ++h) groups->link[hop[h].link].elsewhere += change;
}

static void release(ss_small_groups *groups, ss_group_flow *flow)
{
  take_off_links(flow);
  ss_group_flow *last = groups->heap[--groups->count];
  if (last != flow) sift(groups, last, flow->slot);
  flow->next_free = groups->free_flows;
  groups->free_flows = flow;
}

/* Lists a link of the group at hand. */
static void list_link(ss_small_groups *groups, int32_t link)
{
  ss_group_link *listed = &groups->link[link];
  if (listed->group == groups->groups) return;
  listed->group = groups->groups;
  groups->group_link[groups->links++] = link;
}

static bool is_member(const ss_small_groups *groups, const ss_group_flow *flow)
{
  return flow->group == groups->groups;
}

static void join(ss_small_groups *groups, ss_group_flow *flow)
{
  if (is_member(groups, flow)) return;
  flow->group = groups->groups;
  groups->group[groups->members++] = flow;
  for (int64_t h = 0; h < flow->hops; ++h) list_link(groups, flow->hop[h].link);
}

/* Lets those flows join, of the links from the `from`-th on, that are new or are bounded by a link on which flows have
 * begun or ended; or `all` flows. That may bring more links. */
static void gather(ss_small_groups *groups, int64_t from, bool all)
{
  for (int64_t l = from; l < groups->links; ++l) {
    const int32_t number = groups->group_link[l];
    ss_group_link *link = &groups->link[number];
    if (!link->changed && !all) continue;
    link->changed = false;
    for (const ss_group_place *place = link->first; place != NULL; place = place->next)
      if (all || place->flow->full_link == number || place->flow->full_link == NO_LINK) join(groups, place->flow);
  }
}

/* What is left of a flow, from now on. */
static void catch_up(ss_group_flow *flow, double now_s)
{
  flow->left_bytes = fmax(0.0, flow->left_bytes - flow->bytes_per_s * (now_s - flow->since_s));
  flow->since_s = now_s;
}

static void set_rate(ss_small_groups *groups, ss_group_flow *flow, double now_s)
{
  if (flow->found_bytes_per_s == flow->bytes_per_s) return;
  catch_up(flow, now_s);
  flow->bytes_per_s = flow->found_bytes_per_s;
  flow->end_s = now_s + flow->left_bytes / flow->bytes_per_s;
  sift(groups, flow, flow->slot);
}

/* Members on a full link have the share of each, which leaves less of the other links on their path. How many more. */
static int64_t settle(ss_small_groups *groups, int32_t link, double share)
{
  int64_t settled = 0;
  groups->link[link].share_bytes_per_s = share;
  for (const ss_group_place *place = groups->link[link].first; place != NULL; place = place->next) {
    ss_group_flow *flow = place->flow;
    if (!is_member(groups, flow) || flow->settled == groups->fair.groups) continue;
    flow->settled = groups->fair.groups;
    flow->found_bytes_per_s = share;
    flow->full_link = link;
    ss_max_min_settle(&groups->fair, flow->hop, flow->hops, share);
    ++settled;
  }
  return settled;
}

/* What others than members have of a link stays theirs, for now. */
static void leave_to_others(ss_small_groups *groups, int32_t link)
{
  groups->link[link].share_bytes_per_s = INFINITY;
  for (const ss_group_place *place = groups->link[link].first; place != NULL; place = place->next) {
    const ss_group_flow *flow = place->flow;
    if (is_member(groups, flow)) continue;
    ss_max_min_take(&groups->fair, link, (double)flow->hop[place - flow->place].alike * flow->bytes_per_s);
  }
}

/* Finds the rates of members. */
static void share_out(ss_small_groups *groups)
{
  ss_max_min *fair = &groups->fair;
  ss_max_min_begin(fair);
  for (int64_t i = 0; i < groups->members; ++i)
    ss_max_min_add_flow(fair, groups->group[i]->hop, groups->group[i]->hops);
  for (int64_t l = 0; l < groups->links; ++l) {
    ss_max_min_add_link(fair, groups->group_link[l]);
    leave_to_others(groups, groups->group_link[l]);
  }
  for (int64_t left = groups->members, settled; left > 0; left -= settled) {
    const double share = ss_max_min_fill(fair);
    settled = 0;
    for (int64_t i = 0; i < fair->full; ++i) settled += settle(groups, fair->group_link[i], share);
    SS_ASSERT(settled > 0);
  }
}

/* The most that a member has on a link. */
static double most_of_members(const ss_small_groups *groups, const ss_group_link *link)
{
  double most = 0.0;
  for (const ss_group_place *place = link->first; place != NULL; place = place->next)
    if (is_member(groups, place->flow)) most = fmax(most, place->flow->found_bytes_per_s);
  return most;
}

/* A flow that is no member keeps its rate unless that is more than members have on a link that they fill, or the link
 * that bounds it is no longer full or no longer carries none that is faster: then it joins. */
static void join_from(ss_small_groups *groups, int32_t number)
{
  const ss_group_link *link = &groups->link[number];
  const double most = most_of_members(groups, link) / SS_SHARE_ROUNDED, share = link->share_bytes_per_s;
  const bool is_full = isfinite(share) || ss_max_min_is_used_up(&groups->fair, number);
  for (const ss_group_place *place = link->first; place != NULL; place = place->next) {
    ss_group_flow *flow = place->flow;
    if (is_member(groups, flow)) continue;
    const bool bounds = flow->full_link == number;
    if (flow->bytes_per_s > share * SS_SHARE_ROUNDED || (bounds && (!is_full || flow->bytes_per_s < most)))
      join(groups, flow);
  }
}

/* Finds the flows whose rates may change, beginning with those on a link on which flows have begun or ended, and these
 * rates. All others keep theirs: each has a full link on its path on which none is faster, and rates for which that
 * holds are the fair ones (Bertsekas and Gallager, Data Networks, 6.5.2). False: there are too many. */
static bool find_rates(ss_small_groups *groups, int32_t link)
{
  groups->groups++;
  groups->members = groups->links = 0;
  list_link(groups, link);
  gather(groups, 0, false);
  for (int64_t before = 0; groups->members > before && groups->members <= groups->most;) {
    const int64_t links = groups->links;
    before = groups->members;
    share_out(groups);
    for (int64_t l = 0; l < links; ++l) join_from(groups, groups->group_link[l]);
    gather(groups, links, false);
  }
  return groups->members <= groups->most;
}

/* Flows of SimGrid's are on a link of the group. */
static bool meets_others(const ss_small_groups *groups)
{
  bool meets = false;
  for (int64_t l = 0; !meets && l < groups->links; ++l) meets = groups->link[groups->group_link[l]].elsewhere > 0;
  return meets && groups->members > 0;
}

/* With members go all that share links with them, directly or not. */
static void hand_over_all(ss_small_groups *groups, double now_s, ss_hand_over *hand_over, void *context)
{
  gather(groups, 0, true);
  for (int64_t i = 0; i < groups->members; ++i) {
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
    if (!find_rates(groups, groups->changed[i]) || meets_others(groups))
      hand_over_all(groups, now_s, hand_over, context);
    else
      for (int64_t m = 0; m < groups->members; ++m) set_rate(groups, groups->group[m], now_s);
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
