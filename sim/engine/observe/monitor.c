#include "sim/engine/observe/monitor.h"

#include <stdlib.h>

#include "sim/engine/core/legs.h"
#include "sim/engine/core/pending.h"
#include "sim/engine/observe/link_recorder.h"

static void flow_carried(void *self, const ss_carried *carried)
{
  ss_monitor *monitor = self;
  ss_usage *usage = &monitor->usage;
  for (int64_t i = 0; i < carried->hops; ++i)
    if (carried->hop[i].link < usage->links) /* and no lane of a port */
      ss_usage_add(usage, carried->hop[i].link, carried->start_s, carried->end_s,
                   carried->bytes * (double)carried->hop[i].alike);
  if (monitor->first_run > usage->links)
    ss_usage_add(usage, usage->links + carried->flow->kind, carried->start_s, carried->end_s, carried->bytes);
}

/* What flows that go together carried is a row, of which their links get their shares in the end. */
static void flows_carried(void *self, const ss_carried_together *carried)
{
  ss_monitor *monitor = self;
  monitor->together[carried->number] = *carried;
  ss_usage_add(&monitor->usage, monitor->first_together + carried->number, carried->start_s, carried->end_s,
               carried->volume_bytes);
}

static void add_together(ss_monitor *monitor)
{
  ss_usage_sums sums;
  ss_usage_sums_init(&sums, &monitor->usage);
  for (int64_t row = monitor->first_together; row < monitor->usage.rows; ++row) {
    ss_carried_together all = monitor->together[row - monitor->first_together];
    all.volume_bytes = 1.0;
    for (int64_t i = 0; i < all.count; ++i) {
      const ss_carried carried = all.each(&all, i);
      for (int64_t h = 0; h < carried.hops; ++h)
        ss_usage_sums_add(&sums, row, carried.hop[h].link, carried.bytes * (double)carried.hop[h].alike);
    }
  }
  ss_usage_sums_make(&sums);
}

/* A run of a replica, and when. */
typedef struct run {
  const ss_step *step;
  double begin_s, end_s;
} run;

/* Legs take as long as they do nominally; where they have been drawn, all are taken to be longer alike. */
static void add_legs(ss_monitor *monitor, const ss_world *world, int64_t row, const run *r)
{
  const ss_step *step = r->step;
  const double begin_s = r->begin_s, nominal_s = ss_duration_sum(step->parts) + step->slowed_s;
  const double longer = ss_perturbation_tells_apart(world->perturbation) ? (r->end_s - begin_s) / nominal_s - 1.0 : 0.0;
  ss_leg_walk walk = {.time_s = begin_s, .tie_s = world->common->tie_s};
  if (ss_usage_is_slice(&monitor->usage, begin_s, r->end_s)) {
    ss_usage_add(&monitor->usage, row, begin_s, r->end_s, step->leg_bytes);
    return;
  }
  for (int64_t i = 0; i < step->legs; ++i) {
    const ss_leg *leg = &world->legs.leg[step->first_leg + i];
    const double leg_s = walk.time_s + longer * (walk.time_s - begin_s);
    ss_leg_walk_go(&walk, leg);
    if (leg->bytes > 0.0) ss_usage_add(&monitor->usage, row, leg_s, leg_s + leg->time_s, leg->bytes);
  }
}

/* The computed collectives of a run go through the NVLink ports of its ranks; a row for all of these. */
static void add_run(ss_monitor *monitor, const ss_world *world, int64_t row, const run *r)
{
  const ss_step *step = r->step;
  if (step->nvlink_bytes > 0.0) ss_usage_add(&monitor->usage, row, r->begin_s, r->end_s, step->nvlink_bytes);
  if (step->leg_bytes > 0.0) add_legs(monitor, world, row, r);
}

/* The rows of the other job's replicas follow those of the first one's. */
static int64_t first_row(const ss_monitor *monitor, const ss_world *world)
{
  return monitor->first_run + (world == monitor->world ? 0 : monitor->world->replica_count);
}

static run run_of(const ss_step *step, double begin_s, double excess_s)
{
  return (run){step, begin_s, begin_s + (ss_duration_sum(step->parts) + excess_s)};
}

static void run_begin(void *self, const ss_stage_replica *replica, const ss_step *step, double begin_s, double excess_s)
{
  ss_monitor *monitor = self;
  const ss_world *world = monitor->world;
  const run begun = run_of(step, begin_s, excess_s);
  add_run(monitor, world, first_row(monitor, world) + ss_replica_index(world, replica), &begun);
}

static void co_scheduled_run_begin(void *self, const ss_stage_replica *replica, const ss_step *step, double begin_s,
                                   double excess_s)
{
  ss_monitor *monitor = self;
  const ss_world *world = monitor->world->co_scheduled;
  const run begun = run_of(step, begin_s, excess_s);
  add_run(monitor, world, first_row(monitor, world) + ss_replica_index(world, replica), &begun);
}

/* To ports that others stand for, nothing is added (`alike`; NULL: there are none). */
static void add_ports(ss_monitor *monitor, const ss_world *world, const int64_t *alike)
{
  ss_usage_sums sums;
  ss_usage_sums_init(&sums, &monitor->usage);
  for (int64_t i = 0; i < world->replica_count; ++i) {
    const int32_t *gpu = ss_replica_gpus(world, &world->replica[i]);
    const int64_t row = first_row(monitor, world) + ss_replica_index(world, world->replica[i].twin);
    for (int64_t port = 0; port < 2 * world->width; ++port) {
      const int64_t link = 2 * (int64_t)gpu[port / 2] + port % 2;
      if (alike == NULL || alike[link] > 0) ss_usage_sums_add(&sums, row, link, 1.0);
    }
  }
  ss_usage_sums_make(&sums);
}

