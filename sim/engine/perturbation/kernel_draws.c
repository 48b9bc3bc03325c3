#include "sim/engine/perturbation/kernel_draws.h"

#include <stdlib.h>

#include "model/base/random.h"

/* Bits of the name of a kernel for its block and its piece. */
enum { BLOCK_BITS = 24, PIECE_BITS = 24 };

struct ss_kernel_draws {
  const uint64_t *key; /* [gpus] */
  int64_t width;       /* ranks of a stage replica */
  double *factor;      /* [SS_SLICES] in ascending order; owned */
  uint64_t *block_key; /* [width] of the block at hand; owned */
  const int32_t *gpu;  /* the ranks of that block; NULL: none is at hand; borrowed */
  uint64_t block;      /* and what it is called */
};

ss_status ss_kernel_draws_create(ss_kernel_draws **draws, const ss_job *job, const uint64_t *key)
{
  *draws = NULL;
  if (!(job->machine->kernel_noise > 0.0)) return SS_OK;
  ss_kernel_draws *made = *draws = calloc(1, sizeof **draws);
  if (made == NULL) return SS_ERROR_MEMORY;
  made->key = key;
  made->width = job->tensor * job->context;
  made->factor = calloc(SS_SLICES, sizeof *made->factor);
  made->block_key = calloc((size_t)made->width, sizeof *made->block_key);
  if (made->factor == NULL || made->block_key == NULL) return SS_ERROR_MEMORY;
  ss_log_normal_slices(ss_log_normal_of(job->machine->kernel_noise), made->factor);
  return SS_OK;
}

void ss_kernel_draws_destroy(ss_kernel_draws *draws)
{
  if (draws == NULL) return;
  free(draws->factor);
  free(draws->block_key);
  free(draws);
}

/* Kernels of a block come one after the other, so that their common part is found once. */
void ss_kernel_draws_turn_to(ss_kernel_draws *draws, const int32_t *gpu, int64_t schedule_pass, int64_t position)
{
  const uint64_t block = (uint64_t)schedule_pass << BLOCK_BITS | (uint64_t)position;
  if (draws->gpu == gpu && draws->block == block) return;
  for (int64_t rank = 0; rank < draws->width; ++rank)
    draws->block_key[rank] = ss_random_key(draws->key[gpu[rank]], block);
  draws->gpu = gpu;
  draws->block = block;
}

static uint64_t number_of(const ss_kernel_draws *draws, int64_t rank, int64_t task, int64_t piece)
{
  return ss_random_key(draws->block_key[rank], (uint64_t)task << PIECE_BITS | (uint64_t)piece);
}

double ss_kernel_draws_factor(const ss_kernel_draws *draws, int64_t rank, int64_t task, int64_t piece)
{
  return draws != NULL ? ss_random_slice(draws->factor, number_of(draws, rank, task, piece)) : 1.0;
}

/* That of the largest number. */
double ss_kernel_draws_largest(const ss_kernel_draws *draws, int64_t task, int64_t piece)
{
  uint64_t most = 0;
  for (int64_t rank = 0; rank < draws->width; ++rank) {
    const uint64_t number = number_of(draws, rank, task, piece);
    most = number > most ? number : most;
  }
  return ss_random_slice(draws->factor, most);
}
