#include "sim/engine/setup/quiet.h"

#include <stdlib.h>

#include "model/plan/task_time.h"
#include "sim/engine/core/calls.h"
#include "sim/engine/core/exposed.h"
#include "sim/engine/core/legs.h"
#include "sim/engine/core/pieces.h"

/* Looks whether links are crossed once in a phase. */
typedef struct look {
  const ss_world *world;
  const ss_links *links;
  int64_t *seen; /* [links] the last phase that crossed each; owned */
  int64_t phases;
} look;

/* A flow goes from port to port, both as fast as those that times are computed with and crossed by no other. */
static bool has_ports(look *l, const ss_flow *flow)
{
  int64_t hops;
  const ss_hop *hop = ss_link_paths_hops(&l->links->paths, flow->path, &hops);
  bool own = !flow->fabric && hops == 2;
  for (int64_t h = 0; own && h < hops; ++h) {
    own = l->seen[hop[h].link] != l->phases &&
          l->links->paths.bytes_per_s[hop[h].link] == l->world->job->network.nvlink_bytes_per_s;
    l->seen[hop[h].link] = l->phases;
  }
  return own;
}

/* Each rank of the replica sends and receives the same in a phase. */
static bool is_even(look *l, const ss_route *route, int phase)
{
  int64_t flows = 0;
  double share = 0.0;
  bool even = true;
  ++l->phases;
  for (int64_t e = 0; even && e < route->count; ++e) {
    const ss_flow *flow = &route->flow[e];
    if (flow->phase != phase) continue;
    if (flows++ == 0) share = flow->share;
    even = flow->share == share && has_ports(l, flow);
  }
  return even && flows == l->world->width;
}

static bool is_like(const ss_route *route, const ss_route *first)
{
  bool like = !route->uneven && route->span.domains == 1 && ss_span_is_like(route->span, first->span) &&
              route->phases == first->phases && route->count == first->count;
  for (int64_t e = 0; like && e < route->count; ++e)
    like = route->flow[e].share == first->flow[e].share && route->flow[e].phase == first->flow[e].phase;
  return like;
}

/* The flows of a group of all replicas are alike, and each phase of them has its links to itself. */
static bool has_own_links(look *l, ss_group group)
{
  const ss_world *world = l->world;
  bool own = l->links->fabric != NULL && !world->computed[group] && !ss_group_joins_replicas(group);
  for (int64_t i = 0; own && i < world->replica_count; ++i)
    for (int64_t m = 0; own && m < world->methods[group].count; ++m) {
      const ss_route *route = &world->replica[i].route[group][m];
      own = is_like(route, &world->replica[0].route[group][m]);
      for (int phase = 0; own && phase < route->phases; ++phase) own = is_even(l, route, phase);
    }
  return own;
}

/* Messages use NVLink, or slow kernels down: neither end is quiet. */
static void mark_messages(ss_world *world)
{
  for (int64_t i = 0; i < world->replica_count; ++i)
    for (int side = 0; side < SS_SIDES; ++side)
      for (int w = 0; w < SS_WAYS; ++w) {
        ss_stage_replica *replica = &world->replica[i];
        const ss_message_way *way = &replica->outbox[side].way[w];
        bool touches = way->route.count > 0 && world->job->machine->fabric_compute_cost > 0.0;
        for (int64_t e = 0; e < way->route.count; ++e) touches = touches || !way->route.flow[e].fabric;
        if (!touches) continue;
        replica->may_be_quiet = false;
        world->replica[way->stage * world->job->replicas + replica->dp].may_be_quiet = false;
      }
}

/* Where hosts launch kernels, or passes run in pairs, or another job is on the links, steps do not follow one another
 * by themselves. */
static bool has_quiet_passes(const ss_world *world)
{
  const ss_job *job = world->job;
  return !job->shape.pairs && !job->host.active && world->options->flows == SS_FLOWS_SHARED &&
         world->options->co_scheduled == NULL;
}

ss_status ss_quiet_find(ss_world *world, const ss_links *links)
{
  if (!has_quiet_passes(world)) return SS_OK;
  look l = {.world = world, .links = links, .seen = calloc((size_t)links->paths.links + 1, sizeof *l.seen)};
  if (l.seen == NULL) return SS_ERROR_MEMORY;
  for (int group = 0; group < SS_GROUPS; ++group) world->own_links[group] = has_own_links(&l, (ss_group)group);
  free(l.seen);
  for (int64_t i = 0; i < world->replica_count; ++i) world->replica[i].may_be_quiet = true;
  mark_messages(world);
  return SS_OK;
}

/* Its kernel and its collectives, one after the other, begin together. */
static bool is_side_by_side(const ss_task *task)
{
  const ss_pieces begin = {.task = task};
  return task->computes && task->calls > 0 && ss_pieces_of_kernel(task) == 1 && task->overlap.call_pieces <= 1 &&
         ss_pieces_may_start_kernel(&begin) && ss_pieces_may_start_call(&begin);
}

bool ss_quiet_has_task(const ss_world *world, const ss_task *task)
{
  const bool one_thing = task->overlap.kernel_pieces == 0 && (task->calls == 0 || !task->computes);
  bool known = one_thing || is_side_by_side(task);
  for (int64_t i = 0; i < task->calls; ++i) {
    const ss_group group = task->call[i].group;
    known = known && !ss_group_joins_replicas(group) && (world->computed[group] || world->own_links[group]);
  }
  return known;
}

