#include "sim/engine/setup/settle.h"

#include <math.h>

#include "model/plan/task_time.h"
#include "sim/engine/core/exposed.h"
#include "sim/engine/core/pieces.h"

/* A task on its way from the end of one piece to that of the next. */
typedef struct walk {
  const ss_job *job;
  ss_task_place at;
  ss_pieces pieces;
  double now_s;
  bool kernel_runs, call_runs;
  double kernel_left_s, kernel_start_s; /* left: at full rate */
  ss_comm_time call;
  double call_left_s;
} walk;

static ss_span span_of_call(const walk *w)
{
  return w->job->span[w->at.task->call[w->pieces.call].group];
}

static void start_pieces(walk *w)
{
  if (!w->kernel_runs && ss_pieces_may_start_kernel(&w->pieces)) {
    w->kernel_runs = true;
    w->kernel_start_s = w->now_s;
    w->kernel_left_s = ss_duration_kernel_s(w->pieces.kernel);
  }
  if (!w->call_runs && ss_pieces_may_start_call(&w->pieces)) {
    w->call_runs = true;
    w->call = ss_job_call_piece(w->job, w->at.kind, w->at.pass, w->at.task, w->pieces.call, span_of_call(w));
    w->call_left_s = ss_comm_time_sum(w->call);
  }
}

static void end_kernel(walk *w)
{
  w->kernel_runs = false;
  w->pieces.kernels_done++;
  w->pieces.slowed_s += fmax(w->now_s - w->kernel_start_s - ss_duration_kernel_s(w->pieces.kernel), 0.0);
}

static void end_call(walk *w)
{
  const ss_exposed parts = {w->call.latency_s, w->call.transfer_s, 0.0};
  w->call_runs = false;
  ss_pieces_end_call(&w->pieces, ss_comm_time_sum(w->call), &parts);
}

/* What a collective in progress leaves of the GPU to kernels. */
static double kernel_rate(const walk *w)
{
  return w->call_runs ? 1.0 - ss_machine_compute_cost(w->job->machine, ss_span_transport(span_of_call(w))) : 1.0;
}

static void go_on(walk *w)
{
  const double rate = kernel_rate(w), kernel_s = w->kernel_runs ? w->kernel_left_s / rate : INFINITY;
  const double call_s = w->call_runs ? w->call_left_s : INFINITY, step_s = fmin(kernel_s, call_s);
  w->now_s += step_s;
  w->kernel_left_s -= step_s * rate;
  w->call_left_s -= step_s;
  if (kernel_s <= step_s) end_kernel(w);
  if (call_s <= step_s) end_call(w);
}

void ss_settle_task(const ss_job *job, ss_task_place at, ss_step *run)
{
  walk w = {.job = job, .at = at, .pieces = {.task = at.task}};
  ss_duration parts;
  if (at.task->computes) w.pieces.kernel = ss_job_kernel_piece(job, at.kind, at.pass, at.task);
  for (start_pieces(&w); !ss_pieces_are_over(&w.pieces); start_pieces(&w)) go_on(&w);
  const double exposed_s = ss_pieces_parts(&w.pieces, w.now_s, &parts);
  run->parts = ss_duration_add(run->parts, parts);
  run->slowed_s += w.pieces.slowed_s;
  ss_exposed_add(&run->exposed, exposed_s, &w.pieces.call_parts);
}

void ss_settle_run(const ss_step *added, ss_step *run)
{
  run->parts = ss_duration_add(run->parts, added->parts);
  run->slowed_s += added->slowed_s;
  ss_exposed_add(&run->exposed, ss_exposed_sum(&added->exposed), &added->exposed);
}
