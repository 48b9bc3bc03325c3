/* Searches as objects. */
#ifndef STEPSIM_TESTS_SUPPORT_SEARCHES_HPP
#define STEPSIM_TESTS_SUPPORT_SEARCHES_HPP

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
