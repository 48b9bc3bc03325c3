#include "sim/engine/core/pending.h"

#include <math.h>

#include "sim/engine/core/calls.h"
#include "sim/engine/core/stage.h"
#include "sim/engine/core/ties.h"

static double of_messages(const ss_world *world, double since_s)
{
  for (int64_t i = 0; i < world->replica_count; ++i)
    for (int side = 0; side < SS_SIDES; ++side) {
      const ss_outbox *outbox = &world->replica[i].outbox[side];
      if (outbox->sent < outbox->queued) since_s = fmin(since_s, outbox->asked[outbox->sent % outbox->capacity].time_s);
    }
  return since_s;
}

static double of_data(const ss_world *world, double since_s)
{
  for (int64_t i = 0; i < world->job->stages; ++i) {
    const ss_stage *stage = &world->stage[i];
    for (int64_t index = stage->first; index < stage->end; ++index) {
      const ss_data_op *op = &stage->op[index % stage->capacity];
      if (op->arrivals == stage->members) since_s = fmin(since_s, op->asked.time_s);
    }
  }
  return since_s;
}

static double of_transfer(const ss_transfer *transfer, double since_s)
{
  return transfer->active ? fmin(since_s, transfer->asked.time_s) : since_s;
}

double ss_world_asked_since_s(const ss_world *world)
{
  double since_s = of_data(world, of_messages(world, world->common->now_s));
  for (int64_t i = 0; i < world->job->stages * world->expert_groups; ++i)
    for (int meeting = 0; meeting < SS_MEETINGS; ++meeting)
      since_s = of_transfer(&world->expert[i].transfer[meeting], since_s);
  for (int64_t i = 0; i < world->ties; ++i) since_s = of_transfer(&world->tie[i].transfer, since_s);
  return since_s;
}
