/* Searches as objects. */
#ifndef STEPSIM_TESTS_SUPPORT_SEARCHES_HPP
#define STEPSIM_TESTS_SUPPORT_SEARCHES_HPP

#include <vector>

#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/search/search.h"
#include "model/search/varied.h"
}

namespace stepsim
{

constexpr unsigned one_d = SS_TENSOR_BIT(SS_TENSOR_1D), two_d = SS_TENSOR_BIT(SS_TENSOR_2D),
                   summa = SS_TENSOR_BIT(SS_TENSOR_SUMMA);

inline ss_search_options options_of(int64_t gpus, unsigned tensors)
{
  ss_search_options options = {};
  options.gpus = gpus;
  options.tensors = tensors;
  options.cost = SS_COST_SC24;
  options.top = 20;
  return options;
}

/* Batch 4. */
inline ss_workload small_workload()
{
  ss_workload workload = make_workload();
  workload.training.global_batch = 4;
  return workload;
}

/* All sizes of a space, with each of their placements. */
inline std::vector<ss_candidate> candidates_of(const ss_workload &workload, const ss_machine &machine, int64_t gpus,
                                               unsigned tensors)
{
  std::vector<ss_candidate> candidates;
  ss_space space;
  const ss_space_rule rule = {gpus, tensors, 0, 0, nullptr};
  EXPECT_EQ(ss_space_init(&space, &workload, &machine, &rule), SS_OK);
  std::vector<ss_coordinates> inside((size_t)space.placements_max);
  for (int64_t i = 0; i < space.count; ++i) {
    ss_candidate c = space.sizes[i];
    const int64_t placements = ss_space_placements(&space, &c, inside.data());
    for (int64_t j = 0; j < placements; ++j) {
      c.inside = inside[(size_t)j];
      candidates.push_back(c);
    }
  }
  ss_space_free(&space);
  return candidates;
}

class Search
{
public:
  Search(const ss_workload &workload, const ss_machine &machine, const ss_search_options &options)
  {
    ss_error error = {};
    EXPECT_EQ(ss_search_run(&search_, &workload, &machine, &options, &error), SS_OK) << error.message;
  }
  Search(const Search &) = delete;
  Search &operator=(const Search &) = delete;
  ~Search()
  {
    ss_search_free(&search_);
  }
  const ss_search *get() const
  {
    return &search_;
  }
  const ss_search *operator->() const
  {
    return &search_;
  }
  const ss_strategy &best(int64_t index = 0) const
  {
    return search_.top[index];
  }

private:
  ss_search search_ = {};
};

} /* namespace stepsim */

#endif
