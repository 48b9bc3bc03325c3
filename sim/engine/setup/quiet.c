#include "sim/engine/setup/quiet.h"

#include <stdlib.h>

#include "model/plan/task_time.h"
#include "sim/engine/core/calls.h"
#include "sim/engine/core/exposed.h"
#include "sim/engine/core/legs.h"
#include "sim/engine/core/pieces.h"
#include "sim/engine/setup/routes.h"

/* Looks whether links are crossed once in a phase. */
typedef struct look {
  ss_world *world;
  const ss_links *links;
  int64_t *seen;     /* [links] the last phase that crossed each; owned */
  int64_t phases;    /* of routes so far */
  int64_t *replicas; /* [expert groups of a stage] in each; owned */
} look;

/* A flow goes from port to port, both as fast as those that times are computed with and crossed by no other in this
 * phase. */
static bool has_ports(look *l, const ss_flow *flow)
{
  const int64_t phase = l->phases + 1 + flow->phase;
  int64_t hops;
  const ss_hop *hop = ss_link_paths_hops(&l->links->paths, flow->path, &hops);
  bool own = !flow->fabric && hops == 2;
  for (int64_t h = 0; own && h < hops; ++h) {
    own = l->seen[hop[h].link] < phase &&
          l->links->paths.bytes_per_s[hop[h].link] == l->world->job->network.nvlink_bytes_per_s;
    l->seen[hop[h].link] = phase;
  }
  return own;
}

/* Each of the ranks sends and receives the same in a phase. Groups of some of them follow one another in a route, and
 * list the same, phase by phase. */
static bool is_even(look *l, const ss_route *route, int64_t ranks)
{
  const int64_t size = route->span.size;
  bool even = size > 0 && ranks % size == 0 && route->count == ranks * route->phases;
  for (int64_t e = 0; even && e < route->count; ++e) {
    const ss_flow *flow = &route->flow[e], *first = &route->flow[e % (size * route->phases)];
    const ss_flow *before = first > route->flow ? first - 1 : first;
    const bool follows = flow->phase > before->phase || (flow->phase == before->phase && flow->share == before->share);
    even = flow->phase == first->phase && flow->share == first->share && follows && has_ports(l, flow);
  }
  l->phases += route->phases;
  return even;
}

static bool is_like(const ss_route *route, const ss_route *first)
{
  bool like = !route->uneven && route->span.domains == 1 && ss_span_is_like(route->span, first->span) &&
              route->phases == first->phases && route->count == first->count;
  for (int64_t e = 0; like && e < route->count; ++e)
    like = route->flow[e].share == first->flow[e].share && route->flow[e].phase == first->flow[e].phase;
  return like;
}

/* The flows of a group of ranks are like those of the first one that is so, and each phase of them has its links to
 * itself. */
static bool has_own_links(look *l, ss_group group, const ss_route *route, int64_t ranks)
{
  const ss_route *like = l->world->own_routes[group];
  if (like == NULL) like = route;
  bool own = l->links->fabric != NULL;
  for (int64_t m = 0; own && m < l->world->methods[group].count; ++m) {
    own = is_like(&route[m], &like[m]);
    own = own && is_even(l, &route[m], ranks);
  }
  if (own) l->world->own_routes[group] = like;
  return own;
}

/* Collectives inside replicas: of all or of none. */
static void look_inside(look *l, ss_group group)
{
  ss_world *world = l->world;
  bool own = !world->computed[group];
  for (int64_t i = 0; own && i < world->replica_count; ++i)
    own = has_own_links(l, group, world->replica[i].route[group], world->width);
  if (!own) world->own_routes[group] = NULL;
}

