#include "model/plan/data_plan.h"

#include <math.h>

#include "model/input/workload.h"
#include "model/schedule/schedule.h"

/* What waits for the end of backward goes at once for each chunk (bucket_size is None without overlap_grad_reduce:
 * megatron/core/distributed/distributed_data_parallel.py); gradients that are sharded leave in every pass, so that no
 * layer's stay. */
static double bucket_bytes(const ss_workload *workload)
{
  const bool leaves =
      workload->schedule.overlap_dp == SS_YES || workload->parallelism.sharding >= SS_SHARDING_GRADIENTS;
  return leaves || workload->schedule.bucket > 0.0 ? workload->schedule.bucket : INFINITY;
}

ss_data_plan ss_data_plan_of(const ss_workload *workload, int64_t holders, ss_block_set lend)
{
  const ss_sharding sharding = workload->parallelism.sharding;
  const bool active = holders > 1, fsdp = sharding == SS_SHARDING_PARAMETERS;
  const bool splits_backward = ss_schedule_of(workload->schedule.pipeline)->splits_backward;
  return (ss_data_plan){
      .active = active,
      .gathers_at_start = active && (sharding == SS_SHARDING_OPTIMIZER || sharding == SS_SHARDING_GRADIENTS),
      .gathers_each_pass = active && fsdp,
      .kept_tables = active && fsdp ? lend : 0,
      .reduces_each_pass = active && (fsdp || sharding == SS_SHARDING_GRADIENTS),
      .bucket_bytes = bucket_bytes(workload),
      .reducing_pass = splits_backward ? SS_PASS_WEIGHT : SS_PASS_BACKWARD,
      .reduction = sharding == SS_SHARDING_NONE ? SS_ALL_REDUCE : SS_REDUCE_SCATTER,
  };
}
