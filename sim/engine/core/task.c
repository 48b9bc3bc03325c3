/* Tasks of a block: runs of kernels in one go, and live tasks, whose pieces of kernel and collectives go side by side.
 */
#include <math.h>

#include "sim/engine/core/world.h"
#include "sim/engine/observe/monitor.h"
#include "sim/engine/observe/trace.h"
#include "sim/engine/perturbation/perturbation.h"

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

/* What communication leaves of a GPU to kernels. */
static double kernel_rate(const ss_world *world, const ss_stage_replica *replica)
{
  const ss_machine *machine = world->job->machine;
  const double nvlink = replica->nvlink_transfers > 0 ? machine->nvlink_compute_cost : 0.0;
  const double fabric = replica->fabric_transfers > 0 ? machine->fabric_compute_cost : 0.0;
  return 1.0 - fmax(nvlink, fabric);
}

static void set_timer(ss_world *world, ss_stage_replica *replica)
{
  ss_kernel_run *run = &replica->kernel;
  run->rate = kernel_rate(world, replica);
  run->since_s = world->common->now_s;
  run->due_s = world->common->now_s + run->left_s / run->rate;
  ss_world_schedule(world, run->due_s, SS_EVENT_KERNEL, replica);
}

static void start_kernel(ss_world *world, ss_stage_replica *replica, double alone_s)
{
  replica->kernel =
      (ss_kernel_run){.active = true, .left_s = alone_s, .start_s = world->common->now_s, .alone_s = alone_s};
  set_timer(world, replica);
}

void ss_kernel_rate_changes(ss_world *world, ss_stage_replica *replica)
{
  ss_kernel_run *run = &replica->kernel;
  if (!run->active) return;
  run->left_s = fmax(run->left_s - (world->common->now_s - run->since_s) * run->rate, 0.0);
  set_timer(world, replica);
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
  replica->parts.other_s += live->slowed_s;
}

static void advance_live(ss_world *world, ss_stage_replica *replica)
{
  ss_live_task *live = &replica->live;
  if (kernel_may_start(replica)) {
    const double excess_s =
        ss_perturbation_piece_s(world, replica, current_step(world, replica)->first, live->kernels_done);
    live->slowed_s += excess_s;
    ss_trace_kernel_begin(world, replica);
    start_kernel(world, replica, ss_duration_kernel_s(live->kernel) + excess_s);
  }
  if (call_may_start(replica)) {
    live->call_runs = true;
    live->call_start_s = world->common->now_s;
    ss_start_call(world, replica);
  }
  if (live->kernels_done < kernel_pieces(live->task) || live->calls_done < call_pieces(live->task)) return;
  account_live(world, replica);
  ss_replica_resume(world, replica);
}

static void start_live(ss_world *world, ss_stage_replica *replica, const ss_step *step)
{
  const ss_block_kind kind = ss_replica_block_kind(world, replica);
  const ss_task *task = &ss_job_tasks(world->job, kind, replica->work.pass)->task[step->first];
  replica->live = (ss_live_task){.task = task, .kernel = step->kernel, .start_s = world->common->now_s};
  (void)ss_replica_wait(world, replica, SS_WAITS_TASK);
  advance_live(world, replica);
}

/* Kernels and computed collectives in one go, which take longer than nominal. */
static void start_run(ss_world *world, ss_stage_replica *replica, const ss_step *step, double excess_s)
{
  const double duration_s = ss_duration_sum(step->parts) + excess_s;
  account(&replica->parts, 1.0, &step->parts);
  replica->parts.other_s += excess_s;
  ss_exposed_add(&replica->exposed, ss_exposed_sum(&step->exposed), &step->exposed);
  ss_monitor_run(world, replica, duration_s, step->nvlink_bytes);
  (void)ss_replica_wait(world, replica, SS_WAITS_TIMER);
  start_kernel(world, replica, duration_s);
}

void ss_pass_start(ss_world *world, ss_stage_replica *replica)
{
  const ss_step *whole = &world->stage[replica->stage].pass[replica->work.chunk * SS_PASSES + replica->work.pass];
  start_run(world, replica, whole, ss_perturbation_pass_s(world, replica));
}

bool ss_step_start(ss_world *world, ss_stage_replica *replica)
{
  const ss_step *step = current_step(world, replica);
  if (step->live) {
    start_live(world, replica, step);
    return false;
  }
  const double excess_s = ss_perturbation_run_s(world, replica, step);
  ss_trace_run(world, replica, step, excess_s);
  start_run(world, replica, step, excess_s);
  return false;
}

/* A timer that was set before the rate changed is too early. */
void ss_kernel_timer(ss_world *world, ss_stage_replica *replica)
{
  ss_kernel_run *run = &replica->kernel;
  if (!run->active || world->common->now_s < run->due_s) return;
  run->active = false;
  if (replica->wait == SS_WAITS_TIMER) {
    ss_replica_resume(world, replica);
    return;
  }
  if (world->slows) replica->live.slowed_s += fmax(world->common->now_s - run->start_s - run->alone_s, 0.0);
  replica->live.kernels_done++;
  ss_trace_kernel_end(world, replica);
  advance_live(world, replica);
}

void ss_call_arrived(ss_world *world, ss_stage_replica *replica, const ss_transfer *transfer)
{
  ss_live_task *live = &replica->live;
  const double call_s = world->common->now_s - live->call_start_s;
  const ss_exposed parts = ss_monitor_parts(world, transfer);
  live->call_s[live->task->call[live->call].group] += call_s;
  ss_exposed_add(&live->call_parts, call_s, &parts);
  if (transfer->kind == SS_TRANSFER_EXPERT) ss_monitor_wait(world, replica, live->call_start_s, calls_so_far_s(live));
  live->call_runs = false;
  if (++live->call == live->task->calls) {
    live->call = 0;
    live->calls_done++;
  }
  advance_live(world, replica);
}
