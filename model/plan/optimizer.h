/* The optimizer step of a stage: what it moves, and how long it takes. */
#ifndef STEPSIM_MODEL_PLAN_OPTIMIZER_H
#define STEPSIM_MODEL_PLAN_OPTIMIZER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/plan/job.h"

/* Seconds of the kernels of a step, of what tensor-parallel ranks exchange between them, and those on top because the
 * second memory tier is slower than HBM. */
typedef struct ss_optimizer_time {
  double optimizer_s, exchange_s, offload_s;
} ss_optimizer_time;

/* Adam with a master copy, bound by HBM, on this rank's shard of a stage; with its states offloaded, also by the
 * second memory tier. Ahead of it, tensor-parallel ranks that all have the vision tower add up its gradients, or their
 * shards of these (_allreduce_non_tensor_model_parallel_grads of Megatron-LM,
 * megatron/core/distributed/finalize_model_grads.py). Behind it, weights are quantised for the products of all
 * micro-batches, which takes as long as with the first of them. Nothing under costs that count layers only (arXiv
 * 2410.00273). Where the host steps some of the parameters (model/plan/host_step.h), the GPU does the others meanwhile,
 * and of these the norm of the gradient before. */
ss_optimizer_time ss_job_optimizer(const ss_job *job, int64_t stage);

/* The step of a stage as a job has worked it out, of which revision of it, and with which stretch. */
typedef struct ss_kept_step {
  int64_t revision; /* 0: not yet */
  double stretch;
  ss_optimizer_time time;
} ss_kept_step;

/* Room for the steps of so many stages of a job that is estimated only: where they do not depend on the placement, each
 * is worked out once however often the job is moved. SS_ERROR_MEMORY; release with ss_kept_steps_free, which tolerates
 * a job without. */
ss_status ss_kept_steps_init(ss_job *job, int64_t stages);
void ss_kept_steps_free(ss_job *job);

/* Of these, what kernels take, as fast as the tier lets them. */
static inline double ss_optimizer_time_kernels_s(ss_optimizer_time time)
{
  return time.optimizer_s + time.offload_s;
}

static inline double ss_optimizer_time_sum(ss_optimizer_time time)
{
  return time.optimizer_s + time.exchange_s + time.offload_s;
}

/* How the host launches a step of an eager framework whose kernels take the GPU `gpu_s`: each kernel for lists of
 * tensors, and none of those that clip and update before it has read the norm of the gradient (get_grad_norm_fp32 of
 * Megatron-LM, megatron/core/optimizer/clip_grads.py, calls item). Behind it metrics of the loss are gathered. */
ss_launches ss_job_step_launches(const ss_job *job, int64_t stage, double gpu_s);

/* Bytes that a step moves between HBM and the second memory tier. */
typedef struct ss_tier_traffic {
  double read_bytes, written_bytes;
} ss_tier_traffic;

/* States there and back, or gradients there and weights back, where they are offloaded, and new weights there. */
ss_tier_traffic ss_job_optimizer_traffic(const ss_job *job, int64_t stage);

/* Bytes of what this rank keeps of the parameters of a stage that it steps: master weights and moments, of Adam two and
 * of Muon one; what of these is in HBM; and the others in the second memory tier, with gradients that the host steps
 * with. */
double ss_job_state_bytes(const ss_job *job, int64_t stage);
double ss_job_gpu_state_bytes(const ss_job *job, int64_t stage);
double ss_job_tier_bytes(const ss_job *job, int64_t stage);

/* Bytes of what there is only while it steps: copies of 16-bit gradients in fp32, which a step in several kernels
 * makes, and the matrix that is orthogonalised. Megatron-LM lets the copies go before the next forward pass (zero_grad
 * of megatron/core/optimizer/distrib_optimizer.py sets them to None). */
double ss_job_step_bytes(const ss_job *job, int64_t stage);

#endif
