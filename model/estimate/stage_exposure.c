#include "model/estimate/stage_exposure.h"

#include "model/base/number.h"
#include "model/estimate/walk_run.h"

/* An iteration of so many micro-batches. */
static ss_exposure walk_through(const ss_job *job, int64_t stage, int64_t micro_batches, double lead_s)
{
  ss_walk w;
  const ss_scratch_mark before = ss_scratch_now(job->scratch);
  ss_walk_init(&w, job, stage, micro_batches, NULL);
  ss_walk_run(&w, lead_s);
  ss_walk_free(&w);
  ss_scratch_return(job->scratch, before);
  return w.exposed;
}

/* What each micro-batch adds in the turns that repeat when there are so many: forward and backward in turn, or, where
 * all of forward comes first, in both. False when they do not repeat for long. */
static bool find_growth(const ss_job *job, int64_t stage, int64_t micro_batches, ss_exposure *growth)
{
  ss_walk w;
  const ss_scratch_mark before = ss_scratch_now(job->scratch);
  ss_walk_init(&w, job, stage, micro_batches, NULL);
  w.long_skip = micro_batches / 2;
  w.to_settle = w.order.most.whole == micro_batches * job->chunks ? 2 : 1;
  ss_walk_run(&w, 0.0);
  *growth = w.growth;
  ss_walk_free(&w);
  ss_scratch_return(job->scratch, before);
  return w.to_settle == 0;
}

/* Micro-batches after which one more costs like the one before: with warm-up and drain of the schedule, and what has to
 * be caught up with, behind them. */
#define SETTLED        2048
#define SETTLED_ROUNDS 8

static int64_t settled(const ss_job *job)
{
  const int64_t group = ss_shape_group(&job->shape), rounds = ss_divide_up(SETTLED, group);
  return group * (rounds > SETTLED_ROUNDS ? rounds : SETTLED_ROUNDS);
}

ss_exposure ss_stage_exposure_of_micro_batch(const ss_job *job, int64_t stage)
{
  ss_exposure growth = {0};
  const int64_t many = settled(job);
  /* Activations that are written beside gradients repeat over more turns than one skip shows. */
  const bool repeats = !(job->offload.gradients && job->offload.activations);
  if (!ss_job_moves_each_pass(job) || (repeats && find_growth(job, stage, 2 * many, &growth))) return growth;
  return ss_exposure_add((ss_exposure){0}, 1.0 / (double)many, walk_through(job, stage, 2 * many, 0.0),
                         walk_through(job, stage, many, 0.0));
}

/* Where nothing repeats, walking through more would only take time. */
#define SETTLED_LONG_AGO 8

ss_exposure ss_stage_exposure_of_iteration(const ss_job *job, int64_t stage, double lead_s)
{
  const ss_exposure nothing = {0};
  if (!job->data.active && !job->offload.active) return nothing;
  /* Where something moves only before the first and after the last pass of a chunk, those between do not matter. */
  const int64_t ends = job->chunks > 1 ? 2 * ss_shape_group(&job->shape) : 1;
  const bool moves = ss_job_moves_each_pass(job);
  const int64_t enough = moves ? SETTLED_LONG_AGO * settled(job) : ends;
  if (job->micro_batches <= enough) return walk_through(job, stage, job->micro_batches, lead_s);
  if (!moves) return walk_through(job, stage, enough, lead_s);
  return ss_exposure_add(walk_through(job, stage, enough, lead_s), (double)(job->micro_batches - enough),
                         ss_stage_exposure_of_micro_batch(job, stage), nothing);
}
