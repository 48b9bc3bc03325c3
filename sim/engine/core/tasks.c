#include "sim/engine/core/tasks.h"

#include <math.h>

#include "sim/engine/core/calls.h"
#include "sim/engine/core/exposed.h"
#include "sim/engine/core/kernels.h"
#include "sim/engine/core/runs.h"
#include "sim/engine/core/stage.h"

/* Its kernels and what nothing hid of its collectives. */
static void account_live(ss_world *world, ss_stage_replica *replica)
{
  const ss_live_task *live = &replica->live;
  ss_duration parts;
  const double exposed_s = ss_pieces_parts(&live->pieces, world->common->now_s - live->start_s, &parts);
  ss_breakdown_add(&replica->parts, &parts);
  ss_exposed_add(&replica->exposed, exposed_s, &live->pieces.call_parts);
  replica->slowed_s += live->pieces.slowed_s;
  replica->behind_s += ss_pieces_behind_s(&live->pieces, exposed_s);
}

/* What the next piece of the current kernel takes beyond its nominal time. */
static double piece_excess_s(const ss_world *world, const ss_stage_replica *replica)
{
  if (world->perturbation == NULL) return 0.0;
  const ss_kernel_place at = ss_replica_kernels(world, replica, replica->position);
  ss_kernel_piece piece = {ss_replica_step(world, replica)->first, replica->live.pieces.kernels_done, 0.0};
  ss_perturbation_draw(world->perturbation, &at, &piece, 1);
  return piece.longer_s;
}

static void start_call(ss_world *world, ss_stage_replica *replica, double time_s)
{
  replica->live.call_runs = true;
  replica->live.call_start_s = time_s;
  ss_call_start(world, replica);
}

/* Starts what may start next; true where nothing is left of the task. */
static bool advance_live(ss_world *world, ss_stage_replica *replica)
{
  ss_live_task *live = &replica->live;
  if (!replica->kernel.active && ss_pieces_may_start_kernel(&live->pieces)) {
    const double excess_s = piece_excess_s(world, replica);
    live->pieces.slowed_s += excess_s;
    SS_TELL(&world->observers, kernel_begin, replica);
    ss_kernels_start(world, replica, ss_duration_kernel_s(live->pieces.kernel) + excess_s);
  }
  if (!live->call_runs && ss_pieces_may_start_call(&live->pieces)) start_call(world, replica, world->common->now_s);
  if (!ss_pieces_are_over(&live->pieces)) return false;
  account_live(world, replica);
  return true;
}

/* A replica comes to a live task. */
static void come_to_live(ss_world *world, ss_stage_replica *replica, const ss_step *step, double time_s)
{
  const ss_task *task = &ss_replica_tasks(world, replica)->task[step->first];
  replica->live = (ss_live_task){.pieces = {.task = task, .kernel = step->kernel}, .start_s = time_s};
  (void)ss_replica_wait(world, replica, SS_WAITS_TASK);
}

static bool start_live(ss_world *world, ss_stage_replica *replica, const ss_step *step)
{
  come_to_live(world, replica, step, world->common->now_s);
  return advance_live(world, replica);
}

/* Whether a task is nothing but an exchange between replicas at first: a replica only says when it comes to it. */
static bool begins_with_meeting(const ss_task *task)
{
  const ss_pieces pieces = {.task = task};
  return !ss_pieces_may_start_kernel(&pieces) && ss_pieces_may_start_call(&pieces) &&
         ss_group_joins_replicas(task->call[0].group);
}

/* Goes to the step behind the current one, if that is another run that is drawn, or one for which replicas meet; NULL
 * where it is not. */
static const ss_step *go_to_next(const ss_world *world, ss_stage_replica *replica)
{
  const int64_t position = replica->position, step = replica->step;
  const int64_t blocks = ss_job_block_count(world->job, ss_replica_chunk(replica));
  if (++replica->step == ss_replica_steps(world, replica)->count) {
    replica->position++;
    replica->step = 0;
  }
  const bool same = replica->position == position;
  if (same || (replica->position < blocks && ss_replica_joins_blocks(world, replica))) {
    const ss_step_list *list = ss_replica_steps(world, replica);
    const ss_step *next = list->count > 0 ? &list->step[replica->step] : NULL;
    const ss_task *tasks = ss_replica_tasks(world, replica)->task;
    if (next != NULL && (next->live ? begins_with_meeting(&tasks[next->first]) : ss_run_is_drawn(world, next))) {
      replica->steps_begun += !same && replica->work.pass != SS_PASS_WEIGHT;
      return next;
    }
  }
  replica->position = position;
  replica->step = step;
  return NULL;
}

