/* The closed form: one iteration from sums, without simulating anything. */
#ifndef STEPSIM_MODEL_ESTIMATE_ESTIMATE_H
#define STEPSIM_MODEL_ESTIMATE_ESTIMATE_H

#include "model/plan/job.h"
#include "model/result/prediction.h"

/* Time of one iteration, arXiv 2410.00273 section III: M micro-batches at the pace of the slowest stage, max t_p, and
 * the bubble of the others, (sum t_p - max t_p) / v with v chunks per stage, less what gradients of weights fill of it
 * (ss_schedule_traits); (M + P - 1) t for equal stages under GPipe and 1F1B. A stage time t_p is forward and backward
 * of one micro-batch and the messages it sends. Then what data parallelism exposes before and after, and the optimizer
 * step. The parts are those of the stage that is done last: the first, which begins first and ends its passes last,
 * unless another one has so much more to reduce or to update. The bubble is the time it waits for the others. Where
 * stages run into the next iteration it is the same: the longest of their times between own first start and own finish.
 * Where something moves in every pass (ss_job_moves_each_pass), a wait for another stage hides it, so that parts of
 * single stages do not add up; and where chunks have different numbers of layers, or stages between the first and the
 * last have, none of them sets the pace of all: there all stages of a pipeline are walked through together
 * (ss_pipeline_walk). */
ss_breakdown ss_estimate_time(const ss_job *job);

/* A time that ss_estimate_time does not come below, found faster: of this placement, or, without looking at it, of any.
 * Where something moves in every pass, that is ss_least_time_s. Else an iteration takes at least the M turns of its
 * busiest stage, for the parts of that stage, or of one like it, hold M of these, and all others are 0 or more; and at
 * least what the pipeline does, as only the parts before and after it are missing; that grows with the time of any pass
 * (each of its n <= M - 1 warm-up passes takes as much off a wait as it adds to a turn). Less than that by 1e-9, for
 * rounding. */
double ss_estimate_least_s(const ss_job *job, bool anywhere);

/* Bytes on a GPU of a stage. Weights 2 bytes a parameter, gradients 2 or 4, optimizer 12, sharded as the workload says
 * (ZeRO-2 and ZeRO-3 reduce gradients after every pass, so that only a shard stays), without what is offloaded;
 * activations: what blocks keep, times the micro-batches in flight (ss_schedule_in_flight). */
ss_memory ss_estimate_stage_memory(const ss_job *job, int64_t stage);

/* What a micro-batch keeps in a chunk of a stage: from forward to the end of backward, without what is offloaded, and
 * from there to the gradients of weights where these are a pass of their own. */
typedef struct ss_kept {
  double stored_bytes, deferred_bytes;
} ss_kept;

ss_kept ss_estimate_kept(const ss_job *job, ss_chunk chunk);

/* ss_estimate_stage_memory of the stage that has the most, the first of equals; it fits where all stages do. */
ss_memory ss_estimate_memory(const ss_job *job);

/* Traffic of a GPU of a stage with the second memory tier. */
ss_offload ss_estimate_offload(const ss_job *job, int64_t stage);

/* Metrics of an iteration that takes `iteration_s`. Model flop: matrix products of forward, three times
 * (arXiv 2104.04473 equation 3 without recomputation). */
ss_metrics ss_estimate_metrics(const ss_job *job, double iteration_s);

/* Parameters of the products of a layer ahead of its feed-forward part: of attention, ordinary or latent, or of a mixer
 * that does not attend. */
double ss_estimate_mixer_parameters(const ss_workload *workload);

#endif
