#include "sim/engine/observe/monitor.h"

#include <math.h>
#include <stdlib.h>

ss_status ss_monitor_open(ss_world *world)
{
  ss_monitor *monitor = calloc(1, sizeof *monitor);
  if (monitor == NULL) return SS_ERROR_MEMORY;
  world->common->monitor = monitor;
  ss_status status = ss_usage_init(&monitor->usage, world->common->paths.links);
  if (status == SS_OK) status = ss_critical_path_init(&monitor->path, world->replica_count);
  return status;
}

void ss_monitor_close(ss_common *common)
{
  if (common->monitor == NULL) return;
  ss_usage_free(&common->monitor->usage);
  ss_critical_path_free(&common->monitor->path);
  free(common->monitor);
  common->monitor = NULL;
}

/* The log is of the first job only. */
static ss_monitor *monitor_of(const ss_world *world)
{
  return world->common == &world->own ? world->common->monitor : NULL;
}

void ss_monitor_flow(const ss_world *world, const ss_flow *flow, double start_s, double end_s, double bytes)
{
  const ss_link_paths *paths = &world->common->paths;
  const ss_link_path *path = &paths->path[flow->path];
  for (int64_t i = path->first; i < path->first + path->count; ++i)
    ss_usage_add(&world->common->monitor->usage, paths->hop[i].link, start_s, end_s,
                 bytes * (double)paths->hop[i].alike);
}

void ss_monitor_run(const ss_world *world, const ss_stage_replica *replica, double duration_s, double bytes)
{
  ss_monitor *monitor = world->common->monitor;
  const double now_s = world->common->now_s;
  if (monitor == NULL || bytes <= 0.0) return;
  for (int64_t member = 0; member < world->width; ++member) {
    const int64_t gpu = ss_placement_gpu(&world->job->placement, ss_replica_member(world, replica, member));
    ss_usage_add(&monitor->usage, 2 * gpu, now_s, now_s + duration_s, bytes);
    ss_usage_add(&monitor->usage, 2 * gpu + 1, now_s, now_s + duration_s, bytes);
  }
}

static double calls_s(const ss_stage_replica *replica)
{
  return replica->parts.tp_comm_s + replica->parts.cp_comm_s + replica->parts.ep_comm_s;
}

ss_asked ss_monitor_asks(const ss_world *world, const ss_stage_replica *replica)
{
  return (ss_asked){world->common->now_s, calls_s(replica), (int32_t)(replica - world->replica)};
}

static ss_critical_path_kind kind_of(const ss_transfer *transfer)
{
  static const ss_critical_path_kind kinds[] = {[SS_TRANSFER_CALL] = SS_PATH_calls_s,
                                                [SS_TRANSFER_EXPERT] = SS_PATH_calls_s,
                                                [SS_TRANSFER_DATA] = SS_PATH_data_s,
                                                [SS_TRANSFER_MESSAGE] = SS_PATH_message_s,
                                                [SS_TRANSFER_TIED] = SS_PATH_message_s};
  return kinds[transfer->kind];
}

ss_exposed ss_monitor_parts(const ss_world *world, const ss_transfer *transfer)
{
  const double all_s = world->common->now_s - transfer->start_s;
  const double latency_s = fmin(transfer->latency_s, all_s);
  const double bandwidth_s = fmin(transfer->alone_s, all_s - latency_s);
  return (ss_exposed){latency_s, bandwidth_s, all_s - latency_s - bandwidth_s};
}

double ss_exposed_sum(const ss_exposed *parts)
{
  double sum_s = 0.0;
#define SS_ADD(field, label, help) sum_s += parts->field;
  SS_EXPOSED_LIST(SS_ADD)
#undef SS_ADD
  return sum_s;
}

void ss_exposed_add(ss_exposed *exposed, double time_s, const ss_exposed *parts)
{
  const double sum_s = ss_exposed_sum(parts);
  if (sum_s <= 0.0) return;
#define SS_ADD(field, label, help) exposed->field += time_s * parts->field / sum_s;
  SS_EXPOSED_LIST(SS_ADD)
#undef SS_ADD
}

ss_ending ss_monitor_arrived(ss_world *world, ss_transfer *transfer, const ss_stage_replica *to)
{
  ss_monitor *monitor = monitor_of(world);
  if (monitor == NULL) return (ss_ending){.logged = -1};
  const ss_critical_path_transfer entry = {.previous = transfer->logged,
                                           .replica = transfer->asked.replica,
                                           .to_replica =
                                               to != NULL ? (int32_t)(to - world->replica) : transfer->asked.replica,
                                           .kind = kind_of(transfer),
                                           .asked_s = transfer->asked.time_s,
                                           .start_s = transfer->start_s,
                                           .end_s = world->common->now_s,
                                           .calls_s = transfer->asked.calls_s};
  transfer->logged = ss_critical_path_add_transfer(&monitor->path, &entry);
  return (ss_ending){transfer->logged, ss_monitor_parts(world, transfer)};
}

void ss_monitor_wait(ss_world *world, const ss_stage_replica *replica, double start_s, double calls_until_now_s)
{
  ss_monitor *monitor = monitor_of(world);
  if (monitor == NULL) return;
  const ss_critical_path_pause pause = {.replica = (int32_t)(replica - world->replica),
                                        .start_s = start_s,
                                        .end_s = world->common->now_s,
                                        .transfer = replica->ended.logged,
                                        .calls_s = calls_s(replica) + calls_until_now_s};
  ss_critical_path_add_wait(&monitor->path, &pause);
}

static ss_critical_path_place place_of(const void *self, int32_t index)
{
  const ss_world *world = self;
  const ss_stage_replica *replica = &world->replica[index];
  return (ss_critical_path_place){replica->stage, replica->dp,
                                  ss_placement_gpu(&world->job->placement, ss_replica_member(world, replica, 0))};
}

ss_status ss_monitor_conclude(ss_world *world, const ss_stage_replica *last, ss_error *error)
{
  const ss_monitor *monitor = world->common->monitor;
  if (monitor == NULL) return SS_OK;
  const ss_critical_path_end end = {.replica = (int32_t)(last - world->replica),
                                    .begin_s = last->start_s,
                                    .end_s = last->finish_s,
                                    .calls_s = calls_s(last)};
  const ss_critical_path_places places = {world, place_of};
  const ss_usage_view view = {&monitor->usage, world->common->fabric, world->common->link_alike, world->common->now_s};
  world->result.exposed = last->exposed;
  ss_status status = ss_critical_path_find(&monitor->path, &end, &places, &world->result.path);
  if (status == SS_OK) status = ss_usage_busiest(&view, &world->result.links);
  if (status == SS_ERROR_MEMORY) return ss_error_set(error, status, NULL, 0, "out of memory for the monitor");
  if (status == SS_OK && world->options->links != NULL) status = ss_usage_write(&view, world->options->links, error);
  return status;
}
