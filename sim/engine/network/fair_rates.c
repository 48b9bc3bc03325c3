#include "sim/engine/network/fair_rates.h"

#include <math.h>
#include <stdlib.h>

enum { NO_LINK = -1 };

ss_status ss_fair_rates_init(ss_fair_rates *rates, const ss_link_paths *paths, int64_t most)
{
  const size_t links = (size_t)paths->links + 1;
  *rates = (ss_fair_rates){.paths = paths,
                           .most = most,
                           .link = calloc(links, sizeof *rates->link),
                           .changed = malloc(links * sizeof *rates->changed),
                           .group_link = malloc(links * sizeof *rates->group_link)};
  if (rates->link == NULL || rates->changed == NULL || rates->group_link == NULL) return SS_ERROR_MEMORY;
  return ss_max_min_init(&rates->fair, paths, paths->links);
}

void ss_fair_rates_free(ss_fair_rates *rates)
{
  ss_max_min_free(&rates->fair);
  free(rates->link);
  free(rates->changed);
  free(rates->group);
  free(rates->group_link);
  *rates = (ss_fair_rates){0};
}

void ss_fair_flow_free(ss_fair_flow *flow)
{
  free(flow->place);
  *flow = (ss_fair_flow){0};
}

/* A flow begins or ends: those on its links may have another rate. */
static void change_links(ss_fair_rates *rates, const ss_fair_flow *flow)
{
  for (int64_t h = 0; h < flow->hops; ++h) {
    ss_fair_link *link = &rates->link[flow->hop[h].link];
    if (!link->changed) rates->changed[rates->changes++] = flow->hop[h].link;
    link->changed = true;
  }
}

static void put_on_links(ss_fair_rates *rates, ss_fair_flow *flow)
{
  for (int64_t h = 0; h < flow->hops; ++h) {
    ss_fair_place *place = &flow->place[h], **first = &rates->link[flow->hop[h].link].first;
    *place = (ss_fair_place){flow, *first, first};
    if (*first != NULL) (*first)->from = &place->next;
    *first = place;
  }
}

/* Room for the places of one flow more, and for all flows in a group. */
static void make_room(ss_fair_rates *rates, ss_fair_flow *flow)
{
  if (flow->places < flow->hops) {
    flow->place = realloc(flow->place, (size_t)flow->hops * sizeof *flow->place);
    SS_ASSERT(flow->place != NULL);
    flow->places = flow->hops;
  }
  if (rates->flows < rates->capacity) return;
  rates->capacity = rates->capacity > 0 ? 2 * rates->capacity : 64;
  rates->group = realloc(rates->group, (size_t)rates->capacity * sizeof(ss_fair_flow *));
  SS_ASSERT(rates->group != NULL);
}

static void begin(ss_fair_rates *rates, ss_fair_flow *flow, int32_t path)
{
  int64_t hops;
  const ss_hop *hop = ss_link_paths_hops(rates->paths, path, &hops);
  *flow = (ss_fair_flow){.hop = hop, .hops = hops, .full_link = NO_LINK, .places = flow->places, .place = flow->place};
  make_room(rates, flow);
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
    if (rates->link[hop[h].link].first != NULL) return false;
  begin(rates, flow, path);
  flow->bytes_per_s = INFINITY;
  for (int64_t h = 0; h < hops; ++h) {
    const double share = rates->paths->bytes_per_s[hop[h].link] / (double)hop[h].alike;
    if (share >= flow->bytes_per_s) continue;
    flow->bytes_per_s = share;
    flow->full_link = hop[h].link;
  }
  return true;
}

void ss_fair_rates_remove(ss_fair_rates *rates, ss_fair_flow *flow)
{
  for (int64_t h = 0; h < flow->hops; ++h) {
    const ss_fair_place *place = &flow->place[h];
    *place->from = place->next;
    if (place->next != NULL) place->next->from = place->from;
  }
  rates->flows--;
}

void ss_fair_rates_leave(ss_fair_rates *rates, ss_fair_flow *flow)
{
  change_links(rates, flow);
  ss_fair_rates_remove(rates, flow);
}

bool ss_fair_rates_leave_alone(ss_fair_rates *rates, ss_fair_flow *flow)
{
  for (int64_t h = 0; h < flow->hops; ++h)
    if (rates->link[flow->hop[h].link].first != &flow->place[h] || flow->place[h].next != NULL) return false;
  ss_fair_rates_remove(rates, flow);
  return true;
}

/* Lists a link of the group at hand. */
static void list_link(ss_fair_rates *rates, int32_t link)
{
  ss_fair_link *listed = &rates->link[link];
  if (listed->group == rates->groups) return;
  listed->group = rates->groups;
  rates->group_link[rates->links++] = link;
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
  for (int64_t h = 0; h < flow->hops; ++h) list_link(rates, flow->hop[h].link);
}

/* Lets those flows join, of the links from the `from`-th on, that are new or are bounded by a link on which flows have
 * begun or ended; or `all` flows. That may bring more links. */
