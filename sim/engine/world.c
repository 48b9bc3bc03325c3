#include "sim/engine/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/network.h"
#include "sim/engine/record.h"

ss_cell *ss_world_cell(const ss_world *world, int64_t stage, int64_t replica)
{
  return &world->cell[stage * world->job->replicas + replica];
}

ss_channel *ss_world_channel(const ss_world *world, int64_t stage, int64_t tensor)
{
  return &world->channel[stage * world->job->tensor + tensor];
}

/* Splits a pass through a block where a cell can wait: before and after every collective that becomes flows. */
static void cut_steps(const ss_world *world, ss_block_kind kind, ss_pass pass, ss_step_list *list)
{
  const ss_task_list *tasks = ss_job_tasks(world->job, kind, pass);
  list->count = 0;
  for (int64_t i = 0; i < tasks->count; ++i) {
    const ss_task *task = &tasks->task[i];
    const bool flows = task->collective && !world->tensor_computed;
    ss_step *last = list->count > 0 ? &list->step[list->count - 1] : NULL;
    if (flows || last == NULL || last->collective) {
      last = &list->step[list->count++];
      *last = (ss_step){.collective = flows, .first = i};
    }
    last->count++;
    if (!flows) last->parts = ss_duration_add(last->parts, ss_job_task_duration(world->job, kind, pass, task));
    last->run_s = ss_duration_sum(last->parts);
  }
}

static ss_status init_cells(ss_world *world, int32_t *scratch)
{
  for (int64_t i = 0; i < world->cell_count; ++i) {
    ss_cell *cell = &world->cell[i];
    cell->stage = i / world->job->replicas;
    cell->replica = i % world->job->replicas;
    cell->work.micro_batch = SS_NO_INDEX;
    cell->tensor = (ss_transfer){.kind = SS_TRANSFER_TENSOR, .cell = cell};
    for (int side = 0; side < SS_SIDES; ++side)
      cell->outbox[side].transfer = (ss_transfer){.kind = SS_TRANSFER_MESSAGE, .cell = cell, .side = side};
    cell->gather_op = calloc((size_t)world->gather_window, sizeof *cell->gather_op);
    if (cell->gather_op == NULL) return SS_ERROR_MEMORY;
    ss_placement_tensor_group(&world->job->placement, cell->stage, cell->replica, scratch);
    if (ss_route_init(&cell->tensor_route, world->job->machine, scratch, world->job->tensor) != SS_OK)
      return SS_ERROR_MEMORY;
  }
  return SS_OK;
}

static ss_status init_channels(ss_world *world, int32_t *scratch)
{
  for (int64_t i = 0; i < world->job->stages * world->job->tensor; ++i) {
    ss_channel *channel = &world->channel[i];
    channel->stage = i / world->job->tensor;
    channel->tensor = i % world->job->tensor;
    channel->transfer = (ss_transfer){.kind = SS_TRANSFER_DATA, .channel = channel};
    ss_placement_data_group(&world->job->placement, channel->stage, channel->tensor, scratch);
    if (ss_route_init(&channel->route, world->job->machine, scratch, world->job->replicas) != SS_OK)
      return SS_ERROR_MEMORY;
  }
  return SS_OK;
}

/* All tensor groups lie over domains in the same way, so that one duration holds for all. */
static bool tensor_spans_agree(const ss_world *world)
{
  const ss_span *first = &world->cell[0].tensor_route.span;
  for (int64_t i = 1; i < world->cell_count; ++i) {
    const ss_span *span = &world->cell[i].tensor_route.span;
    if (span->domains != first->domains || span->per_domain != first->per_domain) return false;
  }
  return true;
}

/* No pipeline message and no data-parallel ring uses NVLink: then tensor groups inside a domain have it to themselves.
 */
static bool nvlink_is_tensor_only(const ss_world *world)
{
  if (world->job->stages > 1 && world->job->slow_hops < 1.0) return false;
  for (int64_t i = 0; world->plan.active && i < world->job->stages * world->job->tensor; ++i)
    if (world->channel[i].route.span.domains < world->job->replicas) return false;
  return true;
}

static bool tensor_collectives_are_computed(const ss_world *world)
{
  if (!tensor_spans_agree(world)) return false;
  if (world->options->private_links) return true;
  if (world->options->flows == SS_FLOWS_ALL) return false;
  return world->cell[0].tensor_route.span.domains == 1 && nvlink_is_tensor_only(world);
}

static ss_status allocate(ss_world *world)
{
  const ss_job *job = world->job;
  const int64_t ranks = job->stages * job->replicas * job->tensor;
  world->cell = calloc((size_t)world->cell_count, sizeof *world->cell);
  world->channel = calloc((size_t)(job->stages * job->tensor), sizeof *world->channel);
  world->data = calloc((size_t)job->stages, sizeof *world->data);
  world->stage_of_rank = calloc((size_t)ranks, sizeof *world->stage_of_rank);
  world->rank_of_gpu = malloc((size_t)job->machine->gpus * sizeof *world->rank_of_gpu);
  if (world->cell == NULL || world->channel == NULL || world->data == NULL || world->stage_of_rank == NULL ||
      world->rank_of_gpu == NULL)
    return SS_ERROR_MEMORY;
  for (int64_t gpu = 0; gpu < job->machine->gpus; ++gpu) world->rank_of_gpu[gpu] = SS_NO_INDEX;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    world->stage_of_rank[rank] = (int32_t)(rank / (job->tensor * job->replicas));
    world->rank_of_gpu[job->placement.gpu[rank]] = (int32_t)rank;
  }
  return SS_OK;
}