/* Whether exchanges take as long in one group as in another, on private links. */
static bool take_as_long(const ss_world *world, const ss_expert_group *a, const ss_expert_group *b)
{
  bool as_long = true;
  for (int group = 0; group < SS_GROUPS; ++group)
    for (int64_t m = 0; a->route[group] != NULL && !world->computed[group] && m < world->methods[group].count; ++m)
      as_long = as_long && ss_span_is_like(a->route[group][m].span, b->route[group][m].span);
  return as_long;
}

/* Collectives for which replicas meet, on private links: groups over domains in one way have quiet passes of a kind, as
 * long as there are kinds. What all of a stage agree on has to take as long in all stages. */
static void find_quiet(ss_world *world, ss_expert_group *experts)
{
  if (experts->route[SS_GROUP_STAGE] != NULL) {
    experts->quiet = world->computed[SS_GROUP_STAGE] ? SS_QUIET_ALONE : SS_QUIET_MEETS;
    return;
  }
  int quiet = SS_QUIET_ALONE;
  while (quiet < SS_QUIETS && world->quiet_group[quiet] != NULL &&
         !take_as_long(world, experts, world->quiet_group[quiet]))
    ++quiet;
  if (quiet == SS_QUIETS) return;
  if (world->quiet_group[quiet] == NULL) world->quiet_group[quiet] = experts;
  experts->quiet = (ss_quiet)quiet;
}

/* Collectives for which replicas meet: of one group. */
static void look_at_experts(look *l, ss_expert_group *experts)
{
  const int64_t ranks = l->world->width * l->replicas[experts->index];
  experts->has_own_links = true;
  for (int group = 0; group < SS_GROUPS; ++group)
    if (experts->route[group] != NULL && !l->world->computed[group])
      experts->has_own_links =
          experts->has_own_links && has_own_links(l, (ss_group)group, experts->route[group], ranks);
  if (experts->has_own_links) experts->quiet = SS_QUIET_ALONE;
  if (l->links->fabric == NULL) find_quiet(l->world, experts);
}

/* Groups of one index have the same replicas in all stages. */
static void count_replicas(look *l)
{
  const ss_world *world = l->world;
  for (int64_t dp = 0; world->expert_group_of != NULL && dp < world->job->replicas; ++dp)
    l->replicas[world->expert_group_of[dp]]++;
  if (world->all_meet) l->replicas[world->expert_groups - 1] = world->job->replicas;
}

