/* Pipelines whose layers a layout splits. */
#ifndef STEPSIM_TESTS_SUPPORT_LAYOUTS_HPP
#define STEPSIM_TESTS_SUPPORT_LAYOUTS_HPP

#include <string>

#include "tests/support/fixtures.hpp"

namespace stepsim
{

inline void set_layout(ss_workload &workload, const std::string &layout)
{
  std::snprintf(workload.parallelism.layout, sizeof workload.parallelism.layout, "%s", layout.c_str());
}

inline ss_workload make_pipeline(int64_t layers, int64_t stages, int64_t chunks)
{
  ss_workload workload = make_workload();
  workload.model.layers = layers;
  workload.parallelism.pp = stages;
  workload.parallelism.interleave = chunks;
  workload.schedule.pipeline = chunks > 1 ? SS_PIPELINE_INTERLEAVED : SS_PIPELINE_1F1B;
  workload.training.global_batch = 2 * stages;
  return workload;
}

} /* namespace stepsim */

#endif
