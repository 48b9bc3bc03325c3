/* Layers with sparse attention on a machine whose vector units count as nothing, so that fused kernels have the flop of
 * their products. */
#ifndef STEPSIM_TESTS_SUPPORT_SPARSE_BLOCKS_HPP
#define STEPSIM_TESTS_SUPPORT_SPARSE_BLOCKS_HPP

#include "tests/support/blocks.hpp"

namespace stepsim
{

inline ss_machine machine()
{
  ss_machine m = make_machine({});
  m.vector_flop_per_s = 1e30;
  return m;
}

inline BlockPointer layer(const ss_workload &workload)
{
  return build_on(machine(), workload);
}

inline double flop_of(const ss_workload &workload, ss_pass pass, ss_activity activity, int nth = 0)
{
  return find(*layer(workload), pass, activity, nth).kernel.flop;
}

} /* namespace stepsim */

#endif
