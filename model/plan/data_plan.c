#include "model/plan/data_plan.h"

#include <math.h>

#include "model/base/number.h"
#include "model/input/workload.h"
#include "model/schedule/schedule.h"

/* The default of Megatron-LM (megatron/core/distributed/distributed_data_parallel.py), whose buckets need an overlap,
 * and that of NeMo and Megatron Bridge (megatron_comm_overlap.py and comm_overlap.py, _get_optimizer_overlap_cfgs). */
static double bucket_gradients(const ss_workload *workload, int64_t holders)
{
  const double gradients[] = {[SS_BUCKETS_GIVEN] = 0.0,
                              [SS_BUCKETS_MEGATRON] = ss_max(40e6, 1e6 * (double)holders),
                              [SS_BUCKETS_NEMO] = 128.0 * 1024.0 * 1024.0};
  const ss_bucket_rule rule = workload->schedule.bucket_rule;
  return rule != SS_BUCKETS_GIVEN && workload->schedule.overlap_dp == SS_NO ? INFINITY : gradients[rule];
}

ss_data_plan ss_data_plan_of(const ss_workload *workload, int64_t holders, unsigned lend)
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
      .bucket_bytes = workload->schedule.bucket,
      .bucket_gradients = bucket_gradients(workload, holders),
      .reducing_pass = splits_backward ? SS_PASS_WEIGHT : SS_PASS_BACKWARD,
      .reduction = sharding == SS_SHARDING_NONE ? SS_ALL_REDUCE : SS_REDUCE_SCATTER,
  };
}