ss_status ss_world_init(ss_world *world, const ss_job *job, const ss_replay_options *options)
{
  *world =
      (ss_world){.job = job,
                 .options = options,
                 .plan = ss_job_data_plan(job),
                 .cell_count = job->stages * job->replicas,
                 .cells_left = job->stages * job->replicas,
                 .gather_window = ss_job_data_plan(job).gathers_each_pass ? job->workload->schedule.prefetch + 2 : 1};
  const int64_t widest = job->tensor > job->replicas ? job->tensor : job->replicas;
  int32_t *scratch = malloc((size_t)widest * sizeof *scratch);
  ss_status status = scratch != NULL ? allocate(world) : SS_ERROR_MEMORY;
  if (status == SS_OK) status = init_cells(world, scratch);
  if (status == SS_OK) status = init_channels(world, scratch);
  free(scratch);
  if (status != SS_OK) return status;
  world->tensor_computed = tensor_collectives_are_computed(world);
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    for (int pass = 0; pass < SS_PASSES; ++pass)
      cut_steps(world, (ss_block_kind)kind, (ss_pass)pass, &world->steps[kind][pass]);
  return SS_OK;
}

void ss_world_free(ss_world *world)
{
  for (int64_t i = 0; world->cell != NULL && i < world->cell_count; ++i) {
    free(world->cell[i].gather_op);
    ss_route_free(&world->cell[i].tensor_route);
  }
  for (int64_t i = 0; world->channel != NULL && i < world->job->stages * world->job->tensor; ++i)
    ss_route_free(&world->channel[i].route);
  for (int64_t i = 0; world->data != NULL && i < world->job->stages; ++i) free(world->data[i].op);
  free(world->cell);
  free(world->channel);
  free(world->data);
  free(world->stage_of_rank);
  free(world->rank_of_gpu);
  ss_agenda_free(&world->agenda);
  *world = (ss_world){0};
}

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
    if (cell->phase == SS_PHASE_END && cell->wait == SS_WAITS_NOTHING) continue;
    const int written = snprintf(
        who + used, sizeof who - used, "; stage %lld of replica %lld waits for %s at micro-batch %lld",
        (long long)cell->stage, (long long)cell->replica, texts[cell->wait], (long long)cell->work.micro_batch);
    if (written > 0) used += (size_t)written;
    named++;
  }
  return ss_error_set(error, SS_ERROR_DEADLOCK, NULL, 0, "deadlock at %.9f s; cells that never end: %lld%s",
                      world->now_s, (long long)world->cells_left, who);
}

static void handle(ss_world *world, const ss_event *event)
{
  switch ((ss_event_kind)event->kind) {
  case SS_EVENT_CELL: ss_cell_resume(world, event->subject); break;
  case SS_EVENT_LAUNCH: ss_transfer_launch(world, event->subject); break;
  case SS_EVENT_ARRIVED: ss_transfer_arrived(world, event->subject); break;
  }
}

static void handle_all_until_now(ss_world *world)
{
  ss_transfer *arrived;
  while (world->network != NULL && (arrived = ss_network_arrived(world->network)) != NULL) {
    world->on_network--;
    ss_transfer_arrived(world, arrived);
  }
  for (const ss_event *next = ss_agenda_next(&world->agenda); next != NULL && next->time_s <= world->now_s;
       next = ss_agenda_next(&world->agenda)) {
    const ss_event event = ss_agenda_take(&world->agenda);
    handle(world, &event);
  }
}

static void conclude(ss_world *world)
{
  const ss_cell *last = &world->cell[0];
  for (int64_t i = 1; i < world->cell_count; ++i)
    if (world->cell[i].finish_s > last->finish_s) last = &world->cell[i];
  world->result.breakdown = last->parts;
  world->result.breakdown.iteration_s = last->finish_s;
  world->result.critical_stage = last->stage;
  world->result.critical_replica = last->replica;
}

/* Every so many rounds, writers may flush and a person may see that it goes on. */
#define ROUNDS_BETWEEN_REPORTS 4096

static void report_now_and_then(ss_world *world, int64_t round)
{
  if (round % ROUNDS_BETWEEN_REPORTS != 0) return;
  ss_record_advance(world);
  if (world->options->progress != NULL)
    world->options->progress((double)world->passes_done / (double)(2 * world->job->micro_batches * world->cell_count));
}

ss_status ss_world_run(ss_world *world, ss_error *error)
{
  ss_record_open(world);
  for (int64_t i = 0; i < world->cell_count; ++i) ss_cell_start(world, &world->cell[i]);
  for (int64_t round = 1; world->cells_left > 0; ++round) {
    const ss_event *next = ss_agenda_next(&world->agenda);
    if (next == NULL && world->on_network == 0) return report_deadlock(world, error);
    const double until_s = next != NULL ? next->time_s : INFINITY;
    world->now_s = world->network != NULL ? ss_network_wait(world->network, world->now_s, until_s) : until_s;
    handle_all_until_now(world);
    report_now_and_then(world, round);
  }
  conclude(world);
  return ss_record_close(world, error);
}
