#include "sim/engine/core/run.h"

#include <math.h>
#include <stdio.h>

#include "sim/engine/core/ahead.h"
#include "sim/engine/core/calls.h"
#include "sim/engine/core/data_ops.h"
#include "sim/engine/core/kernels.h"
#include "sim/engine/core/passes.h"
#include "sim/engine/core/prefetch.h"
#include "sim/engine/core/restart.h"
#include "sim/engine/core/side_by_side.h"
#include "sim/engine/core/tasks.h"
#include "sim/engine/core/ties.h"

static ss_status report_deadlock(const ss_world *world, ss_error *error)
{
  static const char *const texts[] = {
#define SS_WAIT_TEXT(id, text) text,
      SS_WAIT_LIST(SS_WAIT_TEXT)
#undef SS_WAIT_TEXT
  };
  enum { NAMED = 4 };
  char who[SS_MESSAGE_SIZE - 128] = "";
  size_t used = 0;
  int64_t named = 0;
  for (int64_t i = 0; i < world->replica_count && named < NAMED; ++i) {
    const ss_stage_replica *replica = &world->replica[i];
    if (replica->twin != replica || (replica->phase == SS_PHASE_END && replica->wait == SS_WAITS_NOTHING)) continue;
    const int written = snprintf(
        who + used, sizeof who - used, "; stage %lld of replica %lld waits for %s at micro-batch %lld",
        (long long)replica->stage, (long long)replica->dp, texts[replica->wait], (long long)replica->work.micro_batch);
    if (written > 0) used += (size_t)written;
    named++;
  }
  return ss_error_set(error, SS_ERROR_DEADLOCK, NULL, 0, "deadlock at %.9f s; stage replicas that never end: %lld%s",
                      world->common->now_s, (long long)world->replicas_left, who);
}

/* The timer of a replica's kernels: they are a run, or a piece of its live task. */
static void end_kernels(ss_world *world, ss_stage_replica *replica)
{
  if (!ss_kernels_end(world, replica)) return;
  if (replica->wait == SS_WAITS_TIMER || ss_live_task_kernel_over(world, replica)) ss_replica_resume(world, replica);
}

static void end_flows(ss_world *world, ss_flow_batch *batch)
{
  const ss_flow_network *network = world->common->network;
  ss_flow_set *flows = network->end(network->self, batch, world->common->now_s);
  if (flows != NULL) ss_transfer_flows_over(ss_transfer_of(flows));
}

/* All replicas of a group are there: the collective starts, or they go on at once. */
static void meet(ss_transfer *transfer)
{
  if (!ss_group_goes_through(transfer)) ss_call_meet(transfer);
}

static void handle(const ss_event *event)
{
  ss_world *world = event->owner;
  switch ((ss_event_kind)event->kind) {
  case SS_EVENT_REPLICA: ss_replica_resume(world, event->subject); break;
  case SS_EVENT_KERNEL: end_kernels(world, event->subject); break;
  case SS_EVENT_LAUNCH: ss_transfer_launch(event->subject, SS_WAVE_ALL); break;
  case SS_EVENT_LAUNCH_INSIDE: ss_transfer_launch(event->subject, SS_WAVE_INSIDE); break;
  case SS_EVENT_LAUNCH_ACROSS: ss_transfer_launch(event->subject, SS_WAVE_ACROSS); break;
  case SS_EVENT_FLOWS: end_flows(world, event->subject); break;
  case SS_EVENT_ARRIVED: ss_transfer_arrived(event->subject); break;
  case SS_EVENT_MEETING: meet(event->subject); break;
  }
}

/* Somebody let a replica go on: it does where it waits for just that. */
static void wake(ss_world *world, const ss_wake *woken)
{
  ss_stage_replica *replica = woken->replica;
  if (replica->wait != woken->awaited) return;
  replica->ended = woken->transfer->ended;
  if (woken->awaited != SS_WAITS_TASK || ss_live_task_call_over(world, replica, woken->transfer))
    ss_replica_resume(world, replica);
}

/* What to ask for of each replica before its turn comes: nothing where all that are simulated are in a cache. */
static size_t often_bytes(const ss_world *world)
{
  enum { MANY = 1024 };
  return world->result.simulated_stage_replicas >= MANY ? SS_REPLICA_OFTEN_BYTES : 0;
}

static void wake_all(ss_world *world)
{
  enum { AHEAD = 2 };
  const size_t often = often_bytes(world);
  for (int64_t i = 0; i < world->woken.count; ++i) {
    const ss_wake woken = world->woken.wake[i];
    if (often > 0 && i + AHEAD < world->woken.count) ss_prefetch(world->woken.wake[i + AHEAD].replica, often);
    wake(world, &woken);
  }
  world->woken.count = 0;
}

/* Both jobs that are on the network. */
static void wake_everybody(ss_world *world)
{
  wake_all(world);
  if (world->co_scheduled != NULL) wake_all(world->co_scheduled);
}

static void handle_all_until_now(ss_world *world)
{
  const ss_flow_network *network = world->common->network;
  const size_t often = often_bytes(world);
  ss_flow_set *arrived;
  while (network != NULL && (arrived = network->arrived(network->self)) != NULL) {
    ss_transfer_flows_over(ss_transfer_of(arrived));
    wake_everybody(world);
  }
  while (world->common->queue.count > 0 && ss_event_queue_next_s(&world->common->queue) <= world->common->now_s) {
    const ss_event event = ss_event_queue_take(&world->common->queue);
    if (often > 0) ss_event_queue_expect(&world->common->queue, often);
    handle(&event);
    wake_everybody(world);
  }
}

