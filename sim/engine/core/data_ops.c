#include "sim/engine/core/data_ops.h"

#include <stdlib.h>

#include "model/plan/transfer_time.h"
#include "sim/engine/core/kernels.h"

static ss_data_op *op_at(const ss_stage *stage, int64_t index)
{
  SS_ASSERT(index >= stage->first && index < stage->end);
  return &stage->op[index % stage->capacity];
}

const ss_data_op *ss_dp_group_op(const ss_world *world, const ss_dp_group *dp_group)
{
  return op_at(&world->stage[dp_group->stage], dp_group->completed);
}

int64_t ss_data_ops_completed(const ss_world *world, int64_t stage)
{
  return world->stage[stage].home->first;
}

double ss_data_ops_busy_s(const ss_world *world, int64_t stage)
{
  const ss_stage *home = world->stage[stage].home;
  return home->reduced_s + (home->reducing > 0 ? world->common->now_s - home->reducing_since_s : 0.0);
}

static void begin_work(ss_world *world, ss_stage *stage)
{
  if (stage->reducing++ == 0) stage->reducing_since_s = world->common->now_s;
}

static void end_work(ss_world *world, ss_stage *stage)
{
  if (--stage->reducing == 0) stage->reduced_s += world->common->now_s - stage->reducing_since_s;
}

/* The next collective of a group starts when all replicas have issued it and the one before is complete. */
static void start_next(ss_world *world, ss_dp_group *dp_group)
{
  ss_transfer *transfer = &dp_group->transfer;
  ss_stage *stage = &world->stage[dp_group->stage];
  if (transfer->active || dp_group->completed == stage->end) return;
  const ss_data_op *next = ss_dp_group_op(world, dp_group);
  if (next->arrivals < stage->members) return;
  const ss_stage_op *op = next->op;
  transfer->method = ss_method_of_data(world->job, dp_group->stage, op->kind, op->group, op->volume_bytes);
  transfer->volume_bytes = op->volume_bytes;
  transfer->asked = next->asked;
  transfer->to_replica = next->asked.replica;
  begin_work(world, stage);
  ss_transfer_choose_route(transfer, &world->data_methods[op->group], dp_group->route[op->group]);
  ss_transfer_start(transfer, ss_job_data_time(world->job, op->kind, transfer->route->span, op->volume_bytes));
}

static void slow_kernels(ss_transfer *transfer, int change)
{
  const ss_stage *stage = &transfer->world->stage[transfer->dp_group->stage];
  for (int64_t i = 0; i < stage->members; ++i)
    ss_kernels_share(transfer->world, stage->member[i], ss_span_data_transport(transfer->route->span), change);
}

/* Drops the operations that every group of the stage has completed; false where there are none. */
static bool retire(ss_stage *stage)
{
  int64_t completed = stage->end;
  for (int64_t i = 0; i < stage->dp_groups; ++i)
    if (stage->dp_group[i]->completed < completed) completed = stage->dp_group[i]->completed;
  const bool moved = completed > stage->first;
  stage->first = completed;
  return moved;
}

static void arrived(ss_transfer *transfer)
{
  ss_world *world = transfer->world;
  ss_stage *stage = &world->stage[transfer->dp_group->stage];
  transfer->dp_group->completed++;
  end_work(world, stage);
  start_next(world, transfer->dp_group);
  if (!retire(stage)) return;
  for (int64_t i = 0; i < stage->members; ++i) ss_world_wake(world, stage->member[i], SS_WAITS_DATA, transfer);
}

ss_transfer ss_dp_group_transfer(ss_world *world, ss_dp_group *dp_group)
{
  static const ss_transfer_type type = {SS_TRANSFER_DATA, ss_transfer_start_up, slow_kernels, arrived};
  return (ss_transfer){.type = &type, .world = world, .ended.transfer = -1, .dp_group = dp_group, .starts = 1.0};
}

static void grow(ss_stage *stage)
{
  const int64_t capacity = stage->capacity > 0 ? 2 * stage->capacity : 16;
  ss_data_op *op = malloc((size_t)capacity * sizeof *op);
  SS_ASSERT(op != NULL);
  for (int64_t i = stage->first; i < stage->end; ++i) op[i % capacity] = stage->op[i % stage->capacity];
  free(stage->op);
  stage->op = op;
  stage->capacity = capacity;
}

int64_t ss_data_op_issue(ss_world *world, ss_stage_replica *replica, const ss_stage_op *op)
{
  ss_stage *stage = world->stage[replica->stage].home;
  const int64_t index = replica->data_issued++;
  if (index == stage->end) {
    if (stage->end - stage->first == stage->capacity) grow(stage);
    stage->end++;
    *op_at(stage, index) = (ss_data_op){.op = op};
  }
  op_at(stage, index)->asked = ss_replica_asks(world, replica);
  if (++op_at(stage, index)->arrivals == stage->members)
    for (int64_t i = 0; i < stage->dp_groups; ++i) start_next(world, stage->dp_group[i]);
  return index;
}
