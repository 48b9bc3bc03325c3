#include "model/plan/job.h"

#include "model/block/holders.h"
#include "model/input/workload.h"

double ss_job_gradient_bytes(const ss_job *job)
{
  return ss_gradient_bytes(job->workload, job->options.cost);
}

int64_t ss_job_holders(const ss_job *job, ss_weights weights)
{
  return ss_weights_holders(job->workload, weights);
}

int64_t ss_job_shards(const ss_job *job, ss_weights weights)
{
  return ss_weights_shards(job->workload, weights);
}

bool ss_job_has_unlike_batches(const ss_job *job)
{
  if (job->workload->training.documents == SS_DOCUMENTS_NONE || job->options.what_if.equal_gpus) return false;
  bool unlike = false;
  for (ss_block_set left = job->kinds; left != 0;) unlike = job->spread[ss_block_take(&left)].deviation > 0.0 || unlike;
  return unlike;
}

bool ss_job_has_uneven_iterations(const ss_job *job)
{
  return job->options.trial && !job->options.what_if.equal_gpus && ss_machine_has_uneven_iterations(job->machine);
}

bool ss_job_moves_each_pass(const ss_job *job)
{
  return job->data.gathers_each_pass || job->data.reduces_each_pass || job->offload.active;
}

const ss_task_list *ss_job_tasks(const ss_job *job, ss_block_kind kind, ss_pass pass)
{
  SS_ASSERT(!job->options.estimate_only);
  return &job->block[kind].list[pass];
}

double ss_job_scale(const ss_job *job, ss_block_kind kind, ss_pass pass)
{
  return ss_block_traits_of(kind)->layer ? job->scale[pass] : 1.0;
}

bool ss_job_has_cargoes(const ss_job *job)
{
  const ss_workload *w = job->workload;
  return w->model.mtp_modules > 0 || (job->has_ends && w->model.vision_layers > 0);
}

ss_cargo ss_job_cargo(const ss_job *job, ss_chunk chunk, ss_pass pass)
{
  ss_chunk receiver;
  if (!ss_job_has_cargoes(job) || !ss_job_receiver(job, chunk, pass, &receiver)) return SS_CARGO_STATES;
  const ss_chunk before = pass == SS_PASS_FORWARD ? chunk : receiver; /* in the order of the model */
  const ss_cargo cargo = job->part[ss_schedule_part(&job->shape, before).index].cargo;
  return job->has_ends || cargo == SS_CARGO_MODULES ? cargo : SS_CARGO_STATES;
}

bool ss_job_ties(const ss_job *job, int64_t stage)
{
  bool ties = false;
  for (int64_t i = 0; i < job->tables.count; ++i) ties = ties || job->tables.stage[i] == stage;
  return ties && job->tied_bytes > 0.0;
}

/* Of a stage's blocks, all or those that are trained. */
static double parameters_of(const ss_job *job, int64_t stage, ss_weights weights, bool trained)
{
  const ss_block_counts *counts = &job->counts[stage];
  double parameters = 0.0;
  for (ss_block_set left = counts->kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    const ss_block *block = &job->block[kind];
    parameters += (double)counts->of[kind] * (trained ? block->trained : block->parameters)[weights];
  }
  return parameters;
}

double ss_job_stage_parameters(const ss_job *job, int64_t stage, ss_weights weights)
{
  return parameters_of(job, stage, weights, false);
}

double ss_job_trained_parameters(const ss_job *job, int64_t stage, ss_weights weights)
{
  return parameters_of(job, stage, weights, true);
}

int64_t ss_job_block_count(const ss_job *job, ss_chunk chunk)
{
  const int64_t slot = ss_job_slot(job, chunk);
  return job->block_first[slot + 1] - job->block_first[slot];
}

ss_block_kind ss_job_block_kind(const ss_job *job, ss_chunk chunk, int64_t index)
{
  return (ss_block_kind)job->block_kind[job->block_first[ss_job_slot(job, chunk)] + index];
}

static bool is_layer(const ss_job *job, ss_chunk chunk, int64_t index)
{
  return ss_block_traits_of(ss_job_block_kind(job, chunk, index))->layer;
}

int64_t ss_job_block_layer(const ss_job *job, ss_chunk chunk, int64_t index)
{
  if (!is_layer(job, chunk, index)) return -1;
  int64_t layer = job->layer_first[ss_job_slot(job, chunk)];
  for (int64_t i = 0; i < index; ++i) layer += is_layer(job, chunk, i);
  return layer;
}

int64_t ss_job_block_at(const ss_job *job, ss_chunk chunk, ss_pass pass, int64_t place)
{
  return pass == SS_PASS_FORWARD ? place : ss_job_block_count(job, chunk) - 1 - place;
}
