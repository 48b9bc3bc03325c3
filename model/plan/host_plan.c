#include "model/plan/host_plan.h"

#include "model/input/workload.h"

/* The fused softmax of Megatron-LM takes a multiple of 4 heads (is_kernel_available in
 * megatron/model/fused_softmax.py).
 */
#define SOFTMAX_HEADS 4

static bool takes_heads(const ss_workload *workload)
{
  const int64_t heads = workload->training.micro_batch * workload->model.heads / workload->parallelism.tp;
  return heads % SOFTMAX_HEADS == 0;
}

static bool waits_each_pass(const ss_workload *workload)
{
  const bool exchanges = workload->parallelism.pp > 1 && workload->schedule.overlap_pp == SS_NO;
  return exchanges || workload->training.host == SS_HOST_EAGER_TIMED || workload->training.host == SS_HOST_EAGER_LAYERS;
}

ss_host_plan ss_host_plan_of(const ss_workload *workload, const ss_machine *machine)
{
  const double forward_s = machine->host_forward_s, backward_s = machine->host_backward_s;
  return (ss_host_plan){
      .active = workload->training.host != SS_HOST_GRAPHS,
      .waits = waits_each_pass(workload),
      .waits_each = workload->training.host == SS_HOST_EAGER_LAYERS,
      .grouped = !ss_workload_launches_experts(workload),
      .softmax_unfused = !takes_heads(workload),
      .launch_s = {[SS_PASS_FORWARD] = forward_s, [SS_PASS_BACKWARD] = backward_s, [SS_PASS_WEIGHT] = backward_s},
      .call_s = machine->host_collective_s};
}

ss_launches ss_host_plan_calls(const ss_host_plan *plan, int64_t count)
{
  return ss_launches_one((double)count, (double)count * plan->call_s, 0.0);
}

static int64_t kernels_of(const ss_host_plan *plan, bool backward, const ss_task *task)
{
  if (!task->computes) return 0;
  if (task->activity == SS_OP_QKV_BIAS) return 0; /* launched with the product */
  if (task->overlap.kernel_pieces > 0) return task->overlap.kernel_pieces;
  if (task->matrices > 1.0) return plan->grouped ? 1 : (int64_t)task->matrices;
  if (task->launches > 0) return task->launches;
  const bool unfused = task->activity == SS_OP_SOFTMAX && plan->softmax_unfused;
  return unfused ? ss_launch_count_softmax_unfused(backward) : ss_launch_count(task->activity, backward);
}

static int64_t calls_of(const ss_task *task)
{
  const bool cut = task->overlap.kernel_pieces > 0 && !task->overlap.one_ring;
  return task->calls * (cut ? task->overlap.call_pieces : 1);
}

bool ss_host_plan_waits_at(const ss_host_plan *plan, const ss_task_list *list, const ss_task *task)
{
  if (task->synced || !plan->waits_each) return task->synced;
  return task == list->task || task[-1].calls > 0;
}

ss_launches ss_host_plan_launches(const ss_host_plan *plan, ss_pass pass, const ss_task *task, double gpu_s, bool waits)
{
  const ss_pass by = task->role == SS_ROLE_AGAIN ? SS_PASS_FORWARD : pass;
  if (task->graphed == SS_GRAPHED_THEN) return ss_launches_one(0.0, 0.0, gpu_s);
  if (task->graphed == SS_GRAPHED_FIRST) return ss_launches_one(1.0, plan->launch_s[by], gpu_s);
  const double kernels = (double)kernels_of(plan, by != SS_PASS_FORWARD, task), calls = (double)calls_of(task);
  const ss_launches launches =
      ss_launches_one(kernels + calls, kernels * plan->launch_s[by] + calls * plan->call_s, gpu_s);
  return waits ? ss_launches_synced(launches) : launches;
}
