#include "sim/engine/network/uncontended.h"

#include <stdlib.h>

#include "sim/engine/observe/monitor.h"
#include "sim/engine/observe/trace.h"

/* Memory that is taken a piece at a time and given back as a whole. */
enum { SLAB = 256 };

typedef struct ss_slab {
  struct ss_slab *next;
  ss_uncontended_flow uncontended[SLAB];
  ss_flow_batch batch[SLAB];
} ss_slab;

ss_status ss_occupancy_init(ss_occupancy *occupancy, ss_world *world)
{
  const size_t links = (size_t)world->common->paths.links;
  *occupancy = (ss_occupancy){.world = world, .flows = calloc(links, sizeof *occupancy->flows)};
  occupancy->alone = calloc(links, sizeof *occupancy->alone);
  return occupancy->flows != NULL && occupancy->alone != NULL ? SS_OK : SS_ERROR_MEMORY;
}

void ss_occupancy_free(ss_occupancy *occupancy)
{
  while (occupancy->slabs != NULL) {
    ss_slab *slab = occupancy->slabs;
    occupancy->slabs = slab->next;
    free(slab);
  }
  free(occupancy->flows);
  free(occupancy->alone);
  *occupancy = (ss_occupancy){0};
}

static void add_slab(ss_occupancy *occupancy)
{
  ss_slab *slab = malloc(sizeof *slab);
  SS_ASSERT(slab != NULL);
  slab->next = occupancy->slabs;
  occupancy->slabs = slab;
  for (int i = 0; i < SLAB; ++i) {
    slab->uncontended[i].next = occupancy->free_uncontended;
    occupancy->free_uncontended = &slab->uncontended[i];
    slab->batch[i].next_free = occupancy->free_batches;
    occupancy->free_batches = &slab->batch[i];
  }
}

static ss_uncontended_flow *take_uncontended(ss_occupancy *occupancy)
{
  if (occupancy->free_uncontended == NULL) add_slab(occupancy);
  ss_uncontended_flow *uncontended = occupancy->free_uncontended;
  occupancy->free_uncontended = uncontended->next;
  return uncontended;
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
  const ss_link_path *path = &occupancy->world->common->paths.path[flow->path];
  *count = path->count;
  return &occupancy->world->common->paths.hop[path->first];
}

/* Puts a flow on its links, or takes it off: `alone` is the flow where it has them to itself. */
static void occupy(ss_occupancy *occupancy, const ss_flow *flow, int32_t change, ss_uncontended_flow *alone)
{
  int64_t count;
  const ss_hop *hop = hops_of(occupancy, flow, &count);
  for (int64_t i = 0; i < count; ++i) {
    occupancy->flows[hop[i].link] += change;
    occupancy->alone[hop[i].link] = alone;
  }
}

static void trace(const ss_occupancy *occupancy, const ss_uncontended_flow *uncontended, double end_s, double bytes)
{
  ss_monitor_flow(occupancy->world, uncontended->flow, uncontended->batch->start_s, end_s, bytes);
  ss_trace_flow(occupancy->world, uncontended->flow, uncontended->batch->start_s, end_s, bytes);
}

/* A flow whose time is up but whose event has not come yet leaves its links. */
static void leave(ss_occupancy *occupancy, ss_uncontended_flow *uncontended)
{
  occupy(occupancy, uncontended->flow, -1, NULL);
  trace(occupancy, uncontended, uncontended->batch->end_s, uncontended->bytes);
  uncontended->state = SS_UNCONTENDED_OVER;
}

static bool is_over(const ss_occupancy *occupancy, const ss_uncontended_flow *uncontended)
{
  return uncontended->batch->end_s <= occupancy->world->common->now_s;
}

