/* GPUs that now and then stall (stall-rate, stall-time), drawn. The ranks of a stage replica have stalls at moments of
 * a Poisson process in the time that its kernels take nominally, and all wait for each of them in the next collective,
 * so that they add up. Most stage replicas of an iteration have none, and are alike. */
#ifndef STEPSIM_SIM_ENGINE_PERTURBATION_STALLS_H
#define STEPSIM_SIM_ENGINE_PERTURBATION_STALLS_H

#include "model/plan/job.h"

typedef struct ss_stall_draws ss_stall_draws;

/* Whether GPUs of a job may stall at all. */
bool ss_stalls_may_come(const ss_job *job);

/* What is drawn depends on `key` [gpus] of the first GPU of a stage replica and on nothing else. work_s [stages]: what
 * the kernels of an iteration take on a stage. SS_ERROR_MEMORY. Destroy in any case. */
ss_status ss_stall_draws_create(ss_stall_draws **draws, const ss_job *job, const uint64_t *key, const double *work_s);
void ss_stall_draws_destroy(ss_stall_draws *draws);

/* Whether the stage replica with this first GPU stalls in an iteration. Draws may be NULL, as below: none. */
bool ss_stall_draws_has(const ss_stall_draws *draws, int32_t gpu);

/* How long it stalls while its kernels do the next `work_s`; the same, and they have done it. */
double ss_stall_draws_ahead_s(const ss_stall_draws *draws, int32_t gpu, double work_s);
double ss_stall_draws_go_on_s(ss_stall_draws *draws, int32_t gpu, double work_s);

/* Another iteration begins, with the same stalls. */
void ss_stall_draws_restart(ss_stall_draws *draws);

#endif
