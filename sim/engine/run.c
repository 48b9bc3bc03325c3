/* The main loop of a replay, and how it ends. */
#include <math.h>
#include <stdio.h>

#include "sim/engine/network.h"
#include "sim/engine/record.h"
#include "sim/engine/watch.h"

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
  for (int64_t i = 0; i < world->cell_count && named < NAMED; ++i) {
    const ss_cell *cell = &world->cell[i];
    if (cell->twin != cell || (cell->phase == SS_PHASE_END && cell->wait == SS_WAITS_NOTHING)) continue;
    const int written = snprintf(
        who + used, sizeof who - used, "; stage %lld of replica %lld waits for %s at micro-batch %lld",
        (long long)cell->stage, (long long)cell->replica, texts[cell->wait], (long long)cell->work.micro_batch);
    if (written > 0) used += (size_t)written;
    named++;
  }
  return ss_error_set(error, SS_ERROR_DEADLOCK, NULL, 0, "deadlock at %.9f s; cells that never end: %lld%s",
                      world->common->now_s, (long long)world->cells_left, who);
}

void ss_world_schedule(ss_world *world, double time_s, ss_event_kind kind, void *subject)
{
  ss_agenda_add(&world->common->agenda,
                (ss_event){.time_s = time_s, .kind = (int)kind, .subject = subject, .owner = world});
}

static void end_flows(ss_world *world, ss_bundle *bundle)
{
  ss_transfer *transfer = ss_network_end(world->common->network, bundle);
  if (transfer != NULL) ss_transfer_flows_over(transfer->world, transfer);
}

static void handle(const ss_event *event)
{
  ss_world *world = event->owner;
  switch ((ss_event_kind)event->kind) {
  case SS_EVENT_CELL: ss_cell_resume(world, event->subject); break;
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
  for (const ss_event *next = ss_agenda_next(&world->common->agenda);
       next != NULL && next->time_s <= world->common->now_s; next = ss_agenda_next(&world->common->agenda)) {
    const ss_event event = ss_agenda_take(&world->common->agenda);
    handle(&event);
  }
}

/* The iteration is that of the cell that takes longest, from when it starts: 0, unless iterations run into one another.
 */
static const ss_cell *conclude(ss_world *world)
{
  const ss_cell *last = &world->cell[0];
  for (int64_t i = 1; i < world->cell_count; ++i) {
    const ss_cell *cell = &world->cell[i];
    if (cell->twin == cell && cell->finish_s - cell->start_s > last->finish_s - last->start_s) last = cell;
  }
  world->result.breakdown = last->parts;
  world->result.breakdown.iteration_s = last->finish_s - last->start_s;
  world->result.critical_stage = last->stage;
  world->result.critical_replica = last->replica;
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
  ss_record_advance(world);
  if (world->options->progress != NULL) world->options->progress(share_done(world));
}

static void start_cells(ss_world *world)
{
  for (int64_t i = 0; i < world->cell_count; ++i)
    if (world->cell[i].twin == &world->cell[i]) ss_cell_start(world, &world->cell[i]);
}

/* Nothing of the job is under way, or ever will be. */
static bool is_stuck(const ss_world *world)
{
  bool moves = false;
  for (int64_t i = 0; i < world->common->agenda.count; ++i)
    moves = moves || world->common->agenda.heap[i].owner == world;
  for (int64_t i = 0; i < world->cell_count; ++i) {
    const ss_cell *cell = &world->cell[i];
    moves = moves || cell->call.active || cell->outbox[0].transfer.active || cell->outbox[1].transfer.active;
  }
  for (int64_t i = 0; i < world->job->stages * world->shards; ++i) moves = moves || world->channel[i].transfer.active;
  for (int64_t i = 0; i < world->job->stages * world->expert_groups; ++i)
    moves = moves || world->expert[i].transfer.active;
  for (int64_t i = 0; i < world->ties; ++i) moves = moves || world->tie[i].transfer.active;
  return !moves;
}

/* The other job goes on with its next iteration, unless the first one never ends. */
static ss_status go_on_beside(ss_world *world, ss_error *error)
{
  ss_world *beside = world->beside;
  if (beside == NULL || beside->cells_left > 0) return SS_OK;
  if (world->cells_left > 0 && is_stuck(world)) return report_deadlock(world, error);
  world->result.beside_iterations++;
  world->result.beside_iteration_s = world->common->now_s / (double)world->result.beside_iterations;
  ss_world_restart(beside);
  start_cells(beside);
  return SS_OK;
}

ss_status ss_world_run(ss_world *world, ss_error *error)
{
  ss_record_open(world);
  start_cells(world);
  if (world->beside != NULL) start_cells(world->beside);
  for (int64_t round = 1; world->cells_left > 0; ++round) {
    const ss_event *next = ss_agenda_next(&world->common->agenda);
    if (next == NULL && (world->common->network == NULL || ss_network_is_idle(world->common->network)))
      return report_deadlock(world, error);
    const double until_s = next != NULL ? next->time_s : INFINITY;
    world->common->now_s = world->common->network != NULL
                               ? ss_network_wait(world->common->network, world->common->now_s, until_s)
                               : until_s;
    handle_all_until_now(world);
    const ss_status status = go_on_beside(world, error);
    if (status != SS_OK) return status;
    report_now_and_then(world, round);
    if (ss_budget_is_due(round) && ss_budget_check(&world->options->budget, share_done(world), error) != SS_OK)
      return SS_ERROR_BUDGET;
  }
  const ss_status status = ss_watch_conclude(world, conclude(world), error);
  return status == SS_OK ? ss_record_close(world, error) : status;
}
