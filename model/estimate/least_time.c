#include "model/estimate/least_time.h"

#include <math.h>

#include "model/base/number.h"
#include "model/estimate/hops.h"
#include "model/plan/stage_ops.h"
#include "model/plan/transfer_time.h"

/* From the beginning to the first pass of a stage, and from its last one to the end: what others take at least. */
typedef struct way {
  double in_s, out_s;
} way;

/* Seconds of a block, by kind and pass. */
typedef double block_times[SS_BLOCK_COUNT][SS_PASSES];

static void list_block_times(const ss_job *job, bool kernels, block_times block_s)
{
  for (ss_block_set left = job->kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    for (int pass = 0; pass < SS_PASSES; ++pass) {
      const ss_duration duration = job->pass[kind][pass];
      block_s[kind][pass] = kernels ? ss_duration_kernel_s(duration) : ss_duration_sum(duration);
    }
  }
}

/* What the blocks of a chunk take, forth and back. */
typedef struct chunk_time {
  double forward_s, backward_s;
} chunk_time;

static chunk_time time_of(const ss_job *job, int64_t slot, block_times block_s)
{
  chunk_time sum = {0.0, 0.0};
  for (int64_t i = job->block_first[slot]; i < job->block_first[slot + 1]; ++i) {
    sum.forward_s += block_s[job->block_kind[i]][SS_PASS_FORWARD];
    sum.backward_s += block_s[job->block_kind[i]][SS_PASS_BACKWARD];
  }
  return sum;
}

/* All chunks of a stage, and of the one before, may have the same blocks. */
static void list_chunk_times(const ss_job *job, block_times block_s, chunk_time *chunk)
{
  for (int64_t stage = 0, slot = 0; stage < job->stages; ++stage)
    for (int64_t i = 0; i < job->chunks; ++i, ++slot)
      chunk[slot] = job->repeats[stage] ? chunk[slot - job->chunks] : time_of(job, slot, block_s);
}

/* What the message of a pass takes; nothing where none goes. */
static double hop_s(const ss_job *job, ss_chunk chunk, ss_pass pass, const ss_stage_hops *hops)
{
  ss_chunk to;
  if (hops == NULL || !ss_job_receiver(job, chunk, pass, &to)) return 0.0;
  const ss_stage_hop *hop = ss_stage_hop_between(hops, job, ss_job_cargo(job, chunk, pass), chunk.stage, to.stage);
  return hop != NULL ? hop->time_s : 0.0;
}

/* Follows a micro-batch from a chunk that it comes to first, through all others, and back. A stage has sent its last
 * gradient itself, unless that runs beside compute. */
static void follow(const ss_job *job, ss_chunk at, const ss_stage_hops *hops, const chunk_time *chunk, way *ways)
{
  way to = {0.0, 0.0};
  double before_s = 0.0;
  for (ss_chunk next;; at = next) {
    way *own = &ways[at.stage];
    *own = (way){ss_min(own->in_s, to.in_s), ss_min(own->out_s, to.out_s)};
    if (!ss_job_receiver(job, at, SS_PASS_FORWARD, &next)) return;
    const double back_s = hop_s(job, next, SS_PASS_BACKWARD, hops);
    const chunk_time *passes = &chunk[ss_job_slot(job, at)];
    to.in_s += passes->forward_s + hop_s(job, at, SS_PASS_FORWARD, hops);
    to.out_s += passes->backward_s + (job->overlaps_messages ? back_s : before_s);
    before_s = back_s;
  }
}

static void find_ways(const ss_job *job, bool kernels, chunk_time *chunk_s, way *ways)
{
  ss_stage_hops hops = {.mean = false};
  if (!kernels) hops = ss_stage_hops_of(job);
  block_times block_s;
  list_block_times(job, kernels, block_s);
  list_chunk_times(job, block_s, chunk_s);
  for (int64_t i = 0; i < job->stages; ++i) ways[i] = (way){INFINITY, INFINITY};
  for (int64_t i = 0; i < job->stages * job->chunks; ++i) {
    const ss_chunk chunk = {i / job->chunks, i % job->chunks};
    ss_chunk sender;
    if (!ss_job_sender(job, chunk, SS_PASS_FORWARD, &sender)) follow(job, chunk, kernels ? NULL : &hops, chunk_s, ways);
  }
}

/* What a stage gathers and reduces in the passes of a micro-batch. */
static double moved_s(const ss_job *job, int64_t stage)
{
  if (!job->data.gathers_each_pass && !job->data.reduces_each_pass) return 0.0;
  const ss_stage_ops *kept = ss_job_stage_ops(job, stage);
  const int8_t *kind = &job->block_kind[job->block_first[stage * job->chunks]];
  ss_op_time last[SS_OP_STARTS][SS_DATA_GROUPS] = {{{.known = false}}};
  ss_stage_ops own;
  double sum_s = 0.0;
  if (kept == NULL) SS_ASSERT(ss_stage_ops_init(&own, job, stage) == SS_OK);
  const ss_stage_ops *ops = kept != NULL ? kept : &own;
  for (int64_t i = ops->first; i < ops->count; ++i) {
    const ss_stage_op *op = &ops->op[i];
    const bool twice =
        op->start == SS_OP_AHEAD && ss_pass_gathers(job, (ss_block_kind)kind[op->block], SS_PASS_BACKWARD);
    sum_s += (twice ? 2.0 : 1.0) * ss_op_time_of(&last[op->start][op->group], job, stage, op)->time_s;
  }
  if (kept == NULL) ss_stage_ops_free(&own);
  return sum_s;
}

/* The same for one stage. Where stages run into the next iteration, what comes before its first pass belongs to the one
 * before, as do collectives that are then under way; where backward is split, weight passes may come behind the last
 * message. */
static double stage_s(const ss_job *job, const way *w, double passes_s, double data_s)
{
  const ss_schedule *schedule = job->shape.schedule;
  const double in_s = schedule->runs_into_next ? 0.0 : w->in_s, out_s = schedule->splits_backward ? 0.0 : w->out_s;
  if (!job->overlaps_data) return in_s + passes_s + data_s + out_s;
  const bool begins = w->in_s <= 0.0 || !schedule->runs_into_next;
  return ss_max(in_s + passes_s + out_s, begins ? data_s : 0.0);
}

double ss_least_time_s(const ss_job *job, const ss_stage_runs *runs, bool kernels)
{
  const double m = (double)job->copy_batches;
  double longest_s = 0.0, data_s = 0.0;
  const size_t stages = (size_t)job->stages, chunks = stages * (size_t)job->chunks;
  const ss_scratch_mark before = ss_scratch_now(job->scratch);
  way *ways = ss_scratch_take(job->scratch, stages * sizeof *ways);
  find_ways(job, kernels, ss_scratch_take(job->scratch, chunks * sizeof(chunk_time)), ways);
  for (const ss_stage_run *run = runs->run; run < runs->run + runs->count; ++run) {
    if (!kernels && !run->like_before) data_s = m * moved_s(job, run->first);
    const double passes_s = m * (kernels ? run->time->alone_s : run->time->busy_s);
    for (int64_t stage = run->first; stage < run->end; ++stage)
      longest_s = ss_max(longest_s, stage_s(job, &ways[stage], passes_s, data_s));
  }
  ss_scratch_return(job->scratch, before);
  return longest_s;
}
