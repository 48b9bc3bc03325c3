#include "sim/engine/perturbation/kernel_draws.h"

#include <stdlib.h>

#include "model/base/random.h"
#include "model/base/vectors.h"

/* Bits of the name of a kernel for its block and its piece. */
enum { BLOCK_BITS = 24, PIECE_BITS = 24 };

/* The largest slice [count] of all ranks for kernels with these names. */
typedef void ss_find_largest(const uint64_t *key, int64_t width, const uint64_t *name, int64_t count, uint64_t *slice);

struct ss_kernel_draws {
  const uint64_t *key; /* [gpus] */
  int64_t width;       /* ranks of a stage replica */
  double *factor;      /* [SS_SLICES] in ascending order; owned */
  uint64_t *block_key; /* [width] of the block at hand; owned */
  const int32_t *gpu;  /* the ranks of that block; NULL: none is at hand; borrowed */
  uint64_t block;      /* and what it is called */
  ss_find_largest *find_largest;
};

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

uint64_t ss_kernel_draws_name(int64_t task, int64_t piece)
{
  return (uint64_t)task << PIECE_BITS | (uint64_t)piece;
}

double ss_kernel_draws_factor(const ss_kernel_draws *draws, int64_t rank, int64_t task, int64_t piece)
{
  if (draws == NULL) return 1.0;
  return ss_random_slice(draws->factor, ss_random_key(draws->block_key[rank], ss_kernel_draws_name(task, piece)));
}

/* The largest slices: those of the largest numbers. */
static inline void largest_of(const uint64_t *restrict key, int64_t width, const uint64_t *restrict name, int64_t count,
                              uint64_t *restrict slice)
{
  for (int64_t i = 0; i < count; ++i) slice[i] = 0;
  for (int64_t rank = 0; rank < width; ++rank)
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t own = ss_random_slice_of(ss_random_key(key[rank], name[i]));
      slice[i] = own > slice[i] ? own : slice[i];
    }
}

static void find_largest(const uint64_t *key, int64_t width, const uint64_t *name, int64_t count, uint64_t *slice)
{
  largest_of(key, width, name, count, slice);
}

#if SS_HAS_WIDE_VECTORS
SS_FOR_WIDE_VECTORS
static void find_largest_wide(const uint64_t *key, int64_t width, const uint64_t *name, int64_t count, uint64_t *slice)
{
  largest_of(key, width, name, count, slice);
}
#endif

static ss_find_largest *choose_find_largest(void)
{
#if SS_HAS_WIDE_VECTORS
  if (SS_WIDE_VECTORS_ARE_THERE) return find_largest_wide;
#endif
  return find_largest;
}

ss_status ss_kernel_draws_create(ss_kernel_draws **draws, const ss_job *job, const uint64_t *key)
{
  *draws = NULL;
  if (!(job->machine->kernel_noise > 0.0)) return SS_OK;
  ss_kernel_draws *made = *draws = calloc(1, sizeof **draws);
  if (made == NULL) return SS_ERROR_MEMORY;
  made->key = key;
  made->find_largest = choose_find_largest();
  made->width = job->tensor * job->context;
  made->factor = calloc(SS_SLICES, sizeof *made->factor);
  made->block_key = calloc((size_t)made->width, sizeof *made->block_key);
  if (made->factor == NULL || made->block_key == NULL) return SS_ERROR_MEMORY;
  ss_log_normal_slices(ss_log_normal_of(job->machine->kernel_noise), made->factor);
  return SS_OK;
}

void ss_kernel_draws_largest(const ss_kernel_draws *draws, const uint64_t *name, int64_t count, double *factor)
{
  enum { AT_ONCE = 32 };
  uint64_t slice[AT_ONCE];
  for (int64_t first = 0; first < count; first += AT_ONCE) {
    const int64_t some = count - first < AT_ONCE ? count - first : AT_ONCE;
    draws->find_largest(draws->block_key, draws->width, name + first, some, slice);
    for (int64_t i = 0; i < some; ++i) factor[first + i] = draws->factor[slice[i]];
  }
}
