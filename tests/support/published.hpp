/* Configurations that the authors of arXiv 2410.00273 published: the rows of validation/closed-form-*.txt. */
#ifndef STEPSIM_TESTS_SUPPORT_PUBLISHED_HPP
#define STEPSIM_TESTS_SUPPORT_PUBLISHED_HPP

#include <map>
#include <sstream>

#include "tests/support/attributes.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/source.hpp"

extern "C" {
#include "sim/io/io.h"
}

namespace stepsim
{

struct PublishedRow {
  int line;
  int64_t dp, tp, tp2, pp, micro_batch, panels;
  int64_t nv_tp, nv_tp2, nv_dp, nv_pp; /* ranks of each coordinate that share an NVLink domain */
  double iteration_s, compute_s, memory_s, tp_comm_s, dp_comm_s, pp_comm_s, memory_gb;
};

/* A search with its rows, the fastest first. */
struct PublishedSearch {
  std::string tensor, model, platform;
  int64_t gpus;
  std::vector<PublishedRow> rows;
};

inline std::vector<PublishedSearch> published_searches(const std::string &name)
{
  std::vector<PublishedSearch> searches;
  std::ifstream file(source_path("validation/" + name));
  std::string text;
  for (int line = 1; std::getline(file, text); ++line) {
    if (text.rfind("#", 0) == 0) continue;
    std::istringstream words(text);
    PublishedSearch search;
    if (words >> search.tensor >> search.model >> search.platform >> search.gpus && !(words >> std::ws).good()) {
      searches.push_back(search);
      continue;
    }
    words = std::istringstream(text);
    PublishedRow r = {};
    r.line = line;
    words >> r.dp >> r.tp >> r.tp2 >> r.pp >> r.micro_batch >> r.panels >> r.nv_tp >> r.nv_tp2 >> r.nv_dp >> r.nv_pp;
    words >> r.iteration_s >> r.compute_s >> r.memory_s >> r.tp_comm_s >> r.dp_comm_s >> r.pp_comm_s >> r.memory_gb;
    if (!words || searches.empty()) throw std::runtime_error(name + ":" + std::to_string(line));
    searches.back().rows.push_back(r);
  }
  return searches;
}

inline ss_tensor published_tensor(const PublishedSearch &search)
{
  for (const ss_tensor tensor : all_of<ss_tensor>)
    if (search.tensor == ss_word(SS_AT_parallelism_tensor, tensor)) return tensor;
  throw std::runtime_error("unknown tensor " + search.tensor);
}

/* The model as the authors train it: 4096 sequences an iteration, nothing recomputed. */
inline ss_workload published_workload(const PublishedSearch &search)
{
  ss_workload workload;
  ss_error error = {};
  const std::string path = source_path("workloads/" + search.model + ".xml");
  EXPECT_EQ(ss_workload_load(path.c_str(), &workload, &error), SS_OK) << error.message;
  workload.training.global_batch = 4096;
  workload.training.recompute = SS_RECOMPUTE_NONE;
  workload.parallelism.tensor = published_tensor(search);
  ss_workload_derive(&workload);
  return workload;
}

inline ss_machine published_machine(const PublishedSearch &search)
{
  static std::map<std::string, ss_machine> machines;
  const auto known = machines.find(search.platform);
  if (known != machines.end()) return known->second;
  ss_machine machine;
  ss_error error = {};
  const std::string path = source_path("platforms/" + search.platform + ".xml");
  EXPECT_EQ(ss_machine_load(path.c_str(), &machine, &error), SS_OK) << error.message;
  return machines[search.platform] = machine;
}

/* One row of a search as a workload. */
inline ss_workload published_strategy(const PublishedSearch &search, const PublishedRow &row)
{
  ss_workload workload = published_workload(search);
  workload.training.micro_batch = row.micro_batch;
  workload.parallelism.dp = row.dp;
  workload.parallelism.tp = row.tp;
  workload.parallelism.tp2 = row.tp2;
  workload.parallelism.pp = row.pp;
  if (workload.parallelism.tensor == SS_TENSOR_SUMMA) workload.parallelism.panels = row.panels;
  const bool second = workload.parallelism.tensor != SS_TENSOR_1D;
  std::snprintf(workload.placement.domain, sizeof workload.placement.domain, "tp=%d,%s=%d,dp=%d,pp=%d", (int)row.nv_tp,
                second ? "tp2" : "cp", (int)row.nv_tp2, (int)row.nv_dp, (int)row.nv_pp);
  ss_workload_derive(&workload);
  return workload;
}

} // namespace stepsim

#endif
