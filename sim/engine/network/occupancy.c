#include "sim/engine/network/occupancy.h"

#include <math.h>
#include <stdlib.h>

ss_status ss_occupancy_init(ss_occupancy *occupancy, const ss_link_paths *paths, const ss_link_paths *told,
                            const ss_observers *observers)
{
  const size_t links = (size_t)paths->links, count = (size_t)paths->hops.count;
  *occupancy = (ss_occupancy){.paths = paths,
                              .told = told,
                              .observers = observers,
                              .alone_bytes_per_s = malloc((count + 1) * sizeof *occupancy->alone_bytes_per_s),
                              .use = calloc(links + 1, sizeof *occupancy->use)};
  if (occupancy->alone_bytes_per_s == NULL || occupancy->use == NULL) return SS_ERROR_MEMORY;
  for (size_t link = 0; link < links; ++link) occupancy->use[link].zone = -1;
  for (size_t path = 0; path < count; ++path)
    occupancy->alone_bytes_per_s[path] = ss_link_paths_alone_bytes_per_s(paths, (int32_t)path);
  return SS_OK;
}

void ss_occupancy_free(ss_occupancy *occupancy)
{
  ss_pool_free(&occupancy->flows);
  ss_pool_free(&occupancy->batches);
  ss_bursts_free(&occupancy->bursts);
  free(occupancy->alone_bytes_per_s);
  free(occupancy->use);
  *occupancy = (ss_occupancy){0};
}

ss_status ss_occupancy_find_bursts(ss_occupancy *occupancy, const ss_phase_flows *phase, int64_t phases)
{
  if (phases == 0) return SS_OK;
  const int64_t links = occupancy->paths->links;
  int32_t *zone = malloc((size_t)(links + 1) * sizeof *zone);
  const ss_status status =
      zone != NULL ? ss_bursts_init(&occupancy->bursts, occupancy->paths, phase, phases, zone) : SS_ERROR_MEMORY;
  for (int64_t link = 0; status == SS_OK && link < links; ++link) occupancy->use[link].zone = zone[link];
  free(zone);
  return status;
}

static const ss_hop *hops_of(const ss_occupancy *occupancy, const ss_flow *flow, int64_t *count)
{
  return ss_link_paths_hops(occupancy->paths, flow->path, count);
}

/* Puts a flow on its links, or takes it off: `alone` is the flow where it has them to itself. */
static void occupy(ss_occupancy *occupancy, const ss_flow *flow, int change, ss_uncontended_flow *alone)
{
  int64_t count;
  const ss_hop *hop = hops_of(occupancy, flow, &count);
  for (int64_t i = 0; i < count; ++i) {
    ss_link_use *use = &occupancy->use[hop[i].link];
    use->flows += change;
    use->alone = alone;
    if (use->zone >= 0) occupancy->bursts.zone[use->zone].flows += change;
  }
}

static void tell(const ss_occupancy *occupancy, ss_carried carried)
{
  carried.hop = ss_link_paths_hops(occupancy->told, carried.flow->path, &carried.hops);
  SS_TELL(occupancy->observers, flow, &carried);
}

/* An uncontended flow whose time is up leaves its links; the alarm may not have come yet. */
static void end_alone(ss_occupancy *occupancy, ss_uncontended_flow *alone)
{
  occupy(occupancy, alone->flow, -1, NULL);
  tell(occupancy, (ss_carried){.flow = alone->flow,
                               .start_s = alone->batch->start_s,
                               .end_s = alone->batch->end_s,
                               .bytes = alone->bytes,
                               .is_over = true});
  alone->state = SS_UNCONTENDED_OVER;
}

static double part_end_s(const ss_flow_batch *batch, const ss_burst_part *part)
{
  return batch->start_s + part->s_per_byte * batch->volume_bytes;
}

static const ss_flow *flow_of_part(const ss_occupancy *occupancy, const ss_burst_part *part, int64_t i)
{
  return &part->flow[occupancy->bursts.member[part->first + i]];
}

/* What a flow of a part has carried: a `each` of ss_carried_together. */
static ss_carried carried_of_part(const ss_carried_together *all, int64_t i)
{
  const ss_occupancy *occupancy = all->self;
  const ss_flow *flow = flow_of_part(occupancy, &occupancy->bursts.part[all->number], i);
  ss_carried carried = {.flow = flow,
                        .start_s = all->start_s,
                        .end_s = all->end_s,
                        .bytes = flow->share * all->volume_bytes,
                        .is_over = true};
  carried.hop = ss_link_paths_hops(occupancy->told, flow->path, &carried.hops);
  return carried;
}

static void tell_each(const ss_observer *observer, const ss_carried_together *all)
{
  for (int64_t i = 0; i < all->count; ++i) {
    const ss_carried carried = all->each(all, i);
    observer->flow(observer->self, &carried);
  }
}

