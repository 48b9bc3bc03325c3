/* Memory that is needed soon. */
#ifndef STEPSIM_SIM_ENGINE_CORE_PREFETCH_H
#define STEPSIM_SIM_ENGINE_CORE_PREFETCH_H

#include <stddef.h>

/* Asks for some bytes, so that they are in a cache when they are needed; where compilers know how. */
static inline void ss_prefetch(const void *start, size_t bytes)
{
#ifdef __GNUC__
  enum { LINE = 64 };
  for (size_t at = 0; at < bytes; at += LINE) __builtin_prefetch((const char *)start + at);
#else
  (void)start;
  (void)bytes;
#endif
}

#endif
