#include "sim/engine/watch.h"

#include <math.h>
#include <stdlib.h>

ss_status ss_watch_open(ss_world *world)
{
  ss_watch *watch = calloc(1, sizeof *watch);
  if (watch == NULL) return SS_ERROR_MEMORY;
  world->common->watch = watch;
  ss_status status = ss_usage_init(&watch->usage, world->common->ways.links);
  if (status == SS_OK) status = ss_path_init(&watch->path, world->cell_count);
  return status;
}

void ss_watch_close(ss_common *common)
{
  if (common->watch == NULL) return;
  ss_usage_free(&common->watch->usage);
  ss_path_free(&common->watch->path);
  free(common->watch);
  common->watch = NULL;
}

/* The log is of the first job only. */
static ss_watch *watch_of(const ss_world *world)
{
  return world->common == &world->own ? world->common->watch : NULL;
}

void ss_watch_flow(const ss_world *world, const ss_edge *edge, double start_s, double end_s, double bytes)
{
  const ss_ways *ways = &world->common->ways;
  const ss_way *way = &ways->way[edge->way];
  for (int64_t i = way->first; i < way->first + way->count; ++i)
    ss_usage_add(&world->common->watch->usage, ways->hop[i].link, start_s, end_s, bytes * (double)ways->hop[i].alike);
}

void ss_watch_run(const ss_world *world, const ss_cell *cell, double duration_s, double bytes)
{
  ss_watch *watch = world->common->watch;
  const double now_s = world->common->now_s;
  if (watch == NULL || bytes <= 0.0) return;
  for (int64_t member = 0; member < world->width; ++member) {
    const int64_t gpu = ss_placement_gpu(&world->job->placement, ss_cell_member(world, cell, member));
    ss_usage_add(&watch->usage, 2 * gpu, now_s, now_s + duration_s, bytes);
    ss_usage_add(&watch->usage, 2 * gpu + 1, now_s, now_s + duration_s, bytes);
  }
}

static double calls_s(const ss_cell *cell)
{
  return cell->parts.tp_comm_s + cell->parts.cp_comm_s + cell->parts.ep_comm_s;
}

ss_asked ss_watch_asks(const ss_world *world, const ss_cell *cell)
{
  return (ss_asked){world->common->now_s, calls_s(cell), (int32_t)(cell - world->cell)};
}

static ss_path_kind kind_of(const ss_transfer *transfer)
{
  static const ss_path_kind kinds[] = {[SS_TRANSFER_CALL] = SS_PATH_calls_s,
                                       [SS_TRANSFER_EXPERT] = SS_PATH_calls_s,
                                       [SS_TRANSFER_DATA] = SS_PATH_data_s,
                                       [SS_TRANSFER_MESSAGE] = SS_PATH_message_s,
                                       [SS_TRANSFER_TIED] = SS_PATH_message_s};
  return kinds[transfer->kind];
}

ss_exposed ss_watch_parts(const ss_world *world, const ss_transfer *transfer)
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

ss_ending ss_watch_arrived(ss_world *world, ss_transfer *transfer, const ss_cell *to)
{
  ss_watch *watch = watch_of(world);
  if (watch == NULL) return (ss_ending){.logged = -1};
  const ss_path_transfer entry = {.previous = transfer->logged,
                                  .cell = transfer->asked.cell,
                                  .to_cell = to != NULL ? (int32_t)(to - world->cell) : transfer->asked.cell,
                                  .kind = kind_of(transfer),
                                  .asked_s = transfer->asked.time_s,
                                  .start_s = transfer->start_s,
                                  .end_s = world->common->now_s,
                                  .calls_s = transfer->asked.calls_s};
  transfer->logged = ss_path_add_transfer(&watch->path, &entry);
  return (ss_ending){transfer->logged, ss_watch_parts(world, transfer)};
}

void ss_watch_wait(ss_world *world, const ss_cell *cell, double start_s, double calls_until_now_s)
{
  ss_watch *watch = watch_of(world);
  if (watch == NULL) return;
  const ss_path_pause pause = {.cell = (int32_t)(cell - world->cell),
                               .start_s = start_s,
                               .end_s = world->common->now_s,
                               .transfer = cell->ended.logged,
                               .calls_s = calls_s(cell) + calls_until_now_s};
  ss_path_add_wait(&watch->path, &pause);
}

static ss_path_place place_of(const void *self, int32_t index)
{
  const ss_world *world = self;
  const ss_cell *cell = &world->cell[index];
  return (ss_path_place){cell->stage, cell->replica,
                         ss_placement_gpu(&world->job->placement, ss_cell_member(world, cell, 0))};
}

ss_status ss_watch_conclude(ss_world *world, const ss_cell *last, ss_error *error)
{
  const ss_watch *watch = world->common->watch;
  if (watch == NULL) return SS_OK;
  const ss_path_end end = {.cell = (int32_t)(last - world->cell),
                           .begin_s = last->start_s,
                           .end_s = last->finish_s,
                           .calls_s = calls_s(last)};
  const ss_path_places places = {world, place_of};
  const ss_usage_view view = {&watch->usage, world->common->fabric, world->common->link_alike, world->common->now_s};
  world->result.exposed = last->exposed;
  ss_status status = ss_path_find(&watch->path, &end, &places, &world->result.path);
  if (status == SS_OK) status = ss_usage_busiest(&view, &world->result.links);
  if (status == SS_ERROR_MEMORY) return ss_error_set(error, status, NULL, 0, "out of memory for what was seen");
  if (status == SS_OK && world->options->links != NULL) status = ss_usage_write(&view, world->options->links, error);
  return status;
}
