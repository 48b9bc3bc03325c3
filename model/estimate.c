#include "model/estimate.h"

#include <math.h>

#include "model/schedule.h"

static double block_s(const ss_job *job, int64_t stage, int64_t index, ss_pass pass)
{
  return ss_duration_sum(job->pass[ss_job_block_kind(job, stage, index)][pass]);
}

static double gather_s(const ss_job *job, int64_t stage, int64_t index)
{
  const double bytes = job->gather_bytes[ss_job_block_kind(job, stage, index)];
  return ss_comm_time_sum(ss_job_data_time(job, SS_ALL_GATHER, job->data_span[stage], bytes));
}

static double reduce_s(const ss_job *job, int64_t stage, int64_t index)
{
  const double bytes = job->reduce_bytes[ss_job_block_kind(job, stage, index)];
  return ss_comm_time_sum(ss_job_data_time(job, ss_job_data_plan(job).reduction, job->data_span[stage], bytes));
}

/* Forward and backward of one micro-batch through a stage, part by part. */
static ss_duration stage_duration(const ss_job *job, int64_t stage)
{
  ss_duration sum = {0};
  for (int64_t i = 0; i < ss_job_block_count(job, stage); ++i)
    for (int pass = 0; pass < SS_PASSES; ++pass)
      sum = ss_duration_add(sum, job->pass[ss_job_block_kind(job, stage, i)][pass]);
  return sum;
}

static bool overlaps_data(const ss_job *job)
{
  return job->workload->schedule.overlap_dp == SS_YES;
}

/* Gathers queue from time 0, one per block; a block runs forward when its weights are there. */
static double exposed_first_gathers_s(const ss_job *job)
{
  double gathered_s = 0.0, clock_s = 0.0, compute_s = 0.0;
  for (int64_t i = 0; i < ss_job_block_count(job, 0); ++i) {
    gathered_s += gather_s(job, 0, i);
    if (!overlaps_data(job)) continue;
    const double t = block_s(job, 0, i, SS_PASS_FORWARD);
    clock_s = fmax(clock_s, gathered_s) + t;
    compute_s += t;
  }
  return overlaps_data(job) ? clock_s - compute_s : gathered_s;
}

/* Reductions queue as the blocks finish the last backward pass, last block first. */
static double exposed_last_reductions_s(const ss_job *job)
{
  double clock_s = 0.0, reduced_s = 0.0;
  for (int64_t i = ss_job_block_count(job, 0); i-- > 0;) {
    if (overlaps_data(job)) clock_s += block_s(job, 0, i, SS_PASS_BACKWARD);
    reduced_s = fmax(reduced_s, clock_s) + reduce_s(job, 0, i);
  }
  return reduced_s - clock_s;
}

/* Gathers that can be ahead of the block that computes; the table of attributes allows fewer. */
#define GATHER_WINDOW 1024

/* The compute stream and the data stream of a GPU, and when the gathers that are not used up yet are done. */
typedef struct streams {
  const ss_job *job;
  int64_t stage, micro_batches;
  double compute_s, data_s, busy_s;
  int64_t issued;
  double gathered_s[GATHER_WINDOW];
} streams;

/* One block of one pass, counted over the iteration. */
typedef struct pass_step {
  int64_t block;
  bool backward;
} pass_step;

static pass_step step_at(const streams *s, int64_t index)
{
  const int64_t blocks = ss_job_block_count(s->job, s->stage);
  const ss_work work =
      ss_schedule_work(s->job->workload->schedule.pipeline, s->stage, s->job->stages, s->micro_batches, index / blocks);
  return (pass_step){ss_job_block_at(s->job, s->stage, work.backward, index % blocks), work.backward};
}

/* Issues the gathers up to step `last` at `time_s`. */
static void gather_up_to(streams *s, int64_t last, double time_s)
{
  for (; s->issued <= last; ++s->issued) {
    s->data_s = fmax(s->data_s, time_s) + gather_s(s->job, s->stage, step_at(s, s->issued).block);
    s->gathered_s[s->issued % GATHER_WINDOW] = s->data_s;
  }
}

/* What data parallelism exposes on a stage that does something in every pass, over so many micro-batches: a gather is
 * issued when the block `prefetch` steps before it starts, and the gradients of a block are reduced behind what is
 * queued by then. */
