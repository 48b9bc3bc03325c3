#include "sim/engine/simgrid/uncontended.h"

#include <math.h>
#include <stdlib.h>

/* Memory that is taken a piece at a time and given back as a whole. */
enum { SLAB = 256 };

typedef struct ss_slab {
  struct ss_slab *next;
  ss_uncontended_flow flow[SLAB];
  ss_flow_batch batch[SLAB];
} ss_slab;

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
  for (size_t path = 0; path < count; ++path)
    occupancy->alone_bytes_per_s[path] = ss_link_paths_alone_bytes_per_s(paths, (int32_t)path);
  return SS_OK;
}

void ss_occupancy_free(ss_occupancy *occupancy)
{
  while (occupancy->slabs != NULL) {
    ss_slab *slab = occupancy->slabs;
    occupancy->slabs = slab->next;
    free(slab);
  }
  free(occupancy->alone_bytes_per_s);
  free(occupancy->use);
  *occupancy = (ss_occupancy){0};
}

static void add_slab(ss_occupancy *occupancy)
{
  ss_slab *slab = malloc(sizeof *slab);
  SS_ASSERT(slab != NULL);
  slab->next = occupancy->slabs;
  occupancy->slabs = slab;
  for (int i = 0; i < SLAB; ++i) {
    slab->flow[i].next = occupancy->free_flows;
    occupancy->free_flows = &slab->flow[i];
    slab->batch[i].next_free = occupancy->free_batches;
    occupancy->free_batches = &slab->batch[i];
  }
}

static ss_uncontended_flow *take_flow(ss_occupancy *occupancy)
{
  if (occupancy->free_flows == NULL) add_slab(occupancy);
  ss_uncontended_flow *taken = occupancy->free_flows;
  occupancy->free_flows = taken->next;
  return taken;
}

static ss_flow_batch *take_batch(ss_occupancy *occupancy)
{
  if (occupancy->free_batches == NULL) add_slab(occupancy);
  ss_flow_batch *batch = occupancy->free_batches;
  occupancy->free_batches = batch->next_free;
  return batch;
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

static bool all_free(ss_occupancy *occupancy, const ss_flow *flow)
{
  int64_t count;
  const ss_hop *hop = hops_of(occupancy, flow, &count);
  bool free = !occupancy->simulate_all;
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
    batch = occupancy->latest = take_batch(occupancy);
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
  if (all_free(occupancy, flow)) {
    ss_uncontended_flow *alone = take_flow(occupancy);
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

void ss_occupancy_leave(ss_occupancy *occupancy, const ss_flow *flow, double start_s, double end_s, double bytes)
{
  tell(occupancy, (ss_carried){.flow = flow, .start_s = start_s, .end_s = end_s, .bytes = bytes, .is_over = true});
  occupy(occupancy, flow, -1, NULL);
}

ss_flow_set *ss_occupancy_end(ss_occupancy *occupancy, ss_flow_batch *batch)
{
  ss_flow_set *set = batch->set;
  bool ended = false;
  for (ss_uncontended_flow *flow = batch->first, *next; flow != NULL; flow = next) {
    next = flow->next;
    if (flow->state == SS_UNCONTENDED_GOES) end_alone(occupancy, flow);
    if (flow->state == SS_UNCONTENDED_OVER) {
      set->left--;
      ended = true;
    }
    flow->next = occupancy->free_flows;
    occupancy->free_flows = flow;
  }
  if (occupancy->latest == batch) occupancy->latest = NULL;
  batch->next_free = occupancy->free_batches;
  occupancy->free_batches = batch;
  return ended && set->left == 0 ? set : NULL;
}
