#include "model/block/holders.h"

#include "model/input/workload.h"
#include "model/schedule/schedule.h"

/* Of one copy of the model. */
static int64_t holders_on_stage(const ss_workload *workload, ss_weights weights)
{
  if (weights == SS_WEIGHTS_EXPERT) return ss_workload_edp(workload);
  const bool summa = workload->parallelism.tensor == SS_TENSOR_SUMMA;
  const int64_t sequence = summa ? 1 : workload->parallelism.cp * workload->parallelism.tp2;
  return workload->parallelism.dp * sequence;
}

int64_t ss_weights_holders(const ss_workload *workload, ss_weights weights)
{
  return ss_schedule_of(workload->schedule.pipeline)->layout->copies * holders_on_stage(workload, weights);
}

int64_t ss_weights_copies(const ss_workload *workload)
{
  const int64_t size = workload->parallelism.shard_size, holders = ss_weights_holders(workload, SS_WEIGHTS_DENSE);
  return size == SS_DERIVED || size > holders ? 1 : holders / size; /* a size that does not divide is refused */
}

int64_t ss_weights_shards(const ss_workload *workload, ss_weights weights)
{
  return ss_weights_holders(workload, weights) / ss_weights_copies(workload);
}

bool ss_weights_gathered(const ss_workload *workload, ss_weights weights)
{
  return workload->parallelism.sharding == SS_SHARDING_PARAMETERS && ss_weights_shards(workload, weights) > 1;
}

bool ss_gradients_leave(const ss_workload *workload, ss_weights weights)
{
  return workload->parallelism.sharding >= SS_SHARDING_GRADIENTS && ss_weights_shards(workload, weights) > 1;
}
