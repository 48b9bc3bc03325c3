/* The seed of random tests. */
#ifndef STEPSIM_TESTS_SUPPORT_SEED_HPP
#define STEPSIM_TESTS_SUPPORT_SEED_HPP

namespace stepsim
{

/* What the random tests of this run add to their seeds: --seed=N, else the environment's STEPSIM_SEED, else 0. */
extern unsigned seed;

} // namespace stepsim

#endif