/* The iteration is that of the replica that takes longest, from when it starts: 0, unless iterations run into one
 * another.
 */
static void conclude(ss_world *world)
{
  const ss_stage_replica *last = &world->replica[0];
  for (int64_t i = 1; i < world->replica_count; ++i) {
    const ss_stage_replica *replica = &world->replica[i];
    if (replica->twin == replica && replica->finish_s - replica->start_s > last->finish_s - last->start_s)
      last = replica;
  }
  world->result.breakdown = last->parts;
  world->result.breakdown.iteration_s = last->finish_s - last->start_s;
  world->result.critical_stage = last->stage;
  world->result.critical_replica = last->dp;
  world->result.behind_s = last->behind_s;
  if (world->common->network != NULL) world->result.exposed = last->exposed;
}

/* Every so many rounds, writers may flush what they sort, and a person may see that it goes on. */
#define ROUNDS_BETWEEN_FLUSHES 256
#define ROUNDS_BETWEEN_REPORTS 4096

static double share_done(const ss_world *world)
{
  return (double)world->passes_done / (double)world->passes;
}

static void report_now_and_then(ss_world *world, int64_t round)
{
  if (round % ROUNDS_BETWEEN_FLUSHES != 0) return;
  SS_TELL(&world->observers, round, round);
  if (round % ROUNDS_BETWEEN_REPORTS == 0 && world->options->progress != NULL)
    world->options->progress(share_done(world));
}

static void start_replicas(ss_world *world)
{
  for (int64_t i = 0; i < world->replica_count; ++i)
    if (world->replica[i].twin == &world->replica[i]) ss_replica_start(world, &world->replica[i]);
}

/* Nothing of the job is on its way, or ever will be. */
static bool is_stuck(const ss_world *world)
{
  bool moves = ss_event_queue_has(&world->common->queue, world);
  for (int64_t i = 0; i < world->replica_count; ++i) {
    const ss_stage_replica *replica = &world->replica[i];
    moves = moves || replica->call.active || replica->outbox[0].transfer.active || replica->outbox[1].transfer.active;
  }
  for (int64_t i = 0; i < world->job->stages * world->shards; ++i) moves = moves || world->dp_group[i].transfer.active;
  for (int64_t i = 0; i < world->job->stages * world->expert_groups; ++i)
    for (int meeting = 0; meeting < SS_MEETINGS; ++meeting) moves = moves || world->expert[i].transfer[meeting].active;
  for (int64_t i = 0; i < world->ties; ++i) moves = moves || world->tie[i].transfer.active;
  return !moves;
}

/* The other job goes on with its next iteration, unless the first one never ends. */
static ss_status go_on_co_scheduled(ss_world *world, ss_error *error)
{
  ss_world *co_scheduled = world->co_scheduled;
  if (co_scheduled == NULL || co_scheduled->replicas_left > 0) return SS_OK;
  if (world->replicas_left > 0 && is_stuck(world)) return report_deadlock(world, error);
  world->result.co_scheduled_iterations++;
  world->result.co_scheduled_iteration_s = world->common->now_s / (double)world->result.co_scheduled_iterations;
  ss_world_restart(co_scheduled);
  start_replicas(co_scheduled);
  return SS_OK;
}

/* Time goes on to the next event, or to an arrival before it; false where nothing will ever happen. */
static bool pass_time(ss_common *common)
{
  const ss_flow_network *network = common->network;
  const bool waits = common->queue.count > 0;
  if (!waits && (network == NULL || network->is_idle(network->self))) return false;
  const double until_s = waits ? ss_event_queue_tie(&common->queue, common->tie_s) : INFINITY;
  common->now_s = network != NULL ? network->wait(network->self, common->now_s, until_s) : until_s;
  common->events_s = common->now_s;
  return true;
}

/* A replay that has to start again goes on as long as it took to see that, and a little longer: what else it learns
 * saves others. One that has seen a lot by then goes on for a little. */
static bool is_over(ss_world *world)
{
  enum { LITTLE = 16 };
  if (world->only_looks && (world->in_vain || world->is_crowded)) return true;
  if (world->in_vain && world->enough == 0)
    world->enough = (world->stops_soon ? 1 : 2) * world->passes_done + world->passes / LITTLE;
  return world->replicas_left == 0 || (world->in_vain && world->passes_done >= world->enough);
}

static ss_status run(ss_world *world, ss_error *error)
{
  world->common->events_s = world->common->now_s;
  start_replicas(world);
  if (world->co_scheduled != NULL) start_replicas(world->co_scheduled);
  wake_everybody(world);
  for (int64_t round = 1; !is_over(world); ++round) {
    if (!pass_time(world->common)) return report_deadlock(world, error);
    handle_all_until_now(world);
    const ss_status status = go_on_co_scheduled(world, error);
    if (status != SS_OK) return status;
    report_now_and_then(world, round);
    if (ss_budget_is_due(round) && ss_budget_check(&world->options->budget, share_done(world), error) != SS_OK)
      return SS_ERROR_BUDGET;
  }
  conclude(world);
  return SS_OK;
}

ss_status ss_world_run(ss_world *world, ss_error *error)
{
  if (ss_budget_check(&world->options->budget, 0.0, error) != SS_OK) return SS_ERROR_BUDGET;
  ss_ahead_begin(world);
  const ss_status status = run(world, error);
  ss_ahead_end(world);
  return status;
}
