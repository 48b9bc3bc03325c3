#include "sim/engine/core/tasks.h"

#include <math.h>

#include "sim/engine/core/calls.h"
#include "sim/engine/core/exposed.h"
#include "sim/engine/core/kernels.h"
#include "sim/engine/core/stage.h"

static const ss_step *current_step(const ss_world *world, const ss_stage_replica *replica)
{
  return &world->steps[ss_replica_block_kind(world, replica)][replica->work.pass].step[replica->step];
}

static void account(ss_breakdown *parts, double times, const ss_duration *duration)
{
  parts->compute_s += times * duration->compute_s;
  parts->memory_s += times * duration->memory_s;
  parts->other_s += times * duration->launch_s;
#define SS_ACCOUNT_GROUP(id, name, part) parts->part += times * duration->comm_s[id];
  SS_GROUP_LIST(SS_ACCOUNT_GROUP)
#undef SS_ACCOUNT_GROUP
}

static int64_t kernel_pieces(const ss_task *task)
{
  if (!task->computes) return 0;
  return task->overlap.kernel_pieces > 0 ? task->overlap.kernel_pieces : 1;
}

static int64_t call_pieces(const ss_task *task)
{
  if (task->calls == 0) return 0;
  return task->overlap.kernel_pieces > 0 ? task->overlap.call_pieces : 1;
}

/* The next piece of what comes second waits for one of what comes first. */
static bool first_is_ready(const ss_overlap *overlap, int64_t second_done, int64_t first_done, int64_t first_pieces)
{
  const int64_t needed = second_done + 1 - overlap->lag;
  return first_done >= (needed < first_pieces ? needed : first_pieces);
}

static bool kernel_may_start(const ss_stage_replica *replica)
{
  const ss_live_task *live = &replica->live;
  const ss_overlap *overlap = &live->task->overlap;
  if (replica->kernel.active || live->kernels_done == kernel_pieces(live->task)) return false;
  return overlap->kernel_pieces == 0 || overlap->kernel_first ||
         first_is_ready(overlap, live->kernels_done, live->calls_done, call_pieces(live->task));
}

static bool call_may_start(const ss_stage_replica *replica)
{
  const ss_live_task *live = &replica->live;
  const ss_overlap *overlap = &live->task->overlap;
  if (live->call_runs || live->calls_done == call_pieces(live->task)) return false;
  return live->call > 0 || overlap->kernel_pieces == 0 || !overlap->kernel_first ||
         first_is_ready(overlap, live->calls_done, live->kernels_done, kernel_pieces(live->task));
}

static double calls_so_far_s(const ss_live_task *live)
{
  double calls_s = 0.0;
  for (int group = 0; group < SS_GROUPS; ++group) calls_s += live->call_s[group];
  return calls_s;
}

/* Kernels take the time they take; what is left of the task's time was communication that nothing hid. */
static void account_live(ss_world *world, ss_stage_replica *replica)
{
  const ss_live_task *live = &replica->live;
  const double pieces = (double)kernel_pieces(live->task);
  const double busy_s = pieces * ss_duration_kernel_s(live->kernel) + live->slowed_s;
  const double exposed_s = fmax(world->common->now_s - live->start_s - busy_s, 0.0);
  const double calls_s = calls_so_far_s(live);
  ss_duration exposed = {0};
  for (int group = 0; group < SS_GROUPS && calls_s > 0.0; ++group)
    exposed.comm_s[group] = exposed_s * live->call_s[group] / calls_s;
  account(&replica->parts, pieces, &live->kernel);
  account(&replica->parts, 1.0, &exposed);
  ss_exposed_add(&replica->exposed, exposed_s, &live->call_parts);
  replica->slowed_s += live->slowed_s;
}

/* What the next piece of the current kernel takes beyond its nominal time. */
static double piece_excess_s(const ss_world *world, const ss_stage_replica *replica)
{
  if (world->perturbation == NULL) return 0.0;
  const ss_kernel_place at = ss_replica_kernels(world, replica, replica->position);
  return ss_perturbation_piece_s(world->perturbation, &at, current_step(world, replica)->first,
                                 replica->live.kernels_done);
}