static void find_own_links(look *l)
{
  const ss_world *world = l->world;
  for (int group = 0; group < SS_GROUPS; ++group)
    if (!ss_group_joins_replicas((ss_group)group)) look_inside(l, (ss_group)group);
  count_replicas(l);
  for (int64_t i = 0; i < world->job->stages * world->expert_groups; ++i) look_at_experts(l, &world->expert[i]);
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
bool ss_quiet_is_possible(const ss_world *world)
{
  const ss_job *job = world->job;
  return !job->shape.pairs && !job->host.active && world->options->flows == SS_FLOWS_SHARED &&
         world->options->co_scheduled == NULL;
}

ss_status ss_quiet_find(ss_world *world, const ss_links *links)
{
  if (!ss_quiet_is_possible(world)) return SS_OK;
  look l = {.world = world,
            .links = links,
            .seen = calloc((size_t)links->paths.links + 1, sizeof *l.seen),
            .replicas = calloc((size_t)world->expert_groups + 1, sizeof *l.replicas)};
  const bool allocated = l.seen != NULL && l.replicas != NULL;
  if (allocated) find_own_links(&l);
  free(l.seen);
  free(l.replicas);
  if (!allocated) return SS_ERROR_MEMORY;
  for (int64_t i = 0; i < world->replica_count; ++i) world->replica[i].may_be_quiet = true;
  mark_messages(world);
  return SS_OK;
}

/* Whether the expert groups of a replica have a property. */
static bool have_groups(const ss_world *world, const ss_stage_replica *replica, bool (*has)(const ss_expert_group *))
{
  bool have = world->expert_groups > 0;
  if (have && world->expert_group_of != NULL)
    have = has(ss_world_expert_group(world, SS_GROUP_EXPERT, replica->stage, replica->dp));
  if (have && world->all_meet) have = has(ss_world_expert_group(world, SS_GROUP_STAGE, replica->stage, replica->dp));
  return have;
}

static bool is_own(const ss_expert_group *experts)
{
  return experts->has_own_links;
}

static bool is_alone(const ss_expert_group *experts)
{
  return experts->quiet != SS_QUIET_MEETS && experts->members == 1;
}

bool ss_quiet_has_exchanges(const ss_world *world, const ss_stage_replica *replica)
{
  return have_groups(world, replica, is_own);
}

ss_quiet ss_quiet_of(const ss_world *world, const ss_stage_replica *replica)
{
  if (!have_groups(world, replica, is_alone)) return SS_QUIET_MEETS;
  if (world->expert_group_of == NULL) return SS_QUIET_ALONE;
  return ss_world_expert_group(world, SS_GROUP_EXPERT, replica->stage, replica->dp)->quiet;
}

void ss_quiet_choose(ss_world *world, ss_quiet quiet)
{
  const ss_expert_group *experts = world->quiet_group[quiet];
  for (int group = 0; experts != NULL && group < SS_GROUPS; ++group)
    if (experts->route[group] != NULL) world->own_routes[group] = experts->route[group];
}

/* A piece of a task's kernel, and one of its collectives, that begin together. */
typedef struct turn {
  bool kernel, calls;
} turn;

/* What may start when nothing of a task is in progress. */
static turn turn_of(const ss_pieces *pieces)
{
  return (turn){ss_pieces_may_start_kernel(pieces), ss_pieces_may_start_call(pieces)};
}

static ss_pieces after_turn(ss_pieces pieces, turn done)
{
  pieces.kernels_done += done.kernel;
  pieces.calls_done += done.calls;
  return pieces;
}

/* A task goes turn by turn: nothing starts until both the kernel and the collectives of a turn are over. */
static bool goes_in_turns(const ss_task *task)
{
  bool turns = true;
  for (ss_pieces pieces = {.task = task}; turns && !ss_pieces_are_over(&pieces);) {
    const turn next = turn_of(&pieces);
    const ss_pieces computed = after_turn(pieces, (turn){.kernel = next.kernel});
    const ss_pieces called = after_turn(pieces, (turn){.calls = next.calls});
    if (next.kernel && next.calls) turns = !ss_pieces_may_start_kernel(&computed) && !ss_pieces_may_start_call(&called);
    SS_ASSERT(next.kernel || next.calls);
    pieces = after_turn(pieces, next);
  }
  return turns;
}

bool ss_quiet_has_task(const ss_world *world, const ss_task *task, bool exchanges)
{
  bool known = goes_in_turns(task);
  for (int64_t i = 0; i < task->calls; ++i) {
    const ss_group group = task->call[i].group;
    if (ss_group_joins_replicas(group)) known = known && exchanges && !task->computes;
    known = known && (world->computed[group] || world->own_routes[group] != NULL);
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

static void add_call(ss_world *world, const ss_call_place *at, bool beside, ss_pieces *pieces, ss_step *run)
{
  const ss_group group = at->task->call[at->call].group;
  ss_transfer transfer = ss_call_transfer(world, &world->replica[0]);
  ss_call_prepare(at, &transfer,
                  world->computed[group] ? ss_routes_of_group(world, group, 0) : world->own_routes[group]);
  const ss_comm_time alone =
      ss_job_call_piece(world->job, at->kind, at->pass, at->task, at->call, transfer.route->span);
  const int64_t first = world->legs.count;
  double all_s = ss_comm_time_sum(alone);
  const bool is_timed = world->computed[group] || world->options->private_links;
  if (is_timed)
    add_leg(world, (ss_leg){.time_s = all_s}, run);
  else
    all_s = add_phases(world, &transfer, run);
  if (beside) put_beside(world, transfer.route->span, first);
  const double latency_s = is_timed ? alone.latency_s : transfer.latency_s;
  const ss_exposed parts = ss_transfer_parts(all_s, latency_s, alone.transfer_s);
  ss_pieces_end_call(pieces, all_s, &parts);
}

/* The collectives whose legs begin at `first` have a piece of a kernel beside them. What all that takes; adds what it
 * costs the kernel. */
static double join(ss_world *world, double kernel_s, int64_t first, ss_pieces *pieces)
{
  ss_leg *leg = world->legs.leg;
  ss_leg_walk walk = {.tie_s = world->common->tie_s};
  leg[first].beside |= SS_LEG_KERNEL;
  leg[first].kernel_s = kernel_s;
  leg[world->legs.count - 1].beside |= SS_LEG_JOINS;
  for (int64_t i = first; i < world->legs.count; ++i) ss_leg_walk_go(&walk, &leg[i]);
  if (world->slows) pieces->slowed_s += walk.slowed_s;
  return walk.time_s;
}

/* What a turn of a task takes. */
static double add_turn(ss_world *world, ss_task_place at, turn next, ss_pieces *pieces, ss_step *run)
{
  const int64_t first = world->legs.count;
  const double kernel_s = next.kernel ? ss_duration_kernel_s(pieces->kernel) : 0.0,
               before_s = ss_pieces_calls_s(pieces);
  const ss_leg_kernels kernels = {
      .task = (int16_t)(at.task - ss_job_tasks(world->job, at.kind, at.pass)->task),
      .piece = (int16_t)pieces->kernels_done,
      .some = next.kernel,
  };
  pieces->kernels_done += next.kernel;
  if (!next.calls) {
    add_leg(world, (ss_leg){.time_s = kernel_s, .kernels = kernels}, run);
    return kernel_s;
  }
  for (int64_t call = 0; call < at.task->calls; ++call)
    add_call(world, &(ss_call_place){at.task, call, at.kind, at.pass}, next.kernel, pieces, run);
  if (!next.kernel) return ss_pieces_calls_s(pieces) - before_s;
  world->legs.leg[first].kernels = kernels;
  return join(world, kernel_s, first, pieces);
}

void ss_quiet_add_task(ss_world *world, ss_task_place at, ss_step *run)
{
  ss_pieces pieces = {.task = at.task};
  ss_duration parts;
  double task_s = 0.0;
  if (at.task->computes) pieces.kernel = ss_job_kernel_piece(world->job, at.kind, at.pass, at.task);
  while (!ss_pieces_are_over(&pieces)) task_s += add_turn(world, at, turn_of(&pieces), &pieces, run);
  const double exposed_s = ss_pieces_parts(&pieces, task_s, &parts);
  run->parts = ss_duration_add(run->parts, parts);
  run->slowed_s += pieces.slowed_s;
  ss_exposed_add(&run->exposed, exposed_s, &pieces.call_parts);
}

void ss_quiet_add_run(ss_world *world, const ss_step *added, ss_step *run)
{
  const ss_leg_kernels kernels = {.task = (int16_t)added->first, .count = (int16_t)added->count, .some = true};
  add_leg(world,
          (ss_leg){.time_s = ss_duration_sum(added->parts) + added->slowed_s,
                   .bytes = added->nvlink_bytes,
                   .kernels = kernels},
          run);
  ss_settle_run(added, run);
}

void ss_quiet_add_legs(ss_world *world, const ss_step *added, int64_t position, ss_step *run)
{
  for (int64_t i = 0; i < added->legs; ++i) {
    ss_leg leg = world->legs.leg[added->first_leg + i];
    leg.kernels.position = (int32_t)position;
    add_leg(world, leg, run);
  }
  run->flows += added->flows;
  run->flow_bytes += added->flow_bytes;
  ss_settle_run(added, run);
}
