/* Kernels that take longer than the models say: GPUs that are slower than others (gpu-speed), GPUs that differ by
 * chance (gpu-spread), and noise (kernel-noise).
 *
 * The ranks of a replica compute by themselves and meet in every collective, where all wait for the slowest. A run of
 * tasks takes, for each stretch between two collectives, the longest sum of kernel times over the ranks; collectives
 * take their computed time. They meet, too, where a run ends: before and after every live task and at the end of a
 * block. That is exact where a collective is there, and else the wait is a little too long under noise.
 *
 * What is drawn depends on the seed, the GPU and which kernel of the iteration it is, and on nothing else. */
#ifndef STEPSIM_SIM_ENGINE_PERTURBATION_PERTURBATION_H
#define STEPSIM_SIM_ENGINE_PERTURBATION_PERTURBATION_H

#include "sim/engine/core/world.h"
#include "sim/engine/perturbation/random.h"

/* Nominal times of one piece of a task. */
typedef struct ss_task_times {
  double kernel_s, calls_s;
} ss_task_times;

struct ss_perturbation {
  bool noisy;
  double *noise;        /* [SS_SLICES] factors of kernel-noise; owned, where there is any */
  double *slowness;     /* [gpus] what the time of every kernel is multiplied by; owned */
  uint64_t *key;        /* [gpus] of their random numbers; owned */
  uint64_t *block_key;  /* [ranks of a replica] of a run's or kernel's block; owned */
  double *clock_s;      /* [ranks of a replica] where each of them is in a run; owned */
  ss_task_times *times; /* [SS_BLOCK_COUNT][SS_PASSES][SS_TASKS_MAX] owned */
};

/* Draws what is drawn once: SS_ERROR_MEMORY. NULL on a machine that has none of the three for the GPUs of the job, and
 * where the job asks what were without it. Destroy in any case. */
ss_status ss_perturbation_create(ss_perturbation **perturbation, const ss_job *job, uint64_t seed);
void ss_perturbation_destroy(ss_perturbation *perturbation);

/* Stage replicas of the same colour take the same times for the same work. */
uint64_t ss_perturbation_colour(const ss_world *world, const ss_stage_replica *replica);

/* By how much these take longer than nominal, on the slowest rank of the replica: the run of tasks that begins now, all
 * runs of the pass that begins now, one piece of the kernel of the current live task, the optimizer step. 0 without
 * perturbation. */
double ss_perturbation_run_s(const ss_world *world, const ss_stage_replica *replica, const ss_step *step);
double ss_perturbation_pass_s(const ss_world *world, const ss_stage_replica *replica);
double ss_perturbation_piece_s(const ss_world *world, const ss_stage_replica *replica, int64_t task, int64_t piece);
double ss_perturbation_optimizer_s(const ss_world *world, const ss_stage_replica *replica, ss_optimizer_time nominal);

#endif
