#include "model/plan/host_step.h"

#include "model/base/number.h"
#include "model/block/task.h"
#include "model/input/workload.h"

/* Bytes per parameter. unscale_and_clip_grads multiplies gradients where they are; behind the update weights are cast
 * into a buffer of 16 bits (step of deepspeed/runtime/zero/stage_1_and_2.py, whose kernel no longer does so itself). */
#define CLIP_BYTES (SS_FP32_BYTES + SS_FP32_BYTES)
#define CAST_BYTES (SS_FP32_BYTES + SS_ELEMENT_BYTES)

double ss_offloaded_share(const ss_workload *workload)
{
  return workload->training.offload_optimizer == SS_YES ? workload->training.offload_fraction : 0.0;
}

double ss_host_stepped_share(const ss_workload *workload)
{
  return workload->training.offload_step == SS_OFFLOAD_STEP_GPU ? 0.0 : ss_offloaded_share(workload);
}

bool ss_host_takes_gradients(const ss_workload *workload)
{
  return ss_host_stepped_share(workload) > 0.0 && workload->parallelism.sharding >= SS_SHARDING_GRADIENTS;
}

double ss_host_step_down_bytes(const ss_workload *workload)
{
  return ss_host_takes_gradients(workload) ? 0.0 : SS_HOST_GRADIENT_BYTES;
}

double ss_host_step_up_bytes(const ss_workload *workload)
{
  return ss_host_takes_gradients(workload) ? SS_ELEMENT_BYTES : SS_FP32_BYTES;
}

/* GPUs of the job that have a host in common. */
static double sharers(const ss_workload *workload, const ss_machine *machine)
{
  double gpus = ss_min((double)ss_machine_node_gpus(machine), (double)ss_workload_gpus(workload));
  if (workload->placement.segment > 0) gpus = ss_min(gpus, (double)workload->placement.segment);
  return gpus;
}

double ss_host_step_s(const ss_workload *workload, const ss_machine *machine, double parameters, double update_bytes,
                      double weights_bytes)
{
  const double link_bytes_per_s = machine->offload_bytes_per_s;
  const double bytes = update_bytes + (ss_host_takes_gradients(workload) ? CLIP_BYTES + CAST_BYTES : 0.0);
  const double step_s = parameters * bytes * sharers(workload, machine) / machine->host_step_bytes_per_s;
  const double down_s = parameters * ss_host_step_down_bytes(workload) / link_bytes_per_s;
  const double up_s = ss_max(parameters * ss_host_step_up_bytes(workload), weights_bytes) / link_bytes_per_s;
  if (workload->training.offload_step == SS_OFFLOAD_STEP_OVERLAPPED) return ss_max(step_s, ss_max(down_s, up_s));
  return down_s + step_s + up_s;
}
