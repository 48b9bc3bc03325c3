#include "sim/engine/core/restart.h"

#include <string.h>

#include "sim/engine/core/data_ops.h"
#include "sim/engine/core/ties.h"

int64_t ss_replica_written_blocks(const ss_world *world, const ss_stage_replica *replica)
{
  const int64_t chunks = world->job->chunks, *first = &world->job->block_first[replica->stage * chunks];
  return (first[chunks] - first[0]) * world->job->copy_batches;
}

void ss_replica_forget_written(const ss_world *world, ss_stage_replica *replica)
{
  for (int64_t i = 0; i < ss_replica_written_blocks(world, replica); ++i) replica->offload.written_s[i] = -1.0;
}

static void restart_replica(const ss_world *world, ss_stage_replica *replica)
{
  const ss_stage_replica was = *replica;
  *replica =
      (ss_stage_replica){.stage = was.stage,
                         .dp = was.dp,
                         .twin = was.twin,
                         .alike = was.alike,
                         .may_be_quiet = was.may_be_quiet,
                         .steps = was.steps,
                         .work = {.micro_batch = SS_NO_INDEX},
                         .gather_need = was.gather_need,
                         .call = was.call,
                         .offload = {.read_done_s = was.offload.read_done_s, .written_s = was.offload.written_s}};
  memcpy(replica->route, was.route, sizeof replica->route);
  for (int side = 0; side < SS_SIDES; ++side) {
    replica->outbox[side] = (ss_outbox){.transfer = was.outbox[side].transfer,
                                        .asked = was.outbox[side].asked,
                                        .capacity = was.outbox[side].capacity,
                                        .pass = -1};
    memcpy(replica->outbox[side].way, was.outbox[side].way, sizeof was.outbox[side].way);
    replica->inbox[side].arrived = was.inbox[side].arrived;
    memset(replica->inbox[side].arrived, 0, (size_t)world->job->chunks * sizeof *replica->inbox[side].arrived);
  }
  if (world->job->offload.active) ss_replica_forget_written(world, replica);
}

void ss_world_restart(ss_world *world)
{
  world->passes_done = 0;
  world->replicas_left = 0;
  ss_perturbation_restart(world->perturbation);
  for (int64_t i = 0; i < world->replica_count; ++i)
    if (world->replica[i].twin == &world->replica[i]) restart_replica(world, &world->replica[i]);
  for (int64_t i = 0; i < world->job->stages * world->shards; ++i) world->dp_group[i].completed = 0;
  for (int64_t i = 0; i < world->ties; ++i) {
    world->tie[i].arrivals = 0;
    world->tie[i].done = false;
  }
  for (int64_t i = 0; i < world->job->stages; ++i) {
    world->stage[i].first = world->stage[i].end = 0;
    world->replicas_left += world->stage[i].members;
  }
}
