/* Mixing of 64-bit words, for tables and for telling structures apart. */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_MIX_H
#define STEPSIM_SIM_ENGINE_NETWORK_MIX_H

#include <stdint.h>
#include <string.h>

/* The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): every bit of the input reaches every bit of the
 * result. */
static inline uint64_t ss_scramble(uint64_t x)
{
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* One word of two, in order. */
static inline uint64_t ss_mix(uint64_t a, uint64_t b)
{
  return ss_scramble(ss_scramble(a) ^ b);
}

static inline uint64_t ss_mix_real(uint64_t a, double b)
{
  uint64_t bits;
  memcpy(&bits, &b, sizeof bits);
  return ss_mix(a, bits);
}

#endif
