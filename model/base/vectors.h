/* Functions that are there once more for processors with wider vector registers. */
#ifndef STEPSIM_MODEL_BASE_VECTORS_H
#define STEPSIM_MODEL_BASE_VECTORS_H

/* Before a function that is compiled for processors that multiply eight whole numbers of 64 bits at once, and whether
 * this is one. With others there is no such function. */
#if defined(__GNUC__) && defined(__x86_64__)
#define SS_HAS_WIDE_VECTORS 1
#define SS_FOR_WIDE_VECTORS __attribute__((target("avx512f,avx512dq,avx512vl")))
#define SS_WIDE_VECTORS_ARE_THERE                                                                                      \
  (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
#else
#define SS_HAS_WIDE_VECTORS 0
#endif

#endif
