#include <math.h>

#include "model/estimate.h"
#include "model/schedule.h"

/* Activations of one micro-batch on a stage, and the most that one of its blocks needs while it is recomputed. */
static void stage_activations(const ss_job *job, int64_t stage, double *stored_bytes, double *working_bytes)
{
  *stored_bytes = *working_bytes = 0.0;
  for (int64_t i = 0; i < ss_job_block_count(job, stage); ++i) {
    const ss_block *block = &job->block[ss_job_block_kind(job, stage, i)];
    *stored_bytes += block->stored_bytes;
    *working_bytes = fmax(*working_bytes, block->working_bytes);
  }
}

/* Full weights of FSDP blocks that are there at once: the one that computes and those gathered ahead. */
static double gathered_bytes(const ss_job *job, int64_t stage)
{
  double largest = 0.0;
  for (int64_t i = 0; i < ss_job_block_count(job, stage); ++i)
    largest = fmax(largest, job->gather_bytes[ss_job_block_kind(job, stage, i)]);
  const int64_t at_once = 1 + job->workload->schedule.prefetch, blocks = ss_job_block_count(job, stage);
  return largest * (double)(at_once < blocks ? at_once : blocks);
}

static ss_memory stage_memory(const ss_job *job, int64_t stage)
{
  const ss_sharding sharding = job->workload->parallelism.sharding;
  const double parameters = ss_job_stage_parameters(job, stage), replicas = (double)job->replicas;
  const int64_t in_flight =
      ss_schedule_in_flight(job->workload->schedule.pipeline, stage, job->stages, job->micro_batches);
  double stored_bytes, working_bytes;
  stage_activations(job, stage, &stored_bytes, &working_bytes);
  ss_memory memory = {
      .weights_bytes = 2.0 * parameters,
      .gradients_bytes = ss_job_gradient_bytes(job) * parameters / (sharding >= SS_SHARDING_GRADIENTS ? replicas : 1.0),
      .optimizer_bytes = 12.0 * parameters / (sharding >= SS_SHARDING_OPTIMIZER ? replicas : 1.0),
      .activations_bytes = stored_bytes * (double)in_flight + working_bytes,
      .capacity_bytes = job->machine->hbm_bytes,
      .stage = stage,
  };
  if (sharding == SS_SHARDING_PARAMETERS && job->replicas > 1)
    memory.weights_bytes = 2.0 * parameters / replicas + gathered_bytes(job, stage);
#define SS_MEMORY_ADD(field, label) memory.total_bytes += memory.field;
  SS_MEMORY_LIST(SS_MEMORY_ADD)
#undef SS_MEMORY_ADD
  memory.fits = memory.total_bytes <= memory.capacity_bytes;
  return memory;
}

ss_memory ss_estimate_memory(const ss_job *job)
{
  ss_memory fullest = stage_memory(job, 0);
  for (int64_t stage = 1; stage < job->stages; ++stage) {
    const ss_memory memory = stage_memory(job, stage);
    if (memory.total_bytes > fullest.total_bytes) fullest = memory;
  }
  return fullest;
}
