#include "sim/engine/lone.h"

#include <stdlib.h>

#include "sim/engine/record.h"
#include "sim/engine/watch.h"

/* Memory that is taken a piece at a time and given back as a whole. */
enum { SLAB = 256 };

typedef struct ss_slab {
  struct ss_slab *next;
  ss_lone lone[SLAB];
  ss_bundle bundle[SLAB];
} ss_slab;

ss_status ss_lanes_init(ss_lanes *lanes, ss_world *world)
{
  const size_t links = (size_t)world->common->ways.links;
  *lanes = (ss_lanes){.world = world, .flows = calloc(links, sizeof *lanes->flows)};
  lanes->alone = calloc(links, sizeof *lanes->alone);
  return lanes->flows != NULL && lanes->alone != NULL ? SS_OK : SS_ERROR_MEMORY;
}

void ss_lanes_free(ss_lanes *lanes)
{
  while (lanes->slabs != NULL) {
    ss_slab *slab = lanes->slabs;
    lanes->slabs = slab->next;
    free(slab);
  }
  free(lanes->flows);
  free(lanes->alone);
  *lanes = (ss_lanes){0};
}

static void add_slab(ss_lanes *lanes)
{
  ss_slab *slab = malloc(sizeof *slab);
  SS_ASSERT(slab != NULL);
  slab->next = lanes->slabs;
  lanes->slabs = slab;
  for (int i = 0; i < SLAB; ++i) {
    slab->lone[i].next = lanes->free_lones;
    lanes->free_lones = &slab->lone[i];
    slab->bundle[i].next_free = lanes->free_bundles;
    lanes->free_bundles = &slab->bundle[i];
  }
}

static ss_lone *take_lone(ss_lanes *lanes)
{
  if (lanes->free_lones == NULL) add_slab(lanes);
  ss_lone *lone = lanes->free_lones;
  lanes->free_lones = lone->next;
  return lone;
}

static ss_bundle *take_bundle(ss_lanes *lanes)
{
  if (lanes->free_bundles == NULL) add_slab(lanes);
  ss_bundle *bundle = lanes->free_bundles;
  lanes->free_bundles = bundle->next_free;
  return bundle;
}

static const ss_hop *hops_of(const ss_lanes *lanes, const ss_edge *edge, int64_t *count)
{
  const ss_way *way = &lanes->world->common->ways.way[edge->way];
  *count = way->count;
  return &lanes->world->common->ways.hop[way->first];
}

/* Puts a flow on its links, or takes it off: `alone` is the flow where it has them to itself. */
static void occupy(ss_lanes *lanes, const ss_edge *edge, int32_t change, ss_lone *alone)
{
  int64_t count;
  const ss_hop *hop = hops_of(lanes, edge, &count);
  for (int64_t i = 0; i < count; ++i) {
    lanes->flows[hop[i].link] += change;
    lanes->alone[hop[i].link] = alone;
  }
}

static void record(const ss_lanes *lanes, const ss_lone *lone, double end_s, double bytes)
{
  ss_watch_flow(lanes->world, lone->edge, lone->bundle->start_s, end_s, bytes);
  ss_record_flow(lanes->world, lone->edge, lone->bundle->start_s, end_s, bytes);
}

/* A flow whose time is up but whose event has not come yet leaves its links. */
static void leave(ss_lanes *lanes, ss_lone *lone)
{
  occupy(lanes, lone->edge, -1, NULL);
  record(lanes, lone, lone->bundle->end_s, lone->bytes);
  lone->state = SS_LONE_OVER;
}

static bool is_over(const ss_lanes *lanes, const ss_lone *lone)
{
  return lone->bundle->end_s <= lanes->world->common->now_s;
}

static bool all_free(ss_lanes *lanes, const ss_edge *edge)
{
  int64_t count;
  const ss_hop *hop = hops_of(lanes, edge, &count);
  bool free = lanes->world->options->flows != SS_FLOWS_SIMULATED;
  for (int64_t i = 0; i < count; ++i) {
    ss_lone *alone = lanes->alone[hop[i].link];
    if (alone != NULL && is_over(lanes, alone)) leave(lanes, alone);
    free = free && lanes->flows[hop[i].link] == 0;
  }
  return free;
}

static ss_bundle *open_bundle(ss_lanes *lanes, ss_transfer *transfer, double end_s)
{
  const double now_s = lanes->world->common->now_s;
  ss_bundle *latest = lanes->latest;
  if (latest != NULL && latest->transfer == transfer && latest->start_s == now_s && latest->end_s == end_s)
    return latest;
  latest = take_bundle(lanes);
  *latest = (ss_bundle){.transfer = transfer, .start_s = now_s, .end_s = end_s};
  lanes->latest = latest;
  ss_world_schedule(lanes->world, end_s, SS_EVENT_FLOWS, latest);
  return latest;
}

/* What a flow has sent until now stays as it was; the rest goes on in company. */
static void meet(ss_lanes *lanes, ss_lone *lone, ss_share *share, void *context)
{
  const ss_bundle *bundle = lone->bundle;
  const double left = (bundle->end_s - lanes->world->common->now_s) / (bundle->end_s - bundle->start_s);
  int64_t count;
  const ss_hop *hop = hops_of(lanes, lone->edge, &count);
  for (int64_t i = 0; i < count; ++i) lanes->alone[hop[i].link] = NULL;
  lone->state = SS_LONE_SHARES;
  if (left < 1.0) record(lanes, lone, lanes->world->common->now_s, (1.0 - left) * lone->bytes);
  share(context, bundle->transfer, lone->edge, left * lone->bytes);
}

void ss_lanes_enter(ss_lanes *lanes, ss_transfer *transfer, const ss_edge *edge, double bytes, ss_share *share,
                    void *context)
{
  if (all_free(lanes, edge)) {
    ss_lone *lone = take_lone(lanes);
    ss_bundle *bundle =
        open_bundle(lanes, transfer,
                    lanes->world->common->now_s + bytes / ss_ways_bytes_per_s(&lanes->world->common->ways, edge->way));
    *lone = (ss_lone){.edge = edge, .bytes = bytes, .bundle = bundle, .next = bundle->first};
    bundle->first = lone;
    occupy(lanes, edge, 1, lone);
    return;
  }
  int64_t count;
  const ss_hop *hop = hops_of(lanes, edge, &count);
  for (int64_t i = 0; i < count; ++i)
    if (lanes->alone[hop[i].link] != NULL) meet(lanes, lanes->alone[hop[i].link], share, context);
  occupy(lanes, edge, 1, NULL);
  share(context, transfer, edge, bytes);
}

void ss_lanes_leave(ss_lanes *lanes, const ss_edge *edge)
{
  occupy(lanes, edge, -1, NULL);
}

ss_transfer *ss_lanes_end(ss_lanes *lanes, ss_bundle *bundle)
{
  ss_transfer *transfer = bundle->transfer;
  bool ended = false;
  for (ss_lone *lone = bundle->first, *next; lone != NULL; lone = next) {
    next = lone->next;
    if (lone->state == SS_LONE_GOES) leave(lanes, lone);
    if (lone->state == SS_LONE_OVER) {
      transfer->flows_left--;
      ended = true;
    }
    lone->next = lanes->free_lones;
    lanes->free_lones = lone;
  }
  if (lanes->latest == bundle) lanes->latest = NULL;
  bundle->next_free = lanes->free_bundles;
  lanes->free_bundles = bundle;
  return ended && transfer->flows_left == 0 ? transfer : NULL;
}
