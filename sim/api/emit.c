/* Settings that start a job with a framework. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/api/api.h"
#include "sim/import/emit.h"

static ss_emit emit_of(const ss_workload *workload)
{
  static const ss_emit emits[] = {[SS_RUNNER_MEGATRON] = SS_EMIT_megatron,
                                  [SS_RUNNER_NEMO] = SS_EMIT_nemo,
                                  [SS_RUNNER_TORCHTITAN] = SS_EMIT_torchtitan};
  SS_ASSERT(workload->training.framework != SS_RUNNER_ANY);
  return emits[workload->training.framework];
}

/* No platform says its generation. Products in NVFP4 are of Blackwell and what came after it. */
static ss_emit_nodes nodes_of(const ss_machine *machine)
{
  return (ss_emit_nodes){.gpus = ss_machine_node_gpus(machine),
                         .domain_gpus = machine->domain_size,
                         .is_blackwell = machine->nvfp4_flop_per_s > 0.0};
}

ss_status ss_api_emit_check(const ss_workload *workload, ss_error *error)
{
  return ss_emit_check(workload, emit_of(workload), error);
}

ss_status ss_api_emit(const ss_workload *workload, const ss_machine *machine, char **text, ss_error *error)
{
  const ss_emit_nodes nodes = nodes_of(machine);
  return ss_emit_write(workload, &nodes, emit_of(workload), text, error);
}

/* The settings of a job that is for a framework, once it is checked for it. */
static ss_status emit(const stepsim_job *job, char **text, ss_error *error)
{
  ss_api_question *question;
  ss_api_iteration *iteration = NULL;
  ss_status status = ss_api_question_create(job, SS_COMMAND_ESTIMATE, NULL, &question, error);
  if (status == SS_OK) status = ss_api_iteration_create(job, &question->options, &iteration, error);
  if (status == SS_OK) status = ss_api_emit_check(&iteration->run.session.workload, error);
  if (status == SS_OK)
    status = ss_api_emit(&iteration->run.session.workload, &iteration->run.session.machine, text, error);
  ss_api_iteration_destroy(iteration);
  ss_api_question_destroy(question);
  return status;
}

stepsim_status stepsim_job_emit(const stepsim_job *job, const char *framework, char **text, stepsim_error *error)
{
  stepsim_job *of = NULL;
  ss_error why = {0};
  if (text != NULL) *text = NULL;
  if (job == NULL || framework == NULL || text == NULL)
    return ss_api_misuse(error, "stepsim_job_emit: job, framework or text is NULL");
  const stepsim_status copied = stepsim_job_copy(job, &of, error);
  if (copied != STEPSIM_OK) return copied;
  stepsim_status status = stepsim_job_set(of, "training.framework", framework, error);
  if (status == STEPSIM_OK && of->workload.training.framework == SS_RUNNER_ANY)
    status = ss_api_return(ss_error_set(&why, SS_ERROR_INPUT, NULL, 0,
                                        "\"%.64s\": is no framework that has settings; allowed: megatron, nemo, "
                                        "torchtitan",
                                        framework),
                           &why, error);
  if (status == STEPSIM_OK) status = ss_api_return(emit(of, text, &why), &why, error);
  stepsim_job_destroy(of);
  return status;
}
