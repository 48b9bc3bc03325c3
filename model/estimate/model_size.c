#include "model/estimate/model_size.h"

#include "model/estimate/estimate.h"
#include "model/input/workload.h"
#include "model/plan/job_setup.h"

/* The model alone, whole on one GPU, and what of it is trained. */
static ss_workload model_of(const ss_workload *workload)
{
  ss_workload whole;
  ss_workload_init(&whole);
  whole.model = workload->model;
  whole.training.freeze_vision = workload->training.freeze_vision;
  whole.training.lora_rank = workload->training.lora_rank;
  whole.training.lora_modules = workload->training.lora_modules;
  ss_workload_derive(&whole);
  return whole;
}

/* The share of the parameters of experts that a token goes through. */
static double chosen_of(const ss_workload *workload)
{
  return workload->model.experts > 0 ? ss_workload_choices(workload) / (double)workload->model.experts : 0.0;
}

/* What a token goes through of experts beyond what it would if all layers chose as the model does: some kinds do not.
 */
static double chosen_more(const ss_job *job)
{
  const ss_block_counts *counts = &job->counts[0];
  double parameters = 0.0;
  for (ss_block_set left = counts->kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    const ss_workload *own = ss_layer_plan_workload(&job->layers, job->workload, kind);
    const double share = chosen_of(own) - chosen_of(job->workload);
    parameters += share * (double)counts->of[kind] * job->block[kind].parameters[SS_WEIGHTS_EXPERT];
  }
  return parameters;
}

ss_status ss_model_size_of(const ss_workload *workload, const ss_machine *machine, ss_model_size *size, ss_error *error)
{
  const ss_workload whole = model_of(workload);
  ss_job job;
  const ss_status status = ss_job_init(&job, &whole, machine, (ss_job_options){.cost = SS_COST_CALIBRATED}, error);
  if (status != SS_OK) return status;
  const double dense = ss_job_stage_parameters(&job, 0, SS_WEIGHTS_DENSE);
  const double experts = ss_job_stage_parameters(&job, 0, SS_WEIGHTS_EXPERT);
  const double active = dense + chosen_of(&whole) * experts + chosen_more(&job);
  const double trained =
      ss_job_trained_parameters(&job, 0, SS_WEIGHTS_DENSE) + ss_job_trained_parameters(&job, 0, SS_WEIGHTS_EXPERT);
  *size = (ss_model_size){.parameters = dense + experts, .active = active, .trained = trained};
  ss_job_free(&job);
  return SS_OK;
}

ss_model_size ss_model_size_of_job(const ss_job *job)
{
  ss_model_size size = {.parameters = 0.0};
  if (job->options.model_size != NULL) return *job->options.model_size;
  (void)ss_model_size_of(job->workload, job->machine, &size, NULL);
  return size;
}
