#include "model/run/checkpoint.h"

#include "model/base/number.h"
#include "model/block/holders.h"
#include "model/estimate/model_size.h"
#include "model/input/workload.h"
#include "model/plan/optimizer.h"

/* Storage of a GPU where a platform says nothing: 2 TB/s for 16,384 (arXiv 2407.21783 section 3.3.1). */
#define STORAGE_BYTES_PER_S 125e6

static double stage_ranks(const ss_job *job)
{
  return (double)ss_workload_gpus(job->workload) / (double)job->stages;
}

/* Times that a class of weights of a rank is there in other parts: ranks of its stage over those that hold the same,
 * less what other stages have as well. */
static double parts(const ss_job *job, ss_weights weights)
{
  return stage_ranks(job) / (double)ss_job_holders(job, weights);
}

/* Trained parameters of all ranks of a stage, in one of their copies. */
static double trained_of(const ss_job *job, int64_t stage)
{
  double parameters = 0.0;
  for (int i = 0; i < SS_WEIGHTS; ++i)
    parameters += ss_job_trained_parameters(job, stage, (ss_weights)i) * parts(job, (ss_weights)i);
  return parameters;
}

/* Optimizer states of these. Shards of all ranks are all of them, in each copy of what is sharded; else those of a rank
 * are as many bytes for each of its parameters. */
static double states_bytes(const ss_job *job, int64_t stage)
{
  const double bytes = ss_job_state_bytes(job, stage);
  if (job->workload->parallelism.sharding != SS_SHARDING_NONE)
    return bytes * stage_ranks(job) / (double)ss_weights_copies(job->workload);
  double own = 0.0;
  for (int i = 0; i < SS_WEIGHTS; ++i) own += ss_job_trained_parameters(job, stage, (ss_weights)i);
  return own > 0.0 ? bytes * trained_of(job, stage) / own : 0.0;
}

/* Parameters of the table of the embedding in stages beyond the first that has it: each of them keeps its own. */
static double other_tables(const ss_job *job)
{
  const ss_workload *workload = job->workload;
  return (double)((job->tables.count - 1) * workload->model.vocabulary * workload->model.hidden);
}

/* What the ranks of a tensor-parallel group have alike, such as norms, is there once. Of a model with adapters, these
 * alone are kept. */
double ss_checkpoint_bytes(const ss_job *job)
{
  const ss_model_size size = ss_model_size_of_job(job);
  const double tables = other_tables(job);
  double states = 0.0, trained = 0.0;
  for (int64_t stage = 0; stage < job->stages; ++stage) {
    states += states_bytes(job, stage);
    trained += trained_of(job, stage);
  }
  const double state_bytes = trained > 0.0 ? states / trained : 0.0; /* of a parameter */
  if (ss_workload_adapts(job->workload)) return (SS_WEIGHT_BYTES + state_bytes) * size.trained;
  return SS_WEIGHT_BYTES * (size.parameters + tables) + state_bytes * (size.trained + tables);
}

/* Bandwidth at which so many GPUs keep a checkpoint. */
static double write_bytes_per_s(const ss_machine *machine, const ss_workload *workload, double gpus)
{
  if (workload->run.checkpoint_to == SS_CHECKPOINT_TO_DISKS)
    return machine->disk_bytes_per_s * ss_max(1.0, gpus / (double)ss_machine_node_gpus(machine));
  return machine->storage_bytes_per_s > 0.0 ? machine->storage_bytes_per_s
                                            : STORAGE_BYTES_PER_S * (double)machine->gpus;
}

ss_checkpoint ss_checkpoint_of(const ss_job *job, const ss_workload *workload)
{
  const double gpus = (double)ss_workload_gpus(job->workload);
  const bool sharded = job->workload->parallelism.sharding != SS_SHARDING_NONE;
  const double writers = sharded ? gpus : gpus / (double)job->replicas;
  const double given = workload->run.checkpoint_bytes;
  ss_checkpoint checkpoint = {.bytes = given > 0.0 ? given : ss_checkpoint_bytes(job)};
  const double writing_s = checkpoint.bytes / write_bytes_per_s(job->machine, workload, writers);
  checkpoint.read_s = checkpoint.bytes / write_bytes_per_s(job->machine, workload, gpus);
  if (workload->run.checkpoint == SS_CHECKPOINT_SYNCHRONOUS) {
    checkpoint.pause_s = writing_s;
  } else {
    checkpoint.pause_s = checkpoint.bytes / (writers * job->machine->snapshot_bytes_per_s);
    checkpoint.write_s = writing_s;
  }
  return checkpoint;
}
