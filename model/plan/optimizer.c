#include "model/plan/optimizer.h"

#include "model/base/number.h"
#include "model/input/workload.h"

/* Bytes per parameter. Adam reads the gradient, and reads and writes master weight and two moments in fp32; the norm of
 * the gradient reads it once more. In one kernel the gradient is read as it is, and the 16-bit weight written, too;
 * else that is a copy of the master weight, as the gradient in fp32 is of one in 16 bits; clipping reads and writes it,
 * and so does unscaling with the check for overflow, in fp16. Counted from megatron/optimizer/optimizer.py of
 * Megatron-LM, step(). */
#define ADAM_BYTES     (12.0 + 12.0)
#define CLIP_BYTES     (SS_FP32_BYTES + SS_FP32_BYTES)
#define UNSCALE_BYTES  (SS_FP32_BYTES + SS_FP32_BYTES)
#define TO_FP32_BYTES  (SS_ELEMENT_BYTES + SS_FP32_BYTES)
#define TO_16BIT_BYTES (SS_FP32_BYTES + SS_ELEMENT_BYTES)

bool ss_job_step_copies_gradients(const ss_job *job)
{
  return job->workload->training.optimizer_step == SS_STEP_SEPARATE && ss_job_gradient_bytes(job) < SS_FP32_BYTES;
}

static double step_bytes(const ss_job *job)
{
  const double gradient_bytes = ss_job_gradient_bytes(job);
  if (job->workload->training.optimizer_step == SS_STEP_FUSED)
    return 2.0 * gradient_bytes + ADAM_BYTES + SS_WEIGHT_BYTES;
  const double copied = ss_job_step_copies_gradients(job) ? TO_FP32_BYTES : 0.0;
  const double unscaled = job->workload->training.precision == SS_PRECISION_FP16 ? UNSCALE_BYTES : 0.0;
  return copied + unscaled + 2.0 * SS_FP32_BYTES + CLIP_BYTES + ADAM_BYTES + TO_16BIT_BYTES;
}

/* Parameters of a stage that this rank steps. */
static double stepped_parameters(const ss_job *job, int64_t stage)
{
  const bool sharded = job->workload->parallelism.sharding != SS_SHARDING_NONE;
  double parameters = 0.0;
  for (int i = 0; i < SS_WEIGHTS; ++i) {
    const ss_weights weights = (ss_weights)i;
    const double shards = sharded ? (double)ss_job_shards(job, weights) : 1.0;
    parameters += ss_job_stage_parameters(job, stage, weights) / shards;
  }
  return parameters;
}

ss_tier_traffic ss_job_optimizer_traffic(const ss_job *job, int64_t stage)
{
  ss_tier_traffic traffic = {0.0, 0.0};
  if (job->workload->training.offload_optimizer == SS_YES)
    traffic.read_bytes = traffic.written_bytes = SS_OPTIMIZER_STATE_BYTES * stepped_parameters(job, stage);
  if (job->workload->training.offload_weights == SS_YES)
    for (int weights = 0; weights < SS_WEIGHTS; ++weights)
      traffic.written_bytes += SS_WEIGHT_BYTES * ss_job_stage_parameters(job, stage, (ss_weights)weights);
  return traffic;
}

ss_optimizer_time ss_job_optimizer(const ss_job *job, int64_t stage)
{
  if (!ss_cost_traits_of(job->options.cost).ends_of_model) return (ss_optimizer_time){0.0, 0.0};
  /* one kernel over lists of whole tensors, without reductions or random numbers */
  const ss_kernel kernel = {
      .engine = SS_ENGINE_VECTOR, .hbm_bytes = step_bytes(job) * stepped_parameters(job, stage), .streams = true};
  const double hbm_s = ss_duration_sum(ss_kernel_duration(job->machine, job->options.cost, &kernel));
  const ss_tier_traffic traffic = ss_job_optimizer_traffic(job, stage);
  const double moved_bytes = ss_max(traffic.read_bytes, traffic.written_bytes);
  if (moved_bytes <= 0.0) return (ss_optimizer_time){hbm_s, 0.0};
  return (ss_optimizer_time){hbm_s, ss_max(moved_bytes / job->machine->offload_bytes_per_s - hbm_s, 0.0)};
}
