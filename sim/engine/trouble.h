/* Kernels that take longer than the models say: GPUs that are slower than others (gpu-speed), GPUs that differ by
 * chance (gpu-spread), and noise (kernel-noise).
 *
 * The ranks of a cell compute by themselves and meet in every collective, where all wait for the slowest. A run of
 * tasks takes, for each stretch between two collectives, the longest sum of kernel times over the ranks; collectives
 * take their computed time. They meet, too, where a run ends: before and after every live task and at the end of a
 * block. That is exact where a collective is there, and else the wait is a little too long under noise.
 *
 * What is drawn depends on the seed, the GPU and which kernel of the iteration it is, and on nothing else. */
#ifndef STEPSIM_SIM_ENGINE_TROUBLE_H
#define STEPSIM_SIM_ENGINE_TROUBLE_H

#include "sim/engine/random.h"
#include "sim/engine/world.h"

/* Nominal times of one piece of a task. */
typedef struct ss_task_times {
  double kernel_s, calls_s;
} ss_task_times;

struct ss_trouble {
  bool noisy;
  double *noise;        /* [SS_SLICES] factors of kernel-noise; owned, where there is any */
  double *slowness;     /* [gpus] what the time of every kernel is multiplied by; owned */
  uint64_t *key;        /* [gpus] of their random numbers; owned */
  uint64_t *block_key;  /* [ranks of a cell] of a run's or kernel's block; owned */
  double *clock_s;      /* [ranks of a cell] where each of them is in a run; owned */
  ss_task_times *times; /* [SS_BLOCK_COUNT][SS_PASSES][SS_TASKS_MAX] owned */
};

/* Draws what is drawn once: SS_ERROR_MEMORY. NULL on a machine that has none of the three for the GPUs of the job, and
 * where the job asks what were without it. Destroy in any case. */
ss_status ss_trouble_create(ss_trouble **trouble, const ss_job *job, uint64_t seed);
void ss_trouble_destroy(ss_trouble *trouble);

/* Cells of the same colour take the same times for the same work. */
uint64_t ss_trouble_colour(const ss_world *world, const ss_cell *cell);

/* By how much these take longer than nominal, on the slowest rank of the cell: the run of tasks that begins now, all
 * runs of the pass that begins now, one piece of the kernel of the current live task, the optimizer step. 0 without
 * trouble. */
double ss_trouble_run_s(const ss_world *world, const ss_cell *cell, const ss_step *step);
double ss_trouble_pass_s(const ss_world *world, const ss_cell *cell);
double ss_trouble_piece_s(const ss_world *world, const ss_cell *cell, int64_t task, int64_t piece);
double ss_trouble_optimizer_s(const ss_world *world, const ss_cell *cell, ss_optimizer_time nominal);

#endif
