#include "sim/engine/network/fair_rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NO_LINK = -1 };

ss_status ss_fair_rates_init(ss_fair_rates *rates, const ss_link_paths *paths)
{
  const size_t links = (size_t)paths->links + 1;
  *rates = (ss_fair_rates){.paths = paths,
                           .link = calloc(links, sizeof *rates->link),
                           .changed = malloc(links * sizeof *rates->changed),
                           .group_link = malloc(links * sizeof *rates->group_link),
                           .order = malloc(links * sizeof *rates->order)};
  if (rates->link == NULL || rates->changed == NULL || rates->group_link == NULL || rates->order == NULL)
    return SS_ERROR_MEMORY;
  return ss_max_min_init(&rates->fair, paths->links);
}

void ss_fair_rates_free(ss_fair_rates *rates)
{
  for (int64_t link = 0; rates->link != NULL && link < rates->paths->links; ++link) free(rates->link[link].other);
  ss_max_min_free(&rates->fair);
  free(rates->link);
  free(rates->changed);
  free(rates->group);
  free(rates->group_link);
  free(rates->order);
  *rates = (ss_fair_rates){0};
}

/* A flow begins or ends: those on its links may have another rate. */
static void change_links(ss_fair_rates *rates, const ss_fair_flow *flow)
{
  for (int32_t h = 0; h < flow->hops; ++h) {
    ss_fair_link *link = &rates->link[flow->hop[h].link];
    if (!link->changed) rates->changed[rates->changes++] = flow->hop[h].link;
    link->changed = true;
  }
}

/* A link bounds the rate of a flow from now on, or none does. Until one does, the flow counts on all of its links. */
static void bound_by(ss_fair_rates *rates, ss_fair_flow *flow, int32_t link)
{
  if (flow->full_link == link) return;
  for (int32_t h = 0; flow->full_link == NO_LINK && h < flow->hops; ++h) rates->link[flow->hop[h].link].bounds--;
  if (flow->full_link != NO_LINK) rates->link[flow->full_link].bounds--;
  if (link != NO_LINK) rates->link[link].bounds++;
  flow->full_link = link;
}

static void put_on(ss_fair_link *link, ss_fair_place place)
{
  enum { FIRST_ROOM = 2 };
  const int32_t others = link->flows++ - 1;
  link->bounds++;
  if (others < 0) {
    link->first = place;
    return;
  }
  if (link->room == 0 || others == 1 << link->room) {
    link->room = link->room > 0 ? (uint8_t)(link->room + 1) : FIRST_ROOM;
    link->other = realloc(link->other, sizeof *link->other << link->room);
    SS_ASSERT(link->other != NULL);
  }
  link->other[others] = place;
}

static void put_on_links(ss_fair_rates *rates, ss_fair_flow *flow)
{
  for (int32_t h = 0; h < flow->hops; ++h)
    put_on(&rates->link[flow->hop[h].link], (ss_fair_place){flow, flow->hop[h].alike});
}

/* Room for all flows in a group. */
static void make_room(ss_fair_rates *rates)
{
  if (rates->flows < rates->capacity) return;
  rates->capacity = rates->capacity > 0 ? 2 * rates->capacity : 64;
  rates->group = realloc(rates->group, (size_t)rates->capacity * sizeof(ss_fair_flow *));
  SS_ASSERT(rates->group != NULL);
}

static void begin(ss_fair_rates *rates, ss_fair_flow *flow, int32_t path)
{
  int64_t hops;
  const ss_hop *hop = ss_link_paths_hops(rates->paths, path, &hops);
  *flow = (ss_fair_flow){.hop = hop, .hops = (int32_t)hops, .full_link = NO_LINK};
  make_room(rates);
  put_on_links(rates, flow);
  rates->flows++;
}

void ss_fair_rates_enter(ss_fair_rates *rates, ss_fair_flow *flow, int32_t path)
{
  begin(rates, flow, path);
  change_links(rates, flow);
}

bool ss_fair_rates_enter_alone(ss_fair_rates *rates, ss_fair_flow *flow, int32_t path)
{
  int64_t hops;
  const ss_hop *hop = ss_link_paths_hops(rates->paths, path, &hops);
  for (int64_t h = 0; h < hops; ++h)
    if (rates->link[hop[h].link].flows > 0) return false;
  begin(rates, flow, path);
  int32_t narrowest = NO_LINK;
  flow->bytes_per_s = INFINITY;
  for (int64_t h = 0; h < hops; ++h) {
    const double share = rates->paths->bytes_per_s[hop[h].link] / (double)hop[h].alike;
    if (share >= flow->bytes_per_s) continue;
    flow->bytes_per_s = share;
    narrowest = hop[h].link;
  }
  bound_by(rates, flow, narrowest);
  return true;
}

