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
  return ss_comm_time_sum(ss_job_data_time(job, SS_ALL_GATHER, job->data_span, bytes));
}

static double reduce_s(const ss_job *job, int64_t stage, int64_t index)
{
  const double bytes = job->reduce_bytes[ss_job_block_kind(job, stage, index)];
  return ss_comm_time_sum(ss_job_data_time(job, ss_job_data_plan(job).reduction, job->data_span, bytes));
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

/* The mean message between neighbouring stages; nothing when they run beside compute. */
static double hop_s(const ss_job *job)
{
  if (job->stages == 1 || job->workload->schedule.overlap_pp == SS_YES) return 0.0;
  const double slow_s = ss_comm_time_sum(ss_job_message_time(job, true));
  const double fast_s = ss_comm_time_sum(ss_job_message_time(job, false));
  return job->slow_hops * slow_s + (1.0 - job->slow_hops) * fast_s;
}

/* Gathers queue from time 0, one per block; a block runs forward when its weights are there. */
static double exposed_first_gathers_s(const ss_job *job)
{
  const bool overlap = job->workload->schedule.overlap_dp == SS_YES;
  double gathered_s = 0.0, clock_s = 0.0, compute_s = 0.0;
  for (int64_t i = 0; i < ss_job_block_count(job, 0); ++i) {
    gathered_s += gather_s(job, 0, i);
    if (!overlap) continue;
    const double t = block_s(job, 0, i, SS_PASS_FORWARD);
    clock_s = fmax(clock_s, gathered_s) + t;
    compute_s += t;
  }
  return overlap ? clock_s - compute_s : gathered_s;
}

/* Reductions queue as the blocks finish the last backward pass, last block first. */
static double exposed_last_reductions_s(const ss_job *job)
{
  const bool overlap = job->workload->schedule.overlap_dp == SS_YES;
  double clock_s = 0.0, reduced_s = 0.0;
  for (int64_t i = ss_job_block_count(job, 0); i-- > 0;) {
    if (overlap) clock_s += block_s(job, 0, i, SS_PASS_BACKWARD);
    reduced_s = fmax(reduced_s, clock_s) + reduce_s(job, 0, i);
  }
  return reduced_s - clock_s;
}

/* One block of one pass on the first stage, counted over the whole iteration. */
typedef struct fsdp_step {
  int64_t block;
  ss_pass pass;
} fsdp_step;

static fsdp_step fsdp_step_at(const ss_job *job, int64_t index)
{
  const int64_t blocks = ss_job_block_count(job, 0), place = index % blocks;
  const ss_pipeline pipeline = job->workload->schedule.pipeline;
  if (ss_schedule_work(pipeline, 0, job->stages, job->micro_batches, index / blocks).backward)
    return (fsdp_step){blocks - 1 - place, SS_PASS_BACKWARD};
  return (fsdp_step){place, SS_PASS_FORWARD};
}

/* Gathers that can be ahead of the block that computes; the table allows fewer. */
#define FSDP_WINDOW 1024

/* The two streams of a GPU under FSDP, and when the gathers that are not used up yet are done. */
typedef struct fsdp_clock {
  double compute_s, data_s, busy_s;
  int64_t issued;
  double gathered_s[FSDP_WINDOW];
} fsdp_clock;

/* Issues the gathers up to step `last` at `time_s`. */
static void fsdp_gather(const ss_job *job, fsdp_clock *clock, int64_t last, double time_s)
{
  for (; clock->issued <= last; ++clock->issued) {
    clock->data_s = fmax(clock->data_s, time_s) + gather_s(job, 0, fsdp_step_at(job, clock->issued).block);
    clock->gathered_s[clock->issued % FSDP_WINDOW] = clock->data_s;
  }
}

/* Compute stream and data stream over all passes: a gather is issued when the block `prefetch` steps before it starts,
 * and the gradients of a block are reduced behind the gathers that are queued by then. */
static double exposed_fsdp_s(const ss_job *job)
{
  const int64_t total = 2 * job->micro_batches * ss_job_block_count(job, 0);
  const bool overlap = job->workload->schedule.overlap_dp == SS_YES;
  const int64_t ahead = overlap ? job->workload->schedule.prefetch : 0;
  SS_ASSERT(ahead < FSDP_WINDOW);
  fsdp_clock clock = {0};
  for (int64_t index = 0; index < total; ++index) {
    const fsdp_step step = fsdp_step_at(job, index);
    fsdp_gather(job, &clock, index, clock.compute_s);
    const double start_s = fmax(clock.compute_s, clock.gathered_s[index % FSDP_WINDOW]);
    fsdp_gather(job, &clock, index + ahead < total ? index + ahead : total - 1, start_s);
    const double t = block_s(job, 0, step.block, step.pass);
    clock.compute_s = start_s + t;
    clock.busy_s += t;
    if (step.pass == SS_PASS_FORWARD) continue;
    clock.data_s = fmax(clock.data_s, clock.compute_s) + reduce_s(job, 0, step.block);
    if (!overlap) clock.compute_s = clock.data_s;
  }
  return fmax(clock.compute_s, clock.data_s) - clock.busy_s;
}

static double exposed_data_s(const ss_job *job)
{
  const ss_data_plan plan = ss_job_data_plan(job);
  if (!plan.active) return 0.0;
  if (plan.gathers_each_pass) return exposed_fsdp_s(job);
  return (plan.gathers_at_start ? exposed_first_gathers_s(job) : 0.0) + exposed_last_reductions_s(job);
}

/* Messages that a stage sends for one micro-batch. */
static double stage_messages(const ss_job *job, int64_t stage)
{
  if (ss_cost_traits_of(job->options.cost).every_stage_sends_twice) return 2.0;
  return (stage > 0 ? 1.0 : 0.0) + (stage < job->stages - 1 ? 1.0 : 0.0);
}

ss_breakdown ss_estimate_time(const ss_job *job)
{
  const double m = (double)job->micro_batches, message_s = hop_s(job);
  const ss_duration first = stage_duration(job, 0);
  double sum_s = 0.0, slowest_s = 0.0, slowest_messages_s = 0.0;
  for (int64_t stage = 0; stage < job->stages; ++stage) {
    const double messages_s = stage_messages(job, stage) * message_s;
    const double stage_s = ss_duration_sum(stage_duration(job, stage)) + messages_s;
    sum_s += stage_s;
    if (stage_s <= slowest_s) continue;
    slowest_s = stage_s;
    slowest_messages_s = messages_s;
  }
  ss_breakdown parts = {
      .compute_s = m * first.compute_s,
      .memory_s = m * first.memory_s,
      .tp_comm_s = m * first.comm_s,
      .dp_comm_s = exposed_data_s(job),
      .pp_comm_s = m * slowest_messages_s,
      .bubble_s = sum_s + (m - 1.0) * slowest_s - m * (ss_duration_sum(first) + slowest_messages_s),
      .optimizer_s = ss_job_optimizer_s(job, 0),
      .other_s = m * first.launch_s,
  };
  if (job->stages == 1) parts.bubble_s = 0.0; /* not the rounding of sums that cancel */
  parts.iteration_s = ss_breakdown_sum(&parts);
  return parts;
}
