/* What runs beside the compute stream of a GPU, and what of it shows: data-parallel collectives, reads and writes of
 * the second memory tier. A stage is walked through block by block, but for what repeats
 * (model/estimate/steady_state.h). */
#ifndef STEPSIM_MODEL_ESTIMATE_STREAMS_H
#define STEPSIM_MODEL_ESTIMATE_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/plan/job.h"

/* What the streams of a GPU cost its compute stream. */
typedef struct ss_exposure {
  double data_s;    /* waiting for data-parallel collectives */
  double offload_s; /* waiting for the second memory tier, beyond that */
  double slowed_s;  /* kernels slowed down by data-parallel collectives beside them (the costlier of two classes) */
  double weight_s;  /* of all these, in weight passes */
  double tail_s;    /* collectives that are left when compute is done */
} ss_exposure;

/* What shows on a stage depends on its order of work: on how long it holds a micro-batch, as activations are offloaded
 * in between, or on how many weight passes are left for the end, as something moves in each of them. Else stages of the
 * same blocks in all chunks, in like groups, show the same. */
bool ss_streams_follow_order(const ss_job *job);

/* One micro-batch more on a stage, in the steady state of a long iteration. Zero unless something moves in every
 * pass; then `tail_s` is by how much the collectives fall behind. */
ss_exposure ss_streams_of_micro_batch(const ss_job *job, int64_t stage);

/* A whole iteration. The stage runs its order of work without waiting for other stages, a block taking job->pass, after
 * `lead_s` in which only the other streams run. Beside compute there are a data-parallel, a read and a write stream,
 * each one thing after the other: weights are gathered at the start, or for the block `prefetch` blocks ahead, counted
 * over forward and backward passes; gradients are reduced behind a block, or when its bucket is full; a block is read
 * for when the block `prefetch` blocks ahead of it starts, what it has written not before that has been written. Writes
 * that are left at the end do not count. */
ss_exposure ss_streams_of_iteration(const ss_job *job, int64_t stage, double lead_s);

#endif
