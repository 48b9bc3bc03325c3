#include "sim/engine/core/tasks.h"

#include <math.h>

#include "sim/engine/core/calls.h"
#include "sim/engine/core/exposed.h"
#include "sim/engine/core/kernels.h"
#include "sim/engine/core/legs.h"
#include "sim/engine/core/stage.h"

static ss_step *current_step(const ss_world *world, const ss_stage_replica *replica)
{
  return &replica->steps->list[ss_replica_block_kind(world, replica)][replica->work.pass].step[replica->step];
}

static void account(ss_breakdown *parts, const ss_duration *duration)
{
  parts->compute_s += duration->compute_s;
  parts->memory_s += duration->memory_s;
  parts->other_s += duration->launch_s;
#define SS_ACCOUNT_GROUP(id, name, part) parts->part += duration->comm_s[id];
  SS_GROUP_LIST(SS_ACCOUNT_GROUP)
#undef SS_ACCOUNT_GROUP
}

/* Its kernels and what nothing hid of its collectives. */
static void account_live(ss_world *world, ss_stage_replica *replica)
{
  const ss_live_task *live = &replica->live;
  double exposed_s;
  const ss_duration parts = ss_pieces_parts(&live->pieces, world->common->now_s - live->start_s, &exposed_s);
  account(&replica->parts, &parts);
  ss_exposed_add(&replica->exposed, exposed_s, &live->pieces.call_parts);
  replica->slowed_s += live->pieces.slowed_s;
  replica->behind_s += ss_pieces_behind_s(&live->pieces, exposed_s);
}

/* What the next piece of the current kernel takes beyond its nominal time. */
static double piece_excess_s(const ss_world *world, const ss_stage_replica *replica)
{
  if (world->perturbation == NULL) return 0.0;
  const ss_kernel_place at = ss_replica_kernels(world, replica, replica->position);
  return ss_perturbation_piece_s(world->perturbation, &at, current_step(world, replica)->first,
                                 replica->live.pieces.kernels_done);
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
  if (!live->call_runs && ss_pieces_may_start_call(&live->pieces)) {
    live->call_runs = true;
    live->call_start_s = world->common->now_s;
    ss_call_start(world, replica);
  }
  if (!ss_pieces_are_over(&live->pieces)) return false;
  account_live(world, replica);
  return true;
}

static bool start_live(ss_world *world, ss_stage_replica *replica, const ss_step *step)
{
  const ss_block_kind kind = ss_replica_block_kind(world, replica);
  const ss_task *task = &ss_job_tasks(world->job, kind, replica->work.pass)->task[step->first];
  replica->live = (ss_live_task){.pieces = {.task = task, .kernel = step->kernel}, .start_s = world->common->now_s};
  (void)ss_replica_wait(world, replica, SS_WAITS_TASK);
  return advance_live(world, replica);
}

/* Replicas that are in step begin the same run at the same time. */
static double end_of_legs(const ss_world *world, ss_step *step)
{
  const double now_s = world->common->now_s;
  if (step->ended_s > now_s && step->began_s == now_s) return step->ended_s;
  ss_leg_walk walk = {.time_s = now_s, .tie_s = world->common->tie_s};
  for (int64_t i = 0; i < step->legs; ++i) ss_leg_walk_go(&walk, &world->legs.leg[step->first_leg + i]);
  step->began_s = now_s;
  step->ended_s = walk.time_s;
  return walk.time_s;
}

/* What a run is beside its nominal time. */
typedef struct run_course {
  double excess_s, slowed_s; /* what it takes beyond that, and what its kernels do */
  const ss_duration *parts;  /* with what kernels do not hide of its communication: */
  double exposed;            /* as a share of what nominal ones do not */
} run_course;

static void account_run(ss_world *world, ss_stage_replica *replica, const ss_step *step, run_course course)
{
  const int64_t ranks = replica->alike * world->width;
  SS_TELL(&world->observers, run_begin, replica, step, course.excess_s);
  world->result.flows += ranks * step->flows;
  world->result.nvlink_bytes += (double)ranks * step->flow_bytes;
  account(&replica->parts, course.parts);
  replica->slowed_s += course.slowed_s;
  ss_exposed_add(&replica->exposed, course.exposed * ss_exposed_sum(&step->exposed), &step->exposed);
}

/* Kernels and computed collectives in one go; perturbation makes them longer by `perturbed_s`. */
static void start_run(ss_world *world, ss_stage_replica *replica, ss_step *step, double perturbed_s)
{
  const double excess_s = step->slowed_s + perturbed_s;
  account_run(world, replica, step, (run_course){excess_s, excess_s, &step->parts, 1.0});
  (void)ss_replica_wait(world, replica, SS_WAITS_TIMER);
  if (step->legs > 0)
    ss_kernels_start_until(world, replica, end_of_legs(world, step));
  else
    ss_kernels_start(world, replica, ss_duration_sum(step->parts) + excess_s);
}