static void add_leg(ss_world *world, ss_leg leg, ss_step *run)
{
  ss_legs *legs = &world->legs;
  if (legs->count == legs->capacity) {
    legs->capacity = 2 * legs->capacity + 64;
    legs->leg = realloc(legs->leg, (size_t)legs->capacity * sizeof *legs->leg);
    SS_ASSERT(legs->leg != NULL);
  }
  if (run->legs++ == 0) run->first_leg = legs->count;
  SS_ASSERT(run->first_leg + run->legs == legs->count + 1);
  legs->leg[legs->count++] = leg;
  run->leg_bytes += leg.bytes;
}

/* Flows of a collective, phase by phase, as ss_transfer_start goes through them; what that takes. */
static double add_phases(ss_world *world, ss_transfer *transfer, ss_step *run)
{
  const double before_s = transfer->latency_s;
  double flows_s = 0.0;
  for (transfer->phase = 0; transfer->phase < transfer->phases; ++transfer->phase) {
    const ss_flow *flow = &transfer->route->flow[ss_route_first(transfer->route, transfer->phase)];
    const double bytes = flow->share * transfer->volume_bytes, start_up_s = ss_transfer_start_up(transfer).across_s;
    const double time_s = bytes / world->job->network.nvlink_bytes_per_s;
    add_leg(world, (ss_leg){.time_s = start_up_s}, run);
    add_leg(world, (ss_leg){.time_s = time_s, .bytes = bytes}, run);
    transfer->latency_s += start_up_s;
    flows_s += time_s;
    run->flows++;
    run->flow_bytes += bytes;
  }
  return transfer->latency_s - before_s + flows_s;
}

/* The legs from `first` on are those of a collective with a kernel beside it. */
static void put_beside(ss_world *world, ss_span span, int64_t first)
{
  ss_leg *leg = world->legs.leg;
  SS_ASSERT(first < world->legs.count);
  const double cost = world->slows ? ss_machine_compute_cost(world->job->machine, ss_span_transport(span)) : 0.0;
  for (int64_t i = first; i < world->legs.count; ++i) leg[i].beside |= SS_LEG_BESIDE;
  leg[first].beside |= SS_LEG_CALL_BEGINS;
  leg[first].rate = 1.0 - cost;
  leg[world->legs.count - 1].beside |= SS_LEG_CALL_ENDS;
}

static void add_call(ss_world *world, const ss_call_place *at, ss_pieces *pieces, ss_step *run)
{
  const ss_group group = at->task->call[at->call].group;
  ss_transfer transfer = ss_call_transfer(world, &world->replica[0]);
  ss_call_prepare(at, &transfer, world->replica[0].route[group]);
  const ss_comm_time alone =
      ss_job_call_piece(world->job, at->kind, at->pass, at->task, at->call, transfer.route->span);
  const int64_t first = world->legs.count;
  double all_s = ss_comm_time_sum(alone);
  if (world->computed[group])
    add_leg(world, (ss_leg){.time_s = all_s}, run);
  else
    all_s = add_phases(world, &transfer, run);
  if (at->task->computes) put_beside(world, transfer.route->span, first);
  const double latency_s = world->computed[group] ? alone.latency_s : transfer.latency_s;
  const ss_exposed parts = ss_transfer_parts(all_s, latency_s, alone.transfer_s);
  ss_pieces_end_call(pieces, all_s, &parts);
}

/* The collectives whose legs begin at `first` have a kernel beside them. What all that takes, and what it costs the
 * kernel. */
static double join(ss_world *world, double kernel_s, int64_t first, ss_pieces *pieces)
{
  ss_leg *leg = world->legs.leg;
  ss_leg_walk walk = {.tie_s = world->common->tie_s};
  leg[first].beside |= SS_LEG_KERNEL;
  leg[first].kernel_s = kernel_s;
  leg[world->legs.count - 1].beside |= SS_LEG_JOINS;
  for (int64_t i = first; i < world->legs.count; ++i) ss_leg_walk_go(&walk, &leg[i]);
  pieces->slowed_s = world->slows ? walk.slowed_s : 0.0;
  return walk.time_s;
}

void ss_quiet_add_task(ss_world *world, ss_task_place at, ss_step *run)
{
  const ss_task *task = at.task;
  const int64_t first = world->legs.count;
  ss_pieces pieces = {.task = task};
  double kernel_s = 0.0, exposed_s;
  if (task->computes) {
    pieces.kernel = ss_job_kernel_piece(world->job, at.kind, at.pass, task);
    kernel_s = ss_duration_kernel_s(pieces.kernel);
  }
  if (task->calls == 0) add_leg(world, (ss_leg){.time_s = kernel_s}, run);
  for (int64_t call = 0; call < task->calls; ++call)
    add_call(world, &(ss_call_place){task, call, at.kind, at.pass}, &pieces, run);
  const bool beside = task->computes && task->calls > 0;
  const double task_s = beside ? join(world, kernel_s, first, &pieces) : kernel_s + ss_pieces_calls_s(&pieces);
  run->parts = ss_duration_add(run->parts, ss_pieces_parts(&pieces, task_s, &exposed_s));
  run->slowed_s += pieces.slowed_s;
  ss_exposed_add(&run->exposed, exposed_s, &pieces.call_parts);
}

void ss_quiet_add_run(ss_world *world, const ss_step *added, ss_step *run)
{
  add_leg(world, (ss_leg){.time_s = ss_duration_sum(added->parts) + added->slowed_s, .bytes = added->nvlink_bytes},
          run);
  ss_settle_run(added, run);
}

void ss_quiet_add_legs(ss_world *world, const ss_step *added, ss_step *run)
{
  for (int64_t i = 0; i < added->legs; ++i) add_leg(world, world->legs.leg[added->first_leg + i], run);
  run->flows += added->flows;
  run->flow_bytes += added->flow_bytes;
  ss_settle_run(added, run);
}