static double walk_streams(const ss_job *job, int64_t stage, int64_t micro_batches)
{
  const ss_data_plan plan = ss_job_data_plan(job);
  const int64_t total = 2 * micro_batches * ss_job_block_count(job, stage);
  const int64_t ahead = overlaps_data(job) ? job->workload->schedule.prefetch : 0;
  SS_ASSERT(ahead < GATHER_WINDOW);
  streams s = {.job = job, .stage = stage, .micro_batches = micro_batches};
  for (int64_t index = 0; index < total; ++index) {
    const pass_step step = step_at(&s, index);
    double start_s = s.compute_s;
    if (plan.gathers_each_pass) {
      gather_up_to(&s, index, s.compute_s);
      start_s = fmax(s.compute_s, s.gathered_s[index % GATHER_WINDOW]);
      gather_up_to(&s, index + ahead < total ? index + ahead : total - 1, start_s);
    }
    const double t = block_s(job, stage, step.block, step.backward ? SS_PASS_BACKWARD : SS_PASS_FORWARD);
    s.compute_s = start_s + t;
    s.busy_s += t;
    if (!step.backward) continue;
    s.data_s = fmax(s.data_s, s.compute_s) + reduce_s(job, stage, step.block);
    if (!overlaps_data(job)) s.compute_s = s.data_s;
  }
  return fmax(s.compute_s, s.data_s) - s.busy_s;
}

/* After so many micro-batches, one more costs like the one before. */
#define SETTLED 64

static double exposed_by_one_more_s(const ss_job *job, int64_t stage)
{
  return walk_streams(job, stage, SETTLED) - walk_streams(job, stage, SETTLED - 1);
}

static double exposed_in_passes_s(const ss_job *job, int64_t stage)
{
  const int64_t m = job->micro_batches;
  if (m <= SETTLED) return walk_streams(job, stage, m);
  return walk_streams(job, stage, SETTLED) + (double)(m - SETTLED) * exposed_by_one_more_s(job, stage);
}

/* What every micro-batch waits for on a stage: gathers, and reductions that may not run beside compute. */
static double exposed_each_pass_s(const ss_job *job, int64_t stage)
{
  const ss_data_plan plan = ss_job_data_plan(job);
  const bool waits = plan.gathers_each_pass || (plan.reduces_each_pass && !overlaps_data(job));
  return waits ? exposed_by_one_more_s(job, stage) : 0.0;
}

/* What the first stage waits for once: before its first and after its last pass. */
static double exposed_once_s(const ss_job *job)
{
  const ss_data_plan plan = ss_job_data_plan(job);
  if (!plan.active) return 0.0;
  const double gathers_s = plan.gathers_at_start ? exposed_first_gathers_s(job) : 0.0;
  if (!plan.reduces_each_pass) return gathers_s + exposed_last_reductions_s(job);
  return gathers_s + exposed_in_passes_s(job, 0) - (double)job->micro_batches * exposed_each_pass_s(job, 0);
}

/* Messages that a stage sends for one micro-batch: activations on, gradients back. */
static double messages_s(const ss_job *job, int64_t stage)
{
  if (job->stages == 1) return 0.0;
  if (ss_cost_traits_of(job->options.cost).mean_messages) return 2.0 * ss_job_hop_s(job, stage);
  return (stage < job->stages - 1 ? ss_job_hop_s(job, stage) : 0.0) + (stage > 0 ? ss_job_hop_s(job, stage - 1) : 0.0);
}

/* Through all stages once, and the time between two micro-batches. Messages take their turn on a stage, or run beside
 * compute; then they limit the pace only where one takes longer than a stage. */
typedef struct pace {
  double once_s, period_s;
} pace;

static pace pipeline_pace(const ss_job *job)
{
  const bool beside = job->workload->schedule.overlap_pp == SS_YES;
  pace p = {0.0, 0.0};
  for (int64_t stage = 0; stage < job->stages; ++stage) {
    const double alone_s = ss_duration_sum(stage_duration(job, stage)) + exposed_each_pass_s(job, stage);
    const double sends_s = messages_s(job, stage);
    p.once_s += alone_s + sends_s;
    p.period_s = fmax(p.period_s, beside ? alone_s : alone_s + sends_s);
    if (beside && stage < job->stages - 1) p.period_s = fmax(p.period_s, ss_job_hop_s(job, stage));
  }
  return p;
}

ss_breakdown ss_estimate_time(const ss_job *job)
{
  const double m = (double)job->micro_batches;
  const ss_duration first = stage_duration(job, 0);
  const pace p = pipeline_pace(job);
  ss_breakdown parts = {
      .compute_s = m * first.compute_s,
      .memory_s = m * first.memory_s,
      .tp_comm_s = m * first.comm_s,
      .dp_comm_s = m * exposed_each_pass_s(job, 0) + exposed_once_s(job),
      .pp_comm_s = job->workload->schedule.overlap_pp == SS_YES ? 0.0 : m * messages_s(job, 0),
      .optimizer_s = ss_job_optimizer_s(job, 0),
      .other_s = m * first.launch_s,
  };
  const double passes_s = m * (ss_duration_sum(first) + exposed_each_pass_s(job, 0)) + parts.pp_comm_s;
  if (job->stages > 1) parts.bubble_s = p.once_s + (m - 1.0) * p.period_s - passes_s;
  parts.iteration_s = ss_breakdown_sum(&parts);
  return parts;
}
