/* Random jobs whose flows meet on the upper levels of a fabric. */
#ifndef STEPSIM_TESTS_SUPPORT_TIGHT_JOBS_HPP
#define STEPSIM_TESTS_SUPPORT_TIGHT_JOBS_HPP

#include "tests/support/random_jobs.hpp"

namespace stepsim
{

/* Fat trees over the NICs of 64 GPUs, none of which gives every pair of NICs a way of its own. */
inline ss_machine tight_machine(std::mt19937 &random, int index)
{
  static const char *const trees[] = {
      "2;4,%d;1,4;1,1", "2;4,%d;1,2;1,1", "2;8,%d;1,8;1,1", "2;8,%d;1,5;1,1", "2;16,%d;1,12;1,1", "2;4,%d;1,2;1,2",
  };
  static const int leaf[] = {4, 4, 8, 8, 16, 4};
  PlatformSpec spec = random_platform(random);
  char text[128];
  std::snprintf(text, sizeof text, trees[index % 6], spec.gpus / spec.domain * spec.nics / leaf[index % 6]);
  spec.topology = "topology=\"FAT_TREE\" topo_parameters=\"" + std::string(text) + "\"";
  return able_machine(spec);
}

/* A workload on more than one leaf switch, now and then one that goes through the pipeline both ways. */
inline ss_workload wide_workload(std::mt19937 &random)
{
  for (;;) {
    ss_workload w = random_workload(random);
    if (ss_workload_gpus(&w) < 16) continue;
    if (w.parallelism.pp > 1 && w.parallelism.pp % 2 == 0 && random() % 4 == 0) {
      ss_workload both = w;
      both.schedule.pipeline = SS_PIPELINE_DUALPIPE;
      both.parallelism.interleave = 1;
      if (ss_workload_check(&both, nullptr) == SS_OK) return both;
    }
    return w;
  }
}

} // namespace stepsim

#endif
