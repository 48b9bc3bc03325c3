#include "model/base/pool.h"

#include "model/base/error.h"

void ss_pool_free(ss_pool *pool)
{
  ss_scratch_destroy(pool->memory);
  *pool = (ss_pool){0};
}

void *ss_pool_grow(ss_pool *pool, size_t bytes)
{
  if (pool->memory == NULL) pool->memory = ss_scratch_create();
  SS_ASSERT(pool->memory != NULL);
  return ss_scratch_take(pool->memory, bytes);
}