/* Goes through runs that are drawn. Nothing can happen to a replica before they are over, so that it says now when it
 * comes to where it meets others, and no event lets it do so. */
static void go_through_runs(ss_world *world, ss_stage_replica *replica, const ss_step *step)
{
  double time_s = world->common->now_s;
  for (; step != NULL && !step->live; step = go_to_next(world, replica))
    time_s = ss_run_draw(world, replica, step, replica->position, time_s);
  if (step == NULL) {
    ss_run_wait(world, replica, time_s);
    return;
  }
  come_to_live(world, replica, step, time_s);
  start_call(world, replica, time_s);
}

bool ss_step_start(ss_world *world, ss_stage_replica *replica)
{
  ss_step *step = ss_replica_step(world, replica);
  if (step->live) return start_live(world, replica, step);
  if (ss_run_is_drawn(world, step))
    go_through_runs(world, replica, step);
  else
    ss_run_start(world, replica, step, ss_run_excess_s(world, replica, replica->position, step));
  return false;
}

bool ss_live_task_kernel_over(ss_world *world, ss_stage_replica *replica)
{
  const ss_kernel_run *run = &replica->kernel;
  ss_pieces *pieces = &replica->live.pieces;
  if (world->slows) pieces->slowed_s += fmax(world->common->now_s - run->start_s - run->alone_s, 0.0);
  pieces->kernels_done++;
  SS_TELL(&world->observers, kernel_end, replica);
  return advance_live(world, replica);
}

/* Those who have met go through the exchange, and all that comes behind it, in one run. Until now it was a wait. */
static void go_on_together(ss_world *world, ss_stage_replica *replica, const ss_transfer *call)
{
  const ss_work *work = &replica->work;
  ss_quiet_rest *rest = &world->stage[replica->stage].quiet_rest[work->chunk * SS_PASSES + work->pass];
  const double all_s = world->common->now_s - replica->live.start_s, behind_s = ss_world_behind_s(world, all_s);
  const double waited_s = all_s - behind_s;
  ss_duration waited = {0};
  const ss_pause pause = {.start_s = replica->live.start_s, .transfer = call->ended.transfer};
  waited.comm_s[call->group] = waited_s;
  ss_breakdown_add(&replica->parts, &waited);
  replica->behind_s += behind_s;
  ss_exposed_add(&replica->exposed, waited_s, &rest->exchange);
  SS_TELL(&world->observers, paused, replica, &pause);
  SS_TELL(&world->observers, wait_end, replica);
  SS_TELL(&world->observers, block_end, replica);
  const int64_t blocks = ss_job_block_count(world->job, ss_replica_chunk(replica));
  replica->steps_begun += work->pass != SS_PASS_WEIGHT ? blocks - 1 - replica->position : 0;
  replica->phase = SS_PHASE_PASS_END;
  ss_run_start(world, replica, &rest->run, 0.0);
}

bool ss_live_task_call_over(ss_world *world, ss_stage_replica *replica, const ss_transfer *call)
{
  ss_live_task *live = &replica->live;
  if (call->is_meeting) {
    go_on_together(world, replica, call);
    return false;
  }
  const double behind_s = ss_world_behind_s(world, call->start_s - live->call_start_s);
  live->pieces.behind_s += behind_s;
  ss_pieces_end_call(&live->pieces, world->common->now_s - live->call_start_s - behind_s, &call->ended.parts);
  if (call->type->kind == SS_TRANSFER_EXPERT) {
    const ss_pause pause = {live->call_start_s, call->ended.transfer, ss_pieces_calls_s(&live->pieces)};
    SS_TELL(&world->observers, paused, replica, &pause);
  }
  live->call_runs = false;
  return advance_live(world, replica);
}