/* What the kernels of a leg take beyond their nominal time. */
static double leg_excess_s(const ss_world *world, const ss_kernel_place *at, const ss_leg *leg)
{
  const ss_leg_kernels *kernels = &leg->kernels;
  if (kernels->count == 0) return ss_perturbation_piece_s(world->perturbation, at, kernels->task, kernels->piece);
  return ss_perturbation_run_s(
      world->perturbation, at,
      (ss_task_run){.first = kernels->task, .count = kernels->count, .nominal_s = leg->time_s});
}

/* Goes through a run whose kernels are drawn, from the block at `position` on: what they take beyond their nominal time
 * in all. */
static double walk_drawn(const ss_world *world, const ss_stage_replica *replica, const ss_step *step, int64_t position,
                         ss_leg_walk *walk)
{
  double excess_s = 0.0;
  ss_kernel_place at = {.position = -1};
  for (int64_t i = 0; i < step->legs; ++i) {
    const ss_leg *leg = &world->legs.leg[step->first_leg + i];
    if (!leg->kernels.some) {
      ss_leg_walk_go(walk, leg);
      continue;
    }
    if (at.position != position + leg->kernels.position)
      at = ss_replica_kernels(world, replica, position + leg->kernels.position);
    const double longer_s = leg_excess_s(world, &at, leg);
    ss_leg_walk_go_longer(walk, leg, longer_s);
    excess_s += longer_s;
  }
  return world->slows ? excess_s + walk->slowed_s : excess_s;
}

/* The same where kernels are drawn. What they do not take was communication that they did not hide. */
static void start_drawn_run(ss_world *world, ss_stage_replica *replica, const ss_step *step, int64_t position)
{
  const double now_s = world->common->now_s, kernels_s = ss_duration_kernel_s(step->parts);
  const double exposed_s = ss_duration_exposed_s(step->parts);
  ss_duration parts = step->parts;
  ss_leg_walk walk = {.time_s = now_s, .tie_s = world->common->tie_s};
  const double slowed_s = walk_drawn(world, replica, step, position, &walk), run_s = walk.time_s - now_s;
  run_course course = {.excess_s = run_s - ss_duration_sum(step->parts), .parts = &parts, .exposed = 1.0};
  if (exposed_s > 0.0) course.exposed = fmax(run_s - kernels_s - slowed_s, 0.0) / exposed_s;
  course.slowed_s = run_s - kernels_s - course.exposed * exposed_s;
  for (int group = 0; group < SS_GROUPS; ++group) parts.comm_s[group] *= course.exposed;
  account_run(world, replica, step, course);
  (void)ss_replica_wait(world, replica, SS_WAITS_TIMER);
  ss_kernels_start_until(world, replica, walk.time_s);
}

static bool draws_legs(const ss_world *world, const ss_step *step)
{
  return step->legs > 0 && ss_perturbation_tells_apart(world->perturbation);
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
    const ss_step_list *steps = &replica->steps->list[ss_job_block_kind(world->job, chunk, block)][pass];
    for (int64_t i = 0; i < steps->count; ++i) excess_s += step_excess_s(world, replica, position, &steps->step[i]);
  }
  return excess_s;
}

void ss_pass_start(ss_world *world, ss_stage_replica *replica)
{
  const ss_stage *stage = &world->stage[replica->stage];
  ss_step *pass = replica->steps == &world->quiet[replica->quiet] ? stage->quiet_pass[replica->quiet] : stage->pass;
  pass += replica->work.chunk * SS_PASSES + replica->work.pass;
  if (draws_legs(world, pass))
    start_drawn_run(world, replica, pass, 0);
  else
    start_run(world, replica, pass, pass_excess_s(world, replica));
}

bool ss_step_start(ss_world *world, ss_stage_replica *replica)
{
  ss_step *step = current_step(world, replica);
  if (step->live) return start_live(world, replica, step);
  if (draws_legs(world, step))
    start_drawn_run(world, replica, step, replica->position);
  else
    start_run(world, replica, step, step_excess_s(world, replica, replica->position, step));
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
  account(&replica->parts, &waited);
  replica->behind_s += behind_s;
  ss_exposed_add(&replica->exposed, waited_s, &rest->exchange);
  SS_TELL(&world->observers, paused, replica, &pause);
  SS_TELL(&world->observers, wait_end, replica);
  SS_TELL(&world->observers, block_end, replica);
  const int64_t blocks = ss_job_block_count(world->job, ss_replica_chunk(replica));
  replica->steps_begun += work->pass != SS_PASS_WEIGHT ? blocks - 1 - replica->position : 0;
  replica->phase = SS_PHASE_PASS_END;
  start_run(world, replica, &rest->run, 0.0);
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
