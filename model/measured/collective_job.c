#include "model/measured/collective_job.h"

#include <inttypes.h>
#include <stdlib.h>

#include "model/input/workload.h"
#include "model/measured/measured.h"
#include "model/plan/job_setup.h"
#include "model/plan/transfer_time.h"

/* One small layer, over as many replicas as there are ranks. */
static void make_workload(const ss_collective_case *collective, ss_workload *workload)
{
  ss_workload_init(workload);
  workload->model.layers = workload->model.heads = 1;
  workload->model.hidden = workload->model.sequence = 64;
  workload->parallelism.dp = collective->nodes * collective->gpus_per_node;
  workload->training.global_batch = workload->parallelism.dp;
  workload->parallelism.sharding = collective->kind == SS_ALL_REDUCE ? SS_SHARDING_NONE : SS_SHARDING_OPTIMIZER;
  workload->schedule.overlap_dp = SS_NO;
  ss_workload_derive(workload);
}

#define ALLOWED_OP(id, op) ", " op
#define ALLOWED            SS_MEASURED_OP_LIST(ALLOWED_OP)

static ss_status check(const ss_collective_case *collective, const ss_machine *machine, ss_error *error)
{
  const ss_collective kind = collective->kind;
  const int64_t nodes = machine->gpus / machine->domain_size;
  if (ss_measured_op(kind) == NULL)
    return ss_error_set(error, SS_ERROR_INPUT, machine->file, 0, "a %s by itself cannot be predicted; allowed: %s",
                        ss_activity_name(ss_collective_activity(kind)), &ALLOWED[2]);
  if (collective->nodes > nodes || collective->gpus_per_node > machine->domain_size)
    return ss_error_set(error, SS_ERROR_INPUT, machine->file, 0,
                        "a collective on %" PRId64 " nodes with %" PRId64 " GPUs each; allowed: up to %" PRId64
                        " with %" PRId64,
                        collective->nodes, collective->gpus_per_node, nodes, machine->domain_size);
  if (collective->nodes * collective->gpus_per_node >= 2) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, machine->file, 0, "a collective on one GPU; allowed: two or more");
}

/* Nothing moves but the collective: the volumes of the layer are replaced by its own, and what adds up gradients by any
 * collective that does not gather. */
static void replace_volumes(const ss_collective_case *collective, ss_job *job)
{
  const bool gathers = collective->kind == SS_ALL_GATHER;
  if (!gathers) job->data.reduction = collective->kind;
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
      const bool carries = kind == SS_BLOCK_LAYER && weights == SS_WEIGHTS_DENSE;
      job->gather_bytes[kind][weights] = carries && gathers ? collective->volume_bytes : 0.0;
      job->reduce_bytes[kind][weights] = carries && !gathers ? collective->volume_bytes : 0.0;
    }
}

ss_status ss_collective_job_init(ss_collective_job *single, const ss_collective_case *collective,
                                 const ss_machine *machine, ss_cost cost, ss_error *error)
{
  const int64_t ranks = collective->nodes * collective->gpus_per_node;
  *single = (ss_collective_job){.collective = *collective};
  ss_status status = check(collective, machine, error);
  if (status != SS_OK) return status;
  make_workload(collective, &single->workload);
  single->ranks = malloc((size_t)ranks * sizeof *single->ranks);
  if (single->ranks == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a collective");
  for (int64_t rank = 0; rank < ranks; ++rank)
    single->ranks[rank] =
        (int32_t)(rank / collective->gpus_per_node * machine->domain_size + rank % collective->gpus_per_node);
  status = ss_job_init(&single->job, &single->workload, machine, (ss_job_options){.cost = cost, .ranks = single->ranks},
                       error);
  if (status == SS_OK) replace_volumes(collective, &single->job);
  return status;
}

void ss_collective_job_free(ss_collective_job *single)
{
  ss_job_free(&single->job);
  free(single->ranks);
  single->ranks = NULL;
}

double ss_collective_job_estimate_s(const ss_collective_job *single)
{
  const ss_span span = single->job.data_span[SS_WEIGHTS_DENSE][0];
  return ss_comm_time_sum(
      ss_job_data_time(&single->job, single->collective.kind, span, single->collective.volume_bytes));
}