/* Those that began later stay in their order. */
static void take_off(ss_fair_link *link, const ss_fair_flow *flow)
{
  int32_t at = link->flows - 1;
  while (ss_fair_link_place(link, at)->flow != flow) --at;
  const int32_t behind = --link->flows - at;
  if (behind == 0) return;
  if (at == 0) link->first = link->other[0];
  const int32_t to = at > 0 ? at - 1 : 0, moved = at > 0 ? behind : behind - 1;
  memmove(&link->other[to], &link->other[to + 1], (size_t)moved * sizeof *link->other);
}

static void remove_flow(ss_fair_rates *rates, ss_fair_flow *flow)
{
  for (int32_t h = 0; h < flow->hops; ++h) {
    ss_fair_link *link = &rates->link[flow->hop[h].link];
    take_off(link, flow);
    if (flow->full_link == NO_LINK) link->bounds--;
  }
  if (flow->full_link != NO_LINK) rates->link[flow->full_link].bounds--;
  rates->flows--;
}

void ss_fair_rates_leave(ss_fair_rates *rates, ss_fair_flow *flow)
{
  change_links(rates, flow);
  remove_flow(rates, flow);
}

bool ss_fair_rates_leave_alone(ss_fair_rates *rates, ss_fair_flow *flow)
{
  for (int32_t h = 0; h < flow->hops; ++h)
    if (rates->link[flow->hop[h].link].flows > 1) return false;
  remove_flow(rates, flow);
  return true;
}

/* Lists a link of the group at hand; its place there. */
static ss_group_link *list_link(ss_fair_rates *rates, int32_t number)
{
  ss_fair_link *link = &rates->link[number];
  if (link->group != rates->groups) {
    link->group = rates->groups;
    link->position = (int32_t)rates->links++;
    rates->group_link[link->position] = (ss_group_link){.link = number};
  }
  return &rates->group_link[link->position];
}

static bool is_member(const ss_fair_rates *rates, const ss_fair_flow *flow)
{
  return flow->group == rates->groups;
}

static void join(ss_fair_rates *rates, ss_fair_flow *flow)
{
  if (is_member(rates, flow)) return;
  flow->group = rates->groups;
  rates->group[rates->members++] = flow;
  for (int32_t h = 0; h < flow->hops; ++h) {
    ss_group_link *link = list_link(rates, flow->hop[h].link);
    if (link->to_members.flows == 0) rates->order[rates->crossed++] = (int32_t)(link - rates->group_link);
    link->to_members.flows += flow->hop[h].alike;
    link->has_joined = true;
  }
}

/* Lets those flows join, of the links from the `from`-th on, that are new or are bounded by a link on which flows have
 * begun or ended. That may bring more links. */
static void gather(ss_fair_rates *rates, int64_t from)
{
  for (int64_t l = from; l < rates->links; ++l) {
    const int32_t number = rates->group_link[l].link;
    ss_fair_link *link = &rates->link[number];
    if (!link->changed) continue;
    link->changed = false;
    for (int32_t i = link->bounds > 0 ? link->flows : 0; i-- > 0;) {
      ss_fair_flow *flow = ss_fair_link_place(link, i)->flow;
      if (flow->full_link == number || flow->full_link == NO_LINK) join(rates, flow);
    }
  }
}

/* Members on a full link have the share of each, which leaves less of the other links on their path. How many more. */
static int64_t settle(ss_fair_rates *rates, int32_t position, double share)
{
  int64_t settled = 0;
  ss_group_link *full = &rates->group_link[position];
  const ss_fair_link *link = &rates->link[full->link];
  full->share_bytes_per_s = share;
  for (int32_t i = link->flows; i-- > 0;) {
    ss_fair_flow *flow = ss_fair_link_place(link, i)->flow;
    if (!is_member(rates, flow) || flow->settled == rates->shares) continue;
    flow->settled = rates->shares;
    flow->found_bytes_per_s = share;
    bound_by(rates, flow, full->link);
    for (int32_t h = 0; h < flow->hops; ++h)
      ss_filled_link_settle(&rates->fair.link[rates->link[flow->hop[h].link].position], flow->hop[h].alike, share);
    ++settled;
  }
  return settled;
}

