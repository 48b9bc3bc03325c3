/* The optimizer step on the cores of the host (training.offload-step): whether there is one, what it moves, and how
 * long it takes. */
#ifndef STEPSIM_MODEL_PLAN_HOST_STEP_H
#define STEPSIM_MODEL_PLAN_HOST_STEP_H

#include <stdbool.h>

#include "model/input/machine.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* Bytes per parameter that the host keeps in fp32 of what it steps: master weight and two moments, as CPUAdam of
 * DeepSpeed (deepspeed/ops/adam/cpu_adam.py) and AdamW of PyTorch have them by default; and the gradient. */
#define SS_HOST_STATE_BYTES    12.0
#define SS_HOST_GRADIENT_BYTES 4.0

/* Share of the parameters whose states are in the second memory tier: 0 without training.offload-optimizer. */
double ss_offloaded_share(const ss_workload *workload);

/* Share of the parameters that the host steps. */
double ss_host_stepped_share(const ss_workload *workload);

/* Whether their gradients go there beside the passes that complete them, so that the GPU keeps none: where ranks have
 * but a shard of them (async_inplace_copy_grad_to_fp32_buffer_from_gpu of deepspeed/runtime/zero/stage_1_and_2.py,
 * _offload_grad_partition_at_boundary of stage3.py). Else they go with the step (_set_sub_optimizer_grads of
 * Megatron-LM, megatron/core/optimizer/cpu_offloading/hybrid_optimizer.py). */
bool ss_host_takes_gradients(const ss_workload *workload);

/* Bytes per parameter that go to the host and come from there with the step: gradients in fp32, if they are not there,
 * and weights. Cores that have clipped gradients also cast weights to 16 bits; else they go back as they are, and the
 * GPU casts them (gpu_param.data.copy_ of hybrid_optimizer.py does not block, for which PyTorch casts on the GPU). */
double ss_host_step_down_bytes(const ss_workload *workload);
double ss_host_step_up_bytes(const ss_workload *workload);

/* Seconds from gradients to weights on the GPU of so many parameters that a GPU has the host step, of which an update
 * reads and writes `update_bytes` each; `weights_bytes` of weights go to the second memory tier meanwhile. */
double ss_host_step_s(const ss_workload *workload, const ss_machine *machine, double parameters, double update_bytes,
                      double weights_bytes);

#endif
