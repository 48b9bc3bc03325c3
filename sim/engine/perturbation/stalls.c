#include "sim/engine/perturbation/stalls.h"

#include <math.h>
#include <stdlib.h>

#include "model/base/random.h"

/* What is drawn under the key of a GPU: numbers of this name, two for each stall. */
#define NAME_OF_STALLS (UINT64_MAX - 1)

/* Where a stage replica is: what its kernels have done, and its next stall. */
typedef struct stall_state {
  double worked_s, next_s; /* next_s: INFINITY where none is left in the iteration */
  int64_t passed;          /* stalls before the next */
} stall_state;

struct ss_stall_draws {
  const uint64_t *key;
  double rate_per_s, mean_s;
  int64_t replicas;   /* of all stages */
  int32_t *gpu;       /* [replicas] the first of each; owned */
  stall_state *state; /* [gpus] of those with such a first GPU; owned */
  double *first_s;    /* [gpus] their next_s as the iteration begins; owned */
};

/* A number of the stall behind `passed` others: 0 says when it comes, 1 how long it is. */
static double number_of(const ss_stall_draws *draws, int32_t gpu, int64_t passed, int which)
{
  const uint64_t key = ss_random_key(draws->key[gpu], NAME_OF_STALLS);
  return ss_random_uniform(ss_random_key(key, 2 * (uint64_t)passed + (uint64_t)which));
}

static double gap_s(const ss_stall_draws *draws, int32_t gpu, int64_t passed)
{
  return -log(number_of(draws, gpu, passed, 0)) / draws->rate_per_s;
}

static double length_s(const ss_stall_draws *draws, int32_t gpu, int64_t passed)
{
  return -log(number_of(draws, gpu, passed, 1)) * draws->mean_s;
}

static ss_status allocate(ss_stall_draws *draws, const ss_job *job)
{
  const size_t gpus = (size_t)job->machine->gpus;
  draws->replicas = job->stages * job->replicas;
  draws->gpu = calloc((size_t)draws->replicas, sizeof *draws->gpu);
  draws->state = calloc(gpus, sizeof *draws->state);
  draws->first_s = calloc(gpus, sizeof *draws->first_s);
  return draws->gpu != NULL && draws->state != NULL && draws->first_s != NULL ? SS_OK : SS_ERROR_MEMORY;
}

static ss_status fill(ss_stall_draws *draws, const ss_job *job, const uint64_t *key, const double *work_s)
{
  draws->key = key;
  draws->rate_per_s = (double)(job->tensor * job->context) * job->machine->stall_rate_per_s;
  draws->mean_s = job->machine->stall_time_s;
  if (allocate(draws, job) != SS_OK) return SS_ERROR_MEMORY;
  for (int64_t i = 0; i < draws->replicas; ++i) {
    const int64_t stage = i / job->replicas, dp = i % job->replicas;
    const int32_t gpu = job->placement.gpu[ss_placement_rank(&job->placement, (ss_coordinates){0, 0, dp, stage})];
    const double first_s = gap_s(draws, gpu, 0);
    draws->gpu[i] = gpu;
    draws->first_s[gpu] = first_s < work_s[stage] ? first_s : INFINITY;
  }
  ss_stall_draws_restart(draws);
  return SS_OK;
}

bool ss_stalls_may_come(const ss_job *job)
{
  return ss_job_has_uneven_iterations(job) && job->machine->stall_rate_per_s > 0.0;
}

ss_status ss_stall_draws_create(ss_stall_draws **draws, const ss_job *job, const uint64_t *key, const double *work_s)
{
  *draws = calloc(1, sizeof **draws);
  return *draws != NULL ? fill(*draws, job, key, work_s) : SS_ERROR_MEMORY;
}

void ss_stall_draws_destroy(ss_stall_draws *draws)
{
  if (draws == NULL) return;
  free(draws->gpu);
  free(draws->state);
  free(draws->first_s);
  free(draws);
}

void ss_stall_draws_restart(ss_stall_draws *draws)
{
  if (draws == NULL) return;
  for (int64_t i = 0; i < draws->replicas; ++i)
    draws->state[draws->gpu[i]] = (stall_state){.next_s = draws->first_s[draws->gpu[i]]};
}

bool ss_stall_draws_has(const ss_stall_draws *draws, int32_t gpu)
{
  return draws != NULL && isfinite(draws->first_s[gpu]);
}

/* The stalls until the kernels have done `work_s` more: how long they are, and what comes behind them. */
static double pass_stalls(const ss_stall_draws *draws, int32_t gpu, double work_s, stall_state *at)
{
  double sum_s = 0.0;
  at->worked_s += work_s;
  while (at->next_s < at->worked_s) {
    sum_s += length_s(draws, gpu, at->passed++);
    at->next_s += gap_s(draws, gpu, at->passed);
  }
  return sum_s;
}

double ss_stall_draws_ahead_s(const ss_stall_draws *draws, int32_t gpu, double work_s)
{
  if (!ss_stall_draws_has(draws, gpu)) return 0.0;
  stall_state at = draws->state[gpu];
  return pass_stalls(draws, gpu, work_s, &at);
}

double ss_stall_draws_go_on_s(ss_stall_draws *draws, int32_t gpu, double work_s)
{
  return ss_stall_draws_has(draws, gpu) ? pass_stalls(draws, gpu, work_s, &draws->state[gpu]) : 0.0;
}
