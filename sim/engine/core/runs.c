#include "sim/engine/core/runs.h"

#include <math.h>

#include "sim/engine/core/ahead.h"
#include "sim/engine/core/drawn.h"
#include "sim/engine/core/exposed.h"
#include "sim/engine/core/kernels.h"
#include "sim/engine/core/legs.h"
#include "sim/engine/core/stage.h"

void ss_breakdown_add(ss_breakdown *parts, const ss_duration *duration)
{
  parts->compute_s += duration->compute_s;
  parts->memory_s += duration->memory_s;
  parts->other_s += duration->launch_s;
#define SS_ACCOUNT_GROUP(id, name, part) parts->part += duration->comm_s[id];
  SS_GROUP_LIST(SS_ACCOUNT_GROUP)
#undef SS_ACCOUNT_GROUP
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
  double begin_s;
  double excess_s, slowed_s; /* what it takes beyond that, and what its kernels do */
  const ss_duration *parts;  /* with what kernels do not hide of its communication: */
  double exposed;            /* as a share of what nominal ones do not */
} run_course;

static void account_run(ss_world *world, ss_stage_replica *replica, const ss_step *step, run_course course)
{
  const int64_t ranks = replica->alike * world->width;
  SS_TELL(&world->observers, run_begin, replica, step, course.begin_s, course.excess_s);
  world->result.flows += ranks * step->flows;
  world->result.nvlink_bytes += (double)ranks * step->flow_bytes;
  ss_breakdown_add(&replica->parts, course.parts);
  replica->slowed_s += course.slowed_s;
  ss_exposed_add(&replica->exposed, course.exposed * ss_exposed_sum(&step->exposed), &step->exposed);
}

void ss_run_wait(ss_world *world, ss_stage_replica *replica, double end_s)
{
  if (ss_ahead_run(world, replica, end_s)) return;
  (void)ss_replica_wait(world, replica, SS_WAITS_TIMER);
  ss_kernels_start_until(world, replica, end_s);
}

void ss_run_start(ss_world *world, ss_stage_replica *replica, ss_step *step, double perturbed_s)
{
  const double excess_s = step->slowed_s + perturbed_s;
  account_run(world, replica, step, (run_course){world->common->now_s, excess_s, excess_s, &step->parts, 1.0});
  const double run_s = ss_duration_sum(step->parts) + excess_s;
  if (step->legs == 0 && replica->is_undisturbed && ss_ahead_run(world, replica, world->common->now_s + run_s)) return;
  (void)ss_replica_wait(world, replica, SS_WAITS_TIMER);
  if (step->legs > 0)
    ss_kernels_start_until(world, replica, end_of_legs(world, step));
  else
    ss_kernels_start(world, replica, run_s);
}

/* Accounts for a run of a replica that is drawn, through which `walk` has gone. What its kernels do not take was
 * communication that they did not hide. */
static void account_drawn(ss_world *world, ss_stage_replica *replica, const ss_step *step, double begin_s,
                          const ss_drawn_walk *walk)
{
  const double kernels_s = ss_duration_kernel_s(step->parts), exposed_s = ss_duration_exposed_s(step->parts);
  const double run_s = walk->legs.time_s - begin_s;
  ss_duration parts = step->parts;
  run_course course = {
      .begin_s = begin_s, .excess_s = run_s - ss_duration_sum(step->parts), .parts = &parts, .exposed = 1.0};
  if (exposed_s > 0.0) course.exposed = fmax(run_s - kernels_s - walk->excess_s, 0.0) / exposed_s;
  course.slowed_s = run_s - kernels_s - course.exposed * exposed_s;
  for (int group = 0; group < SS_GROUPS; ++group) parts.comm_s[group] *= course.exposed;
  account_run(world, replica, step, course);
}

double ss_run_draw(ss_world *world, ss_stage_replica *replica, const ss_step *step, int64_t position, double begin_s)
{
  ss_drawn_walk walk = {.legs = {.time_s = begin_s, .tie_s = world->common->tie_s}};
  ss_drawn_walk_run(world, replica, step, position, &walk);
  if (!world->options->only_time) account_drawn(world, replica, step, begin_s, &walk);
  return walk.legs.time_s;
}

bool ss_run_is_drawn(const ss_world *world, const ss_step *step)
{
  return step->legs > 0 && ss_perturbation_tells_apart(world->perturbation);
}

double ss_run_excess_s(const ss_world *world, const ss_stage_replica *replica, int64_t position, const ss_step *step)
{
  if (world->perturbation == NULL) return 0.0;
  const ss_kernel_place at = ss_replica_kernels(world, replica, position);
  return ss_perturbation_run_s(
      world->perturbation, &at,
      (ss_task_run){.first = step->first, .count = step->count, .nominal_s = ss_duration_sum(step->parts)});
}

static double pass_excess_s(const ss_world *world, const ss_stage_replica *replica)
{
  const int64_t blocks = world->perturbation != NULL ? ss_job_block_count(world->job, ss_replica_chunk(replica)) : 0;
  double excess_s = 0.0;
  for (int64_t position = 0; position < blocks; ++position) {
    const ss_step_list *steps = ss_replica_steps_at(world, replica, position);
    for (int64_t i = 0; i < steps->count; ++i) excess_s += ss_run_excess_s(world, replica, position, &steps->step[i]);
  }
  return excess_s;
}

void ss_pass_start(ss_world *world, ss_stage_replica *replica)
{
  const ss_stage *stage = &world->stage[replica->stage];
  ss_step *pass = replica->steps == &world->quiet[replica->quiet] ? stage->quiet_pass[replica->quiet] : stage->pass;
  pass += replica->work.chunk * SS_PASSES + replica->work.pass;
  if (ss_run_is_drawn(world, pass))
    ss_run_wait(world, replica, ss_run_draw(world, replica, pass, 0, world->common->now_s));
  else
    ss_run_start(world, replica, pass, pass_excess_s(world, replica));
}
