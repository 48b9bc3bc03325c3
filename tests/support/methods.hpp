/* All algorithms of collectives and all that they do, from the registry: a new one is in every property test. */
#ifndef STEPSIM_TESTS_SUPPORT_METHODS_HPP
#define STEPSIM_TESTS_SUPPORT_METHODS_HPP

#include <vector>

extern "C" {
#include "model/collective/collective.h"
#include "model/collective/registry.h"
}

namespace stepsim
{

/* In the order of the table. */
inline std::vector<ss_algorithm> all_algorithms()
{
  return {
#define SS_ALGORITHM_ID(id, table) id,
      SS_ALGORITHM_ROWS(SS_ALGORITHM_ID)
#undef SS_ALGORITHM_ID
  };
}

/* Every collective by every algorithm that does it. */
inline std::vector<ss_method> all_methods()
{
  std::vector<ss_method> methods;
  for (const ss_algorithm algorithm : all_algorithms())
    for (int kind = 0; kind < SS_COLLECTIVE_COUNT; ++kind) {
      const ss_method method = {static_cast<ss_collective>(kind), algorithm};
      if (ss_method_exists(method)) methods.push_back(method);
    }
  return methods;
}

/* The algorithms that do all collectives of one set and none of another. */
inline std::vector<ss_algorithm> algorithms_of(unsigned all_of, unsigned none_of = 0)
{
  std::vector<ss_algorithm> found;
  for (const ss_algorithm algorithm : all_algorithms()) {
    const unsigned kinds = ss_algorithm_row_of(algorithm)->kinds;
    if ((kinds & all_of) == all_of && (kinds & none_of) == 0) found.push_back(algorithm);
  }
  return found;
}

/* Gives a machine the switches that a method needs, and no others. */
inline void add_needed_switches(ss_machine &machine, ss_method method)
{
  machine.nvlink_reduces = machine.fabric_reduces = 0;
  if (!ss_method_runs_on(method, &machine)) machine.nvlink_reduces = machine.fabric_reduces = 1;
}

} /* namespace stepsim */

#endif