static bool all_free(ss_occupancy *occupancy, const ss_flow *flow)
{
  int64_t count;
  const ss_hop *hop = hops_of(occupancy, flow, &count);
  bool free = occupancy->world->options->flows != SS_FLOWS_SIMULATED;
  for (int64_t i = 0; i < count; ++i) {
    ss_uncontended_flow *alone = occupancy->alone[hop[i].link];
    if (alone != NULL && is_over(occupancy, alone)) leave(occupancy, alone);
    free = free && occupancy->flows[hop[i].link] == 0;
  }
  return free;
}

static ss_flow_batch *open_batch(ss_occupancy *occupancy, ss_transfer *transfer, double end_s)
{
  const double now_s = occupancy->world->common->now_s;
  ss_flow_batch *latest = occupancy->latest;
  if (latest != NULL && latest->transfer == transfer && latest->start_s == now_s && latest->end_s == end_s)
    return latest;
  latest = take_batch(occupancy);
  *latest = (ss_flow_batch){.transfer = transfer, .start_s = now_s, .end_s = end_s};
  occupancy->latest = latest;
  ss_world_schedule(occupancy->world, end_s, SS_EVENT_FLOWS, latest);
  return latest;
}

/* What a flow has sent until now stays as it was; the rest goes on in company. */
static void meet(ss_occupancy *occupancy, ss_uncontended_flow *uncontended, ss_share *share, void *context)
{
  const ss_flow_batch *batch = uncontended->batch;
  const double left = (batch->end_s - occupancy->world->common->now_s) / (batch->end_s - batch->start_s);
  int64_t count;
  const ss_hop *hop = hops_of(occupancy, uncontended->flow, &count);
  for (int64_t i = 0; i < count; ++i) occupancy->alone[hop[i].link] = NULL;
  uncontended->state = SS_UNCONTENDED_SHARES;
  if (left < 1.0) trace(occupancy, uncontended, occupancy->world->common->now_s, (1.0 - left) * uncontended->bytes);
  share(context, batch->transfer, uncontended->flow, left * uncontended->bytes);
}

void ss_occupancy_enter(ss_occupancy *occupancy, ss_transfer *transfer, const ss_flow *flow, double bytes,
                        ss_share *share, void *context)
{
  if (all_free(occupancy, flow)) {
    ss_uncontended_flow *uncontended = take_uncontended(occupancy);
    ss_flow_batch *batch =
        open_batch(occupancy, transfer,
                   occupancy->world->common->now_s +
                       bytes / ss_link_paths_bytes_per_s(&occupancy->world->common->paths, flow->path));
    *uncontended = (ss_uncontended_flow){.flow = flow, .bytes = bytes, .batch = batch, .next = batch->first};
    batch->first = uncontended;
    occupy(occupancy, flow, 1, uncontended);
    return;
  }
  int64_t count;
  const ss_hop *hop = hops_of(occupancy, flow, &count);
  for (int64_t i = 0; i < count; ++i)
    if (occupancy->alone[hop[i].link] != NULL) meet(occupancy, occupancy->alone[hop[i].link], share, context);
  occupy(occupancy, flow, 1, NULL);
  share(context, transfer, flow, bytes);
}

void ss_occupancy_leave(ss_occupancy *occupancy, const ss_flow *flow)
{
  occupy(occupancy, flow, -1, NULL);
}

ss_transfer *ss_occupancy_end(ss_occupancy *occupancy, ss_flow_batch *batch)
{
  ss_transfer *transfer = batch->transfer;
  bool ended = false;
  for (ss_uncontended_flow *uncontended = batch->first, *next; uncontended != NULL; uncontended = next) {
    next = uncontended->next;
    if (uncontended->state == SS_UNCONTENDED_GOES) leave(occupancy, uncontended);
    if (uncontended->state == SS_UNCONTENDED_OVER) {
      transfer->flows_left--;
      ended = true;
    }
    uncontended->next = occupancy->free_uncontended;
    occupancy->free_uncontended = uncontended;
  }
  if (occupancy->latest == batch) occupancy->latest = NULL;
  batch->next_free = occupancy->free_batches;
  occupancy->free_batches = batch;
  return ended && transfer->flows_left == 0 ? transfer : NULL;
}
