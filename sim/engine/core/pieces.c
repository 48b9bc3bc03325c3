#include "sim/engine/core/pieces.h"

#include <math.h>

#include "sim/engine/core/exposed.h"

int64_t ss_pieces_of_kernel(const ss_task *task)
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

bool ss_pieces_may_start_kernel(const ss_pieces *pieces)
{
  const ss_task *task = pieces->task;
  const ss_overlap *overlap = &task->overlap;
  if (pieces->kernels_done == ss_pieces_of_kernel(task)) return false;
  return overlap->kernel_pieces == 0 || overlap->kernel_first ||
         first_is_ready(overlap, pieces->kernels_done, pieces->calls_done, call_pieces(task));
}

bool ss_pieces_may_start_call(const ss_pieces *pieces)
{
  const ss_task *task = pieces->task;
  const ss_overlap *overlap = &task->overlap;
  if (pieces->calls_done == call_pieces(task)) return false;
  return pieces->call > 0 || overlap->kernel_pieces == 0 || !overlap->kernel_first ||
         first_is_ready(overlap, pieces->calls_done, pieces->kernels_done, ss_pieces_of_kernel(task));
}

bool ss_pieces_are_over(const ss_pieces *pieces)
{
  return pieces->kernels_done == ss_pieces_of_kernel(pieces->task) && pieces->calls_done == call_pieces(pieces->task);
}

void ss_pieces_end_call(ss_pieces *pieces, double call_s, const ss_exposed *parts)
{
  pieces->call_s[pieces->task->call[pieces->call].group] += call_s;
  ss_exposed_add(&pieces->call_parts, call_s, parts);
  if (++pieces->call < pieces->task->calls) return;
  pieces->call = 0;
  pieces->calls_done++;
}

double ss_pieces_calls_s(const ss_pieces *pieces)
{
  double calls_s = 0.0;
  for (int group = 0; group < SS_GROUPS; ++group) calls_s += pieces->call_s[group];
  return calls_s;
}

double ss_pieces_parts(const ss_pieces *pieces, double task_s, ss_duration *parts)
{
  const double calls_s = ss_pieces_calls_s(pieces);
  double busy_s = pieces->slowed_s;
  *parts = (ss_duration){0};
  if (pieces->task->computes) {
    *parts = ss_duration_scale((double)ss_pieces_of_kernel(pieces->task), pieces->kernel);
    busy_s += ss_duration_kernel_s(*parts);
  }
  double exposed_s = fmax(task_s - busy_s, 0.0);
  if (pieces->behind_s > 0.0) exposed_s *= calls_s / (calls_s + pieces->behind_s);
  for (int group = 0; group < SS_GROUPS; ++group)
    if (pieces->call_s[group] > 0.0) parts->comm_s[group] = exposed_s * pieces->call_s[group] / calls_s;
  return exposed_s;
}

double ss_pieces_behind_s(const ss_pieces *pieces, double exposed_s)
{
  const double calls_s = ss_pieces_calls_s(pieces);
  return pieces->behind_s > 0.0 && calls_s > 0.0 ? exposed_s * pieces->behind_s / calls_s : pieces->behind_s;
}