/* Starts what may start next; true where nothing is left of the task. */
static bool advance_live(ss_world *world, ss_stage_replica *replica)
{
  ss_live_task *live = &replica->live;
  if (kernel_may_start(replica)) {
    const double excess_s = piece_excess_s(world, replica);
    live->slowed_s += excess_s;
    SS_TELL(&world->observers, kernel_begin, replica);
    ss_kernels_start(world, replica, ss_duration_kernel_s(live->kernel) + excess_s);
  }
  if (call_may_start(replica)) {
    live->call_runs = true;
    live->call_start_s = world->common->now_s;
    ss_call_start(world, replica);
  }
  if (live->kernels_done < kernel_pieces(live->task) || live->calls_done < call_pieces(live->task)) return false;
  account_live(world, replica);
  return true;
}

static bool start_live(ss_world *world, ss_stage_replica *replica, const ss_step *step)
{
  const ss_block_kind kind = ss_replica_block_kind(world, replica);
  const ss_task *task = &ss_job_tasks(world->job, kind, replica->work.pass)->task[step->first];
  replica->live = (ss_live_task){.task = task, .kernel = step->kernel, .start_s = world->common->now_s};
  (void)ss_replica_wait(world, replica, SS_WAITS_TASK);
  return advance_live(world, replica);
}

/* Kernels and computed collectives in one go, which take `excess_s` longer than nominal. */
static void start_run(ss_world *world, ss_stage_replica *replica, const ss_step *step, double excess_s)
{
  SS_TELL(&world->observers, run_begin, replica, step, excess_s);
  account(&replica->parts, 1.0, &step->parts);
  replica->slowed_s += excess_s;
  ss_exposed_add(&replica->exposed, ss_exposed_sum(&step->exposed), &step->exposed);
  (void)ss_replica_wait(world, replica, SS_WAITS_TIMER);
  ss_kernels_start(world, replica, ss_duration_sum(step->parts) + excess_s);
}

/* What a step of the block at `position` takes beyond its nominal time. */
static double step_excess_s(const ss_world *world, const ss_stage_replica *replica, int64_t position,
                            const ss_step *step)
{
  if (world->perturbation == NULL) return 0.0;
  const ss_kernel_place at = ss_replica_kernels(world, replica, position);
  return ss_perturbation_run_s(
      world->perturbation, &at,
      (ss_task_run){.first = step->first, .count = step->count, .nominal_s = ss_duration_sum(step->parts)});
}

static double pass_excess_s(const ss_world *world, const ss_stage_replica *replica)
{
  const ss_chunk chunk = ss_replica_chunk(replica);
  const ss_pass pass = replica->work.pass;
  const int64_t blocks = world->perturbation != NULL ? ss_job_block_count(world->job, chunk) : 0;
  double excess_s = 0.0;
  for (int64_t position = 0; position < blocks; ++position) {
    const int64_t block = ss_job_block_at(world->job, chunk, pass, position);
    const ss_step_list *steps = &world->steps[ss_job_block_kind(world->job, chunk, block)][pass];
    for (int64_t i = 0; i < steps->count; ++i) excess_s += step_excess_s(world, replica, position, &steps->step[i]);
  }
  return excess_s;
}

void ss_pass_start(ss_world *world, ss_stage_replica *replica)
{
  const ss_step *whole = &world->stage[replica->stage].pass[replica->work.chunk * SS_PASSES + replica->work.pass];
  start_run(world, replica, whole, pass_excess_s(world, replica));
}

bool ss_step_start(ss_world *world, ss_stage_replica *replica)
{
  const ss_step *step = current_step(world, replica);
  if (step->live) return start_live(world, replica, step);
  start_run(world, replica, step, step_excess_s(world, replica, replica->position, step));
  return false;
}

bool ss_live_task_kernel_over(ss_world *world, ss_stage_replica *replica)
{
  const ss_kernel_run *run = &replica->kernel;
  if (world->slows) replica->live.slowed_s += fmax(world->common->now_s - run->start_s - run->alone_s, 0.0);
  replica->live.kernels_done++;
  SS_TELL(&world->observers, kernel_end, replica);
  return advance_live(world, replica);
}

bool ss_live_task_call_over(ss_world *world, ss_stage_replica *replica, const ss_transfer *call)
{
  ss_live_task *live = &replica->live;
  const double call_s = world->common->now_s - live->call_start_s;
  live->call_s[live->task->call[live->call].group] += call_s;
  ss_exposed_add(&live->call_parts, call_s, &call->ended.parts);
  if (call->type->kind == SS_TRANSFER_EXPERT) {
    const ss_pause pause = {live->call_start_s, call->ended.transfer, calls_so_far_s(live)};
    SS_TELL(&world->observers, paused, replica, &pause);
  }
  live->call_runs = false;
  if (++live->call == live->task->calls) {
    live->call = 0;
    live->calls_done++;
  }
  return advance_live(world, replica);
}