static void gather(ss_fair_rates *rates, int64_t from, bool all)
{
  for (int64_t l = from; l < rates->links; ++l) {
    const int32_t number = rates->group_link[l];
    ss_fair_link *link = &rates->link[number];
    if (!link->changed && !all) continue;
    link->changed = false;
    for (const ss_fair_place *place = link->first; place != NULL; place = place->next)
      if (all || place->flow->full_link == number || place->flow->full_link == NO_LINK) join(rates, place->flow);
  }
}

/* Members on a full link have the share of each, which leaves less of the other links on their path. How many more. */
static int64_t settle(ss_fair_rates *rates, int32_t link, double share)
{
  int64_t settled = 0;
  rates->link[link].share_bytes_per_s = share;
  for (const ss_fair_place *place = rates->link[link].first; place != NULL; place = place->next) {
    ss_fair_flow *flow = place->flow;
    if (!is_member(rates, flow) || flow->settled == rates->fair.groups) continue;
    flow->settled = rates->fair.groups;
    flow->found_bytes_per_s = share;
    flow->full_link = link;
    ss_max_min_settle(&rates->fair, flow->hop, flow->hops, share);
    ++settled;
  }
  return settled;
}

/* What others than members have of a link stays theirs, for now. */
static void leave_to_others(ss_fair_rates *rates, int32_t link)
{
  rates->link[link].share_bytes_per_s = INFINITY;
  for (const ss_fair_place *place = rates->link[link].first; place != NULL; place = place->next) {
    const ss_fair_flow *flow = place->flow;
    if (is_member(rates, flow)) continue;
    ss_max_min_take(&rates->fair, link, (double)flow->hop[place - flow->place].alike * flow->bytes_per_s);
  }
}

/* Finds the rates of members. */
static void share_out(ss_fair_rates *rates)
{
  ss_max_min *fair = &rates->fair;
  ss_max_min_begin(fair);
  for (int64_t i = 0; i < rates->members; ++i) ss_max_min_add_flow(fair, rates->group[i]->hop, rates->group[i]->hops);
  for (int64_t l = 0; l < rates->links; ++l) {
    ss_max_min_add_link(fair, rates->group_link[l]);
    leave_to_others(rates, rates->group_link[l]);
  }
  for (int64_t left = rates->members, settled; left > 0; left -= settled) {
    const double share = ss_max_min_fill(fair);
    settled = 0;
    for (int64_t i = 0; i < fair->full; ++i) settled += settle(rates, fair->group_link[i], share);
    SS_ASSERT(settled > 0);
  }
}

/* The most that a member has on a link. */
static double most_of_members(const ss_fair_rates *rates, const ss_fair_link *link)
{
  double most = 0.0;
  for (const ss_fair_place *place = link->first; place != NULL; place = place->next)
    if (is_member(rates, place->flow)) most = fmax(most, place->flow->found_bytes_per_s);
  return most;
}

/* A flow that is no member keeps its rate unless that is more than members have on a link that they fill, or the link
 * that bounds it is no longer full or no longer carries none that is faster: then it joins. */
static void join_from(ss_fair_rates *rates, int32_t number)
{
  const ss_fair_link *link = &rates->link[number];
  const double most = most_of_members(rates, link) / SS_SHARE_ROUNDED, share = link->share_bytes_per_s;
  const bool is_full = isfinite(share) || ss_max_min_is_used_up(&rates->fair, number);
  for (const ss_fair_place *place = link->first; place != NULL; place = place->next) {
    ss_fair_flow *flow = place->flow;
    if (is_member(rates, flow)) continue;
    const bool bounds = flow->full_link == number;
    if (flow->bytes_per_s > share * SS_SHARE_ROUNDED || (bounds && (!is_full || flow->bytes_per_s < most)))
      join(rates, flow);
  }
}

/* Finds the flows whose rates may change, beginning with those on a link on which flows have begun or ended, and these
 * rates. All others keep theirs: each has a full link on its path on which none is faster, and rates for which that
 * holds are the fair ones (Bertsekas and Gallager, Data Networks, 6.5.2). */
static void find_rates(ss_fair_rates *rates, int32_t link)
{
  rates->groups++;
  rates->members = rates->links = 0;
  list_link(rates, link);
  gather(rates, 0, false);
  for (int64_t before = 0; rates->members > before && rates->members <= rates->most;) {
    const int64_t links = rates->links;
    before = rates->members;
    share_out(rates);
    for (int64_t l = 0; l < links; ++l) join_from(rates, rates->group_link[l]);
    gather(rates, links, false);
  }
}

bool ss_fair_rates_find_next(ss_fair_rates *rates)
{
  while (rates->seen < rates->changes) {
    const int32_t number = rates->changed[rates->seen++];
    ss_fair_link *link = &rates->link[number];
    if (link->changed && link->first != NULL) {
      find_rates(rates, number);
      return true;
    }
    link->changed = false;
  }
  rates->seen = rates->changes = 0;
  return false;
}

void ss_fair_rates_join_all(ss_fair_rates *rates)
{
  gather(rates, 0, true);
}
