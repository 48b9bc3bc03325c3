#include "model/estimate/model_size.h"

#include "model/estimate/estimate.h"
#include "model/input/workload.h"
#include "model/plan/job_setup.h"

/* The model alone, whole on one GPU. */
static ss_workload model_of(const ss_workload *workload)
{
  ss_workload whole;
  ss_workload_init(&whole);
  whole.model = workload->model;
  ss_workload_derive(&whole);
  return whole;
}

ss_status ss_model_size_of(const ss_workload *workload, const ss_machine *machine, ss_model_size *size, ss_error *error)
{
  const ss_workload whole = model_of(workload);
  ss_job job;
  const ss_status status = ss_job_init(&job, &whole, machine, (ss_job_options){.cost = SS_COST_CALIBRATED}, error);
  if (status != SS_OK) return status;
  const double dense = ss_job_stage_parameters(&job, 0, SS_WEIGHTS_DENSE);
  const double experts = ss_job_stage_parameters(&job, 0, SS_WEIGHTS_EXPERT);
  const double chosen = experts > 0.0 ? (double)whole.model.top_k / (double)whole.model.experts : 0.0;
  *size = (ss_model_size){.parameters = dense + experts, .active = dense + chosen * experts};
  ss_job_free(&job);
  return SS_OK;
}
