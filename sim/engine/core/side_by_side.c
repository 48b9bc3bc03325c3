#include "sim/engine/core/side_by_side.h"

#include <math.h>

#include "model/plan/task_time.h"
#include "sim/engine/core/runs.h"

/* A step of the pass that a group is in. */
typedef struct place {
  int64_t position, step;
} place;

/* The step at a place, or the next one that there is; NULL behind the last one of the pass. */
static const ss_step *step_at(const ss_world *world, const ss_stage_replica *replica, place *at)
{
  const int64_t blocks = ss_job_block_count(world->job, ss_replica_chunk(replica));
  for (; at->position < blocks; *at = (place){at->position + 1, 0}) {
    const ss_step_list *list = ss_replica_steps_at(world, replica, at->position);
    if (at->step < list->count) return &list->step[at->step];
  }
  return NULL;
}

/* Whether a task is collectives for which the replicas of a group meet, and nothing else. */
static bool is_of_group(const ss_world *world, const ss_expert_group *experts, const ss_task *task)
{
  const ss_stage_replica *replica = experts->member[0];
  bool is_of = !task->computes && task->overlap.kernel_pieces == 0;
  for (int64_t i = 0; is_of && i < task->calls; ++i) {
    const ss_group group = task->call[i].group;
    is_of =
        ss_group_joins_replicas(group) && ss_world_expert_group(world, group, replica->stage, replica->dp) == experts;
  }
  return is_of;
}

static const ss_task *task_at(const ss_world *world, const ss_stage_replica *replica, place at, const ss_step *step)
{
  const ss_block_kind kind = ss_replica_block_kind_at(world, replica, at.position);
  return &ss_job_tasks(world->job, kind, replica->work.pass)->task[step->first];
}

/* Whether nothing is left of the pass but what the group does by itself. */
static bool is_by_itself(const ss_world *world, const ss_expert_group *experts, place at)
{
  const ss_stage_replica *replica = experts->member[0];
  bool by_itself = true;
  const ss_step *step;
  for (; by_itself && (step = step_at(world, replica, &at)) != NULL; ++at.step)
    by_itself =
        step->live ? is_of_group(world, experts, task_at(world, replica, at, step)) : ss_run_is_drawn(world, step);
  return by_itself;
}

/* Whether all of a group are at the same place, from which each goes on by itself. */
static bool is_in_step(const ss_world *world, const ss_expert_group *experts)
{
  const ss_stage_replica *first = experts->member[0];
  bool in_step = ss_replica_joins_blocks(world, first);
  for (int64_t i = 0; in_step && i < experts->members; ++i) {
    const ss_stage_replica *member = experts->member[i];
    in_step = member->pass == first->pass && member->position == first->position && member->step == first->step &&
              member->steps == &world->quiet[member->quiet] && member->steps == first->steps &&
              member->live.pieces.call == 0;
  }
  return in_step;
}

/* The computed time of the collectives of a task, one after the other; then all are there. */
static void meet(ss_transfer *transfer, const ss_task *task, ss_block_kind kind)
{
  const ss_expert_group *experts = transfer->experts;
  const ss_job *job = transfer->world->job;
  const ss_pass pass = experts->member[0]->work.pass;
  double time_s = 0.0;
  for (int64_t i = 0; i < experts->members; ++i) time_s = fmax(time_s, experts->member[i]->live.call_start_s);
  for (int64_t i = 0; i < task->calls; ++i) {
    const ss_call_place at = {task, i, kind, pass};
    ss_call_prepare(&at, transfer, experts->route[task->call[i].group]);
    time_s += ss_comm_time_sum(ss_job_call_piece(job, kind, pass, task, i, transfer->route->span));
  }
  for (int64_t i = 0; i < experts->members; ++i) experts->member[i]->live.call_start_s = time_s;
}

static void end_pass(ss_world *world, ss_stage_replica *replica)
{
  const int64_t blocks = ss_job_block_count(world->job, ss_replica_chunk(replica));
  replica->steps_begun += replica->work.pass != SS_PASS_WEIGHT ? blocks - 1 - replica->position : 0;
  replica->phase = SS_PHASE_PASS_END;
  ss_run_wait(world, replica, replica->live.call_start_s);
}

/* Each is where it last came to a collective, or was through a run (live.call_start_s). */
bool ss_group_goes_through(ss_transfer *transfer)
{
  ss_world *world = transfer->world;
  const ss_expert_group *experts = transfer->experts;
  const ss_stage_replica *first = experts->member[0];
  place at = {first->position, first->step};
  if (!world->options->only_time || !is_in_step(world, experts) || !is_by_itself(world, experts, at)) return false;
  for (const ss_step *step; (step = step_at(world, first, &at)) != NULL; ++at.step) {
    if (step->live) {
      meet(transfer, task_at(world, first, at, step), ss_replica_block_kind_at(world, first, at.position));
      continue;
    }
    for (int64_t i = 0; i < experts->members; ++i) {
      ss_stage_replica *member = experts->member[i];
      member->live.call_start_s = ss_run_draw(world, member, step, at.position, member->live.call_start_s);
    }
  }
  for (int64_t i = 0; i < experts->members; ++i) end_pass(world, experts->member[i]);
  return true;
}
