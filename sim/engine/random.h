/* Random numbers that are a function of what they are for, not of when they are drawn: a key is made of counters, and a
 * number of a key. */
#ifndef STEPSIM_SIM_ENGINE_RANDOM_H
#define STEPSIM_SIM_ENGINE_RANDOM_H

#include <stdint.h>

/* A key for everything under `key` that is called `name`: the output function of SplitMix64 (Steele, Lea and Flood,
 * Fast splittable pseudorandom number generators, OOPSLA 2014, with the constants of Stafford's variant 13) of its
 * counter, advanced by `name` + 1 steps from `key`. Keys of different names differ. */
uint64_t ss_random_key(uint64_t key, uint64_t name);

/* The number of a key, standard normal (Box and Muller, 1958). */
double ss_random_normal(uint64_t key);

/* A factor of mean 1 whose logarithm is normal, `normal` standard deviations from its mean. */
typedef struct ss_log_normal {
  double deviation; /* of the logarithm */
} ss_log_normal;

/* The distribution of factors with mean 1 and standard deviation `relative`: the logarithm has the variance
 * v = ln(1 + relative^2) and the mean -v / 2. 0 is a factor of 1. */
ss_log_normal ss_log_normal_of(double relative);
double ss_log_normal_factor(ss_log_normal distribution, double normal);

#endif
