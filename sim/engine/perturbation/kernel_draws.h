/* Noise: each kernel on each GPU takes a factor more or less by chance (kernel-noise), log-normal with mean 1. */
#ifndef STEPSIM_SIM_ENGINE_PERTURBATION_KERNEL_DRAWS_H
#define STEPSIM_SIM_ENGINE_PERTURBATION_KERNEL_DRAWS_H

#include "model/plan/job.h"

typedef struct ss_kernel_draws ss_kernel_draws;

/* SS_ERROR_MEMORY. NULL where the machine has no noise. Borrows the keys [gpus] of the GPUs' random numbers. Destroy in
 * any case. */
ss_status ss_kernel_draws_create(ss_kernel_draws **draws, const ss_job *job, const uint64_t *key);
void ss_kernel_draws_destroy(ss_kernel_draws *draws);

/* The kernels that come next are those of a block of a pass, on the GPUs [tensor * context] of the ranks of a stage
 * replica. Not without noise (NULL). */
void ss_kernel_draws_turn_to(ss_kernel_draws *draws, const int32_t *gpu, int64_t schedule_pass, int64_t position);

/* What the time of a piece of the kernel of a task is multiplied by on a rank, 1 without noise. */
double ss_kernel_draws_factor(const ss_kernel_draws *draws, int64_t rank, int64_t task, int64_t piece);

/* What such a piece is called, and the largest factors of all ranks for pieces with these names [count]. */
uint64_t ss_kernel_draws_name(int64_t task, int64_t piece);
void ss_kernel_draws_largest(const ss_kernel_draws *draws, const uint64_t *name, int64_t count, double *factor);

#endif
