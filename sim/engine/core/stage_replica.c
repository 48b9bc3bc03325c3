#include "sim/engine/core/stage_replica.h"

#include "model/plan/stage_ops.h"

ss_stage_replica *ss_world_replica(const ss_world *world, int64_t stage, int64_t dp)
{
  return world->replica[stage * world->job->replicas + dp].twin;
}

ss_coordinates ss_replica_member(const ss_world *world, const ss_stage_replica *replica, int64_t member)
{
  const int64_t tp = world->job->tensor;
  return (ss_coordinates){member % tp, member / tp, replica->dp, replica->stage};
}

bool ss_replica_is_wanted(const ss_world *world, const ss_stage_replica *replica)
{
  for (int64_t i = 0; i < world->options->timeline_count; ++i)
    for (int64_t member = 0; member < world->width; ++member) {
      const ss_coordinates at = ss_replica_member(world, replica, member);
      if (ss_selection_has(&world->options->timelines[i].ranks, ss_placement_rank(&world->job->placement, at)))
        return true;
    }
  return false;
}

int64_t ss_replica_gpu(const ss_world *world, const ss_stage_replica *replica, int64_t member)
{
  return ss_placement_gpu(&world->job->placement, ss_replica_member(world, replica, member));
}

ss_chunk ss_replica_chunk(const ss_stage_replica *replica)
{
  return (ss_chunk){replica->stage, replica->work.chunk};
}

int64_t ss_replica_block(const ss_world *world, const ss_stage_replica *replica)
{
  return ss_job_block_at(world->job, ss_replica_chunk(replica), replica->work.pass, replica->position);
}

ss_block_kind ss_replica_block_kind_at(const ss_world *world, const ss_stage_replica *replica, int64_t position)
{
  const ss_chunk chunk = ss_replica_chunk(replica);
  return ss_job_block_kind(world->job, chunk, ss_job_block_at(world->job, chunk, replica->work.pass, position));
}

ss_block_kind ss_replica_block_kind(const ss_world *world, const ss_stage_replica *replica)
{
  return ss_replica_block_kind_at(world, replica, replica->position);
}

const ss_task_list *ss_replica_tasks(const ss_world *world, const ss_stage_replica *replica)
{
  return ss_job_tasks(world->job, ss_replica_block_kind(world, replica), replica->work.pass);
}

const ss_step_list *ss_replica_steps_at(const ss_world *world, const ss_stage_replica *replica, int64_t position)
{
  return &replica->steps->list[ss_replica_block_kind_at(world, replica, position)][replica->work.pass];
}

const ss_step_list *ss_replica_steps(const ss_world *world, const ss_stage_replica *replica)
{
  return ss_replica_steps_at(world, replica, replica->position);
}

ss_step *ss_replica_step(const ss_world *world, const ss_stage_replica *replica)
{
  return &ss_replica_steps(world, replica)->step[replica->step];
}

bool ss_replica_joins_blocks(const ss_world *world, const ss_stage_replica *replica)
{
  return !world->job->offload.active && !ss_pass_moves_data(world->job, &replica->work);
}

bool ss_replica_wait(ss_world *world, ss_stage_replica *replica, ss_wait what)
{
  if (replica->wait != what) {
    replica->wait = what;
    replica->wait_start_s = world->common->now_s;
    SS_TELL(&world->observers, wait_begin, replica);
  }
  return false;
}

bool ss_replica_wait_until(ss_world *world, ss_stage_replica *replica, ss_wait what, double time_s)
{
  ss_world_schedule(world, time_s, SS_EVENT_REPLICA, replica);
  return ss_replica_wait(world, replica, what);
}

double ss_replica_calls_s(const ss_stage_replica *replica)
{
  return replica->parts.tp_comm_s + replica->parts.cp_comm_s + replica->parts.ep_comm_s;
}

ss_asked ss_replica_asks(const ss_world *world, const ss_stage_replica *replica)
{
  return (ss_asked){world->common->now_s, ss_replica_calls_s(replica), ss_replica_index(world, replica)};
}

const int32_t *ss_replica_gpus(const ss_world *world, const ss_stage_replica *replica)
{
  const ss_placement *placement = &world->job->placement;
  return &placement->gpu[ss_placement_rank(placement, ss_replica_member(world, replica, 0))];
}

ss_kernel_place ss_replica_kernels(const ss_world *world, const ss_stage_replica *replica, int64_t position)
{
  const ss_chunk chunk = ss_replica_chunk(replica);
  return (ss_kernel_place){.gpu = ss_replica_gpus(world, replica),
                           .schedule_pass = replica->pass,
                           .position = position,
                           .replica = replica->dp,
                           .micro_batch = ss_schedule_part(&world->job->shape, chunk).copy * world->job->copy_batches +
                                          replica->work.micro_batch,
                           .kind = ss_replica_block_kind_at(world, replica, position),
                           .pass = replica->work.pass};
}
