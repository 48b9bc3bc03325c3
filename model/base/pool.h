/* Objects of one size that come and go, time after time: what was given back last is taken first, so that it is still
 * in a cache. All memory is given back at once. */
#ifndef STEPSIM_MODEL_BASE_POOL_H
#define STEPSIM_MODEL_BASE_POOL_H

#include <stddef.h>

#include "model/base/scratch.h"

/* An object that nobody has. */
typedef struct ss_pooled {
  struct ss_pooled *next;
} ss_pooled;

/* Zeroed: nothing has been taken. */
typedef struct ss_pool {
  ss_pooled *idle;
  ss_scratch *memory; /* owned */
} ss_pool;

/* Gives back all memory, that of objects which are in use, too. */
void ss_pool_free(ss_pool *pool);

/* Room for one more object of so many bytes, not initialised. Aborts when memory is out. */
void *ss_pool_grow(ss_pool *pool, size_t bytes);

/* An object of so many bytes, at least those of a pointer and the same each time, as somebody gave it back or not
 * initialised. Aborts when memory is out. */
static inline void *ss_pool_take(ss_pool *pool, size_t bytes)
{
  ss_pooled *taken = pool->idle;
  if (taken == NULL) return ss_pool_grow(pool, bytes);
  pool->idle = taken->next;
  return taken;
}

/* Gives an object back, whose first bytes, those of a pointer, are written over. */
static inline void ss_pool_give(ss_pool *pool, void *object)
{
  ss_pooled *idle = (ss_pooled *)object;
  idle->next = pool->idle;
  pool->idle = idle;
}

#endif
