/* Perturbation: GPUs that are slower than others (gpu-speed), GPUs that differ by chance (gpu-spread), and noise
 * (kernel-noise) make kernels take longer than the models say; and so does attention in micro-batches whose documents
 * are longer than the average. In a trial, so do iterations that are longer than others, on all GPUs alike
 * (iteration-noise): their kernels are those of a job that is stretched. And GPUs now and then stall (stall-rate,
 * stall-time).
 *
 * The ranks of a replica compute by themselves and meet in every collective, where all wait for the slowest. A run of
 * tasks takes, for each stretch between two collectives, the longest sum of kernel times over the ranks; collectives
 * take their computed time. They meet, too, where a run ends: before and after every live task, after each piece of its
 * kernel, and at the end of a block. That is exact where a collective is there, and else the wait is too long under
 * noise: by up to 0.3 of a kernel-noise of 1 where all tasks are live.
 *
 * What is drawn depends on the seed, the GPU and which kernel of the iteration it is, and on nothing else; stalls on
 * the seed, the GPU and how much its kernels have done; documents on the seed and which sequence of the global batch
 * they are in. */
#ifndef STEPSIM_SIM_ENGINE_PERTURBATION_PERTURBATION_H
#define STEPSIM_SIM_ENGINE_PERTURBATION_PERTURBATION_H

#include "model/plan/job.h"
#include "model/plan/optimizer.h"

typedef struct ss_perturbation ss_perturbation;

/* Which kernels of an iteration: those of the ranks of a stage replica in one block of one pass of its schedule. */
typedef struct ss_kernel_place {
  const int32_t *gpu;              /* [tensor * context] of the ranks */
  int64_t schedule_pass, position; /* which pass of the schedule, which block of it */
  int64_t replica, micro_batch;    /* of the model, and of those that go through any of its copies there */
  ss_block_kind kind;
  ss_pass pass;
} ss_kernel_place;

/* A job has any of these. */
bool ss_job_is_perturbed(const ss_job *job);

/* What all kernels of an iteration are to be stretched by: 1 where iterations of the job are alike. */
double ss_perturbation_iteration_factor(const ss_job *job, uint64_t seed);

/* Draws what is drawn once: SS_ERROR_MEMORY. NULL where the GPUs of the job have none of these and micro-batches
 * are alike, and where the job asks what were without it. Borrows the job. Destroy in any case. */
ss_status ss_perturbation_create(ss_perturbation **perturbation, const ss_job *job, uint64_t seed);
void ss_perturbation_destroy(ss_perturbation *perturbation);

/* Stage replicas of the same colour, and stage, take the same times for the same work. `gpu`: of the ranks of one,
 * which is of the model's replica `replica`. */
uint64_t ss_perturbation_colour(const ss_perturbation *perturbation, int64_t replica, const int32_t *gpu);

/* Marks the replicas of the model, odd [replicas], all false, of which a stage differs in colour from most others of
 * it. How many. */
int64_t ss_perturbation_find_odd(const ss_perturbation *perturbation, bool *odd);

/* Whether kernels differ by chance one by one. */
bool ss_perturbation_is_noisy(const ss_perturbation *perturbation);

/* Whether no two stage replicas take the same times: kernels differ so, or replicas have documents of their own; not
 * without perturbation (NULL). */
bool ss_perturbation_tells_apart(const ss_perturbation *perturbation);

/* Whether kernels of the ranks of a stage replica, on these GPUs, may take another time than nominal; not without
 * perturbation (NULL). */
bool ss_perturbation_touches(const ss_perturbation *perturbation, const int32_t *gpu);

/* Tasks [first, first + count) of a block, the time they take nominally, and how the host launches them, where it does.
 */
typedef struct ss_task_run {
  int64_t first, count;
  double nominal_s;
  ss_launches launches;
} ss_task_run;

/* A piece of the kernel of a task, and by how many seconds it takes longer than nominal. */
typedef struct ss_kernel_piece {
  int64_t task, piece;
  double longer_s;
} ss_kernel_piece;

/* Pieces of kernels of a block by what noise calls them, where all that tells them apart is noise: a replica has the
 * same ones in each pass. */
typedef struct ss_named_pieces {
  const uint64_t *name;    /* [count] */
  const double *nominal_s; /* [count] */
  int64_t count;
} ss_named_pieces;

/* By how many seconds these take longer than nominal, on the slowest rank: a run of tasks, pieces of kernels of a block
 * [count], which get their `longer_s`, the optimizer step. To be asked once for each, in the order in which ranks do
 * them. 0 without perturbation (NULL). */
double ss_perturbation_run_s(ss_perturbation *perturbation, const ss_kernel_place *at, ss_task_run run);
void ss_perturbation_draw(ss_perturbation *perturbation, const ss_kernel_place *at, ss_kernel_piece *piece,
                          int64_t count);
/* Whether pieces on the GPUs of a stage replica are drawn by name; what one of a block of that kind and pass is called,
 * and what it takes nominally. Those of one block [count] take so much longer, longer_s [count]. */
bool ss_perturbation_draws_by_name(const ss_perturbation *perturbation, const int32_t *gpu);
uint64_t ss_perturbation_name(const ss_perturbation *perturbation, const ss_kernel_place *at,
                              const ss_kernel_piece *piece, double *nominal_s);
void ss_perturbation_draw_named(ss_perturbation *perturbation, const ss_kernel_place *at, const ss_named_pieces *pieces,
                                double *longer_s);
double ss_perturbation_optimizer_s(ss_perturbation *perturbation, const ss_kernel_place *at, ss_optimizer_time nominal);

/* Another iteration begins. */
void ss_perturbation_restart(ss_perturbation *perturbation);

/* By how many seconds the run that comes next ends later for its launches, which the host begins *host_s from now
 * (below 0: has begun so long ago) and does one after the other: kernels that take longer hide more of them. *host_s
 * becomes when it is through; where it waits for the GPU on the way, for the slowest rank. */
double ss_perturbation_launched_s(ss_perturbation *perturbation, const ss_kernel_place *at, const ss_task_run *run,
                                  double *host_s);

#endif
