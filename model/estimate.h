/* The closed form: one iteration from sums, without simulating anything. */
#ifndef STEPSIM_MODEL_ESTIMATE_H
#define STEPSIM_MODEL_ESTIMATE_H

#include "model/job.h"
#include "model/prediction.h"

/* Time of one iteration, arXiv 2410.00273 section III: with stage times t_p (forward and backward of one micro-batch,
 * the messages it sends, and what data parallelism exposes in them), (M - 1) max t_p + sum t_p, so (M + P - 1) t for
 * equal stages; plus what data parallelism exposes before and after, and the optimizer step. The parts are those of the
 * first stage, which begins first and ends last; the bubble is the time it waits for the others. */
ss_breakdown ss_estimate_time(const ss_job *job);

/* Bytes on the fullest GPU. Weights 2 bytes a parameter, gradients 2 or 4, optimizer 12, sharded as the workload
 * says (ZeRO-2 and ZeRO-3 reduce gradients after every pass, so that only a shard stays); activations: what blocks
 * keep, times the micro-batches in flight. */
ss_memory ss_estimate_memory(const ss_job *job);

/* Metrics of an iteration that takes `iteration_s`. Model flop: matrix products of forward, three times
 * (arXiv 2104.04473 equation 3 without recomputation). */
ss_metrics ss_estimate_metrics(const ss_job *job, double iteration_s);

#endif
