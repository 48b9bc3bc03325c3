#include "sim/engine/observe/trace_run.h"

#include <math.h>

#include "model/plan/task_time.h"
#include "sim/engine/observe/trace_writers.h"

typedef struct interval {
  double start_s, end_s;
} interval;

/* Some writer wants to know about the pass that a replica is in. */
static bool is_wanted(const ss_trace_writers *writers, const ss_stage_replica *replica)
{
  const ss_replay_options *options = writers->world->options;
  bool wanted = false;
  for (int64_t i = 0; replica->shown && i < options->timeline_count; ++i)
    wanted = wanted || ss_selection_has(&options->timelines[i].micro_batches, replica->work.micro_batch);
  return wanted;
}

/* A slice of its current block, from start to end. */
static void trace_slice(const ss_trace_writers *writers, const ss_stage_replica *replica, ss_slice slice, interval when)
{
  slice.time_s = when.start_s;
  ss_trace_begin_on_replica(writers, replica, slice);
  ss_trace_end_on_replica(writers, replica, slice.stream, replica->work.micro_batch, when.end_s);
}

/* Bytes through the NVLink ports of every rank, both ways. */
static void trace_ports(const ss_trace_writers *writers, const ss_stage_replica *replica, double rank_bytes,
                        interval when)
{
  int64_t next = 0;
  for (const ss_stage_replica *shown; (shown = ss_trace_next(writers, replica, &next)) != NULL;)
    for (int64_t member = 0; member < writers->world->width; ++member) {
      ss_traffic what = {.rank = ss_trace_rank(writers->world, shown, member),
                         .port = SS_PORT_NVLINK_OUT,
                         .start_s = when.start_s,
                         .end_s = when.end_s,
                         .bytes = rank_bytes};
      ss_trace_traffic(writers->world, &what);
      what.port = SS_PORT_NVLINK_IN;
      ss_trace_traffic(writers->world, &what);
    }
}

/* A task as it is drawn: its pieces follow one another as in ss_overlap_time. */
typedef struct drawing {
  const ss_trace_writers *writers;
  const ss_stage_replica *replica;
  const ss_task *task;
  ss_block_kind kind;
  double stretch;          /* of kernels */
  double start_s, limit_s; /* nothing is drawn beyond the end of the run */
} drawing;

static interval clip(const drawing *d, double start_s, double end_s)
{
  const double last_s = fmin(end_s, d->limit_s);
  return (interval){fmin(start_s, last_s), last_s};
}

static double draw_kernel(const drawing *d, double start_s)
{
  const ss_duration piece = ss_job_kernel_piece(d->writers->world->job, d->kind, d->replica->work.pass, d->task);
  const double end_s = start_s + d->stretch * ss_duration_kernel_s(piece);
  trace_slice(d->writers, d->replica, ss_trace_kernel_slice(d->writers->world, d->replica, d->task),
              clip(d, start_s, end_s));
  return end_s;
}

static double draw_calls(const drawing *d, double start_s)
{
  const ss_job *job = d->writers->world->job;
  for (int64_t i = 0; i < d->task->calls; ++i) {
    const ss_call *call = &d->task->call[i];
    const ss_span span = job->span[call->group];
    const ss_comm_time time = ss_job_call_piece(job, d->kind, d->replica->work.pass, d->task, i, span);
    const double bytes = ss_job_call_bytes(job, d->task, i, span);
    const double rank_bytes = ss_job_call_port_bytes(job, d->task, i, span);
    const double end_s = start_s + ss_comm_time_sum(time);
    trace_slice(d->writers, d->replica,
                ss_trace_call_slice(d->writers->world, d->replica,
                                    (ss_trace_collective){call->group, call->kind, bytes, span.size}),
                clip(d, start_s, end_s));
    trace_ports(d->writers, d->replica, rank_bytes, clip(d, start_s, end_s));
    start_s = end_s;
  }
  return start_s;
}

static double draw_piece(const drawing *d, bool kernel, double start_s)
{
  return kernel ? draw_kernel(d, start_s) : draw_calls(d, start_s);
}

/* Pieces of what comes first one after the other, each piece of what comes second as soon as it may. */
static double draw_overlap(const drawing *d)
{
  const ss_overlap *overlap = &d->task->overlap;
  const int64_t firsts = overlap->kernel_first ? overlap->kernel_pieces : overlap->call_pieces;
  const int64_t seconds = overlap->kernel_first ? overlap->call_pieces : overlap->kernel_pieces;
  double first_s = d->start_s, second_s = first_s;
  int64_t first = 0;
  for (int64_t second = 0; second < seconds; ++second) {
    const int64_t needed = second + 1 - overlap->lag;
    while (first < firsts && first < needed) {
      first_s = draw_piece(d, overlap->kernel_first, first_s);
      ++first;
    }
    if (needed > 0) second_s = fmax(second_s, first_s);
    second_s = draw_piece(d, !overlap->kernel_first, second_s);
  }
  for (; first < firsts; ++first) first_s = draw_piece(d, overlap->kernel_first, first_s);
  return fmax(first_s, second_s);
}

static double draw_task(const drawing *d)
{
  if (d->task->overlap.kernel_pieces > 0) return draw_overlap(d);
  return draw_piece(d, d->task->computes, d->start_s);
}

void ss_trace_run(const ss_trace_writers *writers, const ss_stage_replica *replica, const ss_step *step, double begin_s,
                  double excess_s)
{
  if (!is_wanted(writers, replica)) return;
  const ss_world *world = writers->world;
  const ss_block_kind kind = ss_replica_block_kind(world, replica);
  const ss_task_list *tasks = ss_job_tasks(world->job, kind, replica->work.pass);
  const double kernels_s = ss_duration_kernel_s(step->parts);
  drawing d = {.writers = writers,
               .replica = replica,
               .kind = kind,
               .stretch = kernels_s > 0.0 ? 1.0 + excess_s / kernels_s : 1.0,
               .start_s = begin_s,
               .limit_s = begin_s + ss_duration_sum(step->parts) + excess_s};
  for (int64_t i = step->first; i < step->first + step->count; ++i) {
    d.task = &tasks->task[i];
    d.start_s = draw_task(&d);
  }
}
