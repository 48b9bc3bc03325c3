/* The host of each GPU: how long launches take it, and how far it runs ahead. */
#ifndef STEPSIM_MODEL_PLAN_HOST_PLAN_H
#define STEPSIM_MODEL_PLAN_HOST_PLAN_H

#include <stdbool.h>

#include "model/base/number.h"
#include "model/block/task.h"
#include "model/input/machine.h"
#include "model/kernel/launches.h"
#include "model/schedule/pass.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* Launches that CUDA takes before a kernel of them starts: the next one waits. */
#define SS_LAUNCH_QUEUE 1024

typedef struct ss_host_plan {
  bool active;          /* the host launches each kernel; else it takes no time */
  bool waits;           /* for the GPU, before each pass */
  bool waits_each;      /* and before each block, and behind each collective in one */
  bool grouped;         /* experts have a kernel together, not each one of its own */
  bool softmax_unfused; /* the fused kernel does not take the heads of a rank */
  double
      launch_s[SS_PASSES]; /* of a kernel, by the pass: forward by the framework's front end, the others by autograd */
  double call_s;           /* of a collective, or of a message */
  double ahead_s; /* the most that it is ahead of the GPU when a pass begins: SS_LAUNCH_QUEUE launches of its own;
                     where kernels take longer than launches, the queue lasts longer than that */
} ss_host_plan;

/* The plan for a workload on a machine, without ahead_s.
 * The host waits for the GPU before each pass where stages exchange messages that do not run beside compute
 * (torch.cuda.synchronize after batch_isend_irecv, p2p_communication.py of Megatron-LM), or where timers do so around
 * each pass (its global_vars.py until 2022), or each block was timed by itself. Elsewhere it runs ahead. */
ss_host_plan ss_host_plan_of(const ss_workload *workload, const ss_machine *machine);

/* Whether the host waits for the GPU before it launches a task of a list, as it comes there. */
bool ss_host_plan_waits_at(const ss_host_plan *plan, const ss_task_list *list, const ss_task *task);

/* How the host launches a task that takes the GPU `gpu_s`; whether it waits for the GPU before. What backward computes
 * again is launched as forward is. */
ss_launches ss_host_plan_launches(const ss_host_plan *plan, ss_pass pass, const ss_task *task, double gpu_s,
                                  bool waits);

/* How the host launches so many reductions of gradients, or a message to another stage. What is received by then is in
 * the same group of launches (batch_isend_irecv in p2p_communication.py of Megatron-LM), or waited for in any case. */
ss_launches ss_host_plan_calls(const ss_host_plan *plan, int64_t count);

/* When the host begins to launch a pass that could start now, if it has launched all before it at `host_s`. */
static inline double ss_host_plan_begin_s(const ss_host_plan *plan, double host_s, double now_s)
{
  return ss_max(host_s, now_s - plan->ahead_s);
}

#endif