static void tell_together(const ss_observers *observers, const ss_carried_together *all)
{
  for (int i = 0; i < observers->count; ++i) {
    const ss_observer *observer = observers->observer[i];
    if (observer->flows != NULL)
      observer->flows(observer->self, all);
    else if (observer->flow != NULL)
      tell_each(observer, all);
  }
}

/* A part whose time is up leaves its zone; the alarm of its burst may not have come yet. */
static void end_part(ss_occupancy *occupancy, ss_burst_zone *zone)
{
  ss_flow_batch *batch = zone->batch;
  const ss_carried_together all = {.number = zone->part - occupancy->bursts.part,
                                   .start_s = batch->start_s,
                                   .end_s = part_end_s(batch, zone->part),
                                   .volume_bytes = batch->volume_bytes,
                                   .count = zone->part->count,
                                   .self = occupancy,
                                   .each = carried_of_part};
  tell_together(occupancy->observers, &all);
  batch->over += zone->part->count;
  zone->batch = NULL;
}

/* Somebody comes to a zone: the flows of the part go on one by one. */
static void break_part(ss_occupancy *occupancy, ss_burst_zone *zone, ss_share *share, void *context)
{
  ss_burst_zone broken = *zone;
  const ss_flow_batch *batch = broken.batch;
  const double passed_s = occupancy->now_s - batch->start_s,
               left = 1.0 - passed_s / (broken.part->s_per_byte * batch->volume_bytes);
  zone->batch = NULL;
  for (int64_t i = 0; i < broken.part->count; ++i) {
    const ss_flow *flow = flow_of_part(occupancy, broken.part, i);
    const double bytes = flow->share * batch->volume_bytes;
    occupy(occupancy, flow, 1, NULL);
    if (passed_s > 0.0)
      tell(occupancy,
           (ss_carried){
               .flow = flow, .start_s = batch->start_s, .end_s = occupancy->now_s, .bytes = (1.0 - left) * bytes});
    share(context, batch->set, flow, left * bytes);
  }
}

/* The bursts in the zones of a flow that begins. */
static void meet_bursts(ss_occupancy *occupancy, const ss_flow *flow, ss_share *share, void *context)
{
  int64_t count;
  const ss_hop *hop = hops_of(occupancy, flow, &count);
  for (int64_t i = 0; i < count; ++i) {
    const int32_t index = occupancy->use[hop[i].link].zone;
    if (index < 0) continue;
    ss_burst_zone *zone = &occupancy->bursts.zone[index];
    if (zone->batch == NULL) continue;
    if (part_end_s(zone->batch, zone->part) <= occupancy->now_s)
      end_part(occupancy, zone);
    else
      break_part(occupancy, zone, share, context);
  }
}

static bool all_free(ss_occupancy *occupancy, const ss_flow *flow)
{
  int64_t count;
  const ss_hop *hop = hops_of(occupancy, flow, &count);
  bool free = true;
  for (int64_t i = 0; i < count; ++i) {
    const ss_link_use *use = &occupancy->use[hop[i].link];
    if (use->alone != NULL && use->alone->batch->end_s <= occupancy->now_s) end_alone(occupancy, use->alone);
    free = free && use->flows == 0;
  }
  return free;
}

/* Adds a flow to the batch that starts now and ends with it; the alarm of that, where it is new. */
static ss_flow_alarm add_to_batch(ss_occupancy *occupancy, ss_flow_set *set, double end_s, ss_uncontended_flow *flow)
{
  ss_flow_batch *batch = occupancy->latest;
  const bool is_new = batch == NULL || batch->set != set || batch->start_s != occupancy->now_s || batch->end_s != end_s;
  if (is_new) {
    batch = occupancy->latest = ss_pool_take(&occupancy->batches, sizeof *batch);
    *batch = (ss_flow_batch){.set = set, .start_s = occupancy->now_s, .end_s = end_s};
  }
  flow->batch = batch;
  flow->next = batch->first;
  batch->first = flow;
  return (ss_flow_alarm){end_s, is_new ? batch : NULL};
}

/* What a flow has sent until now stays as it was; the rest goes on in company. */
static void meet(ss_occupancy *occupancy, ss_uncontended_flow *met, ss_share *share, void *context)
{
  const ss_flow_batch *batch = met->batch;
  const double left = (batch->end_s - occupancy->now_s) / (batch->end_s - batch->start_s);
  int64_t count;
  const ss_hop *hop = hops_of(occupancy, met->flow, &count);
  for (int64_t i = 0; i < count; ++i) occupancy->use[hop[i].link].alone = NULL;
  met->state = SS_UNCONTENDED_SHARES;
  if (left < 1.0)
    tell(occupancy, (ss_carried){.flow = met->flow,
                                 .start_s = batch->start_s,
                                 .end_s = occupancy->now_s,
                                 .bytes = (1.0 - left) * met->bytes});
  share(context, batch->set, met->flow, left * met->bytes);
}