/* What others than members have of a link stays theirs, for now. */
static void leave_to_others(const ss_fair_rates *rates, ss_group_link *left)
{
  const ss_fair_link *link = &rates->link[left->link];
  left->to_members.left_bytes_per_s = rates->paths->bytes_per_s[left->link];
  left->most_bytes_per_s = 0.0;
  left->bounded_bytes_per_s = INFINITY;
  left->has_joined = false;
  for (int32_t i = link->flows; i-- > 0;) {
    const ss_fair_place *place = ss_fair_link_place(link, i);
    const ss_fair_flow *flow = place->flow;
    if (is_member(rates, flow)) continue;
    const double bytes_per_s = flow->bytes_per_s;
    ss_filled_link_take(&left->to_members, (double)place->alike * bytes_per_s);
    if (bytes_per_s > left->most_bytes_per_s) left->most_bytes_per_s = bytes_per_s;
    if (flow->full_link == left->link && bytes_per_s < left->bounded_bytes_per_s)
      left->bounded_bytes_per_s = bytes_per_s;
  }
}

/* Finds the rates of members. */
static void share_out(ss_fair_rates *rates)
{
  ss_max_min *fair = &rates->fair;
  rates->shares++;
  for (int64_t l = 0; l < rates->links; ++l) {
    ss_group_link *link = &rates->group_link[l];
    if (link->has_joined) leave_to_others(rates, link);
    link->share_bytes_per_s = INFINITY;
    fair->link[l] = link->to_members;
  }
  fair->count = rates->crossed;
  memcpy(fair->open, rates->order, (size_t)rates->crossed * sizeof *fair->open);
  for (int64_t left = rates->members, settled; left > 0; left -= settled) {
    const double share = ss_max_min_fill(fair);
    settled = 0;
    for (int64_t i = 0; i < fair->full; ++i) settled += settle(rates, fair->open[i], share);
    SS_ASSERT(settled > 0);
  }
}

/* The most that a member has on a link. */
static double most_of_members(const ss_fair_rates *rates, const ss_fair_link *link)
{
  double most = 0.0;
  for (int32_t i = 0; i < link->flows; ++i) {
    const ss_fair_flow *flow = ss_fair_link_place(link, i)->flow;
    if (is_member(rates, flow) && flow->found_bytes_per_s > most) most = flow->found_bytes_per_s;
  }
  return most;
}

/* Nothing is left of a link to members, but for rounding. */
static bool is_used_up(const ss_fair_rates *rates, int64_t position)
{
  const double all = rates->paths->bytes_per_s[rates->group_link[position].link];
  return all - rates->fair.link[position].left_bytes_per_s >= all / SS_SHARE_ROUNDED;
}

/* A flow that is no member keeps its rate unless that is more than members have on a link that they fill, or the link
 * that bounds it is no longer full or no longer carries none that is faster: then it joins. */
static void join_from(ss_fair_rates *rates, int64_t position)
{
  const ss_group_link *listed = &rates->group_link[position];
  const ss_fair_link *link = &rates->link[listed->link];
  const double share = listed->share_bytes_per_s;
  const bool bounds = isfinite(listed->bounded_bytes_per_s);
  const bool is_full = isfinite(share) || (bounds && is_used_up(rates, position));
  const double most = bounds && is_full ? most_of_members(rates, link) / SS_SHARE_ROUNDED : INFINITY;
  if (!(listed->most_bytes_per_s > share * SS_SHARE_ROUNDED || listed->bounded_bytes_per_s < most)) return;
  for (int32_t i = link->flows; i-- > 0;) {
    ss_fair_flow *flow = ss_fair_link_place(link, i)->flow;
    if (is_member(rates, flow)) continue;
    if (flow->bytes_per_s > share * SS_SHARE_ROUNDED || (flow->full_link == listed->link && flow->bytes_per_s < most))
      join(rates, flow);
  }
}

/* Finds the flows whose rates may change, beginning with those on a link on which flows have begun or ended, and these
 * rates. All others keep theirs: each has a full link on its path on which none is faster, and rates for which that
 * holds are the fair ones (Bertsekas and Gallager, Data Networks, 6.5.2). */
static void find_rates(ss_fair_rates *rates, int32_t link)
{
  rates->groups++;
  rates->members = rates->links = rates->crossed = 0;
  (void)list_link(rates, link);
  gather(rates, 0);
  for (int64_t before = 0; rates->members > before;) {
    const int64_t links = rates->links;
    before = rates->members;
    share_out(rates);
    for (int64_t l = 0; l < links; ++l) join_from(rates, l);
    gather(rates, links);
  }
}

bool ss_fair_rates_find_next(ss_fair_rates *rates)
{
  while (rates->seen < rates->changes) {
    const int32_t number = rates->changed[rates->seen++];
    ss_fair_link *link = &rates->link[number];
    if (link->changed && link->flows > 0) {
      find_rates(rates, number);
      return true;
    }
    link->changed = false;
  }
  rates->seen = rates->changes = 0;
  return false;
}
