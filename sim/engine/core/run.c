/* The main loop of a replay, and how it ends. */
#include <math.h>
#include <stdio.h>

#include "sim/engine/network/simgrid.h"
#include "sim/engine/observe/monitor.h"
#include "sim/engine/observe/trace.h"

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

void ss_world_schedule(ss_world *world, double time_s, ss_event_kind kind, void *subject)
{
  ss_event_queue_add(&world->common->queue,
                     (ss_event){.time_s = time_s, .kind = (int)kind, .subject = subject, .owner = world});
}

static void end_flows(ss_world *world, ss_flow_batch *batch)
{
  ss_transfer *transfer = ss_network_end(world->common->network, batch);
  if (transfer != NULL) ss_transfer_flows_over(transfer->world, transfer);
}

static void handle(const ss_event *event)
{
  ss_world *world = event->owner;
  switch ((ss_event_kind)event->kind) {
  case SS_EVENT_REPLICA: ss_replica_resume(world, event->subject); break;
  case SS_EVENT_KERNEL: ss_kernel_timer(world, event->subject); break;
  case SS_EVENT_LAUNCH: ss_transfer_launch(world, event->subject); break;
  case SS_EVENT_FLOWS: end_flows(world, event->subject); break;
  case SS_EVENT_ARRIVED: ss_transfer_arrived(world, event->subject); break;
  }
}

static void handle_all_until_now(ss_world *world)
{
  ss_transfer *arrived;
  while (world->common->network != NULL && (arrived = ss_network_arrived(world->common->network)) != NULL)
    ss_transfer_flows_over(arrived->world, arrived);
  for (const ss_event *next = ss_event_queue_next(&world->common->queue);
       next != NULL && next->time_s <= world->common->now_s; next = ss_event_queue_next(&world->common->queue)) {
    const ss_event event = ss_event_queue_take(&world->common->queue);
    handle(&event);
  }
}

/* The iteration is that of the replica that takes longest, from when it starts: 0, unless iterations run into one
 * another.
 */
static const ss_stage_replica *conclude(ss_world *world)
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
  return last;
}

/* Every so many rounds, writers may flush and a person may see that it goes on. */
#define ROUNDS_BETWEEN_REPORTS 4096

static double share_done(const ss_world *world)
{
  return (double)world->passes_done / (double)world->passes;
}

static void report_now_and_then(ss_world *world, int64_t round)
{
  if (round % ROUNDS_BETWEEN_REPORTS != 0) return;
  ss_trace_advance(world);
  if (world->options->progress != NULL) world->options->progress(share_done(world));
}

static void start_replicas(ss_world *world)
{
  for (int64_t i = 0; i < world->replica_count; ++i)
    if (world->replica[i].twin == &world->replica[i]) ss_replica_start(world, &world->replica[i]);
}

/* Nothing of the job is under path, or ever will be. */
static bool is_stuck(const ss_world *world)
{
  bool moves = false;
  for (int64_t i = 0; i < world->common->queue.count; ++i) moves = moves || world->common->queue.heap[i].owner == world;
  for (int64_t i = 0; i < world->replica_count; ++i) {
    const ss_stage_replica *replica = &world->replica[i];
    moves = moves || replica->call.active || replica->outbox[0].transfer.active || replica->outbox[1].transfer.active;
  }
  for (int64_t i = 0; i < world->job->stages * world->shards; ++i) moves = moves || world->dp_group[i].transfer.active;
  for (int64_t i = 0; i < world->job->stages * world->expert_groups; ++i)
    moves = moves || world->expert[i].transfer.active;
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

ss_status ss_world_run(ss_world *world, ss_error *error)
{
  ss_trace_open(world);
  start_replicas(world);
  if (world->co_scheduled != NULL) start_replicas(world->co_scheduled);
  for (int64_t round = 1; world->replicas_left > 0; ++round) {
    const ss_event *next = ss_event_queue_next(&world->common->queue);
    if (next == NULL && (world->common->network == NULL || ss_network_is_idle(world->common->network)))
      return report_deadlock(world, error);
    const double until_s = next != NULL ? next->time_s : INFINITY;
    world->common->now_s = world->common->network != NULL
                               ? ss_network_wait(world->common->network, world->common->now_s, until_s)
                               : until_s;
    handle_all_until_now(world);
    const ss_status status = go_on_co_scheduled(world, error);
    if (status != SS_OK) return status;
    report_now_and_then(world, round);
    if (ss_budget_is_due(round) && ss_budget_check(&world->options->budget, share_done(world), error) != SS_OK)
      return SS_ERROR_BUDGET;
  }
  const ss_status status = ss_monitor_conclude(world, conclude(world), error);
  return status == SS_OK ? ss_trace_close(world, error) : status;
}