ss_flow_alarm ss_occupancy_enter(ss_occupancy *occupancy, ss_flow_set *set, const ss_flow *flow, double bytes,
                                 ss_share *share, void *context)
{
  SS_TELL(occupancy->observers, flow_begin, flow, occupancy->now_s);
  if (occupancy->bursts.count > 0) meet_bursts(occupancy, flow, share, context);
  if (all_free(occupancy, flow)) {
    ss_uncontended_flow *alone = ss_pool_take(&occupancy->flows, sizeof *alone);
    *alone = (ss_uncontended_flow){.flow = flow, .bytes = bytes};
    occupy(occupancy, flow, 1, alone);
    const double end_s = occupancy->now_s + bytes / occupancy->alone_bytes_per_s[flow->path];
    return add_to_batch(occupancy, set, end_s, alone);
  }
  int64_t count;
  const ss_hop *hop = hops_of(occupancy, flow, &count);
  for (int64_t i = 0; i < count; ++i)
    if (occupancy->use[hop[i].link].alone != NULL) meet(occupancy, occupancy->use[hop[i].link].alone, share, context);
  occupy(occupancy, flow, 1, NULL);
  share(context, set, flow, bytes);
  return (ss_flow_alarm){0};
}

/* Nobody is in the zones of a burst. */
static bool has_zones(ss_occupancy *occupancy, const ss_burst *burst)
{
  bool free = true;
  for (int64_t p = burst->first; free && p < burst->first + burst->parts; ++p) {
    ss_burst_zone *zone = &occupancy->bursts.zone[occupancy->bursts.part[p].zone];
    if (zone->batch != NULL && part_end_s(zone->batch, zone->part) <= occupancy->now_s) end_part(occupancy, zone);
    free = zone->flows == 0 && zone->batch == NULL;
  }
  return free;
}

ss_flow_alarm ss_occupancy_enter_together(ss_occupancy *occupancy, ss_flow_set *set, const ss_flow *flow,
                                          double volume_bytes)
{
  const ss_burst *burst = ss_bursts_find(&occupancy->bursts, flow);
  if (burst == NULL || !(volume_bytes > 0.0) || !has_zones(occupancy, burst)) return (ss_flow_alarm){0};
  ss_flow_batch *batch = ss_pool_take(&occupancy->batches, sizeof *batch);
  *batch = (ss_flow_batch){.set = set, .start_s = occupancy->now_s, .burst = burst, .volume_bytes = volume_bytes};
  for (int64_t p = burst->first; p < burst->first + burst->parts; ++p) {
    const ss_burst_part *part = &occupancy->bursts.part[p];
    ss_burst_zone *zone = &occupancy->bursts.zone[part->zone];
    zone->batch = batch;
    zone->part = part;
    batch->end_s = fmax(batch->end_s, part_end_s(batch, part));
  }
  for (int64_t i = 0; i < burst->flows.count; ++i)
    SS_TELL(occupancy->observers, flow_begin, &burst->flows.flow[i], occupancy->now_s);
  return (ss_flow_alarm){batch->end_s, batch};
}

void ss_occupancy_leave(ss_occupancy *occupancy, const ss_flow *flow, double start_s, double end_s, double bytes)
{
  tell(occupancy, (ss_carried){.flow = flow, .start_s = start_s, .end_s = end_s, .bytes = bytes, .is_over = true});
  occupy(occupancy, flow, -1, NULL);
}

static void give_back(ss_occupancy *occupancy, ss_flow_batch *batch)
{
  if (occupancy->latest == batch) occupancy->latest = NULL;
  ss_pool_give(&occupancy->batches, batch);
}

/* The alarm of a burst. */
static ss_flow_set *end_burst(ss_occupancy *occupancy, ss_flow_batch *batch)
{
  const ss_burst *burst = batch->burst;
  ss_flow_set *set = batch->set;
  for (int64_t p = burst->first; p < burst->first + burst->parts; ++p) {
    ss_burst_zone *zone = &occupancy->bursts.zone[occupancy->bursts.part[p].zone];
    if (zone->batch == batch) end_part(occupancy, zone);
  }
  const bool ended = batch->over > 0;
  set->left -= batch->over;
  give_back(occupancy, batch);
  return ended && set->left == 0 ? set : NULL;
}

ss_flow_set *ss_occupancy_end(ss_occupancy *occupancy, ss_flow_batch *batch)
{
  if (batch->burst != NULL) return end_burst(occupancy, batch);
  ss_flow_set *set = batch->set;
  bool ended = false;
  for (ss_uncontended_flow *flow = batch->first, *next; flow != NULL; flow = next) {
    next = flow->next;
    if (flow->state == SS_UNCONTENDED_GOES) end_alone(occupancy, flow);
    if (flow->state == SS_UNCONTENDED_OVER) {
      set->left--;
      ended = true;
    }
    ss_pool_give(&occupancy->flows, flow);
  }
  give_back(occupancy, batch);
  return ended && set->left == 0 ? set : NULL;
}