static ss_critical_path_kind kind_of(const ss_transfer *transfer)
{
  static const ss_critical_path_kind kinds[] = {[SS_TRANSFER_CALL] = SS_PATH_calls_s,
                                                [SS_TRANSFER_EXPERT] = SS_PATH_calls_s,
                                                [SS_TRANSFER_DATA] = SS_PATH_data_s,
                                                [SS_TRANSFER_MESSAGE] = SS_PATH_message_s,
                                                [SS_TRANSFER_TIED] = SS_PATH_message_s};
  return kinds[transfer->type->kind];
}

/* Transfers enter the log in the order of their numbers. */
static void transfer_end(void *self, const ss_transfer *transfer)
{
  ss_monitor *monitor = self;
  if (transfer->type->kind == SS_TRANSFER_CALL || monitor->path.incomplete) return;
  const ss_critical_path_transfer entry = {.previous = transfer->previous,
                                           .replica = transfer->asked.replica,
                                           .to_replica = transfer->to_replica,
                                           .kind = kind_of(transfer),
                                           .asked_s = transfer->asked.time_s,
                                           .start_s = transfer->start_s,
                                           .end_s = monitor->world->common->now_s,
                                           .calls_s = transfer->asked.calls_s};
  const int64_t logged = ss_critical_path_add_transfer(&monitor->path, &entry);
  SS_ASSERT(logged == transfer->ended.transfer || monitor->path.incomplete);
}

static void paused(void *self, const ss_stage_replica *replica, const ss_pause *pause)
{
  ss_monitor *monitor = self;
  if (monitor->path.incomplete) return;
  const ss_critical_path_pause entry = {.replica = ss_replica_index(monitor->world, replica),
                                        .start_s = pause->start_s,
                                        .end_s = monitor->world->common->now_s,
                                        .transfer = pause->transfer,
                                        .calls_s = ss_replica_calls_s(replica) + pause->calls_s};
  ss_critical_path_add_wait(&monitor->path, &entry);
}

static void round_begin(void *self, int64_t round)
{
  ss_monitor *monitor = self;
  (void)round;
  if (ss_critical_path_is_long(&monitor->path))
    ss_critical_path_forget(&monitor->path, ss_world_asked_since_s(monitor->world));
}

ss_status ss_monitor_open(ss_monitor *monitor, ss_world *world, ss_monitor_rows rows)
{
  const int64_t others = world->co_scheduled != NULL ? world->co_scheduled->replica_count : 0;
  const int64_t first_run = rows.links + rows.kinds, first_together = first_run + world->replica_count + others;
  *monitor = (ss_monitor){.world = world,
                          .first_run = first_run,
                          .first_together = first_together,
                          .together = calloc((size_t)rows.together + 1, sizeof *monitor->together)};
  if (monitor->together == NULL) return SS_ERROR_MEMORY;
  ss_status status = ss_usage_init(&monitor->usage, rows.links, first_together - rows.links + rows.together);
  if (status == SS_OK) status = ss_critical_path_init(&monitor->path, world->replica_count);
  if (status != SS_OK) return status;
  monitor->observer = (ss_observer){.self = monitor,
                                    .flow = flow_carried,
                                    .flows = flows_carried,
                                    .run_begin = run_begin,
                                    .transfer_end = transfer_end,
                                    .paused = paused,
                                    .round = round_begin};
  monitor->co_scheduled = (ss_observer){.self = monitor, .run_begin = co_scheduled_run_begin};
  ss_observers_add(&world->observers, &monitor->observer);
  if (world->co_scheduled != NULL) ss_observers_add(&world->co_scheduled->observers, &monitor->co_scheduled);
  return SS_OK;
}

void ss_monitor_free(ss_monitor *monitor)
{
  free(monitor->together);
  ss_usage_free(&monitor->usage);
  ss_critical_path_free(&monitor->path);
}

static ss_critical_path_place place_of(const void *self, int32_t index)
{
  const ss_world *world = self;
  const ss_stage_replica *replica = &world->replica[index];
  return (ss_critical_path_place){replica->stage, replica->dp, ss_replica_gpu(world, replica, 0)};
}

ss_status ss_monitor_conclude(ss_monitor *monitor, ss_monitor_links links, ss_error *error)
{
  ss_world *world = monitor->world;
  const ss_stage_replica *last = ss_world_replica(world, world->result.critical_stage, world->result.critical_replica);
  const ss_critical_path_end end = {.replica = ss_replica_index(world, last),
                                    .begin_s = last->start_s,
                                    .end_s = last->finish_s,
                                    .calls_s = ss_replica_calls_s(last)};
  const ss_critical_path_places places = {world, place_of, world->options->history};
  add_together(monitor);
  add_ports(monitor, world, links.alike);
  if (world->co_scheduled != NULL) add_ports(monitor, world->co_scheduled, links.alike);
  const ss_usage_view view = {&monitor->usage, links.fabric, links.alike, world->common->now_s};
  ss_status status = ss_critical_path_find(&monitor->path, &end, &places, &world->result.path);
  if (status == SS_OK) status = ss_usage_busiest(&view, &world->result.links);
  if (status == SS_ERROR_MEMORY) return ss_error_set(error, status, NULL, 0, "out of memory for the monitor");
  if (status == SS_OK && world->options->links != NULL) status = ss_usage_write(&view, world->options->links, error);
  if (status != SS_OK || world->options->history == NULL) return status;
  ss_link_recorder recorder = {&world->result.links, world->options->history, false};
  ss_link_writer writer = ss_link_recorder_writer(&recorder);
  return ss_usage_write(&view, &writer, error);
}
